package app

import (
	"context"
	"log/slog"
	"slices"

	"github.com/hobkin/hobkin/core/agent"
	"github.com/hobkin/hobkin/core/capability"
	"github.com/hobkin/hobkin/core/config"
	"github.com/hobkin/hobkin/core/control"
	"github.com/hobkin/hobkin/core/permission"
	"github.com/hobkin/hobkin/core/store"
)

// rules keeps the owner's rules in the settings file.
type rules struct{ c *Core }

// Rules implements [permission.RuleStore].
func (r rules) Rules() []permission.Rule {
	cfg := r.c.cfg.Load()
	out := make([]permission.Rule, len(cfg.Permission.Rules))
	for i, x := range cfg.Permission.Rules {
		out[i] = permission.Rule{Tool: x.Tool, Match: x.Match, Action: permission.Action(x.Action), Scope: x.Scope}
	}
	return slices.Concat(out, screenRules(cfg.ComputerUse))
}

// AddRule implements [permission.RuleStore]. The rule holds at once.
func (r rules) AddRule(ctx context.Context, rule permission.Rule) error {
	if r.c.redactor.Redact(rule.Match) != rule.Match {
		return errSecretRule
	}
	if done, err := r.c.keepScreenRule(ctx, rule); done {
		return err
	}
	err := r.c.file.AppendRule(ctx, config.Rule{Tool: rule.Tool, Match: rule.Match, Action: string(rule.Action), Scope: rule.Scope})
	if err != nil {
		return err
	}
	return r.c.reload()
}

// errSecretRule is told of a rule that would put a secret into the settings.
var errSecretRule = &control.Error{Code: "secret_in_rule", Message: "the rule holds a secret, which the settings must not", Try: "allow the call once, or for this session"}

// reload takes in the settings after a change of our own.
func (c *Core) reload() error {
	cfg, err := c.file.Load()
	if err != nil {
		return err
	}
	return c.take(cfg)
}

// asked shows a request for approval on every surface.
func (c *Core) asked(turn capability.Turn, req agent.ApprovalRequested) {
	if err := c.publish(context.Background(), turn.Session, turn.ID, c.shown(req)); err != nil {
		slog.Error("app: asking for approval", "error", err)
	}
}

// decided withdraws the request everywhere and keeps what was decided.
func (c *Core) decided(turn capability.Turn, res agent.ApprovalResolved) {
	ctx := context.Background()
	if err := c.publish(ctx, turn.Session, turn.ID, res); err != nil {
		slog.Error("app: an approval was decided", "error", err)
	}
	err := c.store.RecordApproval(ctx, store.Approval{
		ID: res.ID, Session: turn.Session, Turn: turn.ID, Call: res.Call, Decision: res.Decision, By: res.By,
	})
	if err != nil {
		slog.Error("app: recording an approval", "error", err)
	}
}

func (c *Core) pending(context.Context, none) ([]control.PendingApproval, error) {
	out := []control.PendingApproval{}
	for _, w := range c.broker.Pending() {
		out = append(out, control.PendingApproval{Session: w.Turn.Session, Turn: w.Turn.ID, Request: c.shown(w.Request)})
	}
	return out, nil
}

func (c *Core) answer(_ context.Context, a control.ApprovalAnswer) error {
	return c.broker.Answer(a.ID, a.Fingerprint, permission.Decision(a.Decision), a.By)
}

func (c *Core) answerQuestion(_ context.Context, a control.QuestionAnswer) error {
	return c.forms.answer(a)
}
