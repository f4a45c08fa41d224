package app

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"time"

	"github.com/hobkin/hobkin/core/config"
	"github.com/hobkin/hobkin/core/control"
	"github.com/hobkin/hobkin/core/sandbox"
	"github.com/hobkin/hobkin/core/sandbox/confine"
)

// RunOptions say what is run as the shell tool would.
type RunOptions struct {
	Dir     string   // absolute
	Args    []string // program and arguments
	Network string   // on, off or allowlist; empty is that of the settings
	Tell    func(text string)
}

// RunConfined runs a program at the caller's terminal, held to what a command of
// the shell tool is, and returns its exit code.
func RunConfined(ctx context.Context, o RunOptions) (code int, err error) {
	paths, err := config.DefaultPaths()
	if err != nil {
		return 0, err
	}
	core, err := Open(ctx, Options{Paths: paths, Workspace: o.Dir})
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, core.Close()) }() //nolint:contextcheck // these have time limits and ends of their own
	turn := ownerTurn(o.Dir)
	if _, err := core.policy.Try(turn, o.Dir, sandbox.Write); err != nil {
		return 0, err
	}
	env := core.system.CommandEnv(o.Dir)
	h := confined{core}
	spec := h.spec(turn, env, nil) //nolint:contextcheck // these have time limits and ends of their own
	if o.Network != "" {
		spec.Network = confine.Network(o.Network)
		spec = h.proxied(spec, nil) //nolint:contextcheck // these have time limits and ends of their own
	}
	held, report, err := core.confiner.Prepare(h.mode(), spec) //nolint:contextcheck // these have time limits and ends of their own
	if err != nil {
		return 0, &control.Error{Code: confine.Unavailable.Code, Message: err.Error(), Try: report.Fix}
	}
	if text := report.Sentence(); text != "" {
		o.Tell(text)
	}
	cmd := exec.CommandContext(ctx, o.Args[0], o.Args[1:]...)
	cmd.Dir, cmd.Env = o.Dir, env
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	const grace = 2 * time.Second
	cmd.Cancel, cmd.WaitDelay = func() error { return cmd.Process.Signal(os.Interrupt) }, grace
	if held == nil {
		err = cmd.Run()
	} else {
		err = confine.Run(held, cmd)
	}
	return exitCode(cmd, err)
}

// exitCode is that of a program that ended, whatever it was.
func exitCode(cmd *exec.Cmd, err error) (int, error) {
	if _, ok := errors.AsType[*exec.ExitError](err); ok {
		if code := cmd.ProcessState.ExitCode(); code >= 0 {
			return code, nil
		}
		const bySignal = 128 // as shells number it
		return bySignal + signalOf(cmd.ProcessState), nil
	}
	if err != nil {
		return 0, &control.Error{Code: "not_started", Message: fmt.Sprintf("the program did not start: %v", err)}
	}
	return 0, nil
}
