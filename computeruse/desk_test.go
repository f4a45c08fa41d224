package computeruse

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/hobkin/hobkin/computeruse/wire"
	"github.com/hobkin/hobkin/core/capability"
)

// A fakeDesk is a screen without a screen, for what depends on time and on
// chance: the tests of package tool use the real helper. It answers by the
// protocol, with windows that can be moved about.
type fakeDesk struct {
	mu       sync.Mutex
	displays wire.DisplaysResult
	windows  []wire.Window // the topmost first
	cursor   wire.Point
	idle     time.Duration // of the person; below zero: not known
	frame    int           // counts pictures that differ
	dull     bool          // acts change nothing
	fail     map[string]error
	during   map[string]func(ctx context.Context) // runs while a request is answered
	calls    []string
	stops    int
	boxes    []wire.Box // where a change is said to be
	bar      func(wire.BarParams)
	elements wire.ElementsResult
}

func newFakeDesk() *fakeDesk {
	box := wire.Box{W: 1920, H: 1080}
	left := wire.Box{X: -2560, Y: -180, W: 2560, H: 1440}
	return &fakeDesk{
		displays: wire.DisplaysResult{Layout: "a", Displays: []wire.Display{
			{ID: "1", Primary: true, Box: box, Logical: wire.Size{W: 1920, H: 1080}, Scale: 1},
			{ID: "2", Box: left, Logical: wire.Size{W: 1280, H: 720}, Scale: 2},
		}},
		windows: []wire.Window{
			{ID: "w1", Title: "Notes", App: "Gedit", Exe: "/usr/bin/gedit", Box: wire.Box{X: 100, Y: 100, W: 600, H: 400}, Display: "1", Active: true},
			{ID: "w2", Title: "root@home", App: "Nice", Exe: "/usr/bin/xterm", Box: wire.Box{X: 800, Y: 100, W: 600, H: 400}, Display: "1"},
			{ID: "w3", Title: "Mail", App: "Mail", Box: wire.Box{X: -2000, Y: 0, W: 600, H: 400}, Display: "2"},
		},
		idle: time.Hour, fail: map[string]error{}, during: map[string]func(context.Context){},
	}
}

func (d *fakeDesk) Stop() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.stops++
}

// sent lists the acts that went out.
func (d *fakeDesk) sent() (out []string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, c := range d.calls {
		switch c {
		case wire.Displays, wire.Windows, wire.WindowAt, wire.Capture, wire.WaitChange, wire.Person, wire.Cursor, wire.Bar, wire.Hotkey, wire.Elements, wire.Inspect:
		default:
			out = append(out, c)
		}
	}
	return out
}

