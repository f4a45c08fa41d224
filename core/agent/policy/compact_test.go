package policy

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hobkin/hobkin/core/provider"
)

func TestCompactorDue(t *testing.T) {
	for name, tt := range map[string]struct {
		window, futile, tokens int
		want                   bool
	}{
		"below the share":        {10_000, 0, 8_500, false},
		"above it":               {10_000, 0, 8_501, true},
		"futile before":          {10_000, 9_000, 9_000, false},
		"futile, hardly grown":   {10_000, 9_000, 9_000 + growTokens, false},
		"futile, grown enough":   {10_000, 9_000, 9_451 + growTokens, true},
		"no window":              {0, 0, 1_000_000, false},
		"no window, too large":   {0, 0, 2_000_000, true},
		"a window without bound": {1 << 40, 0, 2_000_000, true},
	} {
		c := Compactor{Window: tt.window, futile: tt.futile}
		if got := c.Due(tt.tokens); got != tt.want {
			t.Errorf("%s: due is %v", name, got)
		}
	}
}

func TestCompactorJudge(t *testing.T) {
	for name, tt := range map[string]struct {
		report Report
		futile bool
	}{
		"it helped":           {Report{Before: 9_000, After: 5_000}, false},
		"nothing was smaller": {Report{Before: 9_000, After: 9_000}, true},
		"smaller, still full": {Report{Before: 12_000, After: 9_000}, true},
		"it grew":             {Report{Before: 5_000, After: 6_000}, true},
	} {
		c := Compactor{Window: 10_000, futile: 1}
		c.Judge(tt.report)
		if c.Futile() != tt.futile {
			t.Errorf("%s: futile is %v", name, c.Futile())
		}
	}
}

func TestMask(t *testing.T) {
	for name, tt := range map[string]struct {
		steps, size int
		ok          bool
		whole       int
	}{
		"too few, too small":     {5, 1000, false, 5},
		"enough results":         {6, 1000, true, 2},
		"few but large":          {3, 24 << 10, true, 2},
		"only the last ones":     {2, 1 << 20, false, 2},
		"short ones are no gain": {50, 100, false, 50},
	} {
		h := talk(tt.steps, tt.size)
		before := fmt.Sprint(h)
		got, ok := Mask(h)
		if ok != tt.ok || strings.Count(fmt.Sprint(got), strings.Repeat("x", tt.size)) != tt.whole {
			t.Errorf("%s: %v, want %v and %d whole results", name, ok, tt.ok, tt.whole)
		}
		if fmt.Sprint(h) != before {
			t.Errorf("%s: the history itself was changed", name)
		}
		if again, ok := Mask(got); tt.ok && ok {
			t.Errorf("%s: what is masked is masked again: %v", name, again)
		}
		paired(t, got)
	}
}

func TestMaskKeepsSkills(t *testing.T) {
	h := talk(8, 1000)
	skill := provider.ToolResult{CallID: "0", Name: "skill_view", Text: strings.Repeat("do it so. ", 100)}
	h[4].Parts[0] = skill
	got, ok := Mask(h)
	if d := cmp.Diff(provider.Part(skill), got[4].Parts[0]); !ok || d != "" {
		t.Errorf("the skill is gone: %s", d)
	}
}

// TestDivide has earlier, yes, task, then steps of a call and a result.
func TestDivide(t *testing.T) {
	for name, tt := range map[string]struct {
		steps, size, tail int
		ok                bool
		stays             int // messages in the tail
	}{
		"half":              {10, 400, 600, true, 10},
		"the last step":     {10, 40_000, 600, true, 2},
		"all of it fits":    {3, 40, 10_000, false, 9},
		"no steps":          {0, 0, 1, true, 1},
		"nothing but a few": {1, 40_000, 600, true, 2},
	} {
		h := talk(tt.steps, tt.size)
		d, ok := Divide(h, 2, tt.tail)
		if ok != tt.ok || len(d.Tail) != tt.stays {
			t.Errorf("%s: %v with %d behind, want %v, %d", name, ok, len(d.Tail), tt.ok, tt.stays)
		}
		if !ok {
			continue
		}
		got, task := d.Join("SUMMARY", []string{"KEPT"}, 2)
		paired(t, got)
		text := fmt.Sprint(got)
		for _, want := range []string{"earlier", "task", "SUMMARY", "KEPT"} {
			if strings.Count(text, want) != 1 {
				t.Errorf("%s: %s is there %d times", name, want, strings.Count(text, want))
			}
		}
		if w := words(got[task]); w != "task" {
			t.Errorf("%s: the task is at %d now, where %q stands", name, task, w)
		}
		if native, at := d.Native(provider.Reasoning{Encrypted: "x"}, "S", nil, 2); words(native[at]) != "task" {
			t.Errorf("%s: with a provider's item the task is at %d, where %q stands", name, at, words(native[at]))
		}
	}
}

