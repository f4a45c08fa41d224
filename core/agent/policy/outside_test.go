package policy

import (
	"slices"
	"testing"

	"github.com/hobkin/hobkin/core/provider"
)

// TestReadOutside: that text from outside was read survives masking, summaries,
// and summaries of summaries.
func TestReadOutside(t *testing.T) {
	for _, outside := range []bool{true, false} {
		h := talk(8, 1000)
		if outside {
			h[4].Parts[0] = provider.ToolResult{CallID: "0", Name: "web_fetch", Text: `<untrusted id="x">` + h[4].Parts[0].(provider.ToolResult).Text}
		}
		masked, ok := Mask(h)
		if got := slices.ContainsFunc(masked, ReadOutside); !ok || got != outside {
			t.Errorf("outside %v: after masking %v", outside, got)
		}
		for _, h := range [][]provider.Message{h, masked} {
			task := 2
			for round := range 3 {
				d, ok := Divide(h, task, 0)
				if !ok {
					t.Fatal("nothing to divide")
				}
				h, task = d.Join("SUMMARY", Kept(d.Covered, 8000), task)
				if got := slices.ContainsFunc(h, ReadOutside); got != outside {
					t.Errorf("outside %v: after summary %d %v", outside, round, got)
				}
				if n := len(slices.DeleteFunc(slices.Clone(h), func(m provider.Message) bool { return !IsSummary(m) })); n != 1 {
					t.Errorf("%d messages are taken for summaries", n)
				}
				h = append(h, talk(3, 400)[3:]...)
			}
		}
	}
	said := provider.Message{Role: provider.RoleUser, Parts: []provider.Part{provider.Text{Text: frame}}}
	if ReadOutside(said) || IsSummary(said) {
		t.Error("what a person writes is taken for text from outside")
	}
}
