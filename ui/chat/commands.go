package chat

import (
	"context"
	"path/filepath"
	"strings"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/dialog"

	"github.com/hobkin/hobkin/core/control"
	"github.com/hobkin/hobkin/ui/look"
	"github.com/hobkin/hobkin/ui/say"
)

// loadCommands asks for the commands, for completion.
func (g *Glue) loadCommands() {
	if g.listing {
		return
	}
	g.listing = true
	ask(g, func(ctx context.Context) (control.Commands, error) {
		return g.opts.Client.Commands(ctx, control.CommandQuery{Channel: "desktop"})
	}, func(l control.Commands, err error) {
		g.listing = false
		if err != nil {
			return // there is no list then, and what is written is taken all the same
		}
		g.view.completion.All = l.Commands
		g.typed(g.view.composer.input.Text)
	})
}

// typed follows what is written into the input. At a first slash the list of
// commands is asked for again: files and servers may have come.
func (g *Glue) typed(text string) {
	if g.view.completer == nil {
		return // it is being built
	}
	if text == "/" && !g.view.completion.Open() {
		defer g.loadCommands()
	}
	if g.view.completion.Type(text) {
		g.view.completer.sync()
	}
}

// isCommand reports whether a message is for the table of commands: it begins
// with a slash, or with two that stand for one.
func isCommand(text string) bool { return strings.HasPrefix(strings.TrimSpace(text), "/") }

// command gives what was written to the core as a command.
func (g *Glue) command(text string, r control.SendRequest) {
	v := g.view
	g.typed("")
	ask(g, func(ctx context.Context) (control.CommandReply, error) {
		return g.opts.Client.Command(ctx, control.CommandRequest{SendRequest: r, Conversation: "window"})
	}, func(reply control.CommandReply, err error) {
		kept := v.win.Images
		v.win.Sent(err)
		if err == nil {
			if reply.Sent == nil {
				v.win.Images = kept // they wait for a message
			}
			if v.composer.input.Text == text {
				v.composer.input.SetText("")
			}
			g.heed(strings.TrimSpace(text), r, reply)
		}
		v.sync()
	})
}

// heed does what a reply asks of the window.
func (g *Glue) heed(text string, r control.SendRequest, reply control.CommandReply) {
	v := g.view
	v.win.Mode, v.win.Model = first(reply.Mode, v.win.Mode), first(reply.Model, v.win.Model)
	here := v.win.Session.ID == r.Session
	switch {
	case reply.Open != nil:
		g.open(*reply.Open)
		return
	case reply.Sent != nil && here && reply.Sent.Session != r.Session:
		g.follow(reply.Sent.Session, 1)
	case r.Session != "" && here && (reply.Mode != "" || reply.Model != ""):
		g.refreshSession(r.Session)
	}
	if words := reply.Markdown(speak); words != "" && here {
		v.model.Aside(text, words)
	}
	if reply.Document != nil {
		g.saveDocument(reply.Document.Name, reply.Document.To, reply.Document.Text)
	}
	v.flow.toEnd()
}

// speak puts a sentence of the core's into the person's language.
func speak(sentence string, args map[string]string) string {
	if args == nil {
		return look.Foreign(sentence)
	}
	p := say.Phrase{Key: sentence, Args: map[string]any{}}
	for name, value := range args {
		p.Args[name] = value
	}
	return look.Say(p)
}

// saveDocument lets the person choose where a text is kept. To is the path that
// they named already; empty when they did not.
func (g *Glue) saveDocument(name, to, text string) {
	d := dialog.NewFileSave(func(w fyne.URIWriteCloser, err error) {
		if err != nil || w == nil {
			return
		}
		_, err = w.Write([]byte(text))
		if closed := w.Close(); err == nil {
			err = closed
		}
		if err != nil {
			g.fail(err)
		}
	}, g.opts.Window)
	if to != "" {
		name = filepath.Base(to)
		if at, err := listable(filepath.Dir(to)); err == nil {
			d.SetLocation(at)
		}
	}
	d.SetFileName(name)
	d.Show()
}
