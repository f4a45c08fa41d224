package agent

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/hobkin/hobkin/core/agent/policy"
	"github.com/hobkin/hobkin/core/capability"
	"github.com/hobkin/hobkin/core/provider"
)

// ledger is an account in memory.
type ledger struct {
	mu      sync.Mutex
	list    []booked
	failing error
}

type booked struct {
	session, turn string
	policy.Spent
}

func (l *ledger) RecordGeneration(_ context.Context, session, turn string, g ModelGeneration) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.list = append(l.list, booked{session, turn, policy.Spent{Tokens: g.Usage.Input + g.Usage.Output, USD: g.CostUSD}})
	return l.failing
}

func (l *ledger) Spent(_ context.Context, session, turn string, _ time.Time) (sum policy.Spent, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, b := range l.list {
		if (session == "" || b.session == session) && (turn == "" || b.turn == turn) {
			sum = sum.Plus(b.Spent)
		}
	}
	return sum, l.failing
}

// TestBudgets plays turns of up to six steps, each of 1,100 tokens and $0.0020.
func TestBudgets(t *testing.T) {
	step := calls(call("", "write", `{"text":"a"}`))
	step.events[len(step.events)-1] = provider.Done{Stop: provider.StopTools, Usage: provider.Usage{Input: 1000, Output: 100}}
	for name, tt := range map[string]struct {
		budgets    []policy.Budget
		before     int // tokens that the session has used
		unattended bool
		unpriced   bool
		answers    []bool // of the person
		want       []string
	}{
		"none": {want: []string{"turn.completed 7"}},
		"a turn's, stop": {
			budgets: []policy.Budget{{Scope: policy.ForTurn, Tokens: 3000, At: policy.StopAt}},
			want: []string{
				`budget.sealed {"budget":"turn","spent":"3300 tokens","limit":"3000 tokens"}`,
				`turn.sealed {"reason":"the budget for the turn is spent: 3300 tokens of 3000 tokens"}`,
			},
		},
		"a session's has spent before": {
			budgets: []policy.Budget{{Scope: policy.ForSession, Tokens: 10_000, At: policy.StopAt}}, before: 10_000,
			want: []string{
				`budget.sealed {"budget":"session","spent":"10000 tokens","limit":"10000 tokens"}`,
				`turn.sealed {"reason":"the budget for the session is spent: 10000 tokens of 10000 tokens"}`,
			},
		},
		"nearly, then spent, only said": {
			budgets: []policy.Budget{{Scope: policy.ForTurn, Tokens: 4000, At: policy.WarnAt}},
			want: []string{
				`budget.warned {"budget":"turn","spent":"3300 tokens","limit":"4000 tokens"}`,
				`budget.warned {"budget":"turn","spent":"4400 tokens","limit":"4000 tokens"}`,
				"turn.completed 7",
			},
		},
		"money": {
			budgets: []policy.Budget{{Scope: policy.ForDay, USD: 0.004, At: policy.StopAt}},
			want: []string{
				`budget.sealed {"budget":"day","spent":"$0.0040","limit":"$0.0040"}`,
				`turn.sealed {"reason":"the budget for the day is spent: $0.0040 of $0.0040"}`,
			},
		},
		"the strictest wins": {
			budgets: []policy.Budget{
				{Scope: policy.ForTurn, Tokens: 2000, At: policy.WarnAt}, {Scope: policy.ForMonth, Tokens: 2100, At: policy.StopAt}, {Scope: policy.ForDay, Tokens: 2000, At: policy.PauseAt},
			},
			answers: []bool{true, true, true},
			want: []string{
				`budget.warned {"budget":"turn","spent":"2200 tokens","limit":"2000 tokens"}`,
				`budget.sealed {"budget":"month","spent":"2200 tokens","limit":"2100 tokens"}`,
				`turn.sealed {"reason":"the budget for the month is spent: 2200 tokens of 2100 tokens"}`,
			},
		},
		"a pause that goes on once": {
			budgets: []policy.Budget{{Scope: policy.ForTurn, Tokens: 2000, At: policy.PauseAt}}, answers: []bool{true, false},
			want: []string{
				`budget.paused {"budget":"turn","spent":"2200 tokens","limit":"2000 tokens"}`, `budget.resumed {"budget":"turn"}`,
				`budget.warned {"budget":"turn","spent":"3300 tokens","limit":"4000 tokens"}`,
				`budget.paused {"budget":"turn","spent":"4400 tokens","limit":"4000 tokens"}`,
				`budget.sealed {"budget":"turn","spent":"4400 tokens","limit":"4000 tokens"}`,
				`turn.sealed {"reason":"the budget for the turn is spent: 4400 tokens of 4000 tokens"}`,
			},
		},
		"a pause with no one there is a stop": {
			budgets: []policy.Budget{{Scope: policy.ForTurn, Tokens: 1000, At: policy.PauseAt}}, unattended: true, answers: []bool{true},
			want: []string{
				`budget.sealed {"budget":"turn","spent":"1100 tokens","limit":"1000 tokens"}`,
				`turn.sealed {"reason":"the budget for the turn is spent: 1100 tokens of 1000 tokens"}`,
			},
		},
		"a price that is not known is told": {
			budgets: []policy.Budget{{Scope: policy.ForDay, USD: 5, At: policy.StopAt}}, unpriced: true,
			want: []string{
				`notice {"text":"The price of test/scripted is not known: what it uses does not count in the budget of $5.00 for the day. A budget in tokens would hold it."}`,
				"turn.completed 7",
			},
		},
	} {
		t.Run(name, func(t *testing.T) {
			var replies []reply
			for i := range 6 {
				one := step
				one.events = append([]provider.Event(nil), step.events...)
				one.events[0] = provider.PartDone{Part: call("", "write", fmt.Sprintf(`{"text":"%d"}`, i))}
				replies = append(replies, one)
			}
			b := newBench(t, append(replies, says("done"))...)
			b.model.info.Priced = !tt.unpriced
			account := &ledger{list: []booked{{"s", "earlier", policy.Spent{Tokens: tt.before}}}}
			b.Budgets.Ledger, b.Budgets.List = account, func() []policy.Budget { return tt.budgets }
			b.Budgets.GoOn = func(context.Context, capability.Turn, string) (bool, error) {
				yes := tt.answers[0]
				tt.answers = tt.answers[1:]
				return yes, nil
			}
			in := input("do it")
			in.Attended = !tt.unattended
			var got []string
			for _, line := range shown(b.turn(t, in)) {
				if strings.HasPrefix(line, "budget.") || strings.HasPrefix(line, "notice") || strings.HasPrefix(line, "turn.") && !strings.HasPrefix(line, "turn.started") {
					got = append(got, line)
				}
			}
			if d := cmp.Diff(tt.want, got); d != "" {
				t.Errorf("(-want +got):\n%s", d)
			}
			if n := b.Budgets.underWay(); n != 0 {
				t.Errorf("%d calls are still booked", n)
			}
		})
	}
}

