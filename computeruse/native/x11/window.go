package x11

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/jezek/xgb/xproto"

	"github.com/hobkin/hobkin/computeruse/native"
	"github.com/hobkin/hobkin/computeruse/wire"
)

// Windows are the windows of an X display, as its window manager keeps them.
type Windows struct {
	c *conn
}

func newWindows(ctx context.Context, display string) (*Windows, error) {
	c, err := dial(ctx, display, nil)
	if err != nil {
		return nil, err
	}
	return &Windows{c: c}, nil
}

// List implements native.Windows.
func (ws *Windows) List(ctx context.Context) ([]wire.Window, error) {
	ids, err := ws.ids()
	if err != nil {
		return nil, ws.c.check(err)
	}
	active, err := ws.active()
	if err != nil {
		return nil, ws.c.check(err)
	}
	var list []wire.Window
	for _, id := range slices.Backward(ids) {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if w, err := ws.describe(id); err == nil { // else it closed just now
			w.Active = id == active
			list = append(list, w)
		}
	}
	return list, nil
}

// ids are the top-level windows, the lowest first. Where no window manager
// keeps a list, they are the children of the root that programs mean to be
// managed.
func (ws *Windows) ids() (ids []xproto.Window, err error) {
	for _, n := range ws.c.numbers(ws.c.root, "_NET_CLIENT_LIST_STACKING") {
		ids = append(ids, xproto.Window(n))
	}
	if len(ids) > 0 || ws.managed() {
		return ids, nil
	}
	tree, err := xproto.QueryTree(ws.c.Conn, ws.c.root).Reply()
	if err != nil {
		return nil, err
	}
	for _, child := range tree.Children {
		a, err := xproto.GetWindowAttributes(ws.c.Conn, child).Reply()
		if err == nil && a.MapState == xproto.MapStateViewable && a.Class == xproto.WindowClassInputOutput && !a.OverrideRedirect {
			ids = append(ids, child)
		}
	}
	return ids, nil
}

// managed reports whether a window manager that keeps lists runs.
func (ws *Windows) managed() bool {
	check := ws.c.numbers(ws.c.root, "_NET_SUPPORTING_WM_CHECK")
	if len(check) == 0 {
		return false
	}
	again := ws.c.numbers(xproto.Window(check[0]), "_NET_SUPPORTING_WM_CHECK")
	return len(again) > 0 && again[0] == check[0]
}

// Active implements native.Windows.
func (ws *Windows) Active(context.Context) (string, error) {
	w, err := ws.active()
	if err != nil || w == 0 {
		return "", ws.c.check(err)
	}
	return idOf(w), nil
}

func (ws *Windows) active() (xproto.Window, error) {
	if list := ws.c.numbers(ws.c.root, "_NET_ACTIVE_WINDOW"); len(list) > 0 {
		return xproto.Window(list[0]), nil
	}
	r, err := xproto.GetInputFocus(ws.c.Conn).Reply()
	if err != nil {
		return 0, err
	}
	if r.Focus <= xproto.InputFocusPointerRoot || r.Focus == ws.c.root || ws.managed() {
		return 0, nil
	}
	return ws.top(r.Focus), nil
}

// top is the child of the root that holds w.
func (ws *Windows) top(w xproto.Window) xproto.Window {
	for range maxDepth {
		t, err := xproto.QueryTree(ws.c.Conn, w).Reply()
		if err != nil || t.Parent == ws.c.root || t.Parent == 0 {
			return w
		}
		w = t.Parent
	}
	return w
}

// maxDepth bounds the walk through windows within windows.
const maxDepth = 64

func idOf(w xproto.Window) string { return fmt.Sprintf("0x%x", uint32(w)) }

func windowOf(id string) (xproto.Window, bool) {
	n, err := strconv.ParseUint(strings.TrimPrefix(id, "0x"), 16, 32)
	return xproto.Window(n), err == nil && strings.HasPrefix(id, "0x")
}

// describe tells what is known of a window.
func (ws *Windows) describe(id xproto.Window) (w wire.Window, err error) {
	w = wire.Window{ID: idOf(id), Title: ws.title(id), App: ws.class(id)}
	if w.Box, err = ws.box(id); err != nil {
		return w, err
	}
	if pid := ws.c.numbers(id, "_NET_WM_PID"); len(pid) > 0 && ws.local(id) {
		w.PID = int(pid[0])
		w.Exe, _ = os.Readlink(fmt.Sprintf("/proc/%d/exe", w.PID)) // another user's is not to be read
	}
	hidden := uint32(ws.c.atoms.of("_NET_WM_STATE_HIDDEN"))
	w.Minimized = slices.Contains(ws.c.numbers(id, "_NET_WM_STATE"), hidden)
	return w, nil
}

func (ws *Windows) title(id xproto.Window) string {
	for _, name := range []string{"_NET_WM_NAME", "WM_NAME"} {
		raw, err := ws.c.property(id, ws.c.atoms.of(name))
		if err == nil && len(raw) > 0 {
			return strings.ToValidUTF8(string(raw), "�")
		}
	}
	return ""
}

// class is the second, general part of a window's class.
func (ws *Windows) class(id xproto.Window) string {
	raw, err := ws.c.property(id, xproto.AtomWmClass)
	if err != nil {
		return ""
	}
	parts := strings.Split(strings.TrimSuffix(string(raw), "\x00"), "\x00")
	return strings.ToValidUTF8(parts[len(parts)-1], "�")
}

