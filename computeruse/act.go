package computeruse

import (
	"time"

	"github.com/hobkin/hobkin/computeruse/wire"
)

// The acts: what is done to the screen, one at a time.
const (
	MouseMove     = "mouse_move"
	LeftClick     = "left_click"
	RightClick    = "right_click"
	MiddleClick   = "middle_click"
	DoubleClick   = "double_click"
	TripleClick   = "triple_click"
	LeftClickDrag = "left_click_drag"
	LeftMouseDown = "left_mouse_down"
	LeftMouseUp   = "left_mouse_up"
	Scroll        = "scroll"
	Type          = "type"
	Paste         = "paste"
	Key           = "key"
	HoldKey       = "hold_key"
	Press         = "press"
	SetValue      = "set_value"
	FocusWindow   = "focus_window"
)

// An Act is one thing to do, as a model asks for it. Which fields count depends
// on the action.
type Act struct {
	Action string

	// Where: Observation with X and Y, or with Element, or with Mark.
	Observation string
	X, Y        *float64 // in the model's coordinates
	Element     string
	Mark        int
	Path        [][2]float64 // of a drag: 2–100 places
	ToX, ToY    *float64     // of a drag from X, Y

	Modifiers []string
	Direction string // of a scroll: up, down, left or right
	Amount    int    // of a scroll, in notches; 0 is 3
	Text      string
	Chord     string
	Repeat    int           // of a key; 0 is 1
	Duration  time.Duration // of a held key or a drag
	Value     string
	Does      string // which action of the element; empty is its first
	Window    string // of focus_window
}

// A button is what a click presses, and how often.
type button struct {
	name  string
	count int
}

var clicks = map[string]button{
	LeftClick: {wire.Left, 1}, RightClick: {wire.Right, 1}, MiddleClick: {wire.Middle, 1}, DoubleClick: {wire.Left, 2}, TripleClick: {wire.Left, 3},
}

// A kind is how an act finds what it is done to.
type kind int

const (
	byPointer kind = iota + 1 // the window under the pointer
	byFocus                   // the window that has the focus
	byElement                 // the window of an element
	byWindow                  // a window that is named
)

var kinds = map[string]kind{
	MouseMove: byPointer, LeftClick: byPointer, RightClick: byPointer, MiddleClick: byPointer, DoubleClick: byPointer, TripleClick: byPointer,
	LeftClickDrag: byPointer, LeftMouseDown: byPointer, LeftMouseUp: byPointer, Scroll: byPointer,
	Type: byFocus, Paste: byFocus, Key: byFocus, HoldKey: byFocus,
	Press: byElement, SetValue: byElement, FocusWindow: byWindow,
}

// IsAct reports whether an action is an act, not a look.
func IsAct(action string) bool { return kinds[action] != 0 }

// still reports whether an act is none that a change of the picture follows.
func (a *Act) still() bool {
	return a.Action == MouseMove || a.Action == LeftMouseDown || a.Action == LeftMouseUp
}
