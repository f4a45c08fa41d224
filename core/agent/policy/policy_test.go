package policy

import (
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hobkin/hobkin/core/provider"
)

func TestLoop(t *testing.T) {
	look := func(result string) Repeat { return Repeat{Tool: "file_read", Args: "{}", Result: result} }
	edit := func(args string, failed bool) Repeat {
		return Repeat{Tool: "file_edit", Args: args, Result: "x", Failed: failed, Changes: true}
	}
	for name, tt := range map[string]struct {
		calls []Repeat
		want  []Verdict
	}{
		"equal":                   {[]Repeat{look("a"), look("a"), look("a"), look("a"), look("a"), look("a")}, []Verdict{Fine, Fine, Warn, Warn, Stop, Stop}},
		"another result":          {[]Repeat{look("a"), look("b"), look("c"), look("d"), look("e")}, []Verdict{Fine, Fine, Fine, Fine, Fine}},
		"mixed":                   {[]Repeat{look("a"), look("b"), look("a"), look("b"), look("a")}, []Verdict{Fine, Fine, Fine, Fine, Warn}},
		"failed changes":          {[]Repeat{edit("1", true), edit("1", true), edit("1", true)}, []Verdict{Fine, Warn, Warn}},
		"equal changes":           {[]Repeat{edit("1", false), edit("1", false), edit("1", false), edit("1", false), edit("1", false)}, []Verdict{Fine, Fine, Warn, Warn, Stop}},
		"a change between":        {[]Repeat{look("a"), look("a"), edit("1", false), look("a"), look("a"), edit("2", false), look("a")}, []Verdict{Fine, Fine, Fine, Fine, Fine, Fine, Fine}},
		"a failed change between": {[]Repeat{look("a"), look("a"), edit("1", true), look("a")}, []Verdict{Fine, Fine, Fine, Warn}},
	} {
		var l Loop
		var got []Verdict
		for _, c := range tt.calls {
			got = append(got, l.Judge(c))
		}
		if d := cmp.Diff(tt.want, got); d != "" {
			t.Errorf("%s (-want +got):\n%s", name, d)
		}
	}
}

func TestLoopBatch(t *testing.T) {
	one, two, other := Repeat{Tool: "a", Args: "1"}, Repeat{Tool: "b", Args: "1"}, Repeat{Tool: "b", Args: "2"}
	equal, changed, single := []Repeat{one, two}, []Repeat{one, other}, []Repeat{one}
	for name, tt := range map[string]struct {
		batches [][]Repeat
		want    []Verdict
	}{
		"equal":            {[][]Repeat{equal, equal, equal, equal, equal}, []Verdict{Fine, Fine, Warn, Warn, Stop}},
		"another between":  {[][]Repeat{equal, equal, changed, equal, equal, equal}, []Verdict{Fine, Fine, Fine, Fine, Fine, Warn}},
		"single calls":     {[][]Repeat{single, single, single, single, single}, []Verdict{Fine, Fine, Fine, Fine, Fine}},
		"a single between": {[][]Repeat{equal, equal, single, equal}, []Verdict{Fine, Fine, Fine, Fine}},
	} {
		var l Loop
		var got []Verdict
		for _, b := range tt.batches {
			got = append(got, l.Batch(b))
		}
		if d := cmp.Diff(tt.want, got); d != "" {
			t.Errorf("%s (-want +got):\n%s", name, d)
		}
	}
}

// talk is a history of steps with one result each of a size.
func talk(steps, size int) []provider.Message {
	h := []provider.Message{
		{Role: provider.RoleUser, Parts: []provider.Part{provider.Text{Text: "earlier"}}},
		{Role: provider.RoleAssistant, Parts: []provider.Part{provider.Text{Text: "yes"}}},
		{Role: provider.RoleUser, Parts: []provider.Part{provider.Text{Text: "task"}}},
	}
	for i := range steps {
		id := strconv.Itoa(i)
		h = append(h,
			provider.Message{Role: provider.RoleAssistant, Parts: []provider.Part{provider.ToolCall{ID: id, Name: "t", Args: "{}"}}},
			provider.Message{Role: provider.RoleTool, Parts: []provider.Part{provider.ToolResult{CallID: id, Name: "t", Text: strings.Repeat("x", size)}}})
	}
	return h
}

// paired fails when a call and its result are not side by side.
func paired(t *testing.T, h []provider.Message) {
	t.Helper()
	open := map[string]bool{}
	for _, m := range h {
		for _, p := range m.Parts {
			switch p := p.(type) {
			case provider.ToolCall:
				open[p.ID] = true
			case provider.ToolResult:
				if !open[p.CallID] {
					t.Errorf("the result of %s stands without its call", p.CallID)
				}
				delete(open, p.CallID)
			case provider.Text, provider.Image, provider.Reasoning:
			}
		}
	}
	if len(open) > 0 {
		t.Errorf("calls without results: %v", open)
	}
}
