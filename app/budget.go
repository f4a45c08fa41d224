package app

import (
	"context"
	"time"

	"github.com/hobkin/hobkin/core/agent"
	"github.com/hobkin/hobkin/core/agent/policy"
	"github.com/hobkin/hobkin/core/capability"
	"github.com/hobkin/hobkin/core/tools/system"
)

// budgets are those of the settings, as they are now.
func (c *Core) budgets() []policy.Budget {
	var out []policy.Budget
	for _, b := range c.cfg.Load().Budgets {
		out = append(out, policy.Budget{Scope: policy.Scope(b.Scope), Tokens: b.Tokens, USD: b.Dollars(), At: policy.Action(b.At)})
	}
	return out
}

// budgetTime is how long a turn waits for a person to let a budget go on.
const budgetTime = 30 * time.Minute

// goOn asks the person on every surface whether a turn may go on.
func (c *Core) goOn(ctx context.Context, turn capability.Turn, question string) (bool, error) {
	const id, yes, no = "budget", "Go on", "Stop here"
	answers, err := c.forms.ask(ctx, capability.Call{Turn: turn}, []agent.Question{
		{ID: id, Header: "Budget", Question: question, Kind: "choice", Options: []string{yes, no}, Default: no},
	}, budgetTime)
	return err == nil && len(answers[id]) == 1 && answers[id][0] == yes, err
}

// standings tell the tool check_budget how the budgets stand.
type standings struct{ c *Core }

// Budgets implements [system.Budgets].
func (s standings) Budgets(ctx context.Context, turn capability.Turn) ([]system.Budget, error) {
	list, err := s.c.agent.Budgets.Standings(ctx, turn)
	out := make([]system.Budget, len(list))
	for i, b := range list {
		out[i] = system.Budget{Scope: b.Name(), Spent: b.Used(), Limit: b.Limit(), Percent: 100 * b.Share(), At: string(b.At)}
	}
	return out, err
}
