package outbound

import (
	"io"
	"net/http"
	"strings"
	"testing"
)

func TestBounded(t *testing.T) {
	read := func(kind, text string) error {
		res := &http.Response{Header: http.Header{"Content-Type": {kind}}, Body: io.NopCloser(strings.NewReader(text))}
		_, err := io.Copy(io.Discard, bounded(res))
		return err
	}
	many := strings.Repeat("data: x\n", mostLines-1)
	for _, tt := range []struct {
		name, kind, text string
		ok               bool
	}{
		{"an answer", "application/json", strings.Repeat("x", mostMessage), true},
		{"a longer one", "application/json", strings.Repeat("x", mostMessage+1), false},
		{"events without end", "text/event-stream; charset=utf-8", strings.Repeat("data: x\r\n\r\n", 3*mostLines), true},
		{"an event of many lines", "text/event-stream", many + "\n" + many + "\n", true},
		{"of more", "text/event-stream", many + many + "\n", false},
		{"a line without end", "text/event-stream", strings.Repeat("x", mostMessage+1), false},
	} {
		if err := read(tt.kind, tt.text); (err == nil) != tt.ok {
			t.Errorf("%s: %v", tt.name, err)
		}
	}
}
