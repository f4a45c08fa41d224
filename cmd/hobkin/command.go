package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/hobkin/hobkin/core/command"
	"github.com/hobkin/hobkin/core/control"
)

// isCommand reports whether a line is for the table of commands: it begins with
// a slash, or with two that stand for one.
func isCommand(line string) bool { return strings.HasPrefix(strings.TrimSpace(line), "/") }

// give gives a line to the core as a command. What is none there comes back as
// the turn of a message.
func (c *cli) give(ctx context.Context, client *control.Client, f askFlags, line string) (control.CommandReply, error) {
	req, err := c.request(ctx, client, f, line)
	if err != nil {
		return control.CommandReply{}, err
	}
	return client.Command(ctx, control.CommandRequest{SendRequest: req, Conversation: c.conversation})
}

// heed does what a reply asks of the chat.
func (c *cli) heed(ctx context.Context, client *control.Client, f *askFlags, r control.CommandReply) error {
	if text := r.Text(command.English); text != "" {
		c.note(clean(text))
	}
	if r.Open != nil {
		if f.session = *r.Open; f.session != "" {
			f.mode, f.model = "", "" // it has its own
		}
	}
	f.mode, f.model = or(r.Mode, f.mode), or(r.Model, f.model)
	if r.Waiting {
		c.waiting(ctx, client)
	}
	return c.keep(r.Document)
}

// keep writes a document where the person said, or shows it. A file that is
// there already is left alone.
func (c *cli) keep(d *command.Document) error {
	switch {
	case d == nil:
		return nil
	case d.To == "":
		_, err := fmt.Fprintln(c.out, strings.TrimRight(d.Text, "\n"))
		return err
	}
	file, err := os.OpenFile(filepath.Clean(d.To), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if errors.Is(err, fs.ErrExist) {
		return fmt.Errorf("%s is there already; name another file", d.To)
	}
	if err != nil {
		return err
	}
	_, err = file.WriteString(d.Text)
	if closed := file.Close(); err == nil {
		err = closed
	}
	if err == nil {
		c.note("Written to " + d.To + ".")
	}
	return err
}

// askCommand gives one command and shows all that comes of it.
func (c *cli) askCommand(ctx context.Context, client *control.Client, f askFlags, t *turn, line string) error {
	r, err := c.give(ctx, client, f, line)
	if err != nil {
		return err
	}
	switch {
	case r.Sent != nil:
		return t.follow(ctx, control.Sent(*r.Sent))
	case f.json:
		return c.printJSON(r)
	case r.Open != nil:
		_, err = fmt.Fprintln(c.out, or(*r.Open, "The next message begins a new conversation."))
		return err
	}
	if text := r.Text(command.English); text != "" {
		if _, err := fmt.Fprintln(c.out, clean(text)); err != nil {
			return err
		}
	}
	return c.keep(r.Document)
}
