package providertest

import (
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/hobkin/hobkin/core/provider"
)

// A rudeness is one way to behave badly, and what must come of it.
type rudeness struct {
	serve   http.HandlerFunc
	options provider.Options
	kind    provider.Kind
	says    string // a part of the message
	shown   bool   // text came before
	after   time.Duration
}

func answer(status int, contentType, body string, header ...string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", contentType)
		for i := 0; i+1 < len(header); i += 2 {
			w.Header().Set(header[i], header[i+1])
		}
		w.WriteHeader(status)
		_, _ = io.WriteString(w, body)
	}
}

const jsonType = "application/json"

// statuses are refusals with a status of their own.
func statuses() map[string]rudeness {
	return map[string]rudeness{
		"500":             {serve: answer(500, jsonType, `{"error":{"message":"boom"}}`), kind: provider.KindOverloaded, says: "boom"},
		"529":             {serve: answer(529, jsonType, `{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}`), kind: provider.KindOverloaded, says: "529"},
		"408":             {serve: answer(408, jsonType, ``), kind: provider.KindOverloaded},
		"409":             {serve: answer(409, jsonType, ``), kind: provider.KindOverloaded},
		"429 in seconds":  {serve: answer(429, jsonType, `{"error":{"message":"slow down"}}`, "Retry-After", "7"), kind: provider.KindRate, after: 7 * time.Second},
		"429 in ms":       {serve: answer(429, jsonType, `{}`, "Retry-After-Ms", "1500", "Retry-After", "9"), kind: provider.KindRate, after: 1500 * time.Millisecond},
		"429 for money":   {serve: answer(429, jsonType, `{"error":{"message":"You exceeded your current quota","code":"insufficient_quota"}}`), kind: provider.KindQuota},
		"402":             {serve: answer(402, jsonType, `{"error":{"message":"Payment Required"}}`), kind: provider.KindQuota},
		"400 for money":   {serve: answer(400, jsonType, `{"error":{"message":"Your credit balance is too low"}}`), kind: provider.KindQuota},
		"401":             {serve: answer(401, jsonType, `{"error":{"message":"Incorrect API key provided: `+testKey+`"}}`), kind: provider.KindAuth, says: "key was not accepted"},
		"403":             {serve: answer(403, jsonType, `{"error":{"message":"key `+testKey+` has no access"}}`), kind: provider.KindAuth, says: "not allowed"},
		"403 moderated":   {serve: answer(403, jsonType, `{"error":{"message":"Your input was flagged"}}`), kind: provider.KindInvalid},
		"404":             {serve: answer(404, jsonType, `{"error":"model \"x\" not found"}`), kind: provider.KindInvalid, says: `model "x" not found`},
		"400":             {serve: answer(400, jsonType, `{"detail":"bad field"}`), kind: provider.KindInvalid, says: "bad field"},
		"context, openai": {serve: answer(400, jsonType, `{"error":{"code":"context_length_exceeded","message":"This model's maximum context length is 8192 tokens."}}`), kind: provider.KindContext},
		"context, anthropic": {
			serve: answer(400, jsonType, `{"type":"error","error":{"type":"invalid_request_error","message":"prompt is too long: 210000 tokens > 200000 maximum"}}`), kind: provider.KindContext,
		},
		"context, llama.cpp": {serve: answer(400, jsonType, `{"error":{"type":"exceed_context_size_error","message":"the request exceeds the available context size"}}`), kind: provider.KindContext},
		"413":                {serve: answer(413, "text/html", `<html>too large</html>`), kind: provider.KindContext},
		"web page":           {serve: answer(502, "text/html", "<!DOCTYPE html><html><script>x</script></html>"), kind: provider.KindOverloaded, says: "a web page"},
		"endless error":      {serve: answer(500, "text/plain", strings.Repeat("no\x00\n ", 1<<20)), kind: provider.KindOverloaded},
	}
}