func TestDivideWithoutATask(t *testing.T) {
	h := talk(10, 400)
	d, ok := Divide(h, -1, 100)
	if got, task := d.Join("S", nil, -1); !ok || task < 0 || task >= len(got) {
		t.Errorf("%v, task %d of %d", ok, task, len(got))
	}
	if _, ok := Divide(nil, -1, 100); ok {
		t.Error("nothing can be divided")
	}
}

// TestSummariesOfSummaries holds that what is kept survives being summed up
// time and again: the first message, the skill, the newest plan.
func TestSummariesOfSummaries(t *testing.T) {
	h := talk(4, 400)
	h[4].Parts[0] = provider.ToolResult{CallID: "0", Name: "skill_view", Text: "THE SKILL"}
	h[6].Parts[0] = provider.ToolResult{CallID: "1", Name: "todo_write", Text: "THE OLD PLAN"}
	h[8].Parts[0] = provider.ToolResult{CallID: "2", Name: "todo_write", Text: "THE PLAN"}
	h[7].Parts[0] = provider.ToolCall{ID: "2", Name: "todo_write", Args: `{"path":"/home/a/notes.txt"}`}
	task := 2
	for round := range 5 {
		d, ok := Divide(h, task, 0)
		if !ok {
			t.Fatal("nothing to divide")
		}
		h, task = d.Join(Digest(d.Covered, 8000), Kept(d.Covered, 8000), task)
		h = append(h, talk(3, 400)[3:]...)
		text := fmt.Sprint(h)
		for _, want := range []string{"THE SKILL", "THE PLAN", "/home/a/notes.txt"} {
			if strings.Count(text, want) != 1 {
				t.Errorf("round %d: %s is there %d times in\n%s", round, want, strings.Count(text, want), text)
			}
		}
		if strings.Contains(text, "THE OLD PLAN") || !strings.Contains(text, "earlier") || words(h[task]) != "task" {
			t.Errorf("round %d: the wrong things stayed:\n%s", round, text)
		}
		paired(t, h)
	}
}

func TestTranscript(t *testing.T) {
	h := talk(2, 10_000)
	h = append(h, provider.Message{Role: provider.RoleAssistant, Parts: []provider.Part{provider.Reasoning{Text: "THOUGHT"}, provider.Text{Text: "done"}}})
	got := Transcript(h, 100_000)
	for _, want := range []string{"User: task", "Call: t {}", "Result of t: xxx", "bytes left out", "Assistant: done"} {
		if !strings.Contains(got, want) {
			t.Errorf("%q is missing in\n%s", want, got)
		}
	}
	if strings.Contains(got, "THOUGHT") || len(got) > 8000 {
		t.Errorf("%d bytes:\n%s", len(got), got)
	}
	if n := len(Transcript(h, 500)); n > 600 {
		t.Errorf("%d bytes, at most 500 were wanted", n)
	}
}

func TestViewShare(t *testing.T) {
	h := talk(1, 60_000)
	c := Compactor{Window: 8000}
	if got := Bytes(Limits{Result: c.Share()}.View(h)); got > 8000+1000 {
		t.Errorf("one result of %d bytes is sent to a window of 8,000 tokens", got)
	}
	if got := Bytes(Limits{Result: (&Compactor{}).Share()}.View(h)); got < 60_000 {
		t.Errorf("with an unknown window %d bytes are left", got)
	}
}

func TestViewImages(t *testing.T) {
	picture := provider.Image{MIME: "image/png", Data: make([]byte, 12<<20)}
	h := []provider.Message{
		{Role: provider.RoleUser, Parts: []provider.Part{provider.Text{Text: "look"}, picture}},
		{Role: provider.RoleAssistant, Parts: []provider.Part{provider.ToolCall{ID: "1", Name: "t"}}},
		{Role: provider.RoleTool, Parts: []provider.Part{provider.ToolResult{CallID: "1", Text: "shot", Images: []provider.Image{picture}}}},
	}
	view := Limits{}.View(h)
	if n := Bytes(view); n > MaxRequest {
		t.Errorf("%d bytes are sent", n)
	}
	if got := view[2].Parts[0].(provider.ToolResult); len(got.Images) != 1 {
		t.Error("the newest image was left out")
	}
	if got, want := view[0].Parts[1], (provider.Text{Text: imageLeftOut}); got != want {
		t.Errorf("got %v, want %v", got, want)
	}
}

func FuzzCompaction(f *testing.F) {
	f.Add(5, 300, 2, 100)
	f.Add(0, 0, -1, 0)
	f.Add(49, 4000, 80, 100_000)
	f.Add(18, 0, 47, -131) // a task that is no message of the user
	f.Fuzz(func(t *testing.T, steps, size, task, tail int) {
		h := talk(max(0, steps)%50, max(0, size)%5000)
		task = max(-1, task%len(h))
		for range 3 {
			h, _ = Mask(h)
			d, ok := Divide(h, task, tail)
			if !ok {
				break
			}
			h, task = d.Join(Digest(d.Covered, max(0, size)), Kept(d.Covered, max(0, size)), task)
			paired(t, h)
			if task >= len(h) {
				t.Fatalf("the task is at %d of %d", task, len(h))
			}
		}
	})
}
