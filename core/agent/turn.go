package agent

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/hobkin/hobkin/core/agent/policy"
	"github.com/hobkin/hobkin/core/capability"
	"github.com/hobkin/hobkin/core/provider"
)

// A run is one turn on its way. Its methods are the phases.
//
//	begin → step: offer → ask → store → call → store → … → finish
type run struct {
	*Agent
	job     *job
	session *session
	turn    capability.Turn
	filter  capability.Filter
	system  string
	choices []Choice                 // the first is asked; the rest to fall back to
	tools   []*capability.Capability // what may be called since the last request
	sent    []provider.Tool          // what it told the model of them
	started time.Time

	history []provider.Message // as it is sent, this turn included
	task    int                // index of the turn's own message in it
	compact policy.Compactor
	limits  policy.Limits
	tuned   policy.Tuning
	loop    policy.Loop
	work    policy.Progress
	plan    policy.Plan
	mended  map[string]string // what was mended by asking again, by the call's id
	ids     map[string]bool   // ids of calls that the history has
	steps   int               // model calls
	calls   int               // tool calls
	empty   bool              // the last answer had nothing in it
	trimmed bool              // the provider refused the length once
	forgot  bool              // thoughts were left out once
	partial string            // text of an answer that broke off, as it was shown

	mu  sync.Mutex
	err error // the first event that could not be stored
}

// play plays one turn and leaves the history after it in the session.
func (a *Agent) play(ctx context.Context, s *session, j *job) {
	r := &run{Agent: a, job: j, session: s, started: time.Now(), turn: capability.Turn{
		Session: j.Session, ID: j.turn, Workspace: j.Workspace, Locale: j.Locale,
		Channel: j.Channel, Mode: j.Mode, Trust: j.Trust, Attended: j.Attended, Provenance: j.Provenance,
	}}
	if j.Bound != nil {
		r.turn = r.turn.Within(j.Bound)
	}
	r.history, r.compact, r.task = slices.Clip(s.history), s.compact, -1
	r.tuned = a.tuning()
	r.compact.Compaction, r.loop.LoopLimits, r.work.ProgressLimits = r.tuned.Compaction, r.tuned.Loop, r.tuned.Progress
	if !j.onlyCompact {
		r.task = len(r.history)
		r.history = append(r.history, j.message)
	}
	defer r.Budgets.leave(r)
	r.finish(ctx, r.steadily(ctx))
	s.history, s.compact = r.history, r.compact
}

// steadily plays the turn to its end, also past a fault in our own code: one
// turn must not take the program with it.
func (r *run) steadily(ctx context.Context) (end ending) {
	defer func() {
		if p := recover(); p != nil {
			end = r.failure(ctx, fmt.Errorf("panic in a turn: %v\n%s", p, debug.Stack()))
		}
	}()
	if r.job.onlyCompact {
		return r.justCompact(ctx)
	}
	if err := r.begin(ctx); err != nil {
		return r.failure(ctx, err)
	}
	for most := r.maxSteps(); r.steps < most; {
		end, err := r.step(ctx)
		if err == nil {
			err = r.broken()
		}
		switch {
		case err != nil:
			return r.failure(ctx, err)
		case end.payload != nil:
			return end
		}
	}
	return sealed(fmt.Sprintf("it took %d steps, which is the limit", r.steps))
}

func (a *Agent) tuning() policy.Tuning {
	if a.Tuning == nil {
		return policy.Tuning{}
	}
	return a.Tuning()
}

func (a *Agent) maxSteps() int {
	if a.MaxSteps > 0 {
		return a.MaxSteps
	}
	return 100
}

// begin settles what holds for the whole turn.
func (r *run) begin(ctx context.Context) error {
	role := r.job.Role
	if role == "" {
		role = "main"
	}
	choices, err := r.Models(ctx, role, r.job.Model)
	if err == nil && len(choices) == 0 {
		err = errors.New("agent: no model for the role " + role)
	}
	if err != nil {
		r.emit(ctx, TurnStarted{Mode: r.turn.Mode})
		return err
	}
	if r.Began != nil {
		r.Began(r.turn, r.history)
	}
	r.choices = choices
	info := r.model().Info()
	r.emit(ctx, TurnStarted{Provider: info.Provider, Model: info.Model, Mode: r.turn.Mode})
	r.fit(info)
	r.filter = r.offer(r.turn)
	r.system = r.prompt(r.turn, r.namesLeftOut())
	r.ids, r.plan = callIDs(r.history), policy.PlanOf(r.history)
	return ctx.Err()
}

