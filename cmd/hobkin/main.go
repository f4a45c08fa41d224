// Hobkin is the desktop agent on the command line. It talks to the desktop when
// one runs, and otherwise runs the same core itself: the results are the same
// either way.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/hobkin/hobkin/app"
	"github.com/hobkin/hobkin/core/control"
	"github.com/hobkin/hobkin/core/sandbox/confine"
	"github.com/hobkin/hobkin/core/secret"
	"github.com/hobkin/hobkin/core/version"
)

func main() {
	confine.Inside() // this process may be about to become a command
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM, syscall.SIGHUP)
	context.AfterFunc(ctx, stop) // a second signal ends what does not heed the first
	code := run(ctx, os.Args[1:], standard())
	stop()
	os.Exit(code)
}

// The exit codes. They are part of the interface: scripts test them.
const (
	exitOK        = 0
	exitFailed    = 1   // the task or the command failed
	exitUsage     = 2   // the command line is wrong
	exitDenied    = 3   // a person, a rule or the floor said no, or no one was there to ask
	exitProvider  = 4   // the model could not be reached or refused
	exitCancelled = 130 // stopped, as shells number an interrupt
)

// run is main without the process around it.
func run(ctx context.Context, args []string, io streams) (code int) {
	c := &cli{streams: io, interrupted: func() bool { return ctx.Err() != nil }, redactor: &secret.Redactor{}}
	defer app.Crashes("hobkin", c.redactor).Guard(func(sentence string) {
		c.note("hobkin: " + sentence)
		code = exitFailed
	})
	root := c.root() //nolint:contextcheck // the commands get theirs from Execute
	root.SetArgs(args)
	root.SetIn(io.in)
	root.SetOut(io.out)
	root.SetErr(io.err)
	if _, _, err := root.Find(args); err != nil { // a word that is no command
		return c.report(false, usage(err))
	}
	err := root.ExecuteContext(ctx)
	interrupted := c.interrupted()
	if cerr := c.close(); err == nil {
		err = cerr
	}
	if err == nil {
		return exitOK
	}
	return c.report(interrupted, err)
}

// report tells what went wrong in sentences, and picks the exit code.
func (c *cli) report(interrupted bool, err error) int {
	if done, ok := errors.AsType[*exitError](err); ok && done.said {
		return done.code
	}
	code := exitFailed
	if interrupted {
		_, _ = fmt.Fprintln(c.err, "hobkin: stopped")
		return exitCancelled
	}
	_, _ = fmt.Fprintln(c.err, "hobkin:", err)
	if e, ok := errors.AsType[*control.Error](err); ok {
		if e.Try != "" {
			_, _ = fmt.Fprintln(c.err, "  "+e.Try)
		}
		code = codeOf(e.Code)
	}
	if done, ok := errors.AsType[*exitError](err); ok {
		code = done.code
	}
	return code
}

// An exitError ends the program with a code of its own.
type exitError struct {
	code int
	err  error
	said bool // the person was told already
}

func (e *exitError) Error() string { return e.err.Error() }
func (e *exitError) Unwrap() error { return e.err }

// usage marks err as the command line's fault.
func usage(err error) error {
	if err == nil {
		return nil
	}
	return &exitError{code: exitUsage, err: err}
}

// root is the command tree. Every command is in the file of its name.
func (c *cli) root() *cobra.Command {
	root := &cobra.Command{
		Use:           "hobkin",
		Short:         "A desktop agent for your own machine",
		Long:          "Hobkin does what you ask on your own machine: files, shell, git and more, and asks before anything risky.\nWithout a model connected the built-in offline helper answers.",
		Version:       version.Version,
		SilenceUsage:  true,
		SilenceErrors: true,
		Args:          cobra.NoArgs,
		RunE:          func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	root.SetVersionTemplate("hobkin {{.Version}}\n")
	root.PersistentPreRunE = func(cmd *cobra.Command, _ []string) error {
		if err := refuseAgents(cmd); err != nil {
			return err
		}
		if cmd.Name() == "chat" || cmd.CommandPath() == "hobkin sandbox run" {
			return nil // there an interrupt is for the turn or the command, not for the program
		}
		ctx, stop := signal.NotifyContext(cmd.Context(), os.Interrupt)
		context.AfterFunc(ctx, stop) // a second interrupt ends what does not heed the first
		c.interrupted = func() bool { defer stop(); return ctx.Err() != nil }
		cmd.SetContext(ctx)
		return nil
	}
	root.SetFlagErrorFunc(func(_ *cobra.Command, err error) error { return usage(err) })
	root.PersistentFlags().StringVarP(&c.workspace, "workspace", "C", "", "folder to work in (default: the current one)")
	root.PersistentFlags().BoolVarP(&c.verbose, "verbose", "v", false, "log to standard error")
	root.AddCommand(
		c.askCmd(), c.chatCmd(), c.callCmd(), c.toolsCmd(), c.sessionsCmd(), c.usageCmd(),
		c.grantCmd(), c.revokeCmd(), c.grantsCmd(), c.configCmd(), c.secretsCmd(),
		c.undoCmd(), c.jobsCmd(), c.memoryCmd(), c.mcpCmd(), c.sandboxCmd(), c.computerCmd(), c.doctorCmd(), c.desktopCmd(), c.docsCmd(), c.versionCmd(),
	)
	checkArgs(root)
	return root
}

// checkArgs makes wrong arguments of a command and its children usage errors.
// A command that only holds others takes none: a word there is a misspelt one.
func checkArgs(cmd *cobra.Command) {
	if cmd.HasSubCommands() && !cmd.Runnable() {
		cmd.Args = cobra.NoArgs
		cmd.RunE = func(cmd *cobra.Command, _ []string) error { return cmd.Help() }
	}
	if check := cmd.Args; check != nil {
		cmd.Args = func(cmd *cobra.Command, args []string) error { return usage(check(cmd, args)) }
	}
	for _, sub := range cmd.Commands() {
		checkArgs(sub)
	}
}

func (c *cli) versionCmd() *cobra.Command {
	return &cobra.Command{
		Use: "version", Short: "Print the version", Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			_, err := fmt.Fprintln(c.out, "hobkin", version.Version)
			return err
		},
	}
}
