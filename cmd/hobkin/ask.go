package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/hobkin/hobkin/core/agent"
	"github.com/hobkin/hobkin/core/control"
)

// askFlags are shared by ask and chat.
type askFlags struct {
	session, mode, model string
	json                 bool
}

func (f *askFlags) add(cmd *cobra.Command) {
	cmd.Flags().StringVarP(&f.session, "session", "s", "", "go on with this session (an id, its first 6 or more characters, or last)")
	cmd.Flags().StringVarP(&f.mode, "mode", "m", "", "permission mode: plan, ask, accept_edits or auto")
	cmd.Flags().StringVar(&f.model, "model", "", "model as PROVIDER/MODEL (default: the one in the config)")
}

func (c *cli) askCmd() *cobra.Command {
	var f askFlags
	cmd := &cobra.Command{
		Use:   "ask TEXT…",
		Short: "Ask once and print the answer",
		Long: `Ask once and print the answer.

The answer goes to standard output, what was done for it to standard error.
Without a terminal no one can agree to anything, so what would be asked is
denied and said. Exit codes: 0 done, 1 failed, 2 wrong use, 3 denied, 4 the model
failed, 130 stopped.`,
		Example: "  hobkin ask \"what changed in git?\"\n  git diff | hobkin ask - \"explain this\"\n  hobkin ask \"/review main.go\"\n  hobkin ask --json \"find TODO in src\"",
		Args:    cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			command := isCommand(args[0]) // what is piped in is none
			text, err := c.question(args)
			if err != nil {
				return err
			}
			return c.ask(cmd.Context(), f, text, command)
		},
	}
	f.add(cmd)
	cmd.Flags().BoolVar(&f.json, "json", false, "print every event as a line of JSON")
	return cmd
}

// maxStdin bounds what "-" reads, in bytes.
const maxStdin = 1 << 20

// question joins the words; a "-" among them stands for standard input.
func (c *cli) question(args []string) (string, error) {
	for i, a := range args {
		if a != "-" {
			continue
		}
		b, err := io.ReadAll(io.LimitReader(c.in, maxStdin+1))
		if err != nil {
			return "", fmt.Errorf("reading standard input: %w", err)
		}
		if len(b) > maxStdin {
			return "", errors.New("standard input is over 1 MiB; save it to a file and name that")
		}
		args[i] = "\n" + string(b) + "\n"
	}
	text := strings.TrimSpace(strings.Join(args, " "))
	if text == "" {
		return "", usage(errors.New("there is nothing to ask"))
	}
	return text, nil
}

func (c *cli) ask(ctx context.Context, f askFlags, text string, command bool) error {
	c.unlock = c.passphrase
	client, err := c.connect(ctx)
	if err != nil {
		return err
	}
	t := &turn{cli: c, client: client, shower: c.shower(), json: f.json}
	if c.attended {
		t.lines = readLines(ctx, c.in)
	}
	if command {
		return c.askCommand(ctx, client, f, t, text)
	}
	req, err := c.request(ctx, client, f, text)
	if err != nil {
		return err
	}
	return t.play(ctx, req)
}

// request makes a message of text and the flags.
func (c *cli) request(ctx context.Context, client *control.Client, f askFlags, text string) (control.SendRequest, error) {
	dir, err := c.dir()
	if err != nil {
		return control.SendRequest{}, err
	}
	req := control.SendRequest{
		Session: f.session, Text: text, Workspace: dir, Mode: f.mode, Model: f.model,
		Channel: "cli", Attended: c.attended, Locale: locale(),
	}
	req.Session, err = sessionID(ctx, client, f.session)
	return req, err
}

// sessionID lets last stand for the newest session.
func sessionID(ctx context.Context, client *control.Client, id string) (string, error) {
	if id != "last" {
		return id, nil
	}
	list, err := client.Sessions(ctx, control.SessionQuery{Limit: 1})
	if err != nil {
		return "", err
	}
	if len(list) == 0 {
		return "", usage(errors.New("there is no session yet"))
	}
	return list[0].ID, nil
}

// A turn plays one message to its end.
type turn struct {
	*cli
	client *control.Client
	shower *shower
	json   bool
	lines  <-chan string // what a person types; nil when no one is there
	denied bool

	session string // set once the message is sent
}

// play sends the message and shows what comes of it.
func (t *turn) play(ctx context.Context, req control.SendRequest) error {
	sent, err := t.client.Send(ctx, req)
	if err != nil {
		return err
	}
	return t.follow(ctx, sent)
}

// follow shows a turn to its end. When ctx ends the turn is stopped, and its
// last event still waited for.
func (t *turn) follow(ctx context.Context, sent control.Sent) error {
	t.session = sent.Session
	watch, cancel := context.WithCancel(context.WithoutCancel(ctx))
	defer cancel()
	defer context.AfterFunc(ctx, func() { _ = t.client.Stop(context.WithoutCancel(ctx), sent.Session) })()
	for e, err := range t.client.Watch(watch, control.WatchRequest{Session: sent.Session, From: sent.From}) {
		if err != nil {
			return err
		}
		if e.Turn != sent.Turn {
			continue
		}
		if err := t.one(ctx, e); err != nil {
			return err
		}
		if agent.EndsTurn(e.Payload) {
			return t.ending(e.Payload)
		}
	}
	return errors.New("the events ended before the turn did")
}

// one shows an event and, where it asks something, gets the answer.
func (t *turn) one(ctx context.Context, e agent.Event) error {
	if t.json {
		if err := t.showJSON(e); err != nil {
			return err
		}
	} else {
		t.shower.show(e)
	}
	switch p := e.Payload.(type) {
	case agent.ApprovalRequested:
		if t.lines != nil {
			return t.approve(ctx, p)
		}
	case agent.QuestionAsked:
		if t.lines != nil {
			return t.answer(ctx, p)
		}
	case agent.ToolCompleted:
		t.denied = t.denied || p.Failed && codeOf(p.Code) == exitDenied
	default: // shown, and that is all
	}
	return nil
}

// ending turns the last event into an exit code.
func (t *turn) ending(p agent.Payload) error {
	done := func(code int, text string) error {
		return &exitError{code: code, err: errors.New(text), said: true}
	}
	switch p := p.(type) {
	case agent.TurnFailed:
		return done(max(codeOf(p.Code), exitFailed), p.Message)
	case agent.TurnSealed:
		return done(exitFailed, p.Reason)
	case agent.TurnCancelled:
		return done(exitCancelled, "stopped")
	default: // it came to its own end
	}
	if t.shower.failed != nil {
		return t.shower.failed
	}
	if t.denied {
		return done(exitDenied, "a call was denied")
	}
	return nil
}

// locale is the person's language, as a BCP 47 tag; empty when it is not told.
func locale() string {
	for _, name := range []string{"LC_ALL", "LC_MESSAGES", "LANG"} {
		v, _, _ := strings.Cut(os.Getenv(name), ".")
		if v != "" && v != "C" && v != "POSIX" {
			return strings.ReplaceAll(v, "_", "-")
		}
	}
	return ""
}
