package control

import (
	"context"
	"time"
)

// UsageQuery asks what models have used.
type UsageQuery struct {
	Days int `json:"days,omitempty"` // so many days, today included; 0 means 30, 366 is the most
}

// UsageReport is what models have used, and how the budgets stand.
type UsageReport struct {
	Days    []DayUsage    `json:"days"` // the oldest first
	Budgets []BudgetState `json:"budgets,omitempty"`
}

// DayUsage is the account of one day.
type DayUsage struct {
	Day     time.Time `json:"day"` // its midnight
	Input   int       `json:"input"`
	Output  int       `json:"output"`
	Cached  int       `json:"cached"` // of the input, read from a provider's cache
	CostUSD float64   `json:"cost_usd"`
}

// BudgetState is how a budget of the day or the month stands.
type BudgetState struct {
	Scope   string  `json:"scope"`
	Spent   string  `json:"spent"` // in words
	Limit   string  `json:"limit"`
	Percent float64 `json:"percent"`
	At      string  `json:"at"` // what happens when it is spent: warn, pause or stop
}

// Usage returns what models have used.
func (c *Client) Usage(ctx context.Context, q UsageQuery) (UsageReport, error) {
	return ask[UsageReport](ctx, c, MethodUsage, q)
}

// CompactSession shortens a session's conversation at once, as a turn of its
// own. What is stored of it stays whole.
func (c *Client) CompactSession(ctx context.Context, id string) (Sent, error) {
	return ask[Sent](ctx, c, MethodSessionCompact, ID{id})
}
