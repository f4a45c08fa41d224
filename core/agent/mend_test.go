package agent

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hobkin/hobkin/core/provider"
)

// TestMend: arguments that cannot be mended here are asked for once more,
// beside the conversation.
func TestMend(t *testing.T) {
	const broken = `]]]`
	for name, tt := range map[string]struct {
		replies  []reply
		requests int
		want     []string // of tool events
	}{
		"mended here": {
			replies:  []reply{calls(call("1", "echo", `{"text": "a",}`)), says("done")},
			requests: 2,
			want:     []string{`tool.started echo {"text":"a"}`, "tool.repaired mended the JSON", "tool.completed echo  1 echo"},
		},
		"asked again": {
			replies:  []reply{calls(call("1", "echo", broken)), calls(call("9", "echo", `{"text":"a"}`)), says("done")},
			requests: 3,
			want:     []string{`tool.started echo {"text":"a"}`, "tool.repaired " + mendNote, "tool.completed echo  1 echo"},
		},
		"asked again, in vain": {
			replies:  []reply{calls(call("1", "echo", broken)), calls(call("9", "echo", broken)), says("sorry")},
			requests: 3,
			want:     []string{`tool.started echo "]]]"`, "tool.completed echo bad_input the arguments are not JSON and cannot be mended"},
		},
		"asked again, another tool": {
			replies:  []reply{calls(call("1", "echo", broken)), calls(call("9", "write", `{"text":"a"}`)), says("sorry")},
			requests: 3,
			want:     []string{`tool.started echo "]]]"`, "tool.completed echo bad_input the arguments are not JSON and cannot be mended"},
		},
		"a tool that is not there": {
			replies:  []reply{calls(call("1", "nothing", broken)), says("sorry")},
			requests: 2,
			want:     []string{`tool.started nothing "]]]"`, "tool.completed nothing unknown_tool"},
		},
		"too large": {
			replies:  []reply{calls(call("1", "echo", strings.Repeat("]", mendBytes+1))), says("sorry")},
			requests: 2,
			want:     []string{`tool.started echo "]]]`, "tool.completed echo too_large"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t, tt.replies...)
			var got []string
			for _, line := range shown(b.turn(t, input("do it"))) {
				if strings.HasPrefix(line, "tool.") {
					got = append(got, line)
				}
			}
			for i := range got {
				if i < len(tt.want) {
					got[i] = got[i][:min(len(got[i]), len(tt.want[i]))]
				}
			}
			if d := cmp.Diff(tt.want, got); d != "" {
				t.Errorf("(-want +got):\n%s", d)
			}
			if n := len(b.model.requests()); n != tt.requests {
				t.Errorf("%d requests, want %d", n, tt.requests)
			}
			if tt.requests == 3 && len(b.model.requests()[1].Messages) != 1 {
				t.Error("it was asked within the conversation")
			}
			stored := strings.Join(b.history(t), "\n")
			if strings.Contains(name, "again") && strings.Contains(stored, mendSystem) {
				t.Error("the question is in the history")
			}
		})
	}
}

// TestMendKeepsWhole: the mended call is what the history has.
func TestMendKeepsWhole(t *testing.T) {
	b := newBench(t, calls(call("1", "echo", `]]]`), call("2", "echo", `{"text":"b"}`)), calls(call("9", "echo", `{"text":"a"}`)), says("done"))
	b.turn(t, input("do it"))
	want := []string{"user: do it", `assistant: →echo {"text":"a"} | →echo {"text":"b"}`, "tool: ←echo a | ←echo b", "assistant: done"}
	if d := cmp.Diff(want, b.history(t)); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
}

// TestTurnNotes: what the guards have to say stands with the last result.
func TestTurnNotes(t *testing.T) {
	pair := func(i int) reply {
		return calls(call("", "echo", `{"text":"fail a"}`), call("", "write", fmt.Sprintf(`{"text":"%d"}`, i)))
	}
	same := calls(call("", "write", `{"text":"a"}`), call("", "write", `{"text":"b"}`))
	for name, tt := range map[string]struct {
		replies []reply
		want    string
		at      int // the result it stands in
		end     string
	}{
		"equal answers": {[]reply{same, same, same, says("done")}, "very calls several times in a row", 5, "turn.completed"},
		"five of them":  {[]reply{same, same, same, same, same}, "very calls several times in a row", 5, "turn.sealed"},
		"others":        {[]reply{pair(1), pair(2), pair(3), says("done")}, "", 0, "turn.completed"},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t, tt.replies...)
			events := b.turn(t, input("do it"))
			if got := events[len(events)-1].Payload.Name(); got != tt.end {
				t.Errorf("it ended with %s, want %s", got, tt.end)
			}
			var results []string
			for _, row := range b.journal.messages {
				for _, p := range row.Parts {
					if r, ok := p.(provider.ToolResult); ok {
						results = append(results, r.Text)
					}
				}
			}
			for i, text := range results {
				if strings.Contains(text, "very calls several") != (tt.want != "" && i >= tt.at && i%2 == 1) {
					raw, _ := json.Marshal(results)
					t.Fatalf("result %d of %s", i, raw)
				}
			}
		})
	}
}