// offer is the one filter of a turn: what it lists is what it lets be called.
func (a *Agent) offer(turn capability.Turn) capability.Filter {
	var f capability.Filter
	if a.Offer != nil {
		f = a.Offer(turn)
	}
	f.Turn, f.Policy = turn, a.mode(turn.Mode)
	return f
}

func (a *Agent) mode(mode string) *capability.Policy {
	if a.Modes != nil {
		return a.Modes(mode)
	}
	if mode == "plan" {
		return capability.Only(capability.ReadOnly)
	}
	return nil
}

// fit takes in which window there is.
func (r *run) fit(info provider.Info) {
	r.compact.Window = info.Window
	r.limits.Result = r.compact.Share()
}

func (r *run) model() provider.Model { return r.choices[0].Model }

// step asks the model once and runs what it wants. The turn goes on while the
// ending is empty.
func (r *run) step(ctx context.Context) (ending, error) {
	if end, err := r.budget(ctx); err != nil || end.payload != nil {
		return end, err
	}
	r.steps++
	got, err := r.ask(ctx)
	r.Budgets.leave(r) // it is in the account; what follows uses nothing
	if err != nil {
		return ending{}, err
	}
	got = r.screen(ctx, r.mend(ctx, got))
	if len(got.parts) > 0 {
		r.partial = "" // from here on it is stored
		if err := r.keep(ctx, provider.Message{Role: provider.RoleAssistant, Parts: got.parts}); err != nil {
			return ending{}, err
		}
	}
	if text := got.text(); text != "" {
		r.emit(ctx, OutputCompleted{r.redact(text)})
	}
	calls := got.calls()
	if len(calls) == 0 {
		return r.answered(ctx, got)
	}
	return r.call(ctx, calls, got.stop)
}

// answered ends the turn with a text, or asks once more when there is none.
func (r *run) answered(ctx context.Context, got answer) (ending, error) {
	switch {
	case got.stop == provider.StopRefused:
		return ending{}, Refused.Becausef("the model declined to answer")
	case strings.TrimSpace(got.text()) == "" && r.empty:
		return ending{}, EmptyAnswer.Becausef("the model answered nothing, twice")
	case strings.TrimSpace(got.text()) == "":
		r.empty = true
		return ending{}, nil
	case got.stop == provider.StopLength:
		r.emit(ctx, Notice{"The answer ends here because it reached the model's limit for one answer."})
	}
	return r.completed(), nil
}

// keep stores a message of this turn, without secrets: neither the history nor
// a later request repeats one. It is stored also when the turn is being
// cancelled: calls that were made keep their results.
func (r *run) keep(ctx context.Context, m provider.Message) error {
	m = r.clean(m)
	if err := r.Journal.AppendMessage(context.WithoutCancel(ctx), r.job.Session, r.job.turn, m); err != nil {
		return storing(err)
	}
	r.session.written.Add(1)
	r.history = append(r.history, m)
	return nil
}

// emit publishes an event of this turn. An event that cannot be stored ends
// the turn after the step, see broken.
func (r *run) emit(ctx context.Context, p Payload) {
	_, err := r.Hub.Publish(context.WithoutCancel(ctx), r.job.Session, r.job.turn, p)
	if err == nil {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.err == nil {
		r.err = storing(err)
	}
}

func (r *run) broken() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.err
}

// storing is the failure of a journal, in words that say what to do.
func storing(err error) error {
	return NotStored.Becausef("the conversation could not be stored: %v", err)
}

// callIDs collects the ids that are taken.
func callIDs(history []provider.Message) map[string]bool {
	ids := map[string]bool{}
	for _, m := range history {
		for _, p := range m.Parts {
			if c, ok := p.(provider.ToolCall); ok {
				ids[c.ID] = true
			}
		}
	}
	return ids
}
