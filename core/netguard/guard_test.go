//go:debug x509usefallbackroots=1

package netguard_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"github.com/hobkin/hobkin/core/capability"
	"github.com/hobkin/hobkin/core/netguard"
	"github.com/hobkin/hobkin/core/netguard/netguardtest"
	"github.com/hobkin/hobkin/test/suite"
)

func TestMain(m *testing.M) {
	netguardtest.Trust()
	goleak.VerifyTestMain(m)
}

// hello is a web that says hello.
var hello = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { _, _ = fmt.Fprintf(w, "hello from %s", r.Host) })

// code is the code of a failure, "" for none, and the error itself where it is
// no declared failure.
func code(err error) string {
	if err == nil {
		return ""
	}
	if u, ok := capability.AsUserError(err); ok {
		return u.Code
	}
	return err.Error()
}

// sentence is all that is said of a failure.
func sentence(err error) string {
	if u, ok := capability.AsUserError(err); ok {
		return u.Message + "; " + u.Try
	}
	return fmt.Sprint(err)
}

// An urlCase is a line of the suite of addresses.
type urlCase struct{ URL, Want string }

func suiteURLs(tb testing.TB) (list []urlCase) {
	tb.Helper()
	text, err := os.ReadFile(suite.Path(tb, "ssrf_urls.jsonl"))
	if err != nil {
		tb.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		var c urlCase
		if err := json.Unmarshal([]byte(line), &c); err != nil {
			tb.Fatal(err)
		}
		list = append(list, c)
	}
	return list
}

func TestSuiteCheck(t *testing.T) {
	g := netguardtest.New(t, hello).Guard(t)
	list := suiteURLs(t)
	right := 0
	for _, c := range list {
		_, err := g.Check(t.Context(), c.URL)
		if (err == nil) != (c.Want == "allow") {
			t.Errorf("%s: %v; want %s", c.URL, err, c.Want)
			continue
		}
		right++
	}
	t.Logf("ssrf_urls through Check: %d of %d", right, len(list))
}

func TestSuiteClient(t *testing.T) {
	w := netguardtest.New(t, hello)
	w.Name("localhost.localdomain", "127.0.0.1")
	w.Name("metadata.google.internal", "169.254.169.254")
	client := w.Guard(t).Client(netguard.ClientOptions{})
	defer client.CloseIdleConnections()
	list := suiteURLs(t)
	right := 0
	for _, c := range list {
		body, err := get(t, client, c.URL)
		reached := err == nil && strings.HasPrefix(body, "hello")
		if reached != (c.Want == "allow") {
			t.Errorf("%s: %q, %v; want %s", c.URL, body, err, c.Want)
			continue
		}
		right++
	}
	if n := w.Reached.Load(); n != 0 {
		t.Errorf("%d connections reached what is not public", n)
	}
	t.Logf("ssrf_urls through the client: %d of %d", right, len(list))
}

// get fetches an address and returns what came.
func get(tb testing.TB, c *http.Client, url string, headers ...string) (string, error) {
	tb.Helper()
	req, err := http.NewRequestWithContext(tb.Context(), http.MethodGet, url, nil)
	if err != nil {
		return "", err
	}
	for i := 0; i+1 < len(headers); i += 2 {
		req.Header.Set(headers[i], headers[i+1])
	}
	resp, err := c.Do(req)
	if err != nil {
		return "", err
	}
	defer func() { _ = resp.Body.Close() }()
	b, err := io.ReadAll(resp.Body)
	return string(b), err
}
