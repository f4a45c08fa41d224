package main

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"

	"github.com/spf13/cobra"

	"github.com/hobkin/hobkin/core/control"
)

func (c *cli) chatCmd() *cobra.Command {
	var f askFlags
	cmd := &cobra.Command{
		Use: "chat", Short: "Talk in the terminal", Args: cobra.NoArgs,
		Long: "Talk in the terminal. Ctrl+C stops what runs; at the prompt it leaves.\nType /help for the commands; Tab completes them.",
		RunE: func(cmd *cobra.Command, _ []string) error { return c.chat(cmd.Context(), f) },
	}
	f.add(cmd)
	return cmd
}

func (c *cli) chat(ctx context.Context, f askFlags) error {
	c.unlock = c.passphrase
	client, err := c.connect(ctx)
	if err != nil {
		return err
	}
	info, err := client.Info(ctx)
	if err != nil {
		return err
	}
	c.note(fmt.Sprintf("Hobkin %s · %s · mode %s. Type /help for the commands.", info.Version, info.ModelName, or(f.mode, info.Mode)))
	c.conversation = "terminal " + rand.Text()
	c.attended = true // someone who chats is there, also through a pipe
	typed := readKeys(ctx, c.in)
	edit := c.newEditor(typed, func() []control.CommandEntry { return commands(ctx, client) })
	for {
		line, ok := c.nextLine(ctx, typed, edit)
		if !ok {
			c.note("")
			return nil
		}
		more, err := c.chatLine(ctx, client, &f, strings.TrimSpace(line), typed.lines)
		if err != nil || !more {
			return err
		}
	}
}

// nextLine asks for a line, with the help of an editor where there is one.
func (c *cli) nextLine(ctx context.Context, typed *keys, edit *editor) (string, bool) {
	if edit != nil {
		return edit.line(ctx)
	}
	_, _ = io.WriteString(c.err, "> ")
	return prompt(ctx, typed.lines)
}

// prompt waits for a line. An interrupt while it waits leaves the chat.
func prompt(ctx context.Context, lines <-chan string) (string, bool) {
	ctx, stop := signal.NotifyContext(ctx, os.Interrupt)
	defer stop()
	select {
	case <-ctx.Done():
		return "", false
	case line, ok := <-lines:
		return line, ok
	}
}

// chatLine does one line. It reports whether the chat goes on. An interrupt
// stops what the line began, not the chat.
func (c *cli) chatLine(ctx context.Context, client *control.Client, f *askFlags, line string, lines <-chan string) (bool, error) {
	if line == "" {
		return true, nil
	}
	ctx, stop := signal.NotifyContext(ctx, os.Interrupt)
	defer stop()
	t := &turn{cli: c, client: client, shower: c.shower(), lines: lines}
	more, err := c.chatStep(ctx, client, f, t, line)
	if f.session == "" && t.session != "" {
		f.session = t.session
	}
	if done, ok := errors.AsType[*exitError](err); ok && done.said {
		return more, nil
	}
	c.tell(err, "")
	return more, nil
}

// chatStep plays a message, or does a command.
func (c *cli) chatStep(ctx context.Context, client *control.Client, f *askFlags, t *turn, line string) (more bool, err error) {
	if !isCommand(line) {
		req, err := c.request(ctx, client, *f, line)
		if err != nil {
			return true, err
		}
		return true, t.play(ctx, req)
	}
	r, err := c.give(ctx, client, *f, line)
	if err == nil {
		err = c.heed(ctx, client, f, r)
	}
	if err == nil && r.Sent != nil {
		err = t.follow(ctx, control.Sent(*r.Sent))
	}
	return !r.Leave, err
}

// tell shows an error of the core, or text when there is none.
func (c *cli) tell(err error, text string) {
	if err != nil {
		text = err.Error()
		if e, ok := errors.AsType[*control.Error](err); ok && e.Try != "" {
			text += "\n" + e.Try
		}
	}
	if text != "" {
		c.note(text)
	}
}

// note writes a line to the person, beside the answers.
func (c *cli) note(text string) { _, _ = fmt.Fprintln(c.err, text) }

func or(a, b string) string {
	if a != "" {
		return a
	}
	return b
}
