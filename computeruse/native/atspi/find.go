package atspi

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/godbus/dbus/v5"

	"github.com/hobkin/hobkin/computeruse/wire"
)

// A place is a window of the desktop, found again in the accessibility tree.
type place struct {
	*reader
	roots    []*node // the window, then what is open above it: menus, lists of combo boxes
	lens     lens
	displays []wire.Box
}

// A top is a top-level element of a program: what AT-SPI calls a frame, a
// dialog or a window.
type top struct {
	object object
	role   string
	name   string
	states states
	box    wire.Box // as the program says it
}

// find finds a window in the tree. The program is told by its process; within
// it, and where the process is not known, by title and place.
func (t *Tree) find(ctx context.Context, w wire.Window) (*place, error) {
	for {
		p, err := t.findNow(ctx, w)
		if err == nil || asWire(err).Code != wire.Unsupported || !t.bus.young() {
			return p, err
		}
		select {
		case <-time.After(waking):
		case <-ctx.Done():
			return nil, err
		}
	}
}

// waking is between looks for a program that has just noticed that somebody
// wants to see its elements, as those made with Qt do.
const waking = 200 * time.Millisecond

func (t *Tree) findNow(ctx context.Context, w wire.Window) (*place, error) {
	conn, err := t.bus.get(ctx)
	if err != nil {
		return nil, err
	}
	reg := &reader{conn: conn, patience: t.patience, program: registryName}
	apps, err := reg.apps(ctx)
	if err != nil {
		return nil, err
	}
	own, others := reg.byProcess(ctx, apps, w.PID)
	name := orName(w.App, w.Title)
	if p, err := t.among(ctx, conn, own, w, name); p != nil || err != nil {
		return p, err
	}
	// In a container a program knows its process by another number. Then only
	// title and place together are proof.
	if p, err := t.among(ctx, conn, others, w, ""); p != nil || err != nil && w.PID == 0 {
		return p, err
	}
	return nil, &wire.Error{
		Code:    wire.Unsupported,
		Message: fmt.Sprintf("The window “%s” of %s shows no elements: the program does not take part in accessibility.", short(w.Title, maxName), short(orName(w.App, "an unknown program"), maxName)),
		Fix:     "Use a screenshot and the pointer. Programs made with Qt show theirs after “gsettings set org.gnome.desktop.interface toolkit-accessibility true” and a new start; those of Chromium and Electron when started with ACCESSIBILITY_ENABLED=1 in their environment and the option --force-renderer-accessibility.",
	}
}

// byProcess splits the programs into those of the process and the others. The
// bus itself knows the numbers, so that no program is asked.
func (r *reader) byProcess(ctx context.Context, apps []object, pid int) (own, others []object) {
	pids := make([]uint32, len(apps))
	questions := make([]*question, len(apps))
	for i, a := range apps {
		questions[i] = processOf(a, &pids[i])
	}
	_ = r.ask(ctx, questions...) // who is not known is among the others
	for i, a := range apps {
		if pid > 0 && int(pids[i]) == pid {
			own = append(own, a)
		} else {
			others = append(others, a)
		}
	}
	return own, others
}

// processOf asks the bus for the process of a program.
func processOf(app object, pid *uint32) *question {
	return &question{
		of: object{"org.freedesktop.DBus", "/org/freedesktop/DBus"}, method: "org.freedesktop.DBus.GetConnectionUnixProcessID",
		args: []any{app.Bus}, into: []any{pid},
	}
}

// among looks for the window in some programs at once, so that one that hangs
// holds up no other. name is what they are called; empty: they are strangers,
// which are asked for their names and must match by title and place.
func (t *Tree) among(ctx context.Context, conn *dbus.Conn, apps []object, w wire.Window, name string) (*place, error) {
	type found struct {
		*place
		err error
	}
	results := make(chan found, len(apps))
	for _, app := range apps {
		go func() { // ends within the patience, and among waits for it
			r := &reader{conn: conn, patience: t.patience, program: name}
			p, err := r.tops(ctx, app, w, name != "")
			results <- found{p, err}
		}()
	}
	var best *place
	var errs []error
	for range apps {
		f := <-results
		if f.place != nil {
			best = f.place
		}
		if f.err != nil && !gone(f.err) {
			errs = append(errs, f.err)
		}
	}
	if best == nil {
		return nil, errors.Join(errs...)
	}
	return best, t.screens(ctx, best)
}

