package guardrail

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"time"

	"github.com/hobkin/hobkin/core/capability"
)

// A Subject is what is checked.
type Subject struct {
	Stage Stage
	Tool  string          // of a call and of a result
	Alias []string        // other names of the tool
	Args  json.RawMessage // of a call
	Text  string          // what was said, or what a tool gave back
	Aside bool            // it goes with a text that is checked: only what the text itself decides counts, and nothing is told
	Turn  capability.Turn
}

// Reads is what a model check reads: of a call its arguments.
func (s Subject) Reads() string {
	if s.Stage == ToolUse {
		return string(s.Args)
	}
	return s.Text
}

// A Finding is what a model check says.
type Finding struct {
	Hit    bool
	Reason string // a sentence; may be empty
}

// A Service decides a rule about a subject.
type Service func(ctx context.Context, r Rule, s Subject) (Finding, error)

// Services ask what is not in the text itself. A nil one fails.
type Services struct {
	Judge    Service
	Moderate Service
	Call     Service
	// Tell tells the person of the turn what was found; may be nil.
	Tell func(ctx context.Context, turn capability.Turn, sentence string)
}

// A Set is rules that are ready. The zero Set has none.
type Set struct {
	Services
	checks []*check
}

// modelTime is how long the model checks of one subject have, together.
const modelTime = 10 * time.Second

// New makes rules ready. They were checked before; an error names the first that
// is wrong all the same.
func New(rules []Rule, services Services) (*Set, error) {
	s := &Set{Services: services}
	if len(rules) > MostRules {
		return nil, fmt.Errorf("guardrail: there are %d rules; at most %d are taken", len(rules), MostRules)
	}
	for _, r := range rules {
		if faults := r.Faults(); len(faults) > 0 {
			return nil, fmt.Errorf("guardrail: %s: %s", r.Name, faults[0].Message)
		}
		c, err := newCheck(r)
		if err != nil {
			return nil, fmt.Errorf("guardrail: %s: %w", r.Name, err)
		}
		s.checks = append(s.checks, c)
	}
	return s, nil
}

// Acts reports whether a rule of the stage does more than tell.
func (g *Set) Acts(stage Stage) bool {
	return g != nil && slices.ContainsFunc(g.checks, func(c *check) bool { return c.Stage == stage && c.Mode != Advisory })
}

// A Verdict is what the rules say of a subject.
type Verdict struct {
	Blocked bool
	Reason  string // a sentence for the model and the person, when blocked or asked about
	Text    string // the text without what rules replaced; empty when blocked
}

// Check asks every rule that is for s and blocks or replaces.
func (g *Set) Check(ctx context.Context, s Subject) Verdict {
	return g.check(ctx, s, func(c *check) bool { return c.Action != Ask || c.Mode == Advisory })
}

// Asks asks the rules that have a person decide about a call, and reports
// whether one must.
func (g *Set) Asks(ctx context.Context, s Subject) (ask bool, reason string) {
	v := g.check(ctx, s, func(c *check) bool { return c.Action == Ask && c.Mode != Advisory })
	return v.Blocked, v.Reason
}

func (g *Set) check(ctx context.Context, s Subject, which func(*check) bool) Verdict {
	if g == nil {
		return Verdict{Text: s.Text}
	}
	v := Verdict{Text: s.Text}
	var models []*check
	for _, c := range g.checks {
		switch {
		case c.Stage != s.Stage || !which(c) || s.Tool != "" && !c.forTool(append(s.Alias, s.Tool)...):
		case c.model() && s.Aside:
		case c.model():
			models = append(models, c)
		default:
			g.decide(ctx, s, c, &v)
		}
		if v.Blocked {
			return v
		}
	}
	if len(models) == 0 {
		return v
	}
	s.Text = v.Text
	for i, f := range g.ask(ctx, s, models) {
		if f.Hit && !v.Blocked {
			g.hit(ctx, s, models[i], f.Reason, &v)
		}
	}
	return v
}

