package chat

import (
	"context"
	"os"
	"path/filepath"
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/dialog"
	"fyne.io/fyne/v2/storage"

	"github.com/hobkin/hobkin/core/control"
	"github.com/hobkin/hobkin/ui/look"
	"github.com/hobkin/hobkin/ui/say"
)

// sayText is a phrase in the person's language.
func sayText(p say.Phrase) string { return look.Say(p) }

// send sends a message to the open session, or to a new one, or gives it as a
// command.
func (g *Glue) send(text string) {
	v := g.view
	r, ok := v.win.Request(text, g.opts.Locale)
	if !ok {
		return
	}
	v.sync()
	if isCommand(text) {
		g.command(text, r)
		return
	}
	ask(g, func(ctx context.Context) (control.Sent, error) { return g.opts.Client.Send(ctx, r) }, func(s control.Sent, err error) {
		v.win.Sent(err)
		if err == nil {
			if v.composer.input.Text == text {
				v.composer.input.SetText("")
			}
			if v.win.Session.ID == r.Session && s.Session != r.Session {
				g.follow(s.Session, 1)
			}
			v.flow.toEnd()
		}
		v.sync()
	})
}

// stop ends the running turn.
func (g *Glue) stop() {
	id := g.view.win.Session.ID
	if id == "" || !g.view.model.Busy() {
		return
	}
	g.request(func(ctx context.Context) error { return g.opts.Client.Stop(ctx, id) })
}

// request asks for something that answers with nothing; a failure is shown.
func (g *Glue) request(do func(context.Context) error) {
	ask(g, func(ctx context.Context) (struct{}, error) { return struct{}{}, do(ctx) }, orFail(g, func(struct{}) {}))
}

// change asks for a change of a session and shows it as it then is.
func (g *Glue) change(c control.SessionChange) {
	ask(g, func(ctx context.Context) (control.Session, error) { return g.opts.Client.ChangeSession(ctx, c) }, orFail(g, g.setSession))
}

func (g *Glue) setMode(mode string) {
	w := &g.view.win
	w.Mode = mode
	if w.Session.ID != "" {
		g.change(control.SessionChange{ID: w.Session.ID, Mode: &mode})
	}
	g.view.sync()
}

func (g *Glue) setModel(model string) {
	w := &g.view.win
	w.Model = model
	if w.Session.ID != "" {
		g.change(control.SessionChange{ID: w.Session.ID, Model: &model})
	}
	g.view.sync()
}

func (g *Glue) rename(id, title string) { g.change(control.SessionChange{ID: id, Title: &title}) }

func (g *Glue) pin(id string, pinned bool) {
	g.change(control.SessionChange{ID: id, Pinned: &pinned})
}

// searchAfter is how long typing must rest before a search is made.
const searchAfter = 200 * time.Millisecond

func (g *Glue) search(text string) {
	g.view.list.Search = text
	g.searched++
	n := g.searched
	g.later(searchAfter, func() {
		if n == g.searched {
			g.refreshList()
		}
	})
}

// restorable is how long a deleted session can be brought back from the list.
const restorable = 10 * time.Second

func (g *Glue) remove(id string) {
	v := g.view
	open := v.list.Open == id
	v.list.Delete(id)
	if open {
		g.follow("", 0)
		v.sync()
	}
	v.syncSide()
	g.deleted++
	n := g.deleted
	ask(g, func(ctx context.Context) (struct{}, error) { return struct{}{}, g.opts.Client.DeleteSession(ctx, id) }, func(_ struct{}, err error) {
		if err != nil {
			v.list.Restore()
			v.syncSide()
			g.fail(err)
		}
	})
	g.later(restorable, func() {
		if n == g.deleted {
			v.list.Forget(id)
			v.syncSide()
		}
	})
}

