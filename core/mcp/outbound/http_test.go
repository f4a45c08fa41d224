package outbound

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/hobkin/hobkin/core/capability"
	"github.com/hobkin/hobkin/core/mcp/oauth"
	"github.com/hobkin/hobkin/core/mcp/oauth/oauthtest"
)

func TestASessionThatIsLostIsMadeAnew(t *testing.T) {
	for name, status := range map[string]int{"404": http.StatusNotFound, "400": http.StatusBadRequest} {
		t.Run(name, func(t *testing.T) {
			var lost atomic.Bool
			w := startWeb(t, func(out http.ResponseWriter, r *http.Request, _ webMessage) bool {
				if lost.Load() && r.Header.Get("Mcp-Session-Id") == "session-1" {
					out.WriteHeader(status)
					_, _ = io.WriteString(out, "Bad Request: No valid session ID provided")
					return true
				}
				return false
			})
			r := manage(t, Host{})
			r.apply(w.spec())
			r.until(Ready)
			lost.Store(true)
			res, err := r.call("mcp_f_echo")
			if err != nil || res.Text != "hello" || w.calls != 1 {
				t.Errorf("%q, %v, run %d times", res.Text, err, w.calls)
			}
		})
	}
}

func TestNoticesOfAnOlderServerAreHeard(t *testing.T) {
	w := startWeb(t, nil)
	r := manage(t, Host{})
	r.apply(w.spec())
	r.until(Ready)
	eventually(t, "the stream of notices opens", func() bool {
		return w.say(`{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}`)
	})
	eventually(t, "the tools are listed again", func() bool { return w.times("POST tools/list") >= 2 })
	// A stream that ends is opened again, and what was missed is asked for.
	before := w.times("POST tools/list")
	w.hangUp()
	eventually(t, "the tools are listed after the stream broke", func() bool { return w.times("POST tools/list") > before })
	// One that finds the session forgotten makes the connection anew.
	w.forget()
	w.hangUp()
	eventually(t, "a new session", func() bool { return w.times("POST initialize") >= 2 })
	eventually(t, "its tools are back", func() bool { _, ok := r.reg.Find("mcp_f_echo"); return ok })
	if res, err := r.call("mcp_f_echo"); err != nil || res.Text != "hello" {
		t.Errorf("%q, %v", res.Text, err)
	}
}

func TestAQuestionOfAServerMayTakeItsTime(t *testing.T) {
	var replied atomic.Value
	w := startWeb(t, func(out http.ResponseWriter, _ *http.Request, m webMessage) bool {
		if m.Method == "" && m.Result != nil {
			replied.Store(string(m.Result))
			out.WriteHeader(http.StatusNoContent)
			return true
		}
		return false
	})
	var given atomic.Int64
	r := manage(t, Host{
		Roots: func() []string { return []string{"/work"} },
		Elicit: func(ctx context.Context, _ Elicitation) (Elicited, error) {
			end, _ := ctx.Deadline()
			given.Store(int64(time.Until(end)))
			return Elicited{Action: "decline"}, nil
		},
	})
	r.apply(w.spec())
	r.until(Ready)
	eventually(t, "the stream of notices opens", func() bool {
		return w.say(`{"jsonrpc":"2.0","id":"p","method":"elicitation/create","params":{"message":"Which?","requestedSchema":{"type":"object","properties":{"a":{"type":"string"}}}}}`)
	})
	eventually(t, "the answer of the person", func() bool { v, _ := replied.Load().(string); return strings.Contains(v, "decline") })
	if got := time.Duration(given.Load()); got < 5*time.Minute {
		t.Errorf("a person has %v to answer", got)
	}
	w.say(`{"jsonrpc":"2.0","id":"q","method":"roots/list"}`)
	eventually(t, "the roots are told", func() bool { v, _ := replied.Load().(string); return strings.Contains(v, "file:///work") })
	r.manager.RootsChanged(t.Context())
	eventually(t, "the change is told", func() bool { return w.times("POST notifications/roots/list_changed") == 1 })
}

