package agent

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"strings"
	"time"

	"github.com/hobkin/hobkin/core/agent/policy"
	"github.com/hobkin/hobkin/core/provider"
)

// compactTime bounds one compaction with the models it asks; without them it
// takes no time.
const compactTime = 2 * time.Minute

// shortened is a conversation as a stage of compaction leaves it.
type shortened struct {
	history []provider.Message
	task    int // index of the turn's own message
}

// shorten leaves parts of the conversation out of what is sent from now on,
// and says so. What is stored stays whole. An emergency comes after a provider
// refused the length.
func (r *run) shorten(ctx context.Context, emergency bool) {
	report := policy.Report{Before: r.size(r.history)}
	r.emit(ctx, ContextCompacting{Tokens: report.Before})
	boxed, cancel := context.WithTimeout(ctx, compactTime)
	defer cancel()
	got := r.cascade(boxed, &report, emergency)
	r.compact.Judge(report)
	if report.After < report.Before {
		r.history, r.task = got.history, got.task
		r.saveCompaction(ctx)
	}
	r.emit(ctx, ContextCompacted{Before: report.Before, After: report.After, Method: report.Method})
	if r.compact.Futile() && (r.compact.IsFull(report.After) || emergency && !r.job.onlyCompact) {
		r.emit(ctx, Notice{"The conversation nearly fills the model's window and cannot be shortened much further. A new session, or a model with a larger window, helps."})
	}
}

// cascade takes the stages in order until one is enough. Each is judged by what
// it comes to, not by what it promised: one that made nothing smaller is passed
// over.
func (r *run) cascade(ctx context.Context, report *policy.Report, emergency bool) shortened {
	goal, tail := r.compact.Shorter(report.Before, emergency), r.compact.Tail(report.Before, emergency)
	best := shortened{r.history, r.task}
	report.After = report.Before
	for _, stage := range []struct {
		name string
		most int // tokens that are few enough to stop here
		do   func(context.Context, shortened, int) (shortened, error)
	}{
		{"masking", goal, masked},
		{"native", r.compact.Enough(goal), r.native},
		{"summary", r.compact.Enough(goal), r.summarised},
		{"trim", goal, trimmed},
	} {
		got, err := stage.do(ctx, best, tail)
		if err != nil {
			if !errors.Is(err, errNotHere) {
				slog.WarnContext(ctx, "agent: compaction", "stage", stage.name, "error", r.redact(err.Error()))
			}
			continue
		}
		if n := r.size(got.history); n < report.After {
			best, report.After, report.Method = got, n, stage.name
		}
		if report.Method != "" && report.After <= stage.most {
			return best
		}
	}
	if emergency && report.After > goal || r.compact.Due(report.After) {
		r.limits.Result, report.Method = policy.CutShare(goal), "trim"
		report.After = r.size(best.history)
	}
	return best
}

// errNotHere says that a stage does not fit this conversation or this model.
var errNotHere = errors.New("not possible here")

func masked(_ context.Context, s shortened, _ int) (shortened, error) {
	history, ok := policy.Mask(s.history)
	if !ok {
		return s, errNotHere
	}
	return shortened{history, s.task}, nil
}

// trimmed puts what can be told without a model in place of the beginning.
func trimmed(_ context.Context, s shortened, tail int) (shortened, error) {
	d, ok := policy.Divide(s.history, s.task, tail)
	if !ok {
		return s, errNotHere
	}
	room := max(tail, minRoom)
	history, task := d.Join(policy.Digest(d.Covered, room), policy.Kept(d.Covered, room), s.task)
	return shortened{history, task}, nil
}

// minRoom is how many bytes a digest may have in the smallest window.
const minRoom = 2000

// summarised puts a summary by the background model in place of the beginning.
func (r *run) summarised(ctx context.Context, s shortened, tail int) (shortened, error) {
	d, ok := policy.Divide(s.history, s.task, tail)
	if !ok {
		return s, errNotHere
	}
	text, err := r.summary(ctx, d.Covered)
	if err != nil {
		return s, err
	}
	history, task := d.Join(text, policy.Kept(d.Covered, max(tail, minRoom)), s.task)
	return shortened{history, task}, nil
}

// What a summary may take and give.
const (
	summaryTokens = 8000    // of the answer, thinking included
	summaryBytes  = 32_000  // of the answer
	summaryRoom   = 400_000 // bytes of transcript where the window is not known
)

func (r *run) summary(ctx context.Context, covered []provider.Message) (string, error) {
	choices, err := r.Models(ctx, "background", "")
	if err != nil {
		return "", err
	}
	if len(choices) == 0 || choices[0].Model.Info().Grammar {
		return "", errNotHere
	}
	info, room := choices[0].Model.Info(), summaryRoom
	if info.Window > 0 {
		room = info.Window * 2 // half of it, at four bytes a token
	}
	text, err := r.aside(ctx, choices[0], provider.Request{
		System: text("compact"), MaxOutput: summaryTokens,
		Messages: []provider.Message{{Role: provider.RoleUser, Parts: []provider.Part{
			provider.Text{Text: "The transcript:\n\n" + policy.Transcript(covered, room) + "\n\nNow write the summary."},
		}}},
	})
	if text = strings.TrimSpace(text); err == nil && (text == "" || len(text) > summaryBytes) {
		err = errors.New("the background model gave no summary")
	}
	return text, err
}

