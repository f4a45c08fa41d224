package x11

import (
	"context"
	"encoding/binary"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/jezek/xgb/xproto"
	"github.com/jezek/xgb/xtest"

	"github.com/hobkin/hobkin/computeruse/native"
	"github.com/hobkin/hobkin/computeruse/wire"
)

// An input puts in what a mouse and a keyboard would, through XTEST, and knows
// what it holds down.
type input struct {
	c *conn

	mu   sync.Mutex
	down []held
	pool pool // keys that are lent, see lend.go
	own  xproto.Window
}

// A held thing is a key or a button that is down.
type held struct {
	code   byte
	button bool
	name   string
}

const extTest = "XTEST"

func newInput(ctx context.Context, display string) (*input, error) {
	c, err := dial(ctx, display, nil)
	if err != nil {
		return nil, err
	}
	in := &input{c: c, pool: pool{lent: map[byte]*loan{}}}
	if err := in.prepare(); err != nil {
		c.close()
		return nil, err
	}
	return in, nil
}

func (in *input) prepare() error {
	if err := in.c.extension(extTest); err != nil {
		return &wire.Error{Code: wire.Unsupported, Message: err.Error() + ", without which no input can be made", Fix: "start the X server with its XTEST extension"}
	}
	if err := in.c.useXKB(); err != nil {
		return &wire.Error{Code: wire.Unsupported, Message: err.Error(), Fix: "start the X server with its XKEYBOARD extension"}
	}
	// Before our own window is there: the server gives it the number that the
	// window of one that has gone may have had.
	if err := sweep(in.c); err != nil {
		return err
	}
	var err error
	in.own, err = markWindow(in.c)
	return err
}

// close lets go of everything, gives back the keys and ends the connection.
func (in *input) close() {
	in.ReleaseAll()
	in.giveBack()
	in.c.close()
}

// fake sends one event. It is done in order, and without an answer: a round
// trip that follows tells an error of the connection.
func (in *input) fake(kind, detail byte, at wire.Point) {
	xtest.FakeInput(in.c.Conn, kind, detail, xproto.TimeCurrentTime, in.c.root, int16(at.X), int16(at.Y), 0)
}

// press puts something down. The note of it goes out first, so that it stands
// on the server, whenever this process ends; see held.go.
func (in *input) press(h held) {
	in.mu.Lock()
	defer in.mu.Unlock()
	in.down = append(in.down, h)
	in.note()
	in.fake(pressOf(h), h.code, wire.Point{})
}

// release lets go of something, if it is down.
func (in *input) release(h held) {
	in.mu.Lock()
	defer in.mu.Unlock()
	i := slices.IndexFunc(in.down, func(d held) bool { return d.code == h.code && d.button == h.button })
	if i < 0 {
		return
	}
	in.down = slices.Delete(in.down, i, i+1)
	in.fake(releaseOf(h), h.code, wire.Point{})
	in.note()
}

func pressOf(h held) byte {
	if h.button {
		return xproto.ButtonPress
	}
	return xproto.KeyPress
}

func releaseOf(h held) byte { return pressOf(h) + 1 } // so the protocol numbers them

// ReleaseAll implements native.Held.
func (in *input) ReleaseAll() (names []string) {
	in.mu.Lock()
	down := slices.Clone(in.down)
	in.mu.Unlock()
	for _, h := range slices.Backward(down) {
		in.release(h)
		names = append(names, h.name)
	}
	if len(names) > 0 {
		_ = in.c.sync() // a connection that has ended holds nothing
	}
	return names
}

// Where implements native.Pointer.
func (in *input) Where(context.Context) (wire.Point, error) {
	r, err := xproto.QueryPointer(in.c.Conn, in.c.root).Reply()
	if err != nil {
		return wire.Point{}, in.c.check(err)
	}
	return wire.Point{X: int(r.RootX), Y: int(r.RootY)}, nil
}

// The server holds the pointer back while a window manager looks at a press,
// until that lets it go on: so long a motion may take to arrive.
const (
	arriveTime = 400 * time.Millisecond
	arriveTick = 2 * time.Millisecond
)

// Move implements native.Pointer.
func (in *input) Move(ctx context.Context, to wire.Point) error {
	in.fake(xproto.MotionNotify, 0, to)
	for end := time.Now().Add(arriveTime); ; {
		at, err := in.Where(ctx)
		switch {
		case err != nil || at == to:
			return err
		case time.Now().After(end):
			return &wire.Error{
				Code:    wire.Failed,
				Message: fmt.Sprintf("the pointer went to %d,%d instead of %d,%d: a program confines it, or a person moves it", at.X, at.Y, to.X, to.Y),
			}
		}
		if err := native.Pause(ctx, arriveTick); err != nil {
			return err
		}
	}
}

var buttons = map[string]byte{wire.Left: 1, wire.Middle: 2, wire.Right: 3}

// Press implements native.Pointer.
func (in *input) Press(_ context.Context, button string) error {
	in.press(held{buttons[button], true, button + " button"})
	return in.c.sync()
}

// Release implements native.Pointer.
func (in *input) Release(_ context.Context, button string) error {
	in.release(held{code: buttons[button], button: true})
	return in.c.sync()
}

// The buttons that a wheel is, to the four sides.
const (
	wheelUp    = 4
	wheelDown  = 5
	wheelLeft  = 6
	wheelRight = 7
)

// notchPace is between the notches of a wheel: some programs join those that
// come at once.
const notchPace = 4 * time.Millisecond

// Wheel implements native.Pointer.
func (in *input) Wheel(ctx context.Context, dx, dy int) error {
	if err := in.turn(ctx, dy, wheelDown, wheelUp); err != nil {
		return err
	}
	return in.turn(ctx, dx, wheelRight, wheelLeft)
}

func (in *input) turn(ctx context.Context, n int, forth, back byte) error {
	code := forth
	if n < 0 {
		n, code = -n, back
	}
	for range n {
		if err := native.Pause(ctx, notchPace); err != nil {
			return err
		}
		in.fake(xproto.ButtonPress, code, wire.Point{})
		in.fake(xproto.ButtonRelease, code, wire.Point{})
		if err := in.c.sync(); err != nil {
			return err
		}
	}
	return nil
}

// words packs numbers as a property holds them.
func words(list []uint32) []byte {
	var raw []byte
	for _, n := range list {
		raw = binary.LittleEndian.AppendUint32(raw, n)
	}
	return raw
}
