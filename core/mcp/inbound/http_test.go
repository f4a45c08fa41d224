package inbound

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/hobkin/hobkin/core/capability"
)

func serveHTTP(t *testing.T, s *Server, o HTTPOptions) (address string) {
	t.Helper()
	l := listen(t, "127.0.0.1:0")
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- s.ServeHTTP(ctx, l, o) }()
	t.Cleanup(func() {
		cancel()
		if err := <-done; err != nil {
			t.Error(err)
		}
		http.DefaultClient.CloseIdleConnections()
	})
	return "http://" + l.Addr().String() + "/mcp"
}

func listen(t *testing.T, address string) net.Listener {
	t.Helper()
	l, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// A reply is a response that was read.
type reply struct {
	status  int
	session string
	text    string
}

func post(t *testing.T, address, body string, change func(*http.Request)) reply {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, address, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer letmein")
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "application/json, text/event-stream")
	if change != nil {
		change(req)
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	return reply{res.StatusCode, res.Header.Get("Mcp-Session-Id"), string(text)}
}

const hello = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`

func TestHTTPLetsInOnlyWhoMay(t *testing.T) {
	s, _ := serve(t, nil)
	at := serveHTTP(t, s, HTTPOptions{Token: "letmein", MaxBody: 10_000})
	header := func(name, value string) func(*http.Request) {
		return func(r *http.Request) { r.Header.Set(name, value) }
	}
	for _, tt := range []struct {
		name   string
		path   string
		body   string
		change func(*http.Request)
		want   int
	}{
		{"a client with the token", at, hello, nil, 200},
		{"no token", at, hello, func(r *http.Request) { r.Header.Del("Authorization") }, 401},
		{"a wrong token", at, hello, header("Authorization", "Bearer letmeout"), 401},
		{"the token as a password", at, hello, header("Authorization", "Basic letmein"), 401},
		{"a web page of another place", at, hello, header("Origin", "https://evil.example"), 403},
		{"a web page of another port here", at, hello, header("Origin", "http://127.0.0.1:1"), 403},
		{"a page from a file", at, hello, header("Origin", "null"), 403},
		{"a name that was made to resolve here", at, hello, func(r *http.Request) { r.Host = "evil.example" }, 403},
		{"the name localhost", at, hello, func(r *http.Request) { r.Host = "localhost:1" }, 200},
		{"another path", strings.TrimSuffix(at, "mcp") + "other", hello, nil, 404},
		{"a body that is too large", at, strings.Repeat("x", 20_000), nil, 413},
		{"a body that is no JSON", at, "hello", nil, 400},
		{"a session that is not there", at, `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`, header("Mcp-Session-Id", "made-up"), 404},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if res := post(t, tt.path, tt.body, tt.change); res.status != tt.want {
				t.Errorf("status %d, want %d: %s", res.status, tt.want, res.text)
			}
		})
	}
}

func TestHTTPSessions(t *testing.T) {
	s, _ := serve(t, nil)
	at := serveHTTP(t, s, HTTPOptions{Token: "letmein", MaxSessions: 2})
	in := func(id string) func(*http.Request) {
		return func(r *http.Request) { r.Header.Set("Mcp-Session-Id", id) }
	}
	var ids []string
	for range 3 {
		ids = append(ids, post(t, at, hello, nil).session)
	}
	list := `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`
	if res := post(t, at, list, in(ids[0])); res.status != 404 {
		t.Errorf("the oldest of three lives on: %d", res.status)
	}
	if res := post(t, at, list, in(ids[2])); res.status != 200 || !strings.Contains(res.text, "echo") {
		t.Errorf("the newest: %d %s", res.status, res.text)
	}
	req, _ := http.NewRequestWithContext(t.Context(), http.MethodDelete, at, http.NoBody)
	req.Header.Set("Authorization", "Bearer letmein")
	req.Header.Set("Mcp-Session-Id", ids[2])
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	_ = res.Body.Close()
	if res := post(t, at, list, in(ids[2])); res.status != 404 {
		t.Errorf("a deleted session lives on: %d", res.status)
	}
}

func TestHTTPRate(t *testing.T) {
	s, _ := serve(t, nil)
	at := serveHTTP(t, s, HTTPOptions{Token: "letmein", PerSecond: 3})
	got := map[int]int{}
	for range 10 {
		got[post(t, at, hello, nil).status]++
	}
	if got[200] < 3 || got[429] == 0 {
		t.Errorf("ten requests at once gave %v", got)
	}
}

// Every notification of a call arrives on that call's own response, in order and
// before its answer, while other calls of the session run and its client listens.
func TestHTTPProgress(t *testing.T) {
	s, _ := serve(t, func(o *Options) {
		run := o.Run
		o.Run = func(ctx context.Context, r capability.Request) *capability.Outcome {
			for _, step := range []string{"one", "two", "three"} {
				if r.Progress != nil {
					r.Progress(step)
				}
			}
			return run(ctx, r)
		}
	})
	at := serveHTTP(t, s, HTTPOptions{Token: "letmein", PerSecond: 10_000})
	in := func(id string) func(*http.Request) {
		return func(r *http.Request) { r.Header.Set("Mcp-Session-Id", id) }
	}
	id := post(t, at, hello, nil).session
	listen, stop := context.WithCancel(t.Context())
	var listening, calls sync.WaitGroup
	listening.Go(func() {
		req, _ := http.NewRequestWithContext(listen, http.MethodGet, at, http.NoBody)
		req.Header.Set("Authorization", "Bearer letmein")
		req.Header.Set("Accept", eventStream)
		in(id)(req)
		if res, err := http.DefaultClient.Do(req); err == nil {
			text, _ := io.ReadAll(res.Body)
			_ = res.Body.Close()
			if strings.Contains(string(text), "progress") {
				t.Errorf("told to the listener too:\n%s", text)
			}
		}
	})
	for w := range 8 {
		calls.Go(func() {
			for i := range 25 {
				token := fmt.Sprintf("token-%d-%d.", w, i)
				text := post(t, at, `{"jsonrpc":"2.0","id":5,"method":"tools/call","params":{"name":"echo","arguments":{"text":"done"},"_meta":{"progressToken":"`+token+`"}}}`, in(id)).text
				at := 0
				for _, want := range []string{`"one"`, token, `"two"`, token, `"three"`, token, `"done"`} {
					next := strings.Index(text[at:], want)
					if next < 0 {
						t.Errorf("%s the stream lacks %s or has it too early:\n%s", token, want, text)
						return
					}
					at += next
				}
				if n := strings.Count(text, "event: message"); n != 4 {
					t.Errorf("%s %d events, want 4:\n%s", token, n, text)
					return
				}
			}
		})
	}
	calls.Wait()
	stop()
	listening.Wait()
}

func TestHTTPIsNeverOpenToOthers(t *testing.T) {
	s, _ := serve(t, nil)
	everywhere := listen(t, "0.0.0.0:0")
	if err := s.ServeHTTP(t.Context(), everywhere, HTTPOptions{Token: "x"}); err == nil || !strings.Contains(err.Error(), "other machines") {
		t.Errorf("serving everywhere gave %v", err)
	}
	here := listen(t, "127.0.0.1:0")
	if err := s.ServeHTTP(t.Context(), here, HTTPOptions{}); !errors.Is(err, ErrNoToken) {
		t.Errorf("serving without a token gave %v", err)
	}
}
