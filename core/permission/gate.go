package permission

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"time"

	"github.com/hobkin/hobkin/core/capability"
	"github.com/hobkin/hobkin/core/sandbox"
)

// A RuleStore keeps the owner's rules.
type RuleStore interface {
	Rules() []Rule
	AddRule(ctx context.Context, r Rule) error
}

// A Gate judges calls. Its fields are set before the first call.
type Gate struct {
	Policy *sandbox.Policy
	Rules  RuleStore // nil: there are none, and always is not offered
	Asker  Asker     // nil: no one can be asked
	// Granted gives the rules that the creator of a job laid down for its
	// turns. Nil means none.
	Granted func(turn capability.Turn) []Rule
	// Review takes a second look at calls that would go through, and reports
	// whether a person must be asked and why. Nil looks at none.
	Review func(ctx context.Context, r Reviewed) (ask bool, reason string)
	// Refused keeps what the floor stopped. Nil keeps nothing.
	Refused *RefusalLog
	// Hold is asked of calls of the owner's own turns that no one answers: where
	// their tool can keep what is wanted until the owner agrees to it, it reports
	// true, and the call runs for that. Nil holds none.
	Hold func(c *capability.Capability, call capability.Call, reason string) bool
	// Taint knows what the conversations have read. Nil: that does not count.
	Taint *Taint

	session grants
}

var _ capability.Approver = (&Gate{}).Approve

// A Verdict is what the gate thinks of a call before anyone is asked.
type Verdict struct {
	Action Action
	Reason string // a sentence for people
	Risk   string // low, medium or high
	Rule   *Rule  // the rule that decided, if one did
	Floor  bool   // Deny that nothing lifts

	reviewed bool // the second look asks, whatever the rules say

	tainted bool // it asks because of what was read
}

// The risks.
const (
	Low    = "low"
	Medium = "medium"
	High   = "high"
)

// Approve agrees to a call by returning nil. It asks a person where that is
// needed and waits for the answer until ctx ends.
func (g *Gate) Approve(ctx context.Context, c *capability.Capability, call capability.Call, p capability.Preview) error {
	s := g.subject(c, call, p)
	v := g.review(ctx, s, g.decide(s))
	switch {
	case v.Action == Allow:
		g.expect(s)
		return nil
	case v.Floor:
		slog.WarnContext(ctx, "permission: the floor stopped a call", "tool", c.Name, "reason", v.Reason)
		g.Refused.Add(c.Name, v.Reason)
		return Floor.Becausef("%s: %s", c.Name, v.Reason)
	case v.Action == Deny:
		return capability.Denied.Becausef("%s was turned down: %s", c.Name, v.Reason)
	}
	if err := g.ask(ctx, s, v); err != nil {
		return err
	}
	g.expect(s)
	return nil
}

// Decide tells what would become of a call, without asking anyone.
func (g *Gate) Decide(c *capability.Capability, call capability.Call, p capability.Preview) Verdict {
	return g.decide(g.subject(c, call, p))
}

// decide takes the steps of the package comment in their order.
func (g *Gate) decide(s *subject) Verdict {
	turn := s.call.Turn
	mode, err := ParseMode(turn.Mode)
	if err != nil {
		mode = Ask // the careful one
	}
	rules := g.rules(turn)
	if why := s.forbidden(); why != "" {
		return Verdict{Action: Deny, Reason: why, Risk: High, Floor: true}
	}
	if why := s.outOfBounds(); why != "" {
		return Verdict{Action: Deny, Reason: why, Risk: s.risk()}
	}
	if r := s.any(rules, Deny); r != nil {
		return Verdict{Action: Deny, Reason: "the owner's rule " + quoteRule(*r) + " forbids it", Risk: High, Rule: r}
	}
	if mode == Plan && s.tool.Class != capability.ReadOnly {
		return Verdict{Action: Deny, Reason: "plan mode only looks; it changes nothing and runs nothing", Risk: s.risk()}
	}
	if r := s.any(rules, AskFirst); r != nil {
		return Verdict{Action: AskFirst, Reason: "The owner's rule " + quoteRule(*r) + " says to ask.", Risk: s.risk(), Rule: r}
	}
	if v, decided := g.byReading(s, mode, rules); decided {
		return v
	}
	if safe[s.tool.Name] || s.gentle() || g.allowed(s, rules) {
		return Verdict{Action: Allow, Risk: Low}
	}
	ok, why := s.byMode(mode)
	if ok {
		return Verdict{Action: Allow, Risk: Low}
	}
	return Verdict{Action: AskFirst, Reason: why, Risk: s.risk()}
}

// allowed reports whether rules, or what was agreed to for the session, cover
// the call.
func (g *Gate) allowed(s *subject, rules []Rule) bool {
	session := s.call.Turn.Session
	if g.session.has(session, Fingerprint(s.call)) {
		return true
	}
	return !s.preview.Alone && s.covered(append(rules, g.session.rules(session, false)...))
}

