package app

import (
	"context"
	"crypto/rand"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/hobkin/hobkin/core/agent"
	"github.com/hobkin/hobkin/core/capability"
	"github.com/hobkin/hobkin/core/control"
	"github.com/hobkin/hobkin/core/permission"
	"github.com/hobkin/hobkin/core/provider"
)

func (c *Core) tools(ctx context.Context, q control.ToolQuery) ([]control.Tool, error) {
	if _, builtin := c.registry.Find(q.Name); !builtin {
		c.needServers(ctx)
	}
	list := c.registry.All()
	if !q.All {
		turn := capability.Turn{Trust: capability.Operator, Attended: true, Workspace: c.workspace()}
		f := c.offer(turn)
		f.Turn = turn
		list = c.registry.List(f)
	}
	out := []control.Tool{}
	for _, t := range list {
		if q.Name != "" && !named(t, q.Name) || q.Search != "" && !mentions(t, q.Search) {
			continue
		}
		out = append(out, control.Tool{
			Name: t.Name, Title: t.Title, Aliases: t.Aliases, Description: t.Description, Kind: string(t.Kind),
			Class: string(t.Class), Category: string(t.Category), Hidden: t.Hidden, Parameters: t.Parameters,
		})
	}
	return out, nil
}

func named(t *capability.Capability, name string) bool {
	return t.Name == name || slices.Contains(t.Aliases, name)
}

// mentions reports whether every word stands somewhere in the tool's words.
func mentions(t *capability.Capability, words string) bool {
	text := strings.ToLower(strings.Join([]string{t.Name, t.Title, t.Description, string(t.Category), string(t.Class), strings.Join(t.Aliases, " ")}, " "))
	for w := range strings.FieldsSeq(strings.ToLower(words)) {
		if !strings.Contains(text, w) {
			return false
		}
	}
	return true
}

func (c *Core) toolHelp(ctx context.Context, id control.ID) (string, error) {
	if _, builtin := c.registry.Find(id.ID); !builtin {
		c.needServers(ctx)
	}
	t, ok := c.registry.Find(id.ID)
	if !ok {
		var names []string
		for _, t := range c.registry.All() {
			names = append(names, t.Name)
		}
		return "", &control.Error{
			Code: "unknown_tool", Message: fmt.Sprintf("no tool is called %q", id.ID),
			Try: "the closest are " + strings.Join(capability.Nearest(id.ID, names, 5), ", "),
		}
	}
	var b strings.Builder
	err := capability.Markdown(&b, t)
	return b.String(), err
}

// call runs one tool outside any conversation. Without Yes no one is asked, so
// what would be asked is denied and says how to agree.
func (c *Core) call(ctx context.Context, r control.CallRequest) (control.CallResult, error) {
	mode, err := permission.ParseMode(or(r.Mode, c.cfg.Load().Permission.Mode))
	if err != nil {
		return control.CallResult{}, &control.Error{Code: "bad_mode", Message: err.Error()}
	}
	if r.Workspace != "" && !filepath.IsAbs(r.Workspace) {
		return control.CallResult{}, &control.Error{Code: "bad_workspace", Message: fmt.Sprintf("the workspace %q is not an absolute path", r.Workspace)}
	}
	if _, builtin := c.registry.Find(r.Tool); !builtin {
		c.needServers(ctx)
	}
	turn := capability.Turn{
		ID: "call_" + strings.ToLower(rand.Text()[:12]), Workspace: or(r.Workspace, c.workspace()), Channel: "cli",
		Mode: string(mode), Trust: capability.Operator, Attended: true,
	}
	f := c.offer(turn)
	f.Turn, f.Policy, f.IncludeHidden = turn, permission.Filter(mode), true
	runner := *c.runner
	gate := &permission.Gate{Policy: c.policy, Rules: rules{c}}
	if r.Yes {
		gate.Asker = yes{}
	}
	runner.Approve = gate.Approve
	out := runner.Run(ctx, capability.Request{ID: turn.ID, Name: r.Tool, Args: r.Args, Filter: f})
	return callResult(out), nil
}

// yes agrees once to the very call it is asked about.
type yes struct{}

// Ask implements [permission.Asker].
func (yes) Ask(context.Context, capability.Turn, agent.ApprovalRequested) (permission.Answer, error) {
	return permission.Answer{Decision: permission.Once, By: "--yes"}, nil
}

func callResult(o *capability.Outcome) control.CallResult {
	res := control.CallResult{Tool: o.Call.Name, Text: o.Result.Text, Data: o.Result.Data, Diff: o.Result.Diff, SavedAs: o.SavedAs, Failed: o.Failed()}
	for _, im := range o.Result.Images {
		res.Images = append(res.Images, provider.Image{MIME: im.MIME, Data: im.Data})
	}
	if u, ok := capability.AsUserError(o.Err); ok {
		res.Code, res.Message, res.Try = u.Code, u.Message, u.Try
	}
	return res
}

// ownerTurn is a turn of the owner's outside any conversation.
func ownerTurn(workspace string) capability.Turn {
	return capability.Turn{Workspace: workspace, Channel: "cli", Trust: capability.Operator, Attended: true}
}
