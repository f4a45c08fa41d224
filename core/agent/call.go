package agent

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/hobkin/hobkin/core/agent/policy"
	"github.com/hobkin/hobkin/core/capability"
	"github.com/hobkin/hobkin/core/provider"
)

// CutOff is why a call was not run whose arguments reached the limit of an
// answer: mended, they would look whole and write half a file.
var CutOff = &capability.Failure{Code: "cut_off", When: "the answer reached its limit within the arguments", Try: "make the call with less, in several pieces"}

// call runs the calls of one answer and stores their results, in the order of
// the calls.
func (r *run) call(ctx context.Context, calls []provider.ToolCall, stop provider.Stop) (ending, error) {
	filter := r.filter
	filter.Allowed = offered(r.tools)
	reqs := make([]capability.Request, len(calls))
	for i, c := range calls {
		r.calls++
		reqs[i] = r.watched(ctx, capability.Request{
			ID: fmt.Sprintf("%s.%d", r.job.turn, r.calls), Name: c.Name, Args: json.RawMessage(c.Args), Filter: filter,
		}, r.mended[c.ID])
		if stop == provider.StopLength && c.Args != "" && !json.Valid(reqs[i].Args) {
			reqs[i].Refused = CutOff.Becausef("the arguments of %s were cut off, because the answer reached its limit", c.Name)
		}
	}
	r.oneSend(reqs)
	outcomes := r.Runner.RunAll(ctx, reqs)
	message := provider.Message{Role: provider.RoleTool}
	verdict := r.batch(calls)
	for i, o := range outcomes {
		result := resultOf(calls[i], o)
		r.hold(o)
		v, notes := r.judge(o)
		if verdict != policy.Fine && i == len(outcomes)-1 {
			notes = append(notes, policy.BatchNote)
		}
		result.Text = strings.Join(append([]string{result.Text}, notes...), "\n")
		verdict = max(verdict, v)
		message.Parts = append(message.Parts, result)
	}
	if err := r.keep(ctx, message); err != nil {
		return ending{}, err
	}
	switch last := closing(outcomes); {
	case ctx.Err() != nil:
		return ending{}, ctx.Err()
	case last != nil:
		return r.endWith(ctx, last.Result.Text)
	case verdict == policy.Stop:
		return sealed(fmt.Sprintf("the same call was made %d times with the same result", r.loop.Most())), nil
	}
	return ending{}, nil
}

// hold holds the rest of the turn to what a result says.
func (r *run) hold(o *capability.Outcome) {
	if b := o.Result.Bound; b != nil && !o.Failed() {
		r.turn = r.turn.Within(b)
		r.filter.Turn = r.turn
	}
}

func offered(tools []*capability.Capability) []string {
	names := make([]string, len(tools))
	for i, c := range tools {
		names[i] = c.Name
	}
	return names
}

func resultOf(c provider.ToolCall, o *capability.Outcome) provider.ToolResult {
	out := provider.ToolResult{CallID: c.ID, Name: c.Name, Text: o.Result.Text, Failed: o.Failed()}
	for _, im := range o.Result.Images {
		out.Images = append(out.Images, provider.Image{MIME: im.MIME, Data: im.Data})
	}
	return out
}

// closing finds the call that ends the turn, if one does.
func closing(outcomes []*capability.Outcome) *capability.Outcome {
	i := slices.IndexFunc(outcomes, func(o *capability.Outcome) bool { return o.Result.EndsTurn && !o.Failed() })
	if i < 0 {
		return nil
	}
	return outcomes[i]
}

// endWith ends the turn with the text of a tool as its message.
func (r *run) endWith(ctx context.Context, text string) (ending, error) {
	if text == "" {
		return r.completed(), nil
	}
	err := r.keep(ctx, provider.Message{Role: provider.RoleAssistant, Parts: []provider.Part{provider.Text{Text: text}}})
	if err != nil {
		return ending{}, err
	}
	r.emit(ctx, OutputCompleted{r.redact(text)})
	return r.completed(), nil
}

// watched connects a call to the events of the turn. Every call that completes
// has started before, also one that was turned down at once.
// Mended says what was mended in its arguments before; empty for nothing.
func (r *run) watched(ctx context.Context, req capability.Request, mended string) capability.Request {
	id, started := req.ID, false
	start := func(name, title string, args json.RawMessage) {
		started = true
		args = r.shownArgs(args)
		r.emit(ctx, ToolStarted{Call: id, Tool: name, Title: title, Summary: Summary(args), Args: args})
	}
	req.Started = func(c *capability.Capability, call capability.Call) {
		start(c.Name, c.Title, call.Args)
		if mended != "" {
			r.emit(ctx, ToolRepaired{id, mended})
		}
	}
	req.Repaired = func(note string) { r.emit(ctx, ToolRepaired{id, note}) }
	req.Progress = func(text string) { r.emit(ctx, ToolProgress{id, text}) }
	req.Output = func(stream, text string) { r.emit(ctx, ToolOutput{id, stream, text}) }
	req.Ended = func(o *capability.Outcome) {
		if !started {
			title := o.Call.Name
			if o.Tool != nil {
				title = o.Tool.Title
			}
			start(o.Call.Name, title, o.Call.Args)
		}
		r.emit(ctx, completed(id, o))
	}
	return req
}

func completed(id string, o *capability.Outcome) ToolCompleted {
	e := ToolCompleted{
		Call: id, Tool: o.Call.Name, Failed: o.Failed(), Summary: o.Result.Summary, Text: o.Result.Text,
		Data: o.Result.Data, Diff: o.Result.Diff, Images: len(o.Result.Images), SavedAs: o.SavedAs,
		DurationMS: o.Duration.Milliseconds(),
	}
	if u, ok := capability.AsUserError(o.Err); ok {
		e.Code, e.Summary = u.Code, u.Message
	}
	return e
}

// shownArgs are arguments as events show them: JSON whatever the model wrote,
// and without secrets.
func (r *run) shownArgs(args json.RawMessage) json.RawMessage {
	if len(args) == 0 {
		return json.RawMessage("{}")
	}
	return capability.RedactJSON(args, r.redact)
}
