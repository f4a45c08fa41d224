package outbound

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
)

func frame(most int, pieces ...string) (messages []string, garbage int, sample string) {
	f := &framer{most: most, message: func(m json.RawMessage) { messages = append(messages, string(m)) }}
	for _, p := range pieces {
		f.write([]byte(p))
	}
	return messages, f.garbage, string(f.sample)
}

func TestFramer(t *testing.T) {
	for _, tt := range []struct {
		name    string
		in      string
		want    []string
		garbage int
	}{
		{"one a line", "{\"a\":1}\n{\"b\":2}\n", []string{`{"a":1}`, `{"b":2}`}, 0},
		{"no last line end", `{"a":1}`, []string{`{"a":1}`}, 0},
		{"several on a line", `{"a":1}{"b":2} {"c":3}` + "\n", []string{`{"a":1}`, `{"b":2}`, `{"c":3}`}, 0},
		{"over many lines", "{\n  \"a\": [\n    1\n  ]\n}\n", []string{"{\n  \"a\": [\n    1\n  ]\n}"}, 0},
		{"a banner", "Server v1 is ready\n{\"a\":1}\n", []string{`{"a":1}`}, 1},
		{"logs between", "{\"a\":1}\nDEBUG: {x}\n{\"b\":2}\n", []string{`{"a":1}`, `{"b":2}`}, 1},
		{"a byte order mark", "\ufeff{\"a\":1}\n", []string{`{"a":1}`}, 0},
		{"line ends of Windows", "{\"a\":1}\r\n{\"b\":2}\r\n", []string{`{"a":1}`, `{"b":2}`}, 0},
		{"braces in strings", `{"a":"}{\"\\"}` + "\n", []string{`{"a":"}{\"\\"}`}, 0},
		{"a batch", `[{"a":1},{"b":2},3]` + "\n", []string{`{"a":1}`, `{"b":2}`}, 0},
		{"half a message, then a whole one", "{\"jsonrpc\":\"2.0\",\"id\":1,\n{\"jsonrpc\":\"2.0\"}\n", []string{`{"jsonrpc":"2.0"}`}, 1},
		{"a string that is never closed", "{\"x\":\"abc\n{\"jsonrpc\":\"2.0\"}\n", []string{`{"jsonrpc":"2.0"}`}, 1},
		{"what only looks like one", "{oops}\n{\"a\":1}\n", []string{`{"a":1}`}, 1},
		{"too long", `{"a":"` + strings.Repeat("x", 200) + "\"}\n{\"b\":2}\n", []string{`{"b":2}`}, 1},
		{"empty lines", "\n\n  \n{\"a\":1}\n\n", []string{`{"a":1}`}, 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, garbage, _ := frame(100, tt.in)
			if !slices.Equal(got, tt.want) || garbage != tt.garbage {
				t.Errorf("whole: %q and %d skipped, want %q and %d", got, garbage, tt.want, tt.garbage)
			}
			got, garbage, _ = frame(100, strings.SplitAfter(tt.in, "")...)
			if !slices.Equal(got, tt.want) || garbage != tt.garbage {
				t.Errorf("a character at a time: %q and %d skipped, want %q and %d", got, garbage, tt.want, tt.garbage)
			}
		})
	}
}

func TestFramerKeepsASample(t *testing.T) {
	_, _, sample := frame(100, "Server v1", " is ready\n", "more\n")
	if sample != "Server v1 is ready" {
		t.Errorf("the sample is %q", sample)
	}
}

func FuzzFramer(f *testing.F) {
	f.Add("{\"a\":1}\n{\"b\":2}\n", 3)
	f.Add("x{\"jsonrpc\"\n[[\"", 1)
	f.Fuzz(func(t *testing.T, in string, at int) {
		at = max(0, min(at, len(in)))
		const message = "{\"jsonrpc\":\"2.0\",\"id\":7}"
		got, _, _ := frame(1000, in[:at], in[at:], "\n\n"+message+"\n", message+"\n")
		for _, m := range got {
			if !json.Valid([]byte(m)) {
				t.Errorf("%q is no JSON", m)
			}
		}
		if !slices.Contains(got, message) {
			t.Errorf("a message after %q is lost; got %q", in, got)
		}
	})
}
