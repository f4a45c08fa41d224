package provider

import (
	"errors"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"
	"unicode"

	"github.com/google/go-cmp/cmp"
)

func TestParseFault(t *testing.T) {
	for name, tc := range map[string]struct {
		in   string
		want Fault
	}{
		"openai":     {`{"error":{"message":"m","type":"t","param":null,"code":"c"}}`, Fault{"m", "t ", "c"}},
		"anthropic":  {`{"type":"error","error":{"type":"t","message":"m"}}`, Fault{"m", "t ", ""}},
		"google":     {`[{"error":{"code":429,"message":"m","status":"RESOURCE_EXHAUSTED"}}]`, Fault{"m", " RESOURCE_EXHAUSTED", "429"}},
		"openrouter": {`{"error":{"message":"Provider returned error","code":502,"metadata":{"raw":"down"}}}`, Fault{"Provider returned error (down)", " ", "502"}},
		"ollama":     {`{"error":"model not found"}`, Fault{Message: "model not found"}},
		"fastapi":    {`{"detail":[{"msg":"m"}]}`, Fault{Message: `[{"msg":"m"}]`, Type: " "}},
		"vllm":       {`{"object":"error","message":"m","code":400}`, Fault{"m", " ", "400"}},
		"a text":     {`"oh"`, Fault{Message: "oh"}},
		"no json":    {`upstream connect error`, Fault{Message: "upstream connect error"}},
		"nothing":    {``, Fault{}},
	} {
		if diff := cmp.Diff(tc.want, ParseFault([]byte(tc.in))); diff != "" {
			t.Errorf("%s: (-want +got)\n%s", name, diff)
		}
	}
}

// Faults inside an answer have no status, but often a type or a code.
func TestFaultError(t *testing.T) {
	for name, tc := range map[string]struct {
		in   Fault
		want Kind
	}{
		"overloaded":   {Fault{Type: "overloaded_error", Message: "Overloaded"}, KindOverloaded},
		"code is 429":  {Fault{Code: "429"}, KindRate},
		"code is 502":  {Fault{Code: "502"}, KindOverloaded},
		"rate":         {Fault{Code: "rate_limit_exceeded"}, KindRate},
		"context":      {Fault{Code: "context_length_exceeded"}, KindContext},
		"invalid":      {Fault{Type: "invalid_request_error", Message: "no"}, KindInvalid},
		"key":          {Fault{Type: "authentication_error"}, KindAuth},
		"quota":        {Fault{Code: "insufficient_quota"}, KindQuota},
		"server error": {Fault{Code: "server_error"}, KindOverloaded},
		"unknown":      {Fault{Message: "hm"}, KindOverloaded},
	} {
		if got := tc.in.Error("p"); got.Kind != tc.want || got.Try == "" {
			t.Errorf("%s: got %s (%s), want %s", name, got.Kind, got.Message, tc.want)
		}
	}
}

func TestRetryAfter(t *testing.T) {
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	for name, tc := range map[string]struct {
		header []string
		want   time.Duration
	}{
		"none":         {nil, 0},
		"seconds":      {[]string{"Retry-After", "12"}, 12 * time.Second},
		"fraction":     {[]string{"Retry-After", "1.5"}, 1500 * time.Millisecond},
		"milliseconds": {[]string{"Retry-After-Ms", "250", "Retry-After", "9"}, 250 * time.Millisecond},
		"date":         {[]string{"Retry-After", "Sun, 01 Mar 2026 12:00:30 GMT"}, 30 * time.Second},
		"past date":    {[]string{"Retry-After", "Sun, 01 Mar 2026 11:00:30 GMT"}, 0},
		"negative":     {[]string{"Retry-After", "-4"}, 0},
		"no number":    {[]string{"Retry-After", "NaN"}, 0},
		"for ever":     {[]string{"Retry-After", "1e300"}, 24 * time.Hour},
		"nonsense":     {[]string{"Retry-After", "soon"}, 0},
	} {
		h := http.Header{}
		for i := 0; i+1 < len(tc.header); i += 2 {
			h.Set(tc.header[i], tc.header[i+1])
		}
		if got := retryAfter(h, now); got != tc.want {
			t.Errorf("%s: got %s, want %s", name, got, tc.want)
		}
	}
}

func TestClean(t *testing.T) {
	for in, want := range map[string]string{
		"Incorrect API key provided: sk-ab12*****wxyz.": "Incorrect API key provided: …",
		"token Bearer abc.def is bad":                   "token … is bad",
		"my secret value hunter22 came back":            "my secret value … came back",
		"two\n\nlines\tand\x00 more":                    "two lines and more",
		strings.Repeat("ä", 400):                        strings.Repeat("ä", 300) + "…",
		"bad \xff bytes":                                "bad ? bytes",
		"task-123456789 is not a key":                   "task-123456789 is not a key",
	} {
		if got := clean(in, []string{"hunter22"}); got != want {
			t.Errorf("%q: got %q, want %q", in, got, want)
		}
	}
}

func TestUnreached(t *testing.T) {
	for name, tc := range map[string]struct {
		err  error
		want string
	}{
		"no such name": {&net.DNSError{Name: "api.acme.test", IsNotFound: true}, "the name api.acme.test was not found"},
		"no answer":    {&net.OpError{Op: "dial", Err: timeoutError{}}, "api.acme.test does not answer"},
		"other":        {errors.New("x"), "api.acme.test cannot be reached"},
	} {
		if got := unreached("p", "https://api.acme.test/v1", tc.err); got.Message != tc.want || got.Kind != KindNetwork || got.Try == "" {
			t.Errorf("%s: got %+v, want %q", name, got, tc.want)
		}
	}
}

type timeoutError struct{}

func (timeoutError) Error() string   { return "i/o timeout" }
func (timeoutError) Timeout() bool   { return true }
func (timeoutError) Temporary() bool { return true }

func FuzzStatusError(f *testing.F) {
	f.Add(400, "Retry-After", "1", `{"error":{"message":"m","metadata":{"raw":{}}}}`)
	f.Add(429, "Retry-After-Ms", "1e9", `[{"error":"x"}]`)
	f.Add(302, "Location", "http://a\x00b/", `{"error":{"error":{"error":"deep"}}}`)
	f.Fuzz(func(t *testing.T, status int, header, value, body string) {
		h := http.Header{}
		h[http.CanonicalHeaderKey(header)] = []string{value}
		e := statusError("p", &http.Response{StatusCode: status, Header: h}, []byte(body), []string{"hunter22"})
		if e.Kind == "" || e.Message == "" || e.Try == "" || strings.ContainsFunc(e.Message, unicode.IsControl) || strings.Contains(e.Message, "hunter22") {
			t.Fatalf("%+v", e)
		}
		if e.RetryAfter < 0 {
			t.Fatalf("retry after %s", e.RetryAfter)
		}
	})
}

func FuzzModelNames(f *testing.F) {
	f.Add([]byte(`{"models":[{"name":"llama3.2:latest"},{"name":"nomic-embed-text"}]}`))
	f.Add([]byte(`{"object":"list","data":[{"id":"qwen3-8b"},{"id":""}]}`))
	f.Fuzz(func(t *testing.T, body []byte) {
		for _, n := range modelNames(body) {
			if n == "" || strings.Contains(strings.ToLower(n), "embed") {
				t.Fatalf("name %q", n)
			}
		}
	})
}
