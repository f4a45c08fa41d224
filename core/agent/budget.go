package agent

import (
	"context"
	"fmt"
	"log/slog"
	"strconv"
	"sync"
	"time"

	"github.com/hobkin/hobkin/core/agent/policy"
	"github.com/hobkin/hobkin/core/capability"
	"github.com/hobkin/hobkin/core/provider"
)

// A Ledger is the account of all model calls, of all sessions and starts.
type Ledger interface {
	// RecordGeneration keeps the account of one model call.
	RecordGeneration(ctx context.Context, session, turn string, g ModelGeneration) error
	// Spent sums the calls of a session, of a turn of it, or since a time; what
	// is empty does not narrow.
	Spent(ctx context.Context, session, turn string, since time.Time) (policy.Spent, error)
}

// Budgets hold turns to what may be spent. The zero value has none. Its fields
// are set before the first use.
type Budgets struct {
	Ledger Ledger
	List   func() []policy.Budget // nil is none
	// GoOn asks the person of a turn whether to go on though a budget is spent.
	// Nil asks no one, which means no.
	GoOn func(ctx context.Context, turn capability.Turn, question string) (bool, error)

	mu    sync.Mutex
	said  map[string]bool       // what was told of a budget in its period
	more  map[string]int        // how often a person let it go on in its period
	under map[*run]policy.Spent // what calls under way will use, as far as can be told
}

func (b *Budgets) list() []policy.Budget {
	if b.List == nil || b.Ledger == nil {
		return nil
	}
	return b.List()
}

// Standings says how much of each budget is spent, seen from a turn.
func (b *Budgets) Standings(ctx context.Context, turn capability.Turn) ([]policy.Standing, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.standings(ctx, turn, nil)
}

// standings counts calls under way of other turns as spent, where a budget is
// shared: so that turns side by side cannot spend the same money.
func (b *Budgets) standings(ctx context.Context, turn capability.Turn, own *run) ([]policy.Standing, error) {
	var out []policy.Standing
	for _, budget := range b.list() {
		session, id, since := period(budget.Scope, turn, time.Now())
		spent, err := b.Ledger.Spent(ctx, session, id, since)
		if err != nil {
			return nil, err
		}
		if session == "" {
			for r, more := range b.under {
				if r != own {
					spent = spent.Plus(more)
				}
			}
		}
		out = append(out, policy.Standing{Budget: budget, Spent: spent, Raised: b.more[key(budget, turn)]})
	}
	return out, nil
}

// period is what a scope covers at a time.
func period(scope policy.Scope, turn capability.Turn, at time.Time) (session, id string, since time.Time) {
	year, month, day := at.Date()
	switch scope {
	case policy.ForTurn:
		return turn.Session, turn.ID, time.Time{}
	case policy.ForSession:
		return turn.Session, "", time.Time{}
	case policy.ForDay:
		return "", "", time.Date(year, month, day, 0, 0, 0, 0, at.Location())
	case policy.ForMonth:
	}
	return "", "", time.Date(year, month, 1, 0, 0, 0, 0, at.Location())
}

// key names a budget in its period.
func key(b policy.Budget, turn capability.Turn) string {
	session, id, since := period(b.Scope, turn, time.Now())
	return fmt.Sprint(b, session, id, since.Unix())
}

// first reports whether something was not said of a budget in its period yet.
func (b *Budgets) first(what string, s policy.Standing, turn capability.Turn) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	k := what + strconv.Itoa(s.Raised) + key(s.Budget, turn)
	if b.said[k] {
		return false
	}
	if b.said == nil {
		b.said = map[string]bool{}
	}
	b.said[k] = true
	return true
}

// raise lets a budget go on for as much again.
func (b *Budgets) raise(s policy.Standing, turn capability.Turn) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.more == nil {
		b.more = map[string]int{}
	}
	b.more[key(s.Budget, turn)]++
}

// enter books what a run's next call will use at least, and returns how the
// budgets stand without it. leave takes it back, once the call is in the ledger.
func (b *Budgets) enter(ctx context.Context, r *run, next policy.Spent) ([]policy.Standing, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	all, err := b.standings(ctx, r.turn, r)
	if err == nil && len(all) > 0 {
		if b.under == nil {
			b.under = map[*run]policy.Spent{}
		}
		b.under[r] = next
	}
	return all, err
}

