//go:build cgo || purego

package robot

import (
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"image"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/go-vgo/robotgo"
	"github.com/kbinani/screenshot"

	"github.com/hobkin/hobkin/computeruse/native"
	"github.com/hobkin/hobkin/computeruse/wire"
)

// A Desk is the desktop of this session.
type Desk struct {
	idle *idle

	mu   sync.Mutex // robotgo is not made to be called twice at once
	held []string   // keys and buttons that are down
}

// Open prepares the process and looks for a display. It must come before any
// other use of robotgo, which crashes where there is none.
func Open() (*Desk, error) {
	if err := prepare(); err != nil {
		return nil, err
	}
	if screenshot.NumActiveDisplays() < 1 {
		return nil, &wire.Error{Code: wire.NoDisplay, Message: "there is no display", Fix: "start Hobkin within the graphical session"}
	}
	return &Desk{idle: &idle{since: systemIdle}}, nil
}

// Parts are what the server needs.
func (d *Desk) Parts() native.Parts {
	p := native.Parts{
		DisplayServer: displayServer, Backend: "robotgo",
		Screen: d, Pointer: d, Keyboard: d, Held: d, Missing: missing(),
	}
	if d.idle.known() {
		p.Watcher = d.idle
	}
	return p
}

// missing are what robotgo cannot do.
func missing() []wire.Capability {
	return []wire.Capability{
		{Name: wire.CanWindows, Reason: "windows of other programs are not listed on this system yet"},
		{Name: wire.CanElements, Reason: "the accessibility tree is not read on this system yet"},
		{Name: wire.CanBar, Reason: "there is no strip on this system; the tray shows what happens instead"},
		{Name: wire.CanPerson, Reason: "this system does not tell when a person used mouse or keyboard last"},
	}
}

// Probe implements native.Prober: what the system lets us do.
func (d *Desk) Probe(context.Context) error { return allowed() }

// Displays implements native.Screen.
func (d *Desk) Displays(context.Context) (wire.DisplaysResult, error) {
	n := screenshot.NumActiveDisplays()
	if n < 1 {
		return wire.DisplaysResult{}, &wire.Error{Code: wire.NoDisplay, Message: "there is no display", Fix: "switch a screen on"}
	}
	hash := fnv.New64a()
	var list []wire.Display
	for i := range n {
		r := screenshot.GetDisplayBounds(i)
		scale := scaleOf(r)
		dis := wire.Display{
			ID: strconv.Itoa(i + 1), Name: fmt.Sprintf("display %d", i+1), Primary: r.Min == image.Point{}, Scale: scale,
			Box:     wire.Box{X: r.Min.X, Y: r.Min.Y, W: r.Dx(), H: r.Dy()},
			Logical: wire.Size{W: int(float64(r.Dx())/scale + 0.5), H: int(float64(r.Dy())/scale + 0.5)},
		}
		_, _ = fmt.Fprintf(hash, "%v %v;", dis.Box, scale)
		list = append(list, dis)
	}
	return wire.DisplaysResult{Layout: strconv.FormatUint(hash.Sum64(), 16), Displays: list}, nil
}

// Grab implements native.Screen.
func (d *Desk) Grab(_ context.Context, b wire.Box) (*image.RGBA, error) {
	img, err := screenshot.Capture(b.X, b.Y, b.W, b.H)
	switch {
	case errors.Is(err, screenshot.ErrUnsupported):
		return nil, &wire.Error{Code: wire.Unsupported, Message: "this build cannot take pictures of the screen", Fix: "install a release, which is built with cgo"}
	case err != nil:
		return nil, fmt.Errorf("taking a picture of the screen: %w", err)
	case img.Bounds().Empty():
		return nil, &wire.Error{Code: wire.Denied, Message: "the picture of the screen has no size", Fix: "allow Hobkin to record the screen, and start it again"}
	}
	return img, nil
}

// Where implements native.Pointer.
func (d *Desk) Where(context.Context) (wire.Point, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	x, y := robotgo.Location()
	return wire.Point{X: x, Y: y}, nil
}

// arrive is how long the system may take until the pointer is where it was sent.
const arrive = 200 * time.Millisecond