func TestErrorsOfHTTPAreSaid(t *testing.T) {
	calls := func(do func(out http.ResponseWriter, n int)) func(http.ResponseWriter, *http.Request, webMessage) bool {
		var n atomic.Int64
		return func(out http.ResponseWriter, _ *http.Request, m webMessage) bool {
			if m.Method != "tools/call" {
				return false
			}
			do(out, int(n.Add(1)))
			return true
		}
	}
	for name, tt := range map[string]struct {
		do   func(out http.ResponseWriter, n int)
		want string
	}{
		"500": {func(out http.ResponseWriter, _ int) {
			http.Error(out, "disk\x1b[31m full", http.StatusInternalServerError)
		}, "HTTP 500 Internal Server Error: disk [31m full"},
		"502 with a page": {func(out http.ResponseWriter, _ int) {
			http.Error(out, "<html>"+strings.Repeat("x", 1<<20), http.StatusBadGateway)
		}, "HTTP 502 Bad Gateway"},
		"429 that is over soon": {func(out http.ResponseWriter, n int) {
			if n == 1 {
				out.Header().Set("Retry-After", "0")
				out.WriteHeader(http.StatusTooManyRequests)
				return
			}
			answer(out, json.RawMessage("4"), `{"content":[{"type":"text","text":"late"}]}`)
		}, ""},
		"429 that is not": {func(out http.ResponseWriter, _ int) {
			out.Header().Set("Retry-After", "3600")
			out.WriteHeader(http.StatusTooManyRequests)
		}, "asks to wait 1h0m0s"},
		"401":                 {func(out http.ResponseWriter, _ int) { out.WriteHeader(http.StatusUnauthorized) }, "valid token"},
		"not of the protocol": {func(out http.ResponseWriter, _ int) { _, _ = io.WriteString(out, "hi") }, "content type"},
		"half an answer": {func(out http.ResponseWriter, _ int) {
			out.Header().Set("Content-Type", "application/json")
			_, _ = io.WriteString(out, `{"jsonrpc":"2.0","id":4,`)
		}, "EOF"},
		"a stream that breaks off": {func(out http.ResponseWriter, _ int) {
			out.Header().Set("Content-Type", "text/event-stream")
			_, _ = io.WriteString(out, "data: {\"jsonrpc\":\"2.0\",\"method\":\"x\"}\n\n")
			_ = http.NewResponseController(out).Flush()
			panic(http.ErrAbortHandler)
		}, "response"},
		"garbage in a stream": {func(out http.ResponseWriter, _ int) {
			out.Header().Set("Content-Type", "text/event-stream")
			_, _ = io.WriteString(out, "oops\n\ndata: {]\n\nevent: ?\ndata: \x00\n\n:\n\n")
		}, "response"},
		"an event without end": {func(out http.ResponseWriter, _ int) {
			out.Header().Set("Content-Type", "text/event-stream")
			flood(out, strings.Repeat("x", 1<<20))
		}, "response"},
		"an event of endless lines": {func(out http.ResponseWriter, _ int) {
			out.Header().Set("Content-Type", "text/event-stream")
			flood(out, strings.Repeat("data: x\n", 1<<10))
		}, "response"},
	} {
		t.Run(name, func(t *testing.T) {
			w := startWeb(t, calls(tt.do))
			r := manage(t, Host{})
			r.apply(w.spec())
			r.until(Ready)
			res, err := r.call("mcp_f_echo")
			if tt.want == "" {
				return // it was asked once more; the id of the answer is another's, which is not what this is about
			}
			if err == nil || !strings.Contains(err.Error(), tt.want) || strings.ContainsRune(err.Error(), 0x1b) {
				t.Errorf("%q, %v; want %q", res.Text, err, tt.want)
			}
		})
	}
}

// flood writes text again and again, until no one reads it.
func flood(out http.ResponseWriter, text string) {
	for range 1 << 20 {
		if _, err := io.WriteString(out, text); err != nil {
			return
		}
	}
}

func TestAServerThatHangs(t *testing.T) {
	w := startWeb(t, func(_ http.ResponseWriter, r *http.Request, m webMessage) bool {
		if m.Method == "tools/call" {
			<-r.Context().Done()
			return true
		}
		return false
	})
	r := manage(t, Host{})
	spec := w.spec()
	spec.CallTime = 300 * time.Millisecond
	r.apply(spec)
	r.until(Ready)
	if _, err := r.call("mcp_f_echo"); err == nil || !strings.Contains(err.Error(), "in time") {
		t.Errorf("got %v", err)
	}
}

