package policy

import (
	"fmt"
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

func TestCompactor(t *testing.T) {
	for name, tt := range map[string]struct {
		window, steps, size int
		emergency           bool
		method              string
		whole               int // results that are whole afterwards
	}{
		"masking is enough":         {window: 10_000, steps: 9, size: 4000, method: "masking", whole: 2},
		"many steps are trimmed":    {window: 2000, steps: 400, size: 10, method: "trim"},
		"no window, an emergency":   {steps: 9, size: 4000, emergency: true, method: "masking", whole: 2},
		"large last, an emergency":  {window: 10_000, steps: 2, size: 60_000, emergency: true, method: "trim"},
		"large last, not emergency": {window: 30_000, steps: 2, size: 60_000, method: "trim"},
	} {
		t.Run(name, func(t *testing.T) {
			h := talk(tt.steps, tt.size)
			before := fmt.Sprint(h)
			c := &Compactor{Window: tt.window, Task: 2}
			r := c.Shorten(h, 0, tt.emergency)
			view := c.View(h)
			if r.Method != tt.method || r.After >= r.Before || r.After != Tokens(view) {
				t.Errorf("report %+v, %d tokens are shown", r, Tokens(view))
			}
			if fmt.Sprint(h) != before {
				t.Error("the history itself was changed")
			}
			paired(t, view)
			text := fmt.Sprint(view)
			if !strings.Contains(text, "earlier") || !strings.Contains(text, "task") {
				t.Error("the first message or the task is lost")
			}
			if tt.size > maskOver {
				if got := strings.Count(text, strings.Repeat("x", tt.size)); got != tt.whole {
					t.Errorf("%d results are whole, want %d", got, tt.whole)
				}
			}
			if tt.window > 0 && c.Due(r.After) {
				t.Error("it would be done again at once")
			}
		})
	}
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

// TestCompactorFutile holds that one futile round is not repeated until the
// conversation has grown.
func TestCompactorFutile(t *testing.T) {
	h := []provider.Message{{Role: provider.RoleUser, Parts: []provider.Part{provider.Text{Text: strings.Repeat("x", 40_000)}}}}
	c := &Compactor{Window: 10_000}
	n := Tokens(h)
	if !c.Due(n) {
		t.Fatalf("%d tokens are not too many", n)
	}
	c.Shorten(h, 0, false)
	if !c.Futile() || c.Due(n) || c.Due(n+growTokens) {
		t.Error("a futile round is repeated")
	}
	if !c.Due(int(float64(n)*growFactor) + growTokens + 2) {
		t.Error("after growth it is not tried again")
	}
}

func TestCompactorShare(t *testing.T) {
	h := talk(1, 60_000)
	c := &Compactor{Window: 8000, Task: 2}
	if got := Bytes(c.View(h)); got > 8000+1000 {
		t.Errorf("one result of %d bytes is sent to a window of 8,000 tokens", got)
	}
	if got := Bytes((&Compactor{Task: 2}).View(h)); got < 60_000 {
		t.Errorf("with an unknown window %d bytes are left", got)
	}
}

func TestCompactorImages(t *testing.T) {
	picture := provider.Image{MIME: "image/png", Data: make([]byte, 12<<20)}
	h := []provider.Message{
		{Role: provider.RoleUser, Parts: []provider.Part{provider.Text{Text: "look"}, picture}},
		{Role: provider.RoleAssistant, Parts: []provider.Part{provider.ToolCall{ID: "1", Name: "t"}}},
		{Role: provider.RoleTool, Parts: []provider.Part{provider.ToolResult{CallID: "1", Text: "shot", Images: []provider.Image{picture}}}},
	}
	view := (&Compactor{}).View(h)
	if n := Bytes(view); n > MaxRequest {
		t.Errorf("%d bytes are sent", n)
	}
	if got := view[2].Parts[0].(provider.ToolResult); len(got.Images) != 1 {
		t.Error("the newest image was left out")
	}
	if got, want := view[0].Parts[1], (provider.Text{Text: "[An image was left out to save space.]"}); got != want {
		t.Errorf("got %v, want %v", got, want)
	}
}

func FuzzCompactor(f *testing.F) {
	f.Add(1000, 5, 300, true)
	f.Add(0, 0, 0, false)
	f.Fuzz(func(t *testing.T, window, steps, size int, emergency bool) {
		h := talk(max(0, steps)%50, max(0, size)%5000)
		c := &Compactor{Window: window % 100_000, Task: 2}
		for range 3 {
			c.Shorten(h, 10, emergency)
			paired(t, c.View(h))
		}
	})
}