func (t *Tree) screens(ctx context.Context, p *place) error {
	if t.displays == nil {
		return nil
	}
	all, err := t.displays.Displays(ctx)
	for _, d := range all.Displays {
		p.displays = append(p.displays, d.Box)
	}
	return err
}

// tops asks a program for its top-level elements and returns the place of the
// window among them, or nil.
func (r *reader) tops(ctx context.Context, app object, w wire.Window, sure bool) (*place, error) {
	var tops []object
	if err := r.one(ctx, question{of: app, method: accessible + ".GetChildren", into: []any{&tops}}); err != nil {
		return nil, err
	}
	list, err := r.readTops(ctx, tops)
	if err != nil {
		return nil, err
	}
	i := choose(w, list, sure)
	if i < 0 {
		return nil, nil //nolint:nilnil // not here, and nothing wrong
	}
	p := &place{reader: r, lens: lensFor(list[i].box, w.Box)}
	r.program = orName(r.program, w.App)
	p.roots = append(p.roots, &node{object: list[i].object})
	for j := range list {
		if j != i && list[j].popup() {
			p.roots = append(p.roots, &node{object: list[j].object})
		}
	}
	return p, nil
}

// readTops asks the four questions about top-level elements.
func (r *reader) readTops(ctx context.Context, objects []object) ([]top, error) {
	list := make([]top, min(len(objects), mostTops))
	var questions []*question
	for i := range list {
		list[i].object = objects[i]
		questions = append(questions, list[i].questions()...)
	}
	if err := r.ask(ctx, questions...); err != nil {
		return nil, err
	}
	for i := range list {
		list[i].name = questions[i*perTop].variantString()
	}
	return list, nil
}

const (
	mostTops = 200 // windows of one program
	perTop   = 4   // questions
)

func (tp *top) questions() []*question {
	return []*question{
		property(tp.object, accessible, "Name", new(dbus.Variant)),
		{of: tp.object, method: accessible + ".GetRoleName", into: []any{&tp.role}},
		{of: tp.object, method: accessible + ".GetState", into: []any{&tp.states}},
		{of: tp.object, method: component + ".GetExtents", args: []any{uint32(0)}, into: []any{(*extents)(&tp.box)}},
	}
}

func (q *question) variantString() string {
	if v, ok := q.into[0].(*dbus.Variant); ok && q.err == nil {
		s, _ := v.Value().(string)
		return s
	}
	return ""
}

// popup reports whether it is something open above the windows.
func (tp *top) popup() bool {
	switch tp.role {
	case "window", "menu", "popup menu", "combo box", "list":
		return tp.states.has(showing)
	}
	return false
}

// choose returns which of the top-level elements is the window, or -1 where
// none is provably it. sure says that they are of its process.
func choose(w wire.Window, tops []top, sure bool) int {
	best, most := -1, 0
	for i, tp := range tops {
		title := w.Title != "" && strings.TrimSpace(tp.name) == strings.TrimSpace(w.Title)
		_, placed := fit(tp.box, w.Box)
		var score int
		switch {
		case w.ID != "" && w.ID == tp.object.id():
			score = 8
		case title && placed:
			score = 6
		case sure && title:
			score = 4
		case sure && placed:
			score = 2
		default:
			continue
		}
		if w.Active && tp.states.has(active) {
			score++
		}
		if score > most {
			best, most = i, score
		}
	}
	return best
}

func orName(s, usual string) string {
	if s == "" {
		return usual
	}
	return s
}
