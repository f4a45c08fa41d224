package policy_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hobkin/hobkin/core/agent/policy"
	"github.com/hobkin/hobkin/core/provider"
)

// looked is a conversation in which a tool made pictures n times.
func looked(tool string, n int) []provider.Message {
	history := []provider.Message{{Role: provider.RoleUser, Parts: []provider.Part{
		provider.Text{Text: "what is this?"}, provider.Image{MIME: "image/png", Data: []byte("mine")},
	}}}
	for i := range n {
		id := fmt.Sprintf("c%d", i+1)
		history = append(
			history,
			provider.Message{Role: provider.RoleAssistant, Parts: []provider.Part{provider.ToolCall{ID: id, Name: tool, Args: `{"action":"screenshot"}`}}},
			provider.Message{Role: provider.RoleTool, Parts: []provider.Part{provider.ToolResult{
				CallID: id, Name: tool, Text: "seen " + id, Images: []provider.Image{{MIME: "image/png", Data: []byte("picture " + id)}},
			}}},
		)
	}
	return history
}

// pictures lists the pictures that are sent, and the calls whose picture is a
// line of text.
func pictures(view []provider.Message) (sent []string, gone int) {
	for _, m := range view {
		for _, p := range m.Parts {
			switch p := p.(type) {
			case provider.Image:
				sent = append(sent, string(p.Data))
			case provider.ToolResult:
				for _, im := range p.Images {
					sent = append(sent, strings.TrimPrefix(string(im.Data), "picture "))
				}
				if strings.Contains(p.Text, "\n[The picture of the screen that stood here was left out") {
					gone++
				}
			case provider.Text, provider.Reasoning, provider.ToolCall:
			}
		}
	}
	return sent, gone
}

// TestScreens: of the pictures of the screen the newest three are sent at least,
// and five at most; what a person sent and what other tools made stays.
func TestScreens(t *testing.T) {
	for name, tt := range map[string]struct {
		tool string
		n    int
		want string
		gone int
	}{
		"none":         {policy.ScreenTool, 0, "mine", 0},
		"three":        {policy.ScreenTool, 3, "mine c1 c2 c3", 0},
		"five":         {policy.ScreenTool, 5, "mine c1 c2 c3 c4 c5", 0},
		"six":          {policy.ScreenTool, 6, "mine c4 c5 c6", 3},
		"eight":        {policy.ScreenTool, 8, "mine c4 c5 c6 c7 c8", 3},
		"nine":         {policy.ScreenTool, 9, "mine c7 c8 c9", 6},
		"another tool": {"image_view", 6, "mine c1 c2 c3 c4 c5 c6", 0},
	} {
		history := looked(tt.tool, tt.n)
		before := fmt.Sprint(history)
		sent, gone := pictures(policy.Limits{}.View(history))
		if got := strings.Join(sent, " "); got != tt.want || gone != tt.gone {
			t.Errorf("%s: %s are sent and %d are a line, want %s and %d", name, got, gone, tt.want, tt.gone)
		}
		if fmt.Sprint(history) != before {
			t.Errorf("%s: the history itself was changed", name)
		}
	}
}

// TestScreensOfOneStep: the pictures of the results of one step stay or go
// together with what is older, never with what is newer.
func TestScreensOfOneStep(t *testing.T) {
	history := looked(policy.ScreenTool, 2)
	step := provider.Message{Role: provider.RoleTool}
	for i := range 4 {
		step.Parts = append(step.Parts, provider.ToolResult{CallID: fmt.Sprintf("s%d", i), Name: policy.ScreenTool, Images: []provider.Image{{Data: fmt.Appendf(nil, "s%d", i)}}})
	}
	sent, _ := pictures(policy.Limits{}.View(append(history, step)))
	if got := strings.Join(sent, " "); got != "mine s0 s1 s2 s3" {
		t.Errorf("%s are sent", got)
	}
}

// TestScreensKeepThePrefix: what was sent before is sent again unchanged, so
// that a provider has it cached, but for every third picture.
func TestScreensKeepThePrefix(t *testing.T) {
	const steps = 30
	kept := 0
	before := policy.Limits{}.View(looked(policy.ScreenTool, 1))
	for n := 2; n <= steps; n++ {
		now := policy.Limits{}.View(looked(policy.ScreenTool, n))
		if len(now) < len(before) {
			t.Fatalf("%d messages became %d", len(before), len(now))
		}
		same := 0
		for same < len(before) && cmp.Equal(before[same], now[same]) {
			same++
		}
		switch {
		case same == len(before):
			kept++
		case n%3 != 0:
			t.Errorf("at the picture %d only %d of %d messages are as they were", n, same, len(before))
		case same < len(before)-2*5:
			t.Errorf("at the picture %d more than the last pictures changed: %d of %d messages stay", n, same, len(before))
		}
		before = now
	}
	if want := (steps - 1) * 2 / 3; kept < want {
		t.Errorf("the whole beginning stayed at %d of %d steps, want %d", kept, steps-1, want)
	}
}
