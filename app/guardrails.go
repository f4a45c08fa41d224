package app

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"slices"
	"strings"
	"time"

	"github.com/hobkin/hobkin/core/agent"
	"github.com/hobkin/hobkin/core/agent/policy"
	"github.com/hobkin/hobkin/core/agent/policy/guardrail"
	"github.com/hobkin/hobkin/core/capability"
	"github.com/hobkin/hobkin/core/config"
	"github.com/hobkin/hobkin/core/provider"
	"github.com/hobkin/hobkin/core/provider/connect"
)

// blockedByGuardrail is why a call does not run that the owner's checks stop.
var blockedByGuardrail = &capability.Failure{Code: "guardrail", When: "a check of the owner's does not allow the call", Try: "do not try to get around it; do the task without, or say what stands in the way"}

// checked joins the checks of calls, results and answers. It comes before what
// else looks at results, so that this sees what the model will read.
func (c *Core) checked() error {
	c.mark = canaryKey(c.opts.Paths.CanaryKey())
	set, err := guardrail.New(rulesOf(c.cfg.Load()), c.guardServices())
	if err != nil {
		return err
	}
	c.checks.Store(&guardrails{c.cfg.Load(), set})
	c.runner.Guards = append(c.runner.Guards, c.guardPrompt, c.guardCall)
	c.runner.OutputGuards = append(c.runner.OutputGuards, c.guardResult)
	c.gate.Review = c.review
	return nil
}

// guardrails are the checks of some settings.
type guardrails struct {
	of  *config.Config
	set *guardrail.Set
}

// ownChecks are those of the settings in force.
func (c *Core) ownChecks() *guardrail.Set {
	held, cfg := c.checks.Load(), c.cfg.Load()
	if held.of == cfg {
		return held.set
	}
	set, err := guardrail.New(rulesOf(cfg), c.guardServices())
	if err != nil { // the settings were checked before they came into force
		slog.Error("app: the guardrails of before go on", "error", err)
		return held.set
	}
	c.checks.Store(&guardrails{cfg, set})
	return set
}

func rulesOf(cfg *config.Config) []guardrail.Rule {
	rules := make([]guardrail.Rule, len(cfg.Guardrails))
	for i, g := range cfg.Guardrails {
		rules[i] = g.Rule()
	}
	return rules
}

func (c *Core) guardCall(ctx context.Context, tool *capability.Capability, call *capability.Call) error {
	if v := c.ownChecks().Check(ctx, callSubject(tool, *call)); v.Blocked {
		return blockedByGuardrail.Becausef("%s", v.Reason)
	}
	return nil
}

func callSubject(tool *capability.Capability, call capability.Call) guardrail.Subject {
	return guardrail.Subject{Stage: guardrail.ToolUse, Tool: tool.Name, Alias: tool.Aliases, Args: call.Args, Turn: call.Turn}
}

// guardResult checks everything of a result that is text. What is blocked takes
// the pictures, the data and the diff with it.
func (c *Core) guardResult(ctx context.Context, tool *capability.Capability, call capability.Call, r *capability.Result) error {
	set, blocked := c.ownChecks(), ""
	s := guardrail.Subject{Stage: guardrail.ToolOutput, Tool: tool.Name, Alias: tool.Aliases, Turn: call.Turn}
	check := func(text string, aside bool) string {
		if text == "" || blocked != "" {
			return text
		}
		s.Text, s.Aside = text, aside
		v := set.Check(ctx, s)
		if v.Blocked {
			blocked = v.Reason
		}
		return v.Text
	}
	r.Text = check(r.Text, false)
	for i := range r.Streams {
		r.Streams[i].Text = check(r.Streams[i].Text, false)
	}
	r.Summary, r.Diff = check(r.Summary, true), check(r.Diff, true)
	if data := string(r.Data); data != "" && check(data, true) != data {
		r.Data = nil // changed, it may no longer be what its schema says
	}
	if blocked != "" {
		*r = capability.Result{Text: "(This result was withheld. " + blocked + ")", Summary: "withheld", Untrusted: r.Untrusted}
	}
	return nil
}

// screen checks what the model said in one step.
func (c *Core) screen(ctx context.Context, turn capability.Turn, text string) (shown, reason string) {
	if c.canary(turn.Session).In(text) {
		c.notice(ctx, turn, "An answer was withheld: it repeated the private part of the prompt. Something that was read may have asked for it.")
		return leakWithheld, "it repeated the private part of the prompt"
	}
	v := c.ownChecks().Check(ctx, guardrail.Subject{Stage: guardrail.Output, Text: text, Turn: turn})
	switch {
	case v.Blocked:
		return "(This answer was withheld. " + v.Reason + ")", v.Reason
	case v.Text != text:
		return v.Text, "a guardrail replaced a part of it"
	}
	return text, ""
}

// holds reports whether an answer is shown only when it was checked: what one
// has read cannot be taken back.
func (c *Core) holds() bool { return c.ownChecks().Acts(guardrail.Output) }