func (d *fakeDesk) Do(ctx context.Context, method string, params, result any) error {
	d.mu.Lock()
	d.calls = append(d.calls, method)
	during, err := d.during[method], d.fail[method]
	d.mu.Unlock()
	if during != nil {
		during(ctx)
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if err != nil {
		return err
	}
	d.mu.Lock()
	out, err := d.answer(method, params)
	d.mu.Unlock()
	if err != nil || result == nil || out == nil {
		return err
	}
	raw, err := json.Marshal(out)
	if err != nil {
		return err
	}
	return json.Unmarshal(raw, result)
}

func (d *fakeDesk) answer(method string, params any) (any, error) {
	switch p := params.(type) {
	case wire.CaptureParams:
		return d.capture(p)
	case wire.WaitChangeParams:
		r := wire.ChangeResult{Changed: p.Since != "" && p.Since != d.hash(p.Region), Since: p.Since != ""}
		if r.Changed {
			r.Boxes = d.boxes
		}
		return r, nil
	case wire.Point:
		return wire.WindowAtResult{Window: d.at(p)}, nil
	case wire.ClickParams:
		return nil, d.act(p.Point, p.Window, p.Layout)
	case wire.ButtonParams:
		return nil, d.act(p.Point, p.Window, p.Layout)
	case wire.ScrollParams:
		return nil, d.act(p.Point, p.Window, p.Layout)
	case wire.MoveParams:
		return nil, d.act(&p.Point, "", p.Layout)
	case wire.DragParams:
		return nil, d.act(&p.Path[0], p.Window, p.Layout)
	case wire.TypeParams:
		return wire.TypeResult{Method: "keys", Typed: len([]rune(p.Text))}, d.act(nil, p.Window, "")
	case wire.KeyParams:
		return nil, d.act(nil, p.Window, "")
	case wire.HoldKeyParams, wire.PressParams, wire.SetValueParams:
		return nil, d.act(nil, "", "")
	case wire.FocusWindowParams:
		for i := range d.windows {
			d.windows[i].Active = d.windows[i].ID == p.Window
		}
		return nil, d.act(nil, "", "")
	case wire.ElementsParams:
		return d.elements, nil
	case wire.BarParams:
		if d.bar != nil {
			d.bar(p)
		}
	}
	switch method {
	case wire.Displays:
		return d.displays, nil
	case wire.Windows:
		return wire.WindowsResult{Windows: d.windows}, nil
	case wire.Cursor:
		return wire.CursorResult{Point: d.cursor, Display: "1"}, nil
	case wire.Person:
		return wire.PersonResult{Known: d.idle >= 0, IdleMS: int(d.idle.Milliseconds())}, nil
	}
	return struct{}{}, nil
}

func (d *fakeDesk) hash(region *wire.Box) string { return fmt.Sprint(d.frame, region) }

func (d *fakeDesk) capture(p wire.CaptureParams) (any, error) {
	i := slices.IndexFunc(d.displays.Displays, func(x wire.Display) bool { return x.ID == p.Display })
	if i < 0 {
		return nil, &wire.Error{Code: wire.UnknownDisplay, Message: "there is no such display"}
	}
	r := wire.CaptureResult{Display: p.Display, Layout: d.displays.Layout, Box: d.displays.Displays[i].Box, Image: []byte("png"), Hash: d.hash(p.Region), Format: "png"}
	if p.Region != nil {
		r.Box = *p.Region
	}
	r.Sent = *p.Size
	return r, nil
}

func (d *fakeDesk) at(p wire.Point) *wire.Window {
	for i := range d.windows {
		if d.windows[i].Box.Contains(p) && !d.windows[i].Minimized {
			return &d.windows[i]
		}
	}
	return nil
}

// act does what the real helper does: it judges once more, then changes the
// picture.
func (d *fakeDesk) act(p *wire.Point, window, layout string) error {
	if layout != "" && layout != d.displays.Layout {
		return &wire.Error{Code: wire.DisplayReplaced, Message: "the displays have changed"}
	}
	if p != nil {
		w := d.at(*p)
		if window != "" && (w == nil) != (window == wire.NoWindow) || window != "" && w != nil && w.ID != window {
			return &wire.Error{Code: wire.UnknownWindow, Message: "another window lies there"}
		}
		d.cursor = *p
	}
	if !d.dull {
		d.frame++
	}
	return nil
}

// rig is a session on such a desk.
type rig struct {
	*Session
	desk   *fakeDesk
	cfg    Config
	states []State
	mu     sync.Mutex
	calls  int
}

func newRig(t *testing.T) *rig {
	t.Helper()
	r := &rig{desk: newFakeDesk(), cfg: Config{Enabled: true, NoBar: true}}
	r.Session = New(Options{
		Desk: r.desk, Config: func() Config { return r.cfg },
		Changed: func(s State) {
			r.mu.Lock()
			defer r.mu.Unlock()
			r.states = append(r.states, s)
		},
	})
	t.Cleanup(r.Close)
	return r
}

var owner = capability.Turn{Session: "s", ID: "t1", Trust: capability.Operator, Attended: true, Channel: "desktop", Provenance: capability.FromPerson}

func (r *rig) call(t capability.Turn) capability.Call {
	r.calls++
	return capability.Call{ID: fmt.Sprint("call-", r.calls), Turn: t}
}

// do judges and does, as the path of a call does; agree runs between, while a
// person is asked.
func (r *rig) do(t *testing.T, turn capability.Turn, a Act, agree func()) (*Receipt, error) {
	t.Helper()
	call := r.call(turn)
	if _, err := r.Judge(t.Context(), call, a); err != nil {
		return nil, err
	}
	if agree != nil {
		agree()
	}
	return r.Do(t.Context(), call, a)
}

func (r *rig) shot(t *testing.T, turn capability.Turn, v View) *Shot {
	t.Helper()
	s, err := r.Screenshot(t.Context(), turn, v)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// click is a click at a point of the desktop, as a model would name it.
func click(f *Frame, x, y int) Act {
	s, _ := f.Picture(wire.Point{X: x, Y: y})
	return Act{Action: LeftClick, Observation: f.ID, X: &s.X, Y: &s.Y}
}

// pass lets time pass in the bubble of a test.
func pass(d time.Duration) { time.Sleep(d) } //nolint:forbidigo // time of the bubble
