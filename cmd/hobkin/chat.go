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
		Long: "Talk in the terminal. Ctrl+C stops what runs; at the prompt it leaves.\nType /help for the commands.",
		RunE: func(cmd *cobra.Command, _ []string) error { return c.chat(cmd.Context(), f) },
	}
	f.add(cmd)
	return cmd
}

const chatHelp = `/new          start a new session
/mode MODE    plan, ask, accept_edits or auto
/undo         take back the last change to a file
/waiting      list the questions that wait, also those of other conversations
/confirm TOKEN, /deny TOKEN   answer one of them
/quit         leave`

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
	lines := readLines(ctx, c.in)
	for {
		_, _ = io.WriteString(c.err, "> ")
		line, ok := prompt(ctx, lines)
		if !ok {
			c.note("")
			return nil
		}
		more, err := c.chatLine(ctx, client, &f, strings.TrimSpace(line), lines)
		if err != nil || !more {
			return err
		}
	}
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

// chatLine does one line. It reports whether the chat goes on.
func (c *cli) chatLine(ctx context.Context, client *control.Client, f *askFlags, line string, lines <-chan string) (bool, error) {
	word, rest, _ := strings.Cut(line, " ")
	switch word {
	case "":
		return true, nil
	case "/quit", "/exit":
		return false, nil
	case "/help":
		c.note(chatHelp)
		return true, nil
	case "/new":
		f.session = ""
		return true, nil
	case "/mode":
		f.mode = strings.TrimSpace(rest)
		return true, nil
	case "/waiting":
		c.waiting(ctx, client)
		return true, nil
	case "/confirm", "/deny":
		said, err := client.Confirm(ctx, control.ConfirmRequest{Conversation: c.conversation, Text: line})
		c.tell(err, said)
		return true, nil
	case "/undo":
		done, err := client.Undo(ctx, control.UndoRequest{Session: f.session})
		c.tell(err, done.Text)
		return true, nil
	}
	return true, c.chatTurn(ctx, client, f, line, lines)
}

// chatTurn plays one message. An interrupt stops the turn, not the chat.
func (c *cli) chatTurn(ctx context.Context, client *control.Client, f *askFlags, text string, lines <-chan string) error {
	ctx, stop := signal.NotifyContext(ctx, os.Interrupt)
	defer stop()
	req, err := c.request(ctx, client, *f, text)
	if err != nil {
		return err
	}
	t := &turn{cli: c, client: client, shower: c.shower(), lines: lines}
	err = t.play(ctx, req)
	if f.session == "" && t.session != "" {
		f.session = t.session
	}
	if done, ok := errors.AsType[*exitError](err); ok && done.said {
		return nil
	}
	c.tell(err, "")
	return nil
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
