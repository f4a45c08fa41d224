package policy

import (
	"strings"
	"testing"

	"github.com/hobkin/hobkin/core/provider"
)

func TestPlan(t *testing.T) {
	const plan = "- [x] Find the fault\n- [ ] **Mend it** (in progress)\n- [ ] Test it\n"
	for name, tt := range map[string]struct {
		plans []string // written before the calls
		calls int
		want  int // reminders
	}{
		"none":       {nil, 100, 0},
		"soon":       {[]string{plan}, RemindAfter - 1, 0},
		"later":      {[]string{plan}, RemindAfter, 1},
		"much later": {[]string{plan}, 3*RemindAfter + 1, 3},
		"all done":   {[]string{plan, "- [x] Find the fault\n"}, 100, 0},
		"taken away": {[]string{plan, "The plan is empty now."}, 100, 0},
	} {
		var p Plan
		for _, text := range tt.plans {
			p.Wrote(text)
		}
		got, last := 0, ""
		for range tt.calls {
			if note := p.Tick(); note != "" {
				got, last = got+1, note
			}
		}
		if got != tt.want || got > 0 && (!strings.Contains(last, "2 open steps") || !strings.Contains(last, "Mend it")) {
			t.Errorf("%s: %d reminders, want %d; the last: %s", name, got, tt.want, last)
		}
	}
}

// TestPlanOf finds the newest plan, also after the conversation was shortened.
func TestPlanOf(t *testing.T) {
	h := talk(6, 400)
	h[4].Parts[0] = provider.ToolResult{CallID: "0", Name: PlanTool, Text: "- [ ] old\n"}
	h[6].Parts[0] = provider.ToolResult{CallID: "1", Name: PlanTool, Text: "- [ ] new\n- [x] done\n"}
	d, ok := Divide(h, 2, 0)
	if !ok {
		t.Fatal("nothing to divide")
	}
	short, _ := d.Join("S", Kept(d.Covered, 8000), 2)
	for name, list := range map[string][]provider.Message{"whole": h, "shortened": short} {
		if p := PlanOf(list); len(p.open) != 1 || p.open[0] != "new" {
			t.Errorf("%s: open is %q", name, p.open)
		}
	}
	if p := PlanOf(nil); p.open != nil {
		t.Errorf("of nothing: %q", p.open)
	}
}