func (g *Glue) restore() {
	s, ok := g.view.list.Restore()
	if !ok {
		return
	}
	g.view.syncSide()
	g.request(func(ctx context.Context) error { return g.opts.Client.RestoreSession(ctx, s.ID) })
}

// undo takes back the change of a tool's card.
func (g *Glue) undo(r *Row) {
	req := control.UndoRequest{Session: g.view.win.Session.ID, Path: r.Tool.Undo(), Workspace: g.view.win.Folder()}
	if req.Path == "" {
		return
	}
	ask(g, func(ctx context.Context) (control.Undone, error) { return g.opts.Client.Undo(ctx, req) }, func(_ control.Undone, err error) {
		r.Tool.Undone, r.Tool.UndoProblem = err == nil, ""
		if err != nil {
			what, _ := say.Sentence(err)
			r.Tool.UndoProblem = sayText(what)
		}
		g.touch(func(x *Row) bool { return x == r })
	})
}

// export saves a session as Markdown where the person says.
func (g *Glue) export(id string) {
	ask(g, func(ctx context.Context) (control.Export, error) {
		return g.opts.Client.ExportSession(ctx, control.ExportRequest{ID: id, Format: "markdown"})
	}, orFail(g, func(e control.Export) { g.saveDocument("conversation.md", "", e.Text) }))
}

// pickFolder lets the person choose the folder of a new conversation.
func (g *Glue) pickFolder() {
	if g.view.win.Session.ID != "" {
		g.fail(say.Err("A conversation keeps its folder. Start a new one to work elsewhere."))
		return
	}
	d := dialog.NewFolderOpen(func(dir fyne.ListableURI, err error) {
		if err != nil || dir == nil {
			return
		}
		g.view.win.Workspace = dir.Path()
		g.view.sync()
	}, g.opts.Window)
	if at, err := listable(g.view.win.Folder()); err == nil {
		d.SetLocation(at)
	}
	d.Show()
}

// listable is a folder as dialogs want it.
func listable(dir string) (fyne.ListableURI, error) {
	return storage.ListerForURI(storage.NewFileURI(dir))
}

// pickFiles lets the person choose a picture.
func (g *Glue) pickFiles() {
	d := dialog.NewFileOpen(func(f fyne.URIReadCloser, err error) {
		if err != nil || f == nil {
			return
		}
		path := f.URI().Path()
		_ = f.Close()
		g.attach([]string{path})
	}, g.opts.Window)
	d.SetFilter(storage.NewExtensionFileFilter([]string{".png", ".jpg", ".jpeg", ".webp", ".gif"}))
	d.Show()
}

// attach reads pictures, away from the UI goroutine.
func (g *Glue) attach(paths []string) {
	for _, path := range paths {
		ask(g, func(context.Context) (Attached, error) { return LoadImage(path) }, func(a Attached, err error) {
			g.view.win.Attach(a, err)
			g.view.sync()
		})
	}
}

// attachPasted takes in picture files that are pasted by name, and reports
// whether that is what was pasted.
func (g *Glue) attachPasted(text string) bool {
	files := PastedFiles(text)
	for _, f := range files {
		if info, err := os.Stat(f); !LooksLikeImage(f) || err != nil || info.IsDir() {
			return false
		}
	}
	g.attach(files)
	return len(files) > 0
}

// dropped takes in files that were dropped on the window: pictures go along,
// of others the path is written into the message.
func (g *Glue) dropped(files []fyne.URI) {
	var pictures []string
	in := g.view.composer.input
	for _, f := range files {
		if f.Scheme() != "file" {
			continue
		}
		if LooksLikeImage(f.Path()) {
			pictures = append(pictures, f.Path())
			continue
		}
		path := f.Path()
		if rel, err := filepath.Rel(g.view.win.Folder(), path); err == nil && filepath.IsLocal(rel) {
			path = rel
		}
		if in.Text != "" {
			path = in.Text + " " + path
		}
		in.put(path)
	}
	g.attach(pictures)
	g.view.focusInput()
}
