package outbound

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/hobkin/hobkin/core/netguard"
)

// A web is a server over HTTP that speaks just enough of an older protocol, with
// sessions, to go wrong in one way. Before a request is served, wrong may do so.
type web struct {
	*httptest.Server
	wrong func(w http.ResponseWriter, r *http.Request, m webMessage) bool // true has answered

	mu       sync.Mutex
	sessions int
	valid    map[string]bool
	streams  map[chan string]bool // of notices, open now
	heard    []string             // what was received, methods in order
	calls    int
}

type webMessage struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Result json.RawMessage `json:"result"`
}

func startWeb(t *testing.T, wrong func(w http.ResponseWriter, r *http.Request, m webMessage) bool) *web {
	t.Helper()
	w := &web{wrong: wrong, valid: map[string]bool{}, streams: map[chan string]bool{}}
	w.Server = httptest.NewServer(w)
	t.Cleanup(w.Close)
	t.Cleanup(w.hangUp)
	return w
}

// plainClient makes requests as the product's client does.
func plainClient() *http.Client {
	return &http.Client{Transport: &http.Transport{DisableKeepAlives: true}, CheckRedirect: netguard.SameOriginRedirects(nil)}
}

// spec is how the server is reached.
func (w *web) spec() Spec {
	return Spec{
		Name: "f", Shown: w.URL, URL: w.URL + "/mcp", StartTime: 10 * time.Second, CallTime: 10 * time.Second, Version: w.URL,
		Client:  plainClient(),
		Headers: map[string]string{"X-Key": "hush"},
	}
}

func (w *web) ServeHTTP(out http.ResponseWriter, r *http.Request) {
	raw, _ := io.ReadAll(r.Body)
	var m webMessage
	_ = json.Unmarshal(raw, &m)
	w.mu.Lock()
	w.heard = append(w.heard, r.Method+" "+m.Method)
	known := w.valid[r.Header.Get("Mcp-Session-Id")]
	w.mu.Unlock()
	if w.wrong != nil && w.wrong(out, r, m) {
		return
	}
	switch {
	case r.Method == http.MethodGet && known:
		w.stream(out, r)
	case r.Method == http.MethodDelete:
		out.WriteHeader(http.StatusOK)
	case r.Method == http.MethodGet && r.Header.Get("Mcp-Session-Id") != "":
		out.WriteHeader(http.StatusNotFound)
	case r.Method != http.MethodPost:
		out.WriteHeader(http.StatusMethodNotAllowed)
	case m.Method == "initialize":
		w.mu.Lock()
		w.sessions++
		id := fmt.Sprint("session-", w.sessions)
		w.valid[id] = true
		w.mu.Unlock()
		out.Header().Set("Mcp-Session-Id", id)
		answer(out, m.ID, `{"protocolVersion":"2025-11-25","capabilities":{"tools":{"listChanged":true},"resources":{},"prompts":{}},"serverInfo":{"name":"web","version":"1"}}`)
	case m.Method == "server/discover":
		answerError(out, http.StatusOK, m.ID, -32601, "unknown method")
	case !known:
		answerError(out, http.StatusNotFound, m.ID, -32000, "no such session")
	default:
		w.answer(out, m)
	}
}

func (w *web) answer(out http.ResponseWriter, m webMessage) {
	switch m.Method {
	case "tools/list":
		answer(out, m.ID, `{"tools":[{"name":"echo","description":"says it","inputSchema":{"type":"object"}}]}`)
	case "tools/call":
		w.mu.Lock()
		w.calls++
		w.mu.Unlock()
		answer(out, m.ID, `{"content":[{"type":"text","text":"hello"}]}`)
	case "resources/list":
		answer(out, m.ID, `{"resources":[{"uri":"doc://a","name":"A","description":"first"}]}`)
	case "resources/read":
		answer(out, m.ID, `{"contents":[{"uri":"doc://a","text":"the text of a"}]}`)
	case "prompts/list":
		answer(out, m.ID, `{"prompts":[{"name":"sum","description":"sums up","arguments":[{"name":"topic","required":true}]}]}`)
	case "prompts/get":
		answer(out, m.ID, `{"messages":[{"role":"user","content":{"type":"text","text":"Sum it up."}}]}`)
	default:
		if m.ID == nil || m.Result != nil {
			out.WriteHeader(http.StatusAccepted)
			return
		}
		answerError(out, http.StatusOK, m.ID, -32601, "unknown method")
	}
}

func answer(out http.ResponseWriter, id json.RawMessage, result string) {
	out.Header().Set("Content-Type", "application/json")
	_, _ = fmt.Fprintf(out, `{"jsonrpc":"2.0","id":%s,"result":%s}`, id, result)
}

func answerError(out http.ResponseWriter, status int, id json.RawMessage, code int, text string) {
	out.Header().Set("Content-Type", "application/json")
	out.WriteHeader(status)
	_, _ = fmt.Fprintf(out, `{"jsonrpc":"2.0","id":%s,"error":{"code":%d,"message":%q}}`, id, code, text)
}

// stream holds the stream of notices open.
func (w *web) stream(out http.ResponseWriter, r *http.Request) {
	ch := make(chan string, 10)
	w.mu.Lock()
	w.streams[ch] = true
	w.mu.Unlock()
	out.Header().Set("Content-Type", "text/event-stream")
	out.WriteHeader(http.StatusOK)
	_ = http.NewResponseController(out).Flush()
	for {
		select {
		case text, ok := <-ch:
			if !ok {
				return
			}
			_, _ = fmt.Fprintf(out, "data: %s\n\n", text)
			_ = http.NewResponseController(out).Flush()
		case <-r.Context().Done():
			return
		}
	}
}

// say sends something over all open streams.
func (w *web) say(text string) (heard bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for ch := range w.streams {
		ch <- text
		heard = true
	}
	return heard
}

// hangUp ends all open streams.
func (w *web) hangUp() {
	w.mu.Lock()
	defer w.mu.Unlock()
	for ch := range w.streams {
		close(ch)
		delete(w.streams, ch)
	}
}

// forget makes all sessions unknown.
func (w *web) forget() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.valid = map[string]bool{}
}

// times is how often something was received.
func (w *web) times(what string) int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return strings.Count("\n"+strings.Join(w.heard, "\n")+"\n", "\n"+what+"\n")
}

// eventually waits for something to become true.
func eventually(t *testing.T, what string, ok func() bool) {
	t.Helper()
	for end := time.Now().Add(15 * time.Second); !ok(); {
		if time.Now().After(end) {
			t.Fatalf("it never happened: %s", what)
		}
		<-time.After(10 * time.Millisecond)
	}
}
