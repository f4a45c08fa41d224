package policy

import (
	"fmt"
	"strconv"
)

// Scope is what a budget is for.
type Scope string

// The scopes, the narrowest first. Days and months are those of the machine's
// zone, and of all sessions together.
const (
	ForTurn    Scope = "turn"
	ForSession Scope = "session"
	ForDay     Scope = "day"
	ForMonth   Scope = "month"
)

// Action is what happens when a budget is spent.
type Action string

// The actions, from the mildest to the strictest.
const (
	WarnAt  Action = "warn"  // it is said, and the work goes on
	PauseAt Action = "pause" // a person is asked; with no one there it is a stop
	StopAt  Action = "stop"  // the turn ends
)

var strictness = map[Action]int{WarnAt: 1, PauseAt: 2, StopAt: 3}

// WarnShare is how much of a budget is spent when it is said for the first time.
const WarnShare = 0.8

// A Budget bounds what models may use. One of Tokens and USD is set, or both.
type Budget struct {
	Scope  Scope
	Tokens int     // of input and output together; 0 is no bound
	USD    float64 // at the catalogue's prices; 0 is no bound
	At     Action
}

// Name says which budget it is, for people.
func (b Budget) Name() string { return string(b.Scope) }

// Spent is what models have used.
type Spent struct {
	Tokens int
	USD    float64
}

// Plus adds two accounts.
func (s Spent) Plus(t Spent) Spent { return Spent{s.Tokens + t.Tokens, s.USD + t.USD} }

// A Standing is how much of a budget is spent. Raised is how often a person has
// let it go on: each time adds the budget once more.
type Standing struct {
	Budget
	Spent
	Raised int
}

// Share is how much of the budget is spent, 1 for all of it: of tokens or
// money, whichever is more.
func (s Standing) Share() float64 {
	share, times := 0.0, float64(1+s.Raised)
	if s.Budget.Tokens > 0 {
		share = float64(s.Spent.Tokens) / (float64(s.Budget.Tokens) * times)
	}
	if s.Budget.USD > 0 {
		share = max(share, s.Spent.USD/(s.Budget.USD*times))
	}
	return share
}

// Used and Limit say the account in words: of what is nearer to its end.
func (s Standing) Used() string { return s.words(s.Spent.Tokens, s.Spent.USD) }

// Limit is the budget in words, as far as a person has raised it.
func (s Standing) Limit() string {
	return s.words(s.Budget.Tokens*(1+s.Raised), s.Budget.USD*float64(1+s.Raised))
}

func (s Standing) words(tokens int, usd float64) string {
	tokenShare := 0.0
	if s.Budget.Tokens > 0 {
		tokenShare = float64(s.Spent.Tokens) / float64(s.Budget.Tokens)
	}
	if s.Budget.USD > 0 && (s.Budget.Tokens <= 0 || s.Spent.USD/s.Budget.USD > tokenShare) {
		return Dollars(usd)
	}
	return strconv.Itoa(tokens) + " tokens"
}

// Dollars writes an amount with as many digits as it needs.
func Dollars(usd float64) string {
	if usd != 0 && usd < 0.01 {
		return fmt.Sprintf("$%.4f", usd)
	}
	return fmt.Sprintf("$%.2f", usd)
}

// Strictest returns the budget that decides: of those that are spent the one
// whose action is strictest, and of these the one that is overspent most. Ok is
// false when none is spent.
func Strictest(all []Standing) (worst Standing, ok bool) {
	for _, s := range all {
		if s.Share() < 1 {
			continue
		}
		mine, theirs := strictness[s.At], strictness[worst.At]
		if !ok || mine > theirs || mine == theirs && s.Share() > worst.Share() {
			worst, ok = s, true
		}
	}
	return worst, ok
}