// streams are answers that begin well, at least by their status.
func (s Subject) streams() map[string]rudeness {
	whole := s.Stream(Turn{Text: "some text to be shown"})
	stream := func(pieces ...string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) { write(w, pieces...) }
	}
	broken := func(pieces ...string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			write(w, pieces...)
			panic(http.ErrAbortHandler)
		}
	}
	shown := whole[:len(whole)-1]
	short := provider.Options{Start: 80 * time.Millisecond, Idle: 80 * time.Millisecond}
	return map[string]rudeness{
		"nothing at all":         {serve: stream(), kind: provider.KindNetwork},
		"broken at once":         {serve: broken(), kind: provider.KindNetwork},
		"broken before output":   {serve: broken(": wait\n\n"), kind: provider.KindNetwork},
		"broken after output":    {serve: broken(shown...), kind: provider.KindNetwork, shown: true},
		"ended early":            {serve: stream(shown...), kind: provider.KindNetwork, shown: true},
		"cut in a line":          {serve: stream(append(slices.Clip(shown), `data: {"a":`)...), kind: provider.KindNetwork, shown: true},
		"web page for an answer": {serve: answer(200, "text/html", "<html>log in</html>"), kind: provider.KindResponse, says: "web page"},
		"invalid json":           {serve: stream("data: {\"a\": nope}\n\n"), kind: provider.KindResponse, says: "not valid JSON"},
		"invalid json later":     {serve: stream(append(slices.Clip(shown), "data: }{\n\n")...), kind: provider.KindResponse, shown: true},
		"invalid json in one":    {serve: answer(200, jsonType, `{"choices": [`), kind: provider.KindResponse},
		"another json":           {serve: answer(200, jsonType, `{"hello": "world"}`), kind: provider.KindResponse, says: "unknown shape"},
		"error for an answer":    {serve: answer(200, jsonType, `{"error":{"message":"upstream is down","type":"server_error"}}`), kind: provider.KindOverloaded, says: "upstream is down"},
		"error within":           {serve: stream(append(slices.Clip(shown), s.Fault)...), kind: provider.KindOverloaded, shown: true},
		"40 MB":                  {serve: endless(40 << 20), kind: provider.KindResponse, says: "larger than 32 MB"},
		"too large in one":       {serve: answer(200, jsonType, `{"a":"`+strings.Repeat("x", 5000)+`"}`), kind: provider.KindResponse, says: "larger than 4096 bytes", options: provider.Options{MaxAnswer: 4096}},
		"slow start":             {serve: s.hanging(nil, 0), kind: provider.KindTimeout, options: short, says: "no answer began"},
		"hangs":                  {serve: s.hanging(nil, 99), kind: provider.KindTimeout, options: short, says: "the answer stopped", shown: true},
	}
}

// endless sends n bytes of comments and data that mean nothing.
func endless(n int) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		piece := ": " + strings.Repeat("x", 1<<20) + "\n"
		for range n >> 20 {
			if _, err := io.WriteString(w, piece); err != nil {
				return
			}
		}
	}
}

func (s Subject) rude(t *testing.T) {
	for _, group := range []map[string]rudeness{statuses(), s.streams()} {
		for name, r := range group {
			t.Run(name, func(t *testing.T) {
				m := s.serve(t, r.options, r.serve)
				got := Collect(t.Context(), m, question("go"))
				e := failure(t, got, r.kind)
				if !strings.Contains(e.Message, r.says) || e.RetryAfter != r.after {
					t.Errorf("message %q, want %q in it; retry after %s, want %s", e.Message, r.says, e.RetryAfter, r.after)
				}
				if (got.Text != "") != r.shown {
					t.Errorf("shown: %q", got.Text)
				}
			})
		}
	}
	t.Run("nothing listens", func(t *testing.T) {
		server := httptest.NewServer(http.NotFoundHandler())
		server.Close()
		e := failure(t, Collect(t.Context(), s.open(t, server.URL, provider.Options{}), question("go")), provider.KindNetwork)
		if want := "nothing listens at " + strings.TrimPrefix(server.URL, "http://"); e.Message != want {
			t.Errorf("got %q, want %q", e.Message, want)
		}
	})
}