// guardServices ask what decides beside the text itself.
func (c *Core) guardServices() guardrail.Services {
	return guardrail.Services{Judge: c.judge, Moderate: c.moderate, Call: c.askTool, Tell: c.notice}
}

// judged bounds what another model or server is given of a text, in bytes.
const judged = 24_000

func (c *Core) judge(ctx context.Context, r guardrail.Rule, s guardrail.Subject) (guardrail.Finding, error) {
	role := r.Source
	if role == "" {
		role = "background"
	}
	adviser, err := c.adviser(ctx, role, s.Turn)
	if err != nil {
		return guardrail.Finding{}, err
	}
	o, err := adviser.Opine(ctx, "judge", []policy.Section{{Name: "rule", Text: r.Prompt}, {Name: "text", Text: c.redactor.Redact(s.Reads())}}, "allow", "block")
	return guardrail.Finding{Hit: o.Decision == "block", Reason: strings.TrimSuffix(o.Reason, ".")}, err
}

// adviser is the model of a role. What it takes is accounted for as the turn's.
func (c *Core) adviser(ctx context.Context, role string, turn capability.Turn) (policy.Adviser, error) {
	choices, err := c.agent.Models(ctx, role, "")
	if err != nil {
		return policy.Adviser{}, err
	}
	if len(choices) == 0 {
		return policy.Adviser{}, errors.New("app: no model for the role " + role)
	}
	info := choices[0].Model.Info()
	account := func(ctx context.Context, done provider.Done, took time.Duration) {
		ctx = context.WithoutCancel(ctx)
		g := agent.ModelGeneration{
			Provider: info.Provider, Model: cmp.Or(done.Model, info.Model), Usage: done.Usage, Stop: done.Stop,
			CostUSD: info.Price.Cost(done.Usage), DurationMS: took.Milliseconds(),
		}
		if err := errors.Join(c.publish(ctx, turn.Session, turn.ID, g), c.store.RecordGeneration(ctx, turn.Session, turn.ID, g)); err != nil {
			slog.WarnContext(ctx, "app: the account of a check", "error", err)
		}
	}
	return policy.Adviser{Model: choices[0].Model, Effort: choices[0].Effort, Account: account}, nil
}

func (c *Core) moderate(ctx context.Context, r guardrail.Rule, s guardrail.Subject) (guardrail.Finding, error) {
	spec, err := c.spec(c.cfg.Load(), config.Role{Provider: r.Source, Model: r.Model})
	if err != nil {
		return guardrail.Finding{}, err
	}
	m, err := connect.Moderation(spec, provider.Options{})
	if err != nil {
		return guardrail.Finding{}, err
	}
	flagged, categories, err := m.Moderate(ctx, capability.CutMiddle(c.redactor.Redact(s.Reads()), judged))
	return guardrail.Finding{Hit: flagged, Reason: strings.Join(categories, ", ")}, err
}

// guardTime bounds the call of a tool that checks.
const guardTime = 10 * time.Second

// askTool has a tool of a server decide. The owner named it, so no one is asked,
// and it is not checked itself. See docs/policies.md for what it gets and gives.
func (c *Core) askTool(ctx context.Context, r guardrail.Rule, s guardrail.Subject) (guardrail.Finding, error) {
	args, err := json.Marshal(map[string]string{"stage": string(s.Stage), "tool": s.Tool, "text": capability.CutMiddle(c.redactor.Redact(s.Reads()), judged)})
	if err != nil {
		return guardrail.Finding{}, err
	}
	var answers []string // before text from outside is framed
	runner := capability.Runner{
		Registry: c.registry, Redact: c.redactor.Redact, Limits: capability.Limits{Timeout: guardTime, Grace: time.Second},
		Approve: func(context.Context, *capability.Capability, capability.Call, capability.Preview) error { return nil },
		OutputGuards: []capability.OutputGuard{func(_ context.Context, _ *capability.Capability, _ capability.Call, r *capability.Result) error {
			answers = []string{string(r.Data), r.Text}
			return nil
		}},
	}
	turn := s.Turn
	turn.Trust, turn.Channel = capability.Operator, "guardrail"
	o := runner.Run(ctx, capability.Request{ID: "guardrail", Name: r.Call, Args: args, Filter: capability.Filter{Turn: turn, IncludeHidden: true}})
	if o.Err != nil {
		return guardrail.Finding{}, o.Err
	}
	return readAnswer(answers)
}

// readAnswer reads what a checking tool answered, as data or as text.
func readAnswer(answers []string) (guardrail.Finding, error) {
	for _, a := range slices.DeleteFunc(answers, func(s string) bool { return s == "" }) {
		var got struct {
			Allow  *bool  `json:"allow"`
			Reason string `json:"reason"`
		}
		if json.Unmarshal([]byte(a), &got) == nil && got.Allow != nil {
			reason := strings.Join(strings.Fields(capability.CutText(got.Reason, 300)), " ")
			return guardrail.Finding{Hit: !*got.Allow, Reason: strings.TrimSuffix(reason, ".")}, nil
		}
	}
	return guardrail.Finding{}, errors.New("app: the tool's answer is not {\"allow\": true or false}")
}
