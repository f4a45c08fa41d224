package atspi

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"slices"

	"github.com/godbus/dbus/v5"

	"github.com/hobkin/hobkin/computeruse/wire"
)

// Windows are those of the programs that take part in accessibility, for
// desktops on which no one else tells of windows: Wayland without a protocol for
// it. Where they are is not known there.
type Windows struct{ tree *Tree }

// NewWindows returns the windows in a tree.
func NewWindows(t *Tree) *Windows { return &Windows{t} }

// List returns the windows, the active one first.
func (ws *Windows) List(ctx context.Context) ([]wire.Window, error) {
	conn, err := ws.tree.bus.get(ctx)
	if err != nil {
		return nil, err
	}
	r := &reader{conn: conn, patience: ws.tree.patience, program: registryName}
	apps, err := r.apps(ctx)
	if err != nil {
		return nil, wrap(err)
	}
	results := make(chan []wire.Window, len(apps))
	for _, app := range apps {
		go func() { // ends within the patience, and is waited for
			list, _ := (&reader{conn: conn, patience: ws.tree.patience, program: "a program"}).windowsOf(ctx, app) // one that hangs has none
			results <- list
		}()
	}
	all := []wire.Window{}
	for range apps {
		all = append(all, <-results...)
	}
	slices.SortFunc(all, func(a, b wire.Window) int {
		if a.Active != b.Active {
			return map[bool]int{true: -1, false: 1}[a.Active]
		}
		return cmp.Compare(a.ID, b.ID)
	})
	return all, ctx.Err()
}

// windowsOf returns the windows of one program.
func (r *reader) windowsOf(ctx context.Context, app object) ([]wire.Window, error) {
	var objects []object
	var name dbus.Variant
	var pid uint32
	err := r.ask(ctx,
		&question{of: app, method: accessible + ".GetChildren", into: []any{&objects}},
		property(app, accessible, "Name", &name),
		processOf(app, &pid),
	)
	if err != nil {
		return nil, err
	}
	list, err := r.readTops(ctx, objects)
	if err != nil {
		return nil, err
	}
	var out []wire.Window
	for _, tp := range list {
		if tp.popup() || tp.role == "" || tp.name == "" && !tp.states.has(active) {
			continue
		}
		w := wire.Window{
			ID: tp.object.id(), Title: short(tp.name, maxName), PID: int(pid),
			Active: tp.states.has(active), Minimized: !tp.states.has(showing),
		}
		w.App, _ = name.Value().(string)
		w.App = short(w.App, maxName)
		w.Exe, _ = os.Readlink(fmt.Sprintf("/proc/%d/exe", pid))
		out = append(out, w)
	}
	return out, nil
}

// id names an object for as long as its program runs.
func (o object) id() string { return o.Bus + string(o.Path) }

// Active returns the window with the focus; empty if none is known to have it.
func (ws *Windows) Active(ctx context.Context) (string, error) {
	list, err := ws.List(ctx)
	if err != nil || len(list) == 0 || !list[0].Active {
		return "", err
	}
	return list[0].ID, nil
}

// At cannot be told here.
func (*Windows) At(context.Context, wire.Point) (*wire.Window, error) {
	return nil, &wire.Error{
		Code: wire.Unsupported, Message: "On this desktop no program is told where windows are, so that nobody knows what a click would hit.",
		Fix: "Use press and set_value on elements, or the keyboard; or log in to a session with X11, or with sway.",
	}
}

// Focus cannot be done here.
func (*Windows) Focus(context.Context, string) error {
	return &wire.Error{
		Code: wire.Unsupported, Message: "On this desktop no program may bring the window of another to the front.",
		Fix: "Click on the window yourself.",
	}
}