// aside asks a model something that is no part of the conversation, and returns
// the text of its answer.
func (r *run) aside(ctx context.Context, c Choice, req provider.Request) (string, error) {
	got, err := r.answerOf(ctx, c, req)
	return got.text(), err
}

// answerOf is the whole answer to a request beside the conversation. What it
// took is accounted for as the turn's.
func (r *run) answerOf(ctx context.Context, c Choice, req provider.Request) (answer, error) {
	var got answer
	info, start := c.Model.Info(), time.Now()
	req.Effort = c.Effort
	req.Messages = provider.Normalize(req.Messages, info)
	for ev, err := range r.persistent(ctx, c.Model).Stream(ctx, req) {
		if err != nil {
			return answer{}, err
		}
		switch ev := ev.(type) {
		case provider.PartDone:
			got.parts = append(got.parts, ev.Part)
		case provider.Done:
			r.account(ctx, ev, info, time.Since(start))
			got.stop = ev.Stop
			return got, nil
		case provider.TextDelta, provider.ReasoningDelta:
		}
	}
	return answer{}, &provider.Error{Provider: info.Provider, Kind: provider.KindNetwork, Message: "the answer broke off", Try: "send the message again"}
}

// native has the provider itself shorten the conversation, where it can.
func (r *run) native(ctx context.Context, s shortened, tail int) (shortened, error) {
	model, ok := r.model().(provider.Compacter)
	info := r.model().Info()
	if !ok || !info.NativeCompaction {
		return s, errNotHere
	}
	d, ok := policy.Divide(s.history, s.task, tail)
	if !ok {
		return s, errNotHere
	}
	start := time.Now()
	item, done, err := model.Compact(ctx, provider.Request{System: r.system, Messages: provider.Normalize(d.Covered, info), CacheKey: r.cacheKey()})
	if err != nil {
		return s, err
	}
	r.account(ctx, done, info, time.Since(start))
	room := max(tail, minRoom)
	history, task := d.Native(item, policy.Digest(d.Covered, room), policy.Kept(d.Covered, room), s.task)
	return shortened{history, task}, nil
}

// forget leaves out what only a provider can read of its earlier answers, once
// in a turn, and reports whether there was any: with another key, or after long,
// it may refuse what it wrote itself, and no session may be lost for that.
func (r *run) forget(ctx context.Context) bool {
	if r.forgot {
		return false
	}
	r.forgot = true
	found := false
	for i, m := range r.history {
		kept := slices.DeleteFunc(slices.Clone(m.Parts), func(p provider.Part) bool {
			_, ok := p.(provider.Reasoning)
			return ok
		})
		if len(kept) < len(m.Parts) {
			found = true
			r.history[i].Parts = kept
		}
	}
	if found {
		r.takeBack(ctx, "the request was refused and is sent again, without earlier thoughts")
	}
	return found
}

// size estimates the tokens of a request with a history.
func (r *run) size(history []provider.Message) int {
	return policy.Fixed(r.system, r.sent) + policy.Tokens(r.limits.View(history))
}

// saveCompaction keeps what stands for the conversation from now on, so that
// the next turn begins with it. Without it the work is done again, and nothing
// is lost.
func (r *run) saveCompaction(ctx context.Context) {
	if r.Compactions == nil {
		return
	}
	turn := r.job.turn
	if r.job.onlyCompact {
		turn = "" // it has no message of its own
	}
	if err := r.Compactions.SaveCompaction(context.WithoutCancel(ctx), r.job.Session, turn, r.history); err != nil {
		slog.WarnContext(ctx, "agent: keeping a compaction", "session", r.job.Session, "error", err)
	}
}

// Compact shortens a session's conversation at once, as a turn of its own that
// asks nothing. Of in, text and images do not count.
func (a *Agent) Compact(ctx context.Context, in Input) (Sent, error) {
	in.Text, in.Images = "", nil
	if in.Session == "" {
		return Sent{}, errors.New("agent: no session to shorten")
	}
	ctx = context.WithoutCancel(ctx)
	s, err := a.acquire(in.Session)
	if err != nil {
		return Sent{}, err
	}
	defer a.release(s)
	s.sending.Lock()
	defer s.sending.Unlock()
	if err := a.load(ctx, s); err != nil {
		return Sent{}, err
	}
	j := &job{Input: in, turn: newID("turn"), onlyCompact: true}
	j.ctx, j.cancel = context.WithCancelCause(ctx)
	e, err := a.Hub.Publish(ctx, in.Session, j.turn, Notice{"The conversation is being shortened, as you asked."})
	if err != nil {
		j.cancel(nil)
		return Sent{}, err
	}
	a.enqueue(s, j)
	return Sent{Turn: j.turn, From: e.Seq}, nil
}

// justCompact is the whole of a turn that [Agent.Compact] made.
func (r *run) justCompact(ctx context.Context) ending {
	if err := r.begin(ctx); err != nil {
		return r.failure(ctx, err)
	}
	r.shorten(ctx, true)
	if ctx.Err() != nil {
		return r.failure(ctx, ctx.Err())
	}
	return r.completed()
}