func TestCredentialsDoNotFollowRedirects(t *testing.T) {
	var seen atomic.Int64
	other := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		seen.Add(1)
		t.Errorf("another server was sent %s %s with %v", r.Method, r.URL, r.Header)
	}))
	defer other.Close()
	for _, status := range []int{http.StatusMovedPermanently, http.StatusFound, http.StatusSeeOther, http.StatusTemporaryRedirect, http.StatusPermanentRedirect} {
		t.Run(strconv.Itoa(status), func(t *testing.T) {
			w := startWeb(t, func(out http.ResponseWriter, r *http.Request, m webMessage) bool {
				if m.Method == "tools/call" || r.Method == http.MethodGet {
					http.Redirect(out, r, other.URL+"/steal", status)
					return true
				}
				return false
			})
			r := manage(t, Host{})
			spec := w.spec()
			spec.Bearer = func(context.Context) (string, error) { return "hush", nil }
			r.apply(spec)
			r.until(Ready)
			if _, err := r.call("mcp_f_echo"); err == nil || !strings.Contains(err.Error(), "redirect") || strings.Contains(err.Error(), "hush") {
				t.Errorf("got %v", err)
			}
		})
	}
	if seen.Load() != 0 {
		t.Errorf("%d requests", seen.Load())
	}
}

func TestAServerThatGoesAway(t *testing.T) {
	w := startWeb(t, nil)
	address := w.Listener.Addr().String()
	r := manage(t, Host{})
	r.apply(w.spec())
	r.until(Ready)
	w.hangUp()
	w.Close()
	if _, err := r.call("mcp_f_echo"); err == nil || !strings.Contains(err.Error(), "cannot be reached") {
		t.Errorf("while it is away: %v", err)
	}
	s := r.until(Failed)
	if !s.Lost {
		t.Errorf("it does not say that it was lost: %+v", s)
	}
	r.until(Quarantined)
	back := startWebAt(t, address)
	if err := r.manager.Retry("f"); err != nil {
		t.Fatal(err)
	}
	r.until(Ready)
	if res, err := r.call("mcp_f_echo"); err != nil || res.Text != "hello" || back.calls != 1 {
		t.Errorf("when it is back: %q, %v", res.Text, err)
	}
}

