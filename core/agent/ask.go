package agent

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/hobkin/hobkin/core/agent/policy"
	"github.com/hobkin/hobkin/core/capability"
	"github.com/hobkin/hobkin/core/provider"
)

// answer is one answer of a model.
type answer struct {
	parts []provider.Part
	stop  provider.Stop
}

func (a answer) text() string {
	var b strings.Builder
	for _, p := range a.parts {
		if t, ok := p.(provider.Text); ok {
			b.WriteString(t.Text)
		}
	}
	return b.String()
}

func (a answer) calls() []provider.ToolCall {
	var out []provider.ToolCall
	for _, p := range a.parts {
		if c, ok := p.(provider.ToolCall); ok {
			out = append(out, c)
		}
	}
	return out
}

// ask gets one answer: from the model, from it again after the conversation
// was shortened, or from the next provider when this is the turn's first call.
func (r *run) ask(ctx context.Context) (answer, error) {
	for {
		req, err := r.request(ctx)
		if err != nil {
			return answer{}, err
		}
		got, err := r.stream(ctx, req)
		if err == nil {
			return got, nil
		}
		failed, ok := errors.AsType[*provider.Error](err)
		switch {
		case ctx.Err() != nil, !ok:
			return answer{}, err
		case failed.Kind == provider.KindContext && !r.trimmed:
			r.trimmed = true
			r.takeBack(ctx, "the conversation was too long and is sent again, shortened")
			r.shorten(ctx, true)
		case failed.Kind == provider.KindInvalid && r.forget(ctx):
		case failed.Kind != provider.KindContext && r.steps == 1 && len(r.choices) > 1:
			r.fallBack(ctx, failed)
		default:
			return answer{}, err
		}
	}
}

// fallBack goes on with the next provider.
func (r *run) fallBack(ctx context.Context, failed *provider.Error) {
	r.choices = r.choices[1:]
	info := r.model().Info()
	r.takeBack(ctx, "another model answers")
	r.emit(ctx, Notice{fmt.Sprintf("%s. %s answers instead.", r.redact(failed.Error()), name(info))})
	r.fit(info)
	r.system = r.prompt(r.turn, r.namesLeftOut())
}

func name(info provider.Info) string {
	if info.Title != "" {
		return info.Title
	}
	return info.Provider + "/" + info.Model
}

// takeBack removes what was shown of an answer that does not count.
func (r *run) takeBack(ctx context.Context, reason string) {
	if r.partial != "" {
		r.emit(ctx, OutputReplaced{Reason: reason})
		r.partial = ""
	}
}

// request builds the next request, shortened when it would not fit.
func (r *run) request(ctx context.Context) (provider.Request, error) {
	info := r.model().Info()
	req := provider.Request{System: r.system, Effort: r.choices[0].Effort, CacheKey: r.cacheKey()}
	r.present(&req, info)
	view := r.limits.View(r.history)
	switch {
	case r.compact.Due(policy.Fixed(req.System, req.Tools) + policy.Tokens(view)):
		r.shorten(ctx, false)
		view = r.limits.View(r.history)
	case policy.Bytes(view) > policy.MaxRequest:
		r.shorten(ctx, true)
		view = r.limits.View(r.history)
	}
	if n := policy.Bytes(view) + len(req.System); n > policy.MaxRequest {
		return req, TooLong.Becausef("the request would be %d MB; at most %d are sent", n>>20, policy.MaxRequest>>20)
	}
	req.Messages = provider.Normalize(view, info)
	return req, nil
}

// cacheKey is the same for all requests of a session; none switches caching off.
func (r *run) cacheKey() string {
	if r.Caching != nil && !r.Caching() {
		return ""
	}
	return r.job.Session
}

func schemas(tools []*capability.Capability) []provider.Tool {
	out := make([]provider.Tool, len(tools))
	for i, c := range tools {
		out[i] = provider.Tool{Name: c.Name, Description: c.Description, Parameters: c.Parameters}
	}
	return out
}

// maxAnswer bounds one answer in bytes: no model means to write so much.
const maxAnswer = 16 << 20

// stream reads one answer and shows it while it comes. What was shown before
// an error stays in r.partial.
func (r *run) stream(ctx context.Context, req provider.Request) (answer, error) {
	var (
		got   answer
		done  *provider.Done
		size  int
		start = time.Now()
		info  = r.model().Info()
	)
	shown := r.show(ctx)
	defer func() { r.partial = shown.end() }()
	for ev, err := range r.persistent(ctx, r.model()).Stream(ctx, req) {
		if err == nil {
			err = ctx.Err()
		}
		if err != nil {
			return answer{}, err
		}
		switch ev := ev.(type) {
		case provider.TextDelta:
			size += len(ev)
			shown.words.Write(string(ev))
		case provider.ReasoningDelta:
			size += len(ev)
			shown.thoughts.Write(string(ev))
		case provider.PartDone:
			got.parts = append(got.parts, r.whole(ev.Part, info))
		case provider.Done:
			done = &ev
		}
		if size > maxAnswer {
			return answer{}, &provider.Error{Provider: info.Provider, Kind: provider.KindResponse, Message: "the answer is larger than is taken", Try: "ask for less at once"}
		}
	}
	if ctx.Err() != nil {
		return answer{}, ctx.Err()
	}
	if done == nil {
		return answer{}, &provider.Error{Provider: info.Provider, Kind: provider.KindNetwork, Message: "the answer broke off", Try: "send the message again"}
	}
	r.account(ctx, *done, info, time.Since(start))
	got.stop = done.Stop
	return got, nil
}

// persistent has a model try again what may pass, where that is wanted.
func (r *run) persistent(ctx context.Context, m provider.Model) provider.Model {
	if !r.Retries {
		return m
	}
	return provider.Retry(m, provider.RetryPolicy{Notify: func(again provider.Retrying) { r.retrying(ctx, again) }})
}

// retrying tells the person that a request is sent again, and why.
func (r *run) retrying(ctx context.Context, again provider.Retrying) {
	r.emit(ctx, Notice{fmt.Sprintf("%s. Trying again in %s (%d of %d).",
		r.redact(again.Err.Error()), again.Wait.Round(100*time.Millisecond), again.Attempt, again.Of)})
}

// whole readies a part for the history: ids of calls are unique there, also
// where a provider counts them from the start in every answer.
func (r *run) whole(p provider.Part, info provider.Info) provider.Part {
	switch p := p.(type) {
	case provider.ToolCall:
		if p.ID == "" || r.ids[p.ID] {
			p.ID = newID("call")
		}
		r.ids[p.ID] = true
		return p
	case provider.Reasoning:
		if p.Provider == "" {
			p.Provider = info.Provider
		}
		return p
	case provider.Text, provider.Image, provider.ToolResult:
	}
	return p
}

// account tells what a model call took.
func (r *run) account(ctx context.Context, done provider.Done, info provider.Info, took time.Duration) {
	model := done.Model
	if model == "" {
		model = info.Model
	}
	g := ModelGeneration{
		Provider: info.Provider, Model: model, Usage: done.Usage, Stop: cmp.Or(done.Stop, provider.StopEnd),
		CostUSD: info.Price.Cost(done.Usage), DurationMS: took.Milliseconds(),
	}
	r.emit(ctx, g)
	r.record(ctx, g)
}
