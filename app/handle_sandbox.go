package app

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/hobkin/hobkin/core/capability"
	"github.com/hobkin/hobkin/core/control"
	"github.com/hobkin/hobkin/core/permission"
	"github.com/hobkin/hobkin/core/sandbox"
	"github.com/hobkin/hobkin/core/sandbox/confine"
)

// An explainer collects what would become of a path or a command of the owner.
type explainer struct {
	c    *Core
	turn capability.Turn
	out  control.Explained
}

// explain implements [control.MethodExplain].
func (c *Core) explain(_ context.Context, r control.ExplainRequest) (control.Explained, error) {
	e := &explainer{c: c, turn: ownerTurn(or(r.Workspace, c.workspace()))}
	switch {
	case r.Path != "":
		e.path(r.Path) //nolint:contextcheck // the sources of the environment have a time limit of their own
	case strings.TrimSpace(r.Command) != "":
		return e.out, e.command(r.Command) //nolint:contextcheck // the sources of the environment have a time limit of their own
	default:
		return e.out, &control.Error{Code: "bad_request", Message: "neither a path nor a command is given"}
	}
	return e.out, nil
}

func (e *explainer) row(question, answer, reason, fix string) {
	e.out.Answers = append(e.out.Answers, control.ExplainRow{Question: question, Answer: answer, Reason: reason, Fix: fix})
}

func yesNo(ok bool) string {
	if ok {
		return "yes"
	}
	return "no"
}

// path answers for the tools and for commands, which are held separately.
func (e *explainer) path(path string) {
	abs := e.c.policy.Resolve(e.turn, path)
	e.out.About = abs
	for _, use := range []sandbox.Use{sandbox.Read, sandbox.Write} {
		question := "tools may " + use.String() + " it"
		_, err := e.c.policy.Try(e.turn, path, use)
		if u, ok := capability.AsUserError(err); ok {
			e.row(question, "no", u.Code+": "+u.Message, u.Try)
			continue
		}
		e.row(question, yesNo(err == nil), "it lies in "+strings.Join(e.holding(abs, use), ", "), "")
	}
	plan, report := e.plan()
	if plan == nil {
		e.row("commands may read and write it", "yes", "the kernel does not hold commands: "+or(report.Why, "sandbox.confine is off"), report.Fix)
		return
	}
	g, ok := plan.Explain(abs)
	reason := "nothing that commands get holds it"
	if ok {
		reason = g.Path + ": " + g.Why
	}
	e.row("commands may read it", yesNo(ok), reason, "")
	e.row("commands may write it", yesNo(ok && g.Write), reason, "")
}

// holding are the roots of the turn that a path lies in.
func (e *explainer) holding(abs string, use sandbox.Use) (out []string) {
	roots := e.c.policy.Roots(e.turn)
	if use == sandbox.Read {
		roots = e.c.policy.Readable(e.turn)
	}
	for _, root := range roots {
		if abs == root || strings.HasPrefix(abs, strings.TrimSuffix(root, "/")+"/") {
			out = append(out, root)
		}
	}
	return out
}

// plan is what commands of the turn get; nil when nothing holds them.
func (e *explainer) plan() (*confine.Plan, confine.Report) {
	h := confined{e.c}
	held, report, err := e.c.confiner.Prepare(h.mode(), h.spec(e.turn, e.c.environment(), nil))
	if held == nil || err != nil {
		return nil, report
	}
	return held.Plan(), report
}

// command answers for every mode, and says what the command would get.
func (e *explainer) command(line string) error {
	tool, ok := e.c.registry.Find("shell")
	if !ok {
		return &control.Error{Code: "unknown_tool", Message: "there is no tool that runs commands"}
	}
	e.out.About = line
	a := permission.Analyse(line, permission.Setting{Dir: e.turn.Workspace, Home: e.c.policy.Home()})
	for _, one := range a.Lines() {
		e.row("it runs", one, "", "")
	}
	for _, reason := range a.Reasons {
		e.row("it cannot be told before it runs", "yes", reason, "")
	}
	args, err := json.Marshal(map[string]string{"command": line})
	if err != nil {
		return fmt.Errorf("app: explaining: %w", err)
	}
	gate := &permission.Gate{Policy: e.c.policy, Rules: rules{e.c}}
	for _, mode := range permission.Modes() {
		turn := e.turn
		turn.Mode = string(mode)
		v := gate.Decide(tool, capability.Call{Name: tool.Name, Args: args, Turn: turn}, capability.Preview{Shell: line, Dir: turn.Workspace})
		answer := map[permission.Action]string{permission.Allow: "yes", permission.AskFirst: "asks", permission.Deny: "no"}[v.Action]
		reason := v.Reason
		if v.Floor {
			reason = "no mode and no rule allows it: " + reason
		}
		if reason == "" && v.Rule != nil {
			reason = "the rule " + v.Rule.String()
		}
		e.row("in the mode "+string(mode)+" it runs", answer, reason, "")
	}
	e.limits()
	return nil
}

// limits says what the kernel holds commands to.
func (e *explainer) limits() {
	env := e.c.system.CommandEnv(e.turn.Workspace)
	plan, report := e.plan()
	switch {
	case plan == nil:
		e.row("the kernel holds it", "no", or(report.Why, "sandbox.confine is off"), report.Fix)
	default:
		e.row("the kernel holds it", "yes, by "+string(report.Backend), strings.Join(report.Missing, "; "), "")
		for _, path := range plan.Writable() {
			e.row("it may write", path, "", "")
		}
		for _, g := range plan.Grants {
			if !g.Write {
				e.row("it may read", g.Path, g.Why, "")
			}
		}
	}
	e.row("its network", e.c.cfg.Load().Sandbox.Network, "sandbox.network", "")
	names := make([]string, len(env))
	for i, pair := range env {
		names[i], _, _ = strings.Cut(pair, "=")
	}
	e.row("its environment", "", strings.Join(names, " "), "")
}
