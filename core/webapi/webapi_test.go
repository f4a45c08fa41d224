package webapi

import (
	"net/http"
	"strings"
	"testing"
	"time"
)

func TestRetryAfter(t *testing.T) {
	now := time.Date(2026, 3, 2, 10, 0, 0, 0, time.UTC)
	for value, want := range map[string]time.Duration{
		"120": 2 * time.Minute, "": 0, "soon": 0, "-5": 0, "99999999": 24 * time.Hour,
		"Mon, 02 Mar 2026 10:00:30 GMT": 30 * time.Second, "Mon, 02 Mar 2020 10:00:30 GMT": 0,
	} {
		if got := RetryAfter(http.Header{"Retry-After": {value}}, now); got != want {
			t.Errorf("%q: got %s, want %s", value, got, want)
		}
	}
}

// Errors of services, in the shapes that are in use.
func TestExplanation(t *testing.T) {
	for body, want := range map[string]string{
		`{"error":{"message":"a\nb"}}`: "a b", `{"detail":{"error":"c"}}`: "c", `{"detail":[{"loc":["q"],"msg":"d"}]}`: "d", `"e"`: "e",
		`{"type":"error","error":{"ref_id":"x","message":"f"}}`: "f", `{"success":false,"error":"g"}`: "g", `<html>`: "", `{}`: "", `[]`: "", `{"error":{"error":{"error":{"error":{"error":"deep"}}}}}`: "",
	} {
		if got := Explanation([]byte(body)); got != want {
			t.Errorf("%s: got %q, want %q", body, got, want)
		}
	}
}

func FuzzExplanation(f *testing.F) {
	for _, s := range []string{`{"error":{"message":"x"}}`, `[{"detail":["x"]}]`, `{"error":null,"message":"y"}`, `"`} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		if got := Explanation(body); strings.ContainsAny(got, "\n\x00") || len([]rune(got)) > 201 {
			t.Errorf("got %q", got)
		}
	})
}