// failure checks that the answer is one failure of the kind, said in a sentence
// that can be shown and with a way on.
func failure(t *testing.T, got Collected, kind provider.Kind) *provider.Error {
	t.Helper()
	e := anyFailure(t, got)
	if e.Kind != kind {
		t.Errorf("kind %s, want %s: %v", e.Kind, kind, e)
	}
	return e
}

// anyFailure is failure for any kind.
func anyFailure(t *testing.T, got Collected) *provider.Error {
	t.Helper()
	e, ok := errors.AsType[*provider.Error](got.Err)
	if !ok || got.Done != nil || got.After != 0 {
		t.Fatalf("got %+v, want a failure", got)
	}
	if e.Kind == "" || e.Provider != "acme" {
		t.Errorf("kind %q of %s: %v", e.Kind, e.Provider, e)
	}
	if e.Try == "" || e.Message == "" || len(e.Message) > 500 || strings.ContainsAny(e.Message, "\n\r\t\x00<") ||
		strings.Contains(e.Message, "0x") || strings.HasSuffix(e.Message, ".") {
		t.Errorf("no plain sentence: %q, try %q", e.Message, e.Try)
	}
	if said := e.Error() + e.Try; strings.Contains(said, testKey) || strings.Contains(said, testKey[3:]) {
		t.Errorf("the key is in the message: %q", said)
	}
	return e
}

func (s Subject) tooLarge(t *testing.T) {
	big := strings.Repeat("x", 3000)
	text := func(role provider.Role, text string) provider.Message {
		return provider.Message{Role: role, Parts: []provider.Part{provider.Text{Text: text}}}
	}
	for name, tc := range map[string]struct {
		messages []provider.Message
		kind     provider.Kind
	}{
		"history": {
			[]provider.Message{text(provider.RoleUser, big), text(provider.RoleAssistant, big), text(provider.RoleUser, "go on")}, provider.KindContext,
		},
		"last message": {[]provider.Message{text(provider.RoleUser, "a"), text(provider.RoleAssistant, "b"), text(provider.RoleUser, big+big)}, provider.KindInvalid},
		"no message":   {nil, provider.KindInvalid},
	} {
		t.Run(name, func(t *testing.T) {
			m := s.serve(t, provider.Options{MaxRequest: 5000}, func(http.ResponseWriter, *http.Request) { t.Error("it was sent") })
			if e := failure(t, Collect(t.Context(), m, provider.Request{Messages: tc.messages}), tc.kind); e.Status != 0 {
				t.Errorf("status %d of a request that was not sent", e.Status)
			}
		})
	}
}

// redirects must not carry a conversation and its key to another server.
func (s Subject) redirects(t *testing.T) {
	other := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { t.Error("the other server was asked") }))
	t.Cleanup(other.Close)
	for _, status := range []int{301, 302, 303, 307, 308} {
		m := s.serve(t, provider.Options{}, func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, other.URL+"/x?key=1", status) })
		e := failure(t, Collect(t.Context(), m, question("go")), provider.KindInvalid)
		if !strings.Contains(e.Message, "another address, "+other.URL) || strings.Contains(e.Message, "?") {
			t.Errorf("%d: %q", status, e.Message)
		}
	}
	m := s.serve(t, provider.Options{}, func(w http.ResponseWriter, r *http.Request) {
		if !strings.HasPrefix(r.URL.Path, "/moved") {
			http.Redirect(w, r, "/moved"+r.URL.Path, http.StatusTemporaryRedirect)
			return
		}
		if b, _ := io.ReadAll(r.Body); len(b) == 0 || !strings.Contains(r.Header.Get("Authorization")+r.Header.Get("X-Api-Key")+r.Header.Get("X-Goog-Api-Key"), testKey) {
			t.Error("the request was not repeated whole")
		}
		write(w, s.Stream(Turn{Text: "moved"})...)
	})
	if got := Collect(t.Context(), m, question("go")); got.Err != nil || got.Text != "moved" {
		t.Errorf("at the same server: %+v", got)
	}
}
