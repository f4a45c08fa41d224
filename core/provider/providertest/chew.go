package providertest

import (
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/hobkin/hobkin/core/provider"
)

// Chew lets a model read body as its answer and checks what holds for any
// answer, however damaged: one end or one failure, last; what was shown is what
// the parts say; no half call in an answer that was cut at its limit. It is for
// fuzzing.
func Chew(t *testing.T, s Subject, body string) {
	t.Helper()
	spec := s.Spec
	spec.Name, spec.BaseURL = "acme", "http://provider.test"
	m, err := s.Open(spec, provider.Options{MaxAnswer: 1 << 20, HTTP: &http.Client{Transport: &Canned{Body: body}}})
	if err != nil {
		t.Fatal(err)
	}
	got := Collect(t.Context(), m, question("go"))
	if (got.Done == nil) == (got.Err == nil) || got.After != 0 {
		t.Fatalf("end %v, error %v, %d events after it", got.Done, got.Err, got.After)
	}
	if got.Err != nil {
		_ = anyFailure(t, got) // it reports by itself
		return
	}
	for _, c := range got.Calls() {
		if got.Done.Stop == provider.StopLength && !json.Valid([]byte(c.Args)) {
			t.Fatalf("half a call was given out: %+v", c)
		}
	}
	h := got.Heard()
	same := h.Text == got.Text && h.Reasoning == got.Reasoning
	switch s.Spec.Kind {
	case "openai_responses": // the whole item counts, whatever its pieces said
		same = got.Text == "" || h.Text != ""
	case "anthropic": // blocks may come at once, and their pieces in turn
		same = len(h.Text) == len(got.Text) && len(h.Reasoning) == len(got.Reasoning)
	}
	if !same {
		t.Fatalf("shown %q and %q, but the parts say %q and %q", got.Text, got.Reasoning, h.Text, h.Reasoning)
	}
}

// Canned is a transport whose answer is always Body, with a good status.
type Canned struct {
	Body string

	mu    sync.Mutex
	asked []string
}

// Asked returns the bodies of the requests so far.
func (c *Canned) Asked() []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.asked
}

// RoundTrip implements [http.RoundTripper].
func (c *Canned) RoundTrip(req *http.Request) (*http.Response, error) {
	body, err := io.ReadAll(req.Body)
	if err != nil {
		return nil, err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.asked = append(c.asked, string(body))
	return &http.Response{
		StatusCode: http.StatusOK, Header: http.Header{}, Request: req, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Body: io.NopCloser(strings.NewReader(c.Body)), ContentLength: -1,
	}, nil
}
