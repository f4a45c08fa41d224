package app

import (
	"context"
	"log/slog"
	"slices"
	"strings"

	"github.com/hobkin/hobkin/core/agent/policy"
	"github.com/hobkin/hobkin/core/capability"
	"github.com/hobkin/hobkin/core/permission"
	"github.com/hobkin/hobkin/core/provider"
)

// review gives calls that would go through a second look: first by the owner's
// checks that ask, then, for what is risky, by the reviewer's model.
func (c *Core) review(ctx context.Context, r permission.Reviewed) (ask bool, reason string) {
	if ask, reason := c.ownChecks().Asks(ctx, callSubject(r.Tool, r.Call)); ask {
		return true, reason
	}
	cfg := c.cfg.Load()
	if cfg.Models.Reviewer.Provider == "" || r.Risk == permission.Low {
		return false, ""
	}
	adviser, err := c.adviser(ctx, "reviewer", r.Call.Turn)
	if err != nil {
		slog.WarnContext(ctx, "app: the reviewer", "error", err)
		return true, "The reviewer cannot be reached."
	}
	reviewer := policy.Reviewer{Adviser: adviser, Timeout: cfg.Policy.Review.Timeout.Std()}
	return reviewer.Review(ctx, policy.Proposal{
		Task: c.redactor.Redact(c.taskOf(ctx, r.Call.Turn)),
		Tool: r.Tool.Name + ": " + r.Tool.Title,
		Args: capability.RedactJSON(r.Call.Args, c.redactor.Redact),
		Acts: c.redactor.Redact(acts(r.Preview)),
	})
}

// taskOf is the message that a turn answers, as far as it is known.
func (c *Core) taskOf(ctx context.Context, turn capability.Turn) string {
	history, _, err := c.store.Messages(ctx, turn.Session)
	if err != nil {
		slog.WarnContext(ctx, "app: reading the task for the reviewer", "error", err)
	}
	for _, m := range slices.Backward(history) {
		if m.Role != provider.RoleUser {
			continue
		}
		var b strings.Builder
		for _, p := range m.Parts {
			if t, ok := p.(provider.Text); ok {
				b.WriteString(t.Text + "\n")
			}
		}
		return b.String()
	}
	return "(not known)"
}

// acts says what a call would do, as a person who is asked would read it.
func acts(p capability.Preview) string {
	parts := []string{p.Question, p.Summary, p.Shell, p.Dir, p.URL}
	for _, u := range p.Paths {
		how := "reads "
		if u.Write {
			how = "writes "
		}
		parts = append(parts, how+u.Path)
	}
	parts = append(append(parts, p.Warnings...), p.Diff)
	return strings.Join(slices.DeleteFunc(parts, func(s string) bool { return strings.TrimSpace(s) == "" }), "\n")
}
