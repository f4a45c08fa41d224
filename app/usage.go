package app

import (
	"context"
	"time"

	"github.com/hobkin/hobkin/core/agent"
	"github.com/hobkin/hobkin/core/capability"
	"github.com/hobkin/hobkin/core/control"
	"github.com/hobkin/hobkin/core/store"
)

// Bounds of a report.
const (
	usageDays     = 30
	usageMostDays = 366
)

// usage tells what models have used, day by day, and how the budgets that all
// sessions share stand.
func (c *Core) usage(ctx context.Context, q control.UsageQuery) (control.UsageReport, error) {
	days := q.Days
	if days <= 0 {
		days = usageDays
	}
	list, err := c.store.UsageByDay(ctx, time.Now(), min(days, usageMostDays))
	if err != nil {
		return control.UsageReport{}, err
	}
	report := control.UsageReport{Days: make([]control.DayUsage, len(list))}
	for i, u := range list {
		report.Days[i] = control.DayUsage{Day: u.At, Input: u.Input, Output: u.Output, Cached: u.Cached, CostUSD: u.CostUSD}
	}
	all, err := c.agent.Budgets.Standings(ctx, capability.Turn{})
	for _, b := range all {
		if b.Scope == "day" || b.Scope == "month" {
			report.Budgets = append(report.Budgets, control.BudgetState{Scope: b.Name(), Spent: b.Used(), Limit: b.Limit(), Percent: 100 * b.Share(), At: string(b.At)})
		}
	}
	return report, err
}

// compactSession shortens a session's conversation on request.
func (c *Core) compactSession(ctx context.Context, r control.ID) (control.Sent, error) {
	s, err := c.find(ctx, r.ID)
	if err != nil {
		return control.Sent{}, err
	}
	return c.compact(ctx, s)
}

func (c *Core) compact(ctx context.Context, s store.Session) (control.Sent, error) {
	sent, err := c.agent.Compact(ctx, agent.Input{
		Session: s.ID, Channel: s.Channel, Trust: capability.Operator, Mode: s.Mode, Model: s.Model, Workspace: s.Workspace,
	})
	return control.Sent{Session: s.ID, Turn: sent.Turn, From: sent.From}, err
}