// underWay counts the calls that are booked.
func (b *Budgets) underWay() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return len(b.under)
}

// TestBudgetUnreadable: a limit that is not known to hold ends the turn.
func TestBudgetUnreadable(t *testing.T) {
	b := newBench(t, says("never"))
	b.Budgets.Ledger, b.Budgets.List = &ledger{failing: errors.New("disk")}, func() []policy.Budget { return []policy.Budget{{Scope: policy.ForDay, Tokens: 1, At: policy.WarnAt}} }
	events := b.turn(t, input("do it"))
	if p, ok := events[len(events)-1].Payload.(TurnFailed); !ok || p.Code != "no_account" {
		t.Errorf("got %v", events[len(events)-1].Payload)
	}
}

// TestBudgetShared has many sessions spend one day's budget side by side: none
// of the calls after the limit is made, whatever order they come in.
func TestBudgetShared(t *testing.T) {
	const sessions, limit, each = 20, 5000, 1100
	b := newBench(t)
	account := &ledger{}
	b.Budgets.Ledger, b.Budgets.List = account, func() []policy.Budget {
		return []policy.Budget{{Scope: policy.ForDay, Tokens: limit, At: policy.StopAt}}
	}
	for range sessions {
		b.model.replies = append(b.model.replies, says("done"))
	}
	// Each request is estimated to need what it then takes.
	text := strings.Repeat("x", 4*1000)
	var all sync.WaitGroup
	for i := range sessions {
		all.Go(func() {
			in := input(text)
			in.Session = fmt.Sprint("s", i)
			b.turn(t, in)
		})
	}
	all.Wait()
	spent, err := account.Spent(t.Context(), "", "", time.Time{})
	if err != nil || spent.Tokens < each || spent.Tokens >= limit+each {
		t.Errorf("%d tokens were spent of %d, %v", spent.Tokens, limit, err)
	}
}