// local reports whether a window's program runs on this machine: only then its
// number means a process of ours.
func (ws *Windows) local(id xproto.Window) bool {
	raw, err := ws.c.property(id, xproto.AtomWmClientMachine)
	if err != nil || len(raw) == 0 {
		return true
	}
	host, err := os.Hostname()
	return err != nil || host == strings.TrimRight(string(raw), "\x00")
}

// box is where a window is, its frame included.
func (ws *Windows) box(id xproto.Window) (wire.Box, error) {
	g, err := xproto.GetGeometry(ws.c.Conn, xproto.Drawable(id)).Reply()
	if err != nil {
		return wire.Box{}, err
	}
	at, err := xproto.TranslateCoordinates(ws.c.Conn, id, ws.c.root, 0, 0).Reply()
	if err != nil {
		return wire.Box{}, err
	}
	b := wire.Box{X: int(at.DstX), Y: int(at.DstY), W: int(g.Width), H: int(g.Height)}
	if f := ws.c.numbers(id, "_NET_FRAME_EXTENTS"); len(f) == 4 && max(f[0], f[1], f[2], f[3]) < 1000 {
		left, right, top, bottom := int(f[0]), int(f[1]), int(f[2]), int(f[3])
		b = wire.Box{X: b.X - left, Y: b.Y - top, W: b.W + left + right, H: b.H + top + bottom}
	}
	return b, nil
}

// At implements native.Windows. A menu or another window that no window
// manager keeps is one of its own.
func (ws *Windows) At(_ context.Context, p wire.Point) (*wire.Window, error) {
	r, err := xproto.TranslateCoordinates(ws.c.Conn, ws.c.root, ws.c.root, int16(p.X), int16(p.Y)).Reply()
	if err != nil {
		return nil, ws.c.check(err)
	}
	if r.Child == 0 {
		return nil, nil
	}
	id := r.Child
	ids, err := ws.ids()
	if err != nil {
		return nil, ws.c.check(err)
	}
	for w, depth := r.Child, 0; w != 0 && depth < maxDepth; depth++ {
		if slices.Contains(ids, w) {
			id = w
			break
		}
		in, err := xproto.TranslateCoordinates(ws.c.Conn, ws.c.root, w, int16(p.X), int16(p.Y)).Reply()
		if err != nil {
			break // it closed just now
		}
		w = in.Child
	}
	if id == r.Child && !slices.Contains(ids, id) {
		id = ws.framed(r.Child, ids)
	}
	w, err := ws.describe(id)
	if err != nil {
		return nil, nil //nolint:nilerr // it closed just now, so nothing is there
	}
	active, err := ws.active()
	w.Active = active == id
	return &w, ws.c.check(err)
}

// framed is the window whose frame that is: the point was on its title or edge.
func (ws *Windows) framed(frame xproto.Window, ids []xproto.Window) xproto.Window {
	for _, id := range ids {
		if ws.top(id) == frame {
			return id
		}
	}
	return frame
}

// focusTime bounds the wait until a window is active.
const (
	focusTime = 3 * time.Second
	focusLook = 10 * time.Millisecond
)

// Focus implements native.Windows.
func (ws *Windows) Focus(ctx context.Context, id string) error {
	w, ok := windowOf(id)
	if ok {
		_, err := ws.describe(w)
		ok = err == nil
	}
	if !ok {
		return &wire.Error{Code: wire.UnknownWindow, Message: fmt.Sprintf("there is no window %q", id), Fix: "list the windows again"}
	}
	ws.ask(w)
	ctx, cancel := context.WithTimeout(ctx, focusTime)
	defer cancel()
	for {
		active, err := ws.active()
		if err != nil {
			return ws.c.check(err)
		}
		if active == w {
			return nil
		}
		if err := native.Pause(ctx, focusLook); err != nil {
			return &wire.Error{Code: wire.TimedOut, Message: "the window did not come to the front", Sent: true, Fix: "click on it"}
		}
	}
}

// ask asks the window manager to bring a window to the front, as a pager does;
// without one it is done right away.
func (ws *Windows) ask(w xproto.Window) {
	if !ws.managed() {
		xproto.ConfigureWindow(ws.c.Conn, w, xproto.ConfigWindowStackMode, []uint32{xproto.StackModeAbove})
		xproto.SetInputFocus(ws.c.Conn, xproto.InputFocusParent, w, xproto.TimeCurrentTime)
		return
	}
	const pager = 2
	e := xproto.ClientMessageEvent{
		Format: 32, Window: w, Type: ws.c.atoms.of("_NET_ACTIVE_WINDOW"),
		Data: xproto.ClientMessageDataUnionData32New([]uint32{pager, xproto.TimeCurrentTime, 0, 0, 0}),
	}
	xproto.SendEvent(ws.c.Conn, false, ws.c.root, xproto.EventMaskSubstructureRedirect|xproto.EventMaskSubstructureNotify, string(e.Bytes()))
}

// terminals are programs in which Ctrl+V does not paste, by their class in
// lower case.
var terminals = []string{
	"xterm", "uxterm", "urxvt", "rxvt", "gnome-terminal", "konsole", "kitty", "alacritty", "xfce4-terminal", "mate-terminal",
	"lxterminal", "terminator", "tilix", "st-256color", "org.wezfurlong.wezterm", "deepin-terminal", "qterminal", "guake",
	"yakuake", "terminology", "cool-retro-term", "sakura", "roxterm", "tilda", "contour", "ghostty", "com.mitchellh.ghostty", "kgx",
}

// terminal reports whether the active window is a terminal.
func (ws *Windows) terminal(context.Context) bool {
	w, err := ws.active()
	return err == nil && w != 0 && slices.Contains(terminals, strings.TrimSuffix(strings.ToLower(ws.class(w)), "-server"))
}
