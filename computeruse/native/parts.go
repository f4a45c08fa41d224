// Package native is the helper's side of computer use: it serves the requests
// of package wire with the parts that a system has.
//
//	lines ──► Server ──► a look: at any time, side by side
//	             │  └──► an act: one at a time, not while paused, not if look only
//	             └─────► pause, release: end the act first, let go of all that is held
//
// How a system does things is for the packages below: x11, atspi, bar, portal
// and robot. Package cmd/hobkin-helper joins them.
package native

import (
	"context"
	"image"

	"github.com/hobkin/hobkin/computeruse/wire"
)

// Parts are what can be done on this system, each by the package that knows
// how. One that is nil cannot be done; Missing says why.
//
// Errors that are a [wire.Error] reach the agent as they are, others as
// [wire.Failed]. A part ends what it does soon after its context does.
type Parts struct {
	DisplayServer string // as in [wire.HelloResult]
	Backend       string

	Screen   Screen
	Pointer  Pointer
	Keyboard Keyboard
	Held     Held // of Pointer and Keyboard; needed where there is one of them
	Windows  Windows
	Elements Elements
	Strip    Strip
	Watcher  Watcher

	Missing []wire.Capability
}

// A Screen takes pictures.
type Screen interface {
	Displays(ctx context.Context) (wire.DisplaysResult, error)
	// Grab copies the pixels of a box that lies on the desktop. They are the
	// caller's.
	Grab(ctx context.Context, box wire.Box) (*image.RGBA, error)
}

// A Pointer is the mouse. Buttons have their names of package wire.
type Pointer interface {
	Where(ctx context.Context) (wire.Point, error)
	// Move fails where the pointer does not get there.
	Move(ctx context.Context, to wire.Point) error
	Press(ctx context.Context, button string) error
	Release(ctx context.Context, button string) error
	// Wheel turns by notches, to the right and down.
	Wheel(ctx context.Context, dx, dy int) error
}

// A Keyboard puts in chords and texts.
type Keyboard interface {
	// Hold presses the keys of a chord, such as ctrl+shift+t or only shift.
	// Its result lets go of them, and must be called.
	Hold(ctx context.Context, chord string) (release func() error, err error)
	// Type and Paste put in a text, whatever the layout of the keyboard. They
	// ask still between characters, and stop with its error.
	Type(ctx context.Context, text string, still func() error) (wire.TypeResult, error)
	Paste(ctx context.Context, text string, still func() error) (wire.TypeResult, error)
}

// Held lets go of all keys and buttons that the helper holds down, and says
// which they were. It works while an act runs, and when its context has ended.
type Held interface {
	ReleaseAll() (names []string)
}

// Windows are those of all programs.
type Windows interface {
	List(ctx context.Context) ([]wire.Window, error) // the topmost first
	At(ctx context.Context, p wire.Point) (*wire.Window, error)
	Active(ctx context.Context) (id string, err error) // empty: none
	Focus(ctx context.Context, id string) error        // returns when it is active
}

// Elements are the accessibility tree.
type Elements interface {
	Elements(ctx context.Context, of wire.Window, p wire.ElementsParams) (wire.ElementsResult, error)
	// Inspect gets the window under the point, nil if none is.
	Inspect(ctx context.Context, p wire.Point, in *wire.Window) (wire.InspectResult, error)
	Press(ctx context.Context, p wire.PressParams) error
	SetValue(ctx context.Context, p wire.SetValueParams) error
}

// A Strip is the bar on the screen. A click on it is told to [Server.Stop].
type Strip interface {
	Set(ctx context.Context, p wire.BarParams) error
	// Box is where it is, false while it is not on the screen.
	Box() (wire.Box, bool)
	// Hide takes it off the screen, for a picture or for a click on what lies
	// under it, and returns once that is true. Show brings it back, and must
	// be called.
	Hide(ctx context.Context) (show func(), err error)
}

// A Watcher knows what the person at the machine does.
type Watcher interface {
	Person() wire.PersonResult
	// Hotkey sets the chord that pauses; empty takes it away.
	Hotkey(ctx context.Context, chord string) error
	// Watch tells what happens until ctx ends.
	Watch(ctx context.Context, tell func(Happening)) error
}

// A Happening is something that a person did.
type Happening int

// What a watcher tells.
const (
	PersonActs      Happening = iota // used mouse or keyboard; told as often as it is so
	PressedHotkey                    //
	SlammedCorner                    // threw the pointer into a corner
	ChangedDisplays                  // or plugged one, or another program did
)

// A Prober is a part that can try for real whether it works, beyond what was
// seen when it was made. Its error says why it does not.
type Prober interface {
	Probe(ctx context.Context) error
}
