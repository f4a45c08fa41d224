package system

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/hobkin/hobkin/core/capability"
)

var noBudget = &capability.Failure{Code: "no_account", When: "what was spent cannot be read", Try: "go on with care; the owner can look with hobkin doctor"}

func init() {
	capability.Add(&Tools, capability.Capability{
		Name:  "check_budget",
		Title: "Look at the budget",
		Description: "Tells how much of each budget is spent: of this turn, this session, the day and the month, in tokens or dollars, " +
			"and what happens when it is spent.",
		Class:     capability.ReadOnly,
		Category:  capability.CategorySystem,
		OwnerData: true,
		Hints:     capability.Hints{ReadOnly: capability.Yes, Idempotent: capability.Yes, OpenWorld: capability.No},
		Docs: capability.Docs{
			When: "before work that takes many steps or subagents, and when a note says that a budget is nearly spent; then do the most important first",
			Examples: []capability.Example{
				{When: "the user asks for something large", In: budgetIn{}},
				{When: "work is to go on tomorrow", In: budgetIn{Scope: "day"}},
			},
			Fails: []*capability.Failure{noBudget},
		},
	}, (*Host).budget)
}

type budgetIn struct {
	Scope string `json:"scope,omitempty" enum:"turn,session,day,month" jsonschema:"which budgets; all when left out"`
}

// A Budget is how one budget stands.
type Budget struct {
	Scope   string  `json:"scope"` // turn, session, day or month
	Spent   string  `json:"spent"` // in words
	Limit   string  `json:"limit"`
	Percent float64 `json:"percent"`
	At      string  `json:"at"` // what happens when it is spent: warn, pause or stop
}

// Budgets tells how the budgets stand, seen from a turn.
type Budgets interface {
	Budgets(ctx context.Context, turn capability.Turn) ([]Budget, error)
}

func (h *Host) budget(ctx context.Context, call capability.Call, in budgetIn) (capability.Result, error) {
	var list []Budget
	if h.Budgets != nil {
		var err error
		if list, err = h.Budgets.Budgets(ctx, call.Turn); err != nil {
			return capability.Result{}, noBudget.Becausef("what was spent cannot be read: %v", err)
		}
	}
	if in.Scope != "" {
		list = slices.DeleteFunc(list, func(b Budget) bool { return b.Scope != in.Scope })
	}
	if len(list) == 0 {
		return capability.Result{Text: "No such budget is set: nothing of that kind bounds what may be used.", Summary: "no budget"}, nil
	}
	data, err := json.Marshal(map[string]any{"budgets": list})
	if err != nil {
		return capability.Result{}, fmt.Errorf("system: marshalling the budgets: %w", err)
	}
	var b strings.Builder
	most := 0.0
	for _, x := range list {
		most = max(most, x.Percent)
		fmt.Fprintf(&b, "- %s: %s of %s spent (%.0f %%); %s\n", x.Scope, x.Spent, x.Limit, x.Percent, whenSpent[x.At])
	}
	return capability.Result{Text: b.String(), Summary: fmt.Sprintf("%.0f %% spent", most), Data: data}, nil
}

var whenSpent = map[string]string{
	"warn":  "when it is spent, that is said and the work goes on",
	"pause": "when it is spent, the person is asked whether to go on",
	"stop":  "when it is spent, the turn ends",
}