// Move implements native.Pointer.
func (d *Desk) Move(ctx context.Context, to wire.Point) error {
	d.act(func() { robotgo.Move(to.X, to.Y) })
	for end := time.Now().Add(arrive); ; {
		at, err := d.Where(ctx)
		if err != nil || at == to {
			return err
		}
		if time.Now().After(end) {
			return &wire.Error{Code: wire.Failed, Message: fmt.Sprintf("the pointer went to %d,%d instead of %d,%d", at.X, at.Y, to.X, to.Y)}
		}
		if err := native.Pause(ctx, time.Millisecond); err != nil {
			return err
		}
	}
}

// act does something that the idle time must not count as a person's.
func (d *Desk) act(do func()) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.idle.ours()
	do()
	d.idle.ours()
}

func buttonOf(name string) string {
	if name == wire.Middle {
		return "center"
	}
	return name
}

const buttonSuffix = " button"

// Press implements native.Pointer.
func (d *Desk) Press(_ context.Context, button string) (err error) {
	d.act(func() {
		d.held = append(d.held, button+buttonSuffix)
		err = robotgo.Toggle(buttonOf(button), "down")
	})
	return err
}

// Release implements native.Pointer.
func (d *Desk) Release(_ context.Context, button string) (err error) {
	d.act(func() {
		d.forget(button + buttonSuffix)
		err = robotgo.Toggle(buttonOf(button), "up")
	})
	return err
}

func (d *Desk) forget(name string) {
	if i := slices.Index(d.held, name); i >= 0 {
		d.held = slices.Delete(d.held, i, i+1)
	}
}

// Wheel implements native.Pointer.
func (d *Desk) Wheel(_ context.Context, dx, dy int) error {
	d.act(func() { robotgo.Scroll(-dx, -dy) }) // robotgo counts to the left and up
	return nil
}

// Hold implements native.Keyboard.
func (d *Desk) Hold(_ context.Context, text string) (release func() error, err error) {
	c, err := parseChord(text)
	if err != nil {
		return nil, err
	}
	if c.text != "" {
		d.act(func() { robotgo.Type(c.text) })
		return func() error { return nil }, nil
	}
	release = func() (err error) {
		for _, k := range slices.Backward(c.keys) {
			d.act(func() {
				if slices.Contains(d.held, k) {
					d.forget(k)
					err = errors.Join(err, robotgo.KeyUp(k))
				}
			})
		}
		return err
	}
	for _, k := range c.keys {
		d.act(func() {
			d.held = append(d.held, k)
			err = errors.Join(err, robotgo.KeyDown(k))
		})
	}
	if err != nil {
		_ = release()
		return nil, &wire.Error{Code: wire.UnknownKey, Message: fmt.Sprintf("the keys %s cannot be pressed here: %v", text, err)}
	}
	return release, nil
}

// ReleaseAll implements native.Held.
func (d *Desk) ReleaseAll() (names []string) {
	d.act(func() {
		names, d.held = d.held, nil
		for _, n := range slices.Backward(names) {
			if b, ok := strings.CutSuffix(n, buttonSuffix); ok {
				_ = robotgo.Toggle(buttonOf(b), "up") // there is nobody to tell
				continue
			}
			_ = robotgo.KeyUp(n)
		}
	})
	return names
}

// Type implements native.Keyboard: these systems take characters as they are.
func (d *Desk) Type(_ context.Context, text string, still func() error) (wire.TypeResult, error) {
	r := wire.TypeResult{Method: "keys"}
	for _, c := range text {
		if err := still(); err != nil {
			return r, err
		}
		switch c {
		case '\n', '\t':
			key := map[rune]string{'\n': "enter", '\t': "tab"}[c]
			var err error
			if d.act(func() { err = robotgo.KeyTap(key) }); err != nil {
				return r, err
			}
		default:
			d.act(func() { robotgo.Type(string(c)) })
		}
		r.Typed++
	}
	return r, nil
}

// Paste implements native.Keyboard. Characters go in as they are here, so
// that the clipboard is left alone.
func (d *Desk) Paste(ctx context.Context, text string, still func() error) (wire.TypeResult, error) {
	return d.Type(ctx, text, still)
}