// decide asks a rule that is decided by the text itself. One that fails blocks.
func (g *Set) decide(ctx context.Context, s Subject, c *check, v *Verdict) {
	defer func() {
		if p := recover(); p != nil {
			slog.ErrorContext(ctx, "guardrail: a check", "guardrail", c.Name, "error", fmt.Sprint(p))
			g.hit(ctx, s, c, "the check itself failed", v)
		}
	}()
	if s.Stage == ToolUse {
		if c.inCall(s) {
			g.hit(ctx, s, c, "", v)
		}
		return
	}
	found, masked := c.matches(v.Text)
	switch {
	case !found:
	case masked != "" && c.Mode != Advisory:
		v.Text = masked
		g.tell(ctx, s, fmt.Sprintf("The guardrail “%s” replaced a part of %s.", c.Name, s.what()))
	default:
		g.hit(ctx, s, c, "", v)
	}
}

// inCall reports whether a call has what must not be there.
func (c *check) inCall(s Subject) bool {
	if c.re == nil {
		return true // the name of the tool is all that counts
	}
	for _, text := range values(s.Args) {
		if hit, _ := c.matches(text); hit {
			return true
		}
	}
	return false
}

// hit acts on what a rule found.
func (g *Set) hit(ctx context.Context, s Subject, c *check, reason string, v *Verdict) {
	sentence := c.Message
	if sentence == "" {
		sentence = fmt.Sprintf("The guardrail “%s” does not allow %s", c.Name, s.what())
		if reason != "" {
			sentence += ": " + reason
		}
		sentence += "."
	}
	if c.Mode == Advisory {
		g.tell(ctx, s, "Only noted: "+sentence)
		return
	}
	v.Blocked, v.Reason, v.Text = true, sentence, ""
	if c.Action != Ask {
		g.tell(ctx, s, sentence)
	}
}

func (s Subject) what() string {
	switch s.Stage {
	case ToolUse:
		return "this call of " + s.Tool
	case ToolOutput:
		return "this result of " + s.Tool
	case Output:
	}
	return "this answer"
}

func (g *Set) tell(ctx context.Context, s Subject, sentence string) {
	if s.Aside {
		return
	}
	slog.InfoContext(ctx, "guardrail", "session", s.Turn.Session, "said", sentence)
	if g.Tell != nil {
		g.Tell(ctx, s.Turn, sentence)
	}
}

// ask asks all model checks at once. One that fails or is slow finds nothing,
// and that is told.
func (g *Set) ask(ctx context.Context, s Subject, checks []*check) []Finding {
	found := make([]Finding, len(checks))
	inner, cancel := context.WithTimeout(ctx, modelTime)
	defer cancel()
	errs := make([]error, len(checks))
	var wg sync.WaitGroup
	for i, c := range checks {
		wg.Go(func() { found[i], errs[i] = g.service(inner, s, c) })
	}
	wg.Wait()
	for i, err := range errs {
		if err == nil || ctx.Err() != nil {
			continue
		}
		found[i] = Finding{}
		why := "it gave no clear answer"
		if errors.Is(inner.Err(), context.DeadlineExceeded) {
			why = fmt.Sprintf("it did not answer within %s", modelTime)
		}
		slog.WarnContext(ctx, "guardrail: a check", "guardrail", checks[i].Name, "error", err)
		g.tell(ctx, s, fmt.Sprintf("The guardrail “%s” could not check %s: %s. It was let through.", checks[i].Name, s.what(), why))
	}
	return found
}

var errNoService = errors.New("guardrail: there is nothing that could be asked")

func (g *Set) service(ctx context.Context, s Subject, c *check) (f Finding, err error) {
	defer func() {
		if p := recover(); p != nil {
			f, err = Finding{}, fmt.Errorf("guardrail: panic: %v", p)
		}
	}()
	switch {
	case c.Type == LLMJudge && g.Judge != nil:
		return g.Judge(ctx, c.Rule, s)
	case c.Type == Moderation && g.Moderate != nil:
		return g.Moderate(ctx, c.Rule, s)
	case c.Type == MCP && g.Services.Call != nil:
		return g.Services.Call(ctx, c.Rule, s)
	}
	return Finding{}, errNoService
}