func (g *Gate) rules(turn capability.Turn) []Rule {
	var out []Rule
	if g.Rules != nil {
		out = slices.Clone(g.Rules.Rules())
	}
	if g.Granted != nil {
		out = append(out, g.Granted(turn)...)
	}
	return out
}

func quoteRule(r Rule) string { return "“" + Escape(r.String()) + "”" }

// forbidden says what the floor has against the call.
func (s *subject) forbidden() string {
	if why := s.floor.paths(s.preview); why != "" {
		return why
	}
	if s.line == nil {
		return ""
	}
	return s.floor.command(s.line)
}

// ask puts the question and acts on the answer.
func (g *Gate) ask(ctx context.Context, s *subject, v Verdict) error {
	turn := s.call.Turn
	mode, _ := ParseMode(turn.Mode)
	if mode == Unattended || !turn.Attended || g.Asker == nil || turn.Trust != capability.Operator {
		if g.held(s, v.Reason) {
			return nil
		}
		return g.noOne(s, v)
	}
	rule := g.provenRule(s)
	if v.reviewed {
		rule = nil // none would save the question
	}
	ans, err := g.Asker.Ask(ctx, turn, s.request(v, g.savable(rule)))
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case err != nil:
		return fmt.Errorf("permission: asking: %w", err)
	case ans.Decision == Expired && g.held(s, v.Reason):
		return nil
	}
	return g.act(ctx, s, ans, grant{rule: rule, print: Fingerprint(s.call), informed: v.tainted})
}

// held reports whether what a call wants is kept until the owner agrees to it.
func (g *Gate) held(s *subject, reason string) bool {
	return g.Hold != nil && s.call.Turn.Trust == capability.Operator && g.Hold(s.tool, s.call, reason)
}

// noOne is the refusal where no one can be asked. It names the rule that would
// let the call through, for the owner.
func (g *Gate) noOne(s *subject, v Verdict) error {
	u := capability.Denied.Becausef("%s needs an approval and no one is there to give it. %s", s.tool.Name, v.Reason)
	if v.reviewed {
		return u.Trying("go on without it, or do less in one call")
	}
	if v.Rule != nil && v.Action == AskFirst {
		return u.Trying("go on without it; the owner's rule " + quoteRule(*v.Rule) + " asks for a person")
	}
	if r := narrowest(s, Allow); r != nil && !s.preview.Alone {
		return u.Trying("go on without it; the owner can allow it beforehand with the rule "+quoteRule(*r)).With("rule", *r)
	}
	return u.Trying("go on without it; no rule can allow this call beforehand, so a person must be there")
}

// provenRule is the narrowest rule that covers the call: what is remembered
// for the session, and what Always saves. It is proven on the call itself
// before it is offered; nil when there is none.
func (g *Gate) provenRule(s *subject) *Rule {
	r := narrowest(s, Allow)
	if r == nil || s.preview.Alone || g.any(s, AskFirst) || !s.covered(append(g.rules(s.call.Turn), *r)) {
		return nil
	}
	return r
}

// savable is the rule when there is where to keep it.
func (g *Gate) savable(r *Rule) *Rule {
	if g.Rules == nil {
		return nil
	}
	return r
}

// any reports whether a rule with the action fits: an ask rule beats any allow.
func (g *Gate) any(s *subject, a Action) bool { return s.any(g.rules(s.call.Turn), a) != nil }

// act does what the person decided.
func (g *Gate) act(ctx context.Context, s *subject, ans Answer, given grant) error {
	session := s.call.Turn.Session
	switch ans.Decision {
	case Once:
		return nil
	case ForSession:
		g.session.add(session, given)
		return nil
	case Always:
		g.session.add(session, given)
		if given.rule != nil {
			g.save(ctx, *given.rule)
		}
		return nil
	case DenyAlways:
		if r := narrowest(s, Deny); r != nil && s.any([]Rule{*r}, Deny) != nil {
			g.save(ctx, *r)
		}
		return capability.Denied.Becausef("%s was turned down, and will be from now on", s.tool.Name)
	case DenyOnce:
		return capability.Denied.Becausef("%s was turned down", s.tool.Name)
	case Expired:
		return capability.Denied.Becausef("no one answered whether %s may run, so it does not", s.tool.Name)
	case Cancelled:
		return capability.Denied.Becausef("the question whether %s may run was closed", s.tool.Name)
	}
	return capability.Denied.Becausef("no one could be asked whether %s may run", s.tool.Name)
}

// save keeps a rule. The call goes on when that fails: the person agreed to it.
func (g *Gate) save(ctx context.Context, r Rule) {
	if g.Rules == nil {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 10*time.Second)
	defer cancel()
	err := r.Check()
	if err == nil {
		err = g.Rules.AddRule(ctx, r)
	}
	if err != nil && !errors.Is(err, context.Canceled) {
		slog.WarnContext(ctx, "permission: keeping a rule", "rule", r.String(), "error", err)
	}
}