func (b *Budgets) leave(r *run) {
	b.mu.Lock()
	defer b.mu.Unlock()
	delete(b.under, r)
}

// budget holds a turn to the budgets before a model call. The turn goes on
// while the ending is empty. Where the account cannot be read the turn ends: a
// limit that is not known to hold is no limit.
func (r *run) budget(ctx context.Context) (ending, error) {
	tokens := r.size(r.history)
	next := policy.Spent{Tokens: tokens, USD: r.model().Info().Price.Cost(provider.Usage{Input: tokens})}
	for {
		all, err := r.Budgets.enter(ctx, r, next)
		if err != nil {
			return ending{}, NoAccount.Becausef("what was spent cannot be read: %v", err)
		}
		r.warn(ctx, all)
		worst, spent := policy.Strictest(all)
		if !spent || worst.At == policy.WarnAt {
			return ending{}, nil
		}
		r.Budgets.leave(r) // it will not be made now
		if worst.At == policy.PauseAt && r.goOn(ctx, worst) {
			continue
		}
		if ctx.Err() != nil {
			return ending{}, ctx.Err()
		}
		r.emit(ctx, BudgetSealed{Budget: worst.Name(), Spent: worst.Used(), Limit: worst.Limit()})
		return sealed(fmt.Sprintf("the budget for the %s is spent: %s of %s", worst.Name(), worst.Used(), worst.Limit())), nil
	}
}

// warn says once in a period that a budget is nearly spent, and once that it is.
func (r *run) warn(ctx context.Context, all []policy.Standing) {
	for _, s := range all {
		what := ""
		switch share := s.Share(); {
		case share >= 1 && s.At == policy.WarnAt:
			what = "spent"
		case share >= policy.WarnShare && share < 1:
			what = "nearly"
		}
		if what != "" && r.Budgets.first(what, s, r.turn) {
			r.emit(ctx, BudgetWarned{Budget: s.Name(), Spent: s.Used(), Limit: s.Limit()})
		}
		if s.Budget.USD > 0 && !r.model().Info().Priced && r.Budgets.first("price of "+r.model().Info().Model, s, r.turn) {
			r.emit(ctx, Notice{fmt.Sprintf("The price of %s is not known: what it uses does not count in the budget of %s for the %s. A budget in tokens would hold it.",
				name(r.model().Info()), policy.Dollars(s.Budget.USD), s.Name())})
		}
	}
}

// goOn asks the person, and gives the budget as much again when they agree.
func (r *run) goOn(ctx context.Context, s policy.Standing) bool {
	if !r.turn.Attended || r.turn.Trust != capability.Operator || r.Budgets.GoOn == nil {
		return false
	}
	r.emit(ctx, BudgetPaused{Budget: s.Name(), Spent: s.Used(), Limit: s.Limit()})
	yes, err := r.Budgets.GoOn(ctx, r.turn, fmt.Sprintf("The budget for the %s is spent: %s of %s. Go on, with as much again?", s.Name(), s.Used(), s.Limit()))
	if err != nil && ctx.Err() == nil {
		slog.WarnContext(ctx, "agent: asking about a budget", "error", err)
	}
	if err != nil || !yes {
		return false
	}
	r.Budgets.raise(s, r.turn)
	r.emit(ctx, BudgetResumed{Budget: s.Name()})
	return true
}

// record puts a model call into the account. One that cannot be kept is told
// where budgets depend on it.
func (r *run) record(ctx context.Context, g ModelGeneration) {
	if r.Budgets.Ledger == nil {
		return
	}
	err := r.Budgets.Ledger.RecordGeneration(context.WithoutCancel(ctx), r.job.Session, r.job.turn, g)
	if err == nil {
		return
	}
	slog.WarnContext(ctx, "agent: recording what a model call used", "error", err)
	if len(r.Budgets.list()) > 0 {
		r.emit(ctx, Notice{"What the last model call used could not be recorded, so the budgets do not count it."})
	}
}
