package agent

import (
	"context"
	"encoding/json"
	"log/slog"
	"slices"
	"strings"

	"github.com/hobkin/hobkin/core/capability"
	"github.com/hobkin/hobkin/core/provider"
)

// Bounds of asking again for arguments that cannot be mended here.
const (
	mendBytes = 256 << 10 // longer ones are refused
	mendShown = 16 << 10  // of them are shown to the model
	mendCalls = 4         // of one answer
)

const (
	mendSystem = "You correct the arguments of a tool call that are not valid JSON. Make the very call that was meant, with the same values, as valid JSON. Do nothing else."
	mendNote   = "the arguments were not JSON; the model was asked for them once more"
)

// mend asks the model once more for each call whose arguments are no JSON and
// cannot be made JSON here. It is asked beside the conversation, so that neither
// the broken arguments nor the question stay in it. Where that does not help,
// the call fails and says why.
func (r *run) mend(ctx context.Context, got answer) answer {
	if got.stop == provider.StopLength || r.tuned.NoSecondAsk {
		return got // those that were cut off: see CutOff
	}
	asked := 0
	for i, p := range got.parts {
		c, ok := p.(provider.ToolCall)
		if !ok || asked == mendCalls || !r.unreadable(c) {
			continue
		}
		asked++
		args, err := r.argsAgain(ctx, c)
		if err != nil {
			slog.WarnContext(ctx, "agent: asking again for arguments", "tool", c.Name, "error", r.redact(err.Error()))
			continue
		}
		if args == "" {
			continue
		}
		got.parts = slices.Clone(got.parts)
		c.Args = args
		got.parts[i] = c
		if r.mended == nil {
			r.mended = map[string]string{}
		}
		r.mended[c.ID] = mendNote
	}
	return got
}

// unreadable reports whether a call's arguments are worth asking for again.
func (r *run) unreadable(c provider.ToolCall) bool {
	if len(c.Args) > mendBytes || r.tool(c.Name) == nil {
		return false
	}
	_, _, err := capability.RepairArgs(json.RawMessage(c.Args), nil)
	return err != nil
}

func (r *run) tool(name string) *capability.Capability {
	i := slices.IndexFunc(r.tools, func(c *capability.Capability) bool { return c.Name == name || slices.Contains(c.Aliases, name) })
	if i < 0 {
		return nil
	}
	return r.tools[i]
}

// argsAgain returns the arguments of the call that the model makes instead,
// empty when it makes none or they are as broken.
func (r *run) argsAgain(ctx context.Context, c provider.ToolCall) (string, error) {
	tool := r.tool(c.Name)
	got, err := r.answerOf(ctx, r.choices[0], provider.Request{
		System: mendSystem, Tools: schemas([]*capability.Capability{tool}),
		Messages: []provider.Message{{Role: provider.RoleUser, Parts: []provider.Part{
			provider.Text{Text: "The arguments of the call of " + tool.Name + " were:\n\n" + capability.CutMiddle(strings.ToValidUTF8(c.Args, "\uFFFD"), mendShown)},
		}}},
	})
	if err != nil {
		return "", err
	}
	for _, again := range got.calls() {
		if r.tool(again.Name) == tool && json.Valid([]byte(again.Args)) && strings.HasPrefix(strings.TrimSpace(again.Args), "{") {
			return again.Args, nil
		}
	}
	return "", nil
}
