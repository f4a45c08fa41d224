package store

import (
	"context"
	"time"

	"github.com/hobkin/hobkin/core/agent"
	"github.com/hobkin/hobkin/core/agent/policy"
)

var _ agent.Ledger = (*Store)(nil)

// RecordGeneration implements [agent.Ledger].
func (s *Store) RecordGeneration(ctx context.Context, session, turn string, g agent.ModelGeneration) error {
	return s.RecordUsage(ctx, Usage{
		Session: session, Turn: turn, Provider: g.Provider, Model: g.Model,
		Input: g.Usage.Input, Output: g.Usage.Output, Cached: g.Usage.CachedInput, CostUSD: g.CostUSD,
	})
}

// Spent implements [agent.Ledger].
func (s *Store) Spent(ctx context.Context, session, turn string, since time.Time) (policy.Spent, error) {
	u, err := s.Used(ctx, UsageQuery{Session: session, Turn: turn, From: since})
	return policy.Spent{Tokens: u.Input + u.Output, USD: u.CostUSD}, err
}