// startWebAt starts a server at an address that one had before.
func startWebAt(t *testing.T, address string) *web {
	t.Helper()
	w := &web{valid: map[string]bool{}, streams: map[chan string]bool{}}
	var lc net.ListenConfig
	l, err := lc.Listen(t.Context(), "tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	w.Server = httptest.NewUnstartedServer(w)
	_ = w.Listener.Close()
	w.Listener = l
	w.Start()
	t.Cleanup(w.Close)
	t.Cleanup(w.hangUp)
	return w
}

func TestAnOlderServerOverSSE(t *testing.T) {
	streams := make(chan string, 10)
	web := httptest.NewServer(http.HandlerFunc(func(out http.ResponseWriter, r *http.Request) {
		switch {
		case r.Header.Get("X-Key") != "hush":
			out.WriteHeader(http.StatusForbidden)
		case r.Method == http.MethodPost && r.URL.Path == "/sse":
			out.WriteHeader(http.StatusMethodNotAllowed)
		case r.Method == http.MethodGet:
			out.Header().Set("Content-Type", "text/event-stream")
			_, _ = io.WriteString(out, "event: endpoint\ndata: /messages\n\n")
			_ = http.NewResponseController(out).Flush()
			for {
				select {
				case text := <-streams:
					_, _ = fmt.Fprintf(out, "event: message\ndata: %s\n\n", text)
					_ = http.NewResponseController(out).Flush()
				case <-r.Context().Done():
					return
				}
			}
		default:
			raw, _ := io.ReadAll(r.Body)
			var m webMessage
			_ = json.Unmarshal(raw, &m)
			out.WriteHeader(http.StatusAccepted)
			result := map[string]string{
				"initialize": `{"protocolVersion":"2024-11-05","capabilities":{"tools":{}},"serverInfo":{"name":"old","version":"1"}}`,
				"tools/list": `{"tools":[{"name":"echo","inputSchema":{"type":"object"}}]}`,
				"tools/call": `{"content":[{"type":"text","text":"hello of old"}]}`,
			}[m.Method]
			if result != "" {
				streams <- fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":%s}`, m.ID, result)
			}
		}
	}))
	defer web.Close()
	r := manage(t, Host{})
	spec := (&web2{web}).spec()
	r.apply(spec)
	if s := r.until(Ready); s.Protocol != "2024-11-05" {
		t.Errorf("the protocol is %q", s.Protocol)
	}
	if res, err := r.call("mcp_f_echo"); err != nil || res.Text != "hello of old" {
		t.Errorf("%q, %v", res.Text, err)
	}
	web.CloseClientConnections()
	if s := r.until(Failed); !s.Lost {
		t.Errorf("a broken stream: %+v", s)
	}
	r.until(Ready)
	r.manager.Close()
}

type web2 struct{ *httptest.Server }

func (w *web2) spec() Spec {
	s := (&web{Server: w.Server}).spec()
	s.URL = w.URL + "/sse"
	return s
}

func TestSigningInEndsWhileTheServerIsUsed(t *testing.T) {
	var status atomic.Int64
	w := startWeb(t, func(out http.ResponseWriter, r *http.Request, m webMessage) bool {
		switch {
		case strings.HasPrefix(r.URL.Path, "/.well-known/"):
			http.NotFound(out, r)
		case m.Method == "tools/call" && status.Load() == http.StatusForbidden:
			out.Header().Set("WWW-Authenticate", `Bearer error="insufficient_scope", scope="write"`)
			out.WriteHeader(http.StatusForbidden)
		case status.Load() == http.StatusUnauthorized:
			out.WriteHeader(http.StatusUnauthorized)
		default:
			return false
		}
		return true
	})
	r := manage(t, Host{})
	spec := w.spec()
	spec.OAuth = &oauth.Options{Key: "k", Vault: &oauthtest.Vault{}, Client: spec.Client}
	r.apply(spec)
	r.until(Ready)
	status.Store(http.StatusForbidden)
	if _, err := r.call("mcp_f_echo"); err == nil || !strings.Contains(err.Error(), "more than you granted") || !strings.Contains(err.Error(), "hobkin mcp login f") {
		t.Errorf("a call that needs more: %v", err)
	}
	if st := r.manager.Status(); st[0].State != Ready {
		t.Errorf("the others are gone: %+v", st)
	}
	status.Store(http.StatusUnauthorized)
	if _, err := r.call("mcp_f_echo"); err == nil || !strings.Contains(err.Error(), "hobkin mcp login f") {
		t.Errorf("a call without a token: %v", err)
	}
	r.until(NeedsLogin)
}

func TestAServerToSignInTo(t *testing.T) {
	w := startWeb(t, func(out http.ResponseWriter, r *http.Request, _ webMessage) bool {
		if strings.HasPrefix(r.URL.Path, "/.well-known/") || r.URL.Path != "/mcp" {
			http.NotFound(out, r)
			return true
		}
		out.WriteHeader(http.StatusUnauthorized)
		return true
	})
	r := manage(t, Host{})
	spec := w.spec()
	spec.OAuth = &oauth.Options{Key: "k", Vault: &oauthtest.Vault{}, Client: spec.Client}
	r.apply(spec)
	if s := r.until(NeedsLogin); s.Reason != "sign in with: hobkin mcp login f" {
		t.Errorf("the reason is %q", s.Reason)
	}
	if st, _ := r.manager.Test(t.Context(), spec); st.State != NeedsLogin {
		t.Errorf("the test says %+v", st)
	}
}

func TestResourcesAndPrompts(t *testing.T) {
	w := startWeb(t, nil)
	r := manage(t, Host{})
	if err := r.reg.RegisterAll(r.manager.Capabilities()...); err != nil {
		t.Fatal(err)
	}
	list, read := r.reg.All()[0], r.reg.All()[1]
	if list.Available(capability.Turn{}) || read.Available(capability.Turn{}) {
		t.Error("the tools are there without a server")
	}
	r.apply(w.spec())
	r.until(Ready)
	if !list.Available(capability.Turn{}) {
		t.Error("the tools are not there with a server")
	}
	do := func(c *capability.Capability, args string) (capability.Result, error) {
		return c.Handler(t.Context(), capability.Call{ID: "1", Args: json.RawMessage(args)})
	}
	for _, args := range []string{`{}`, `{"server":"f"}`} {
		if res, err := do(list, args); err != nil || !strings.Contains(res.Text, "doc://a  A") || !res.Untrusted {
			t.Errorf("%s lists %q, %v", args, res.Text, err)
		}
	}
	if res, err := do(read, `{"server":"f","uri":"doc://a"}`); err != nil || !strings.Contains(res.Text, "the text of a") || !res.Untrusted {
		t.Errorf("reads %q, %v", res.Text, err)
	}
	if _, err := do(read, `{"server":"g","uri":"doc://a"}`); err == nil || !strings.Contains(err.Error(), "these have: f") {
		t.Errorf("another server: %v", err)
	}
	if p := r.manager.Prompts(); len(p) != 1 || p[0].Name != "sum" || !p[0].Arguments[0].Required {
		t.Errorf("prompts %+v", p)
	}
	if got, err := r.manager.GetPrompt(t.Context(), "f", "sum", map[string]string{"topic": "x"}); err != nil || len(got) != 1 || got[0] != (PromptMessage{"user", "Sum it up."}) {
		t.Errorf("the prompt is %+v, %v", got, err)
	}
}

func TestServersOfThreeSources(t *testing.T) {
	r := manage(t, Host{})
	inside := Spec{
		Name: "clock", Shown: "built in", StartTime: time.Second, CallTime: time.Second,
		Builtin: []BuiltinTool{{
			Name: "now", Description: "tells", Parameters: json.RawMessage(`{"type":"object","properties":{"zone":{"type":"string"}}}`),
			Run: func(_ context.Context, args json.RawMessage) (string, error) {
				if strings.Contains(string(args), "nowhere") {
					return "", errors.New("there is no such zone")
				}
				return "noon " + string(args), nil
			},
		}},
	}
	if err := r.manager.ApplySet(t.Context(), "builtin", []Spec{inside}); err != nil {
		t.Fatal(err)
	}
	r.until(Ready)
	c, _ := r.reg.Find("mcp_clock_now")
	call := func(args string) (capability.Result, error) {
		return c.Handler(t.Context(), capability.Call{ID: "1", Args: json.RawMessage(args)})
	}
	if res, err := call(`{"zone":"UTC"}`); err != nil || res.Text != `noon {"zone":"UTC"}` {
		t.Errorf("%q, %v", res.Text, err)
	}
	if _, err := call(`{"zone":"nowhere"}`); err == nil || !strings.Contains(err.Error(), "no such zone") {
		t.Errorf("a failure gave %v", err)
	}
	r.apply(fault("normal"))
	r.until(Ready)
	agent := fault("normal")
	agent.Name, agent.Meta = "helper", map[string]string{"agent": "writer"}
	clash := fault("normal")
	if err := r.manager.ApplySet(t.Context(), "session-1", []Spec{agent, clash}); err == nil || !strings.Contains(err.Error(), "f") {
		t.Errorf("a name of another source: %v", err)
	}
	r.until(Ready)
	if c, ok := r.reg.Find("mcp_helper_echo"); !ok || c.Meta["agent"] != "writer" {
		t.Errorf("the agent's tool is %+v", c)
	}
	r.apply() // the settings name none any more
	if len(r.manager.Status()) != 2 {
		t.Errorf("the other sources' are gone: %+v", r.manager.Status())
	}
	if err := r.manager.ApplySet(t.Context(), "session-1", nil); err != nil {
		t.Fatal(err)
	}
	if _, ok := r.reg.Find("mcp_helper_echo"); ok {
		t.Error("the session's servers outlive it")
	}
}
