package system

import (
	"context"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/hobkin/hobkin/core/capability"
)

// saved is an Outputs that has one output.
type saved string

func (s saved) Output(context.Context, string, string) (string, []string, error) {
	return string(s), nil, nil
}

// Whatever an output holds and is searched for, an answer stays small, is text,
// and finds what is there.
func FuzzRecall(f *testing.F) {
	f.Add("a\nb\nc", "b", 1, 1)
	f.Add(strings.Repeat("İ", 900)+" end", "end", 0, 0)
	f.Add(strings.Repeat("x\n", 500), "x", 400, 400)
	f.Add("\xff\xfe\n", "", 1, 0)
	f.Fuzz(func(t *testing.T, text, query string, from, lines int) {
		if len(text) > 1<<20 || !utf8.ValidString(query) || from < 0 || lines < 0 || lines > 400 {
			return
		}
		h := &Host{Outputs: saved(strings.ToValidUTF8(text, "?"))}
		r, err := h.recall(t.Context(), capability.Call{}, recallIn{CallID: "c", Query: query, FromLine: from, Lines: lines})
		if err != nil {
			if u, ok := capability.AsUserError(err); !ok || u.Try == "" {
				t.Fatalf("not an expected failure: %v", err)
			}
			return
		}
		if len(r.Text) > recallBytes+2*recallLine+200 || !utf8.ValidString(r.Text) {
			t.Errorf("%d bytes, valid %v", len(r.Text), utf8.ValidString(r.Text))
		}
		if words := strings.Fields(strings.ToLower(query)); len(words) > 0 && !strings.HasPrefix(r.Summary, "0 ") && r.Text == "" {
			t.Errorf("matches, and nothing is shown: %q", r.Summary)
		}
	})
}
