package wire

import "time"

// A Point is a place on the desktop.
type Point struct {
	X int `json:"x"`
	Y int `json:"y"`
}

// A Size is in pixels.
type Size struct {
	W int `json:"w"`
	H int `json:"h"`
}

// A Box is a rectangle of the desktop; its right and lower edges are outside.
type Box struct {
	X int `json:"x"`
	Y int `json:"y"`
	W int `json:"w"`
	H int `json:"h"`
}

// HelloParams say who asks.
type HelloParams struct {
	Protocol int  `json:"protocol"`
	LookOnly bool `json:"look_only,omitempty"` // refuse every act for the life of the process
	NoCorner bool `json:"no_corner,omitempty"` // a pointer that a person throws into a corner does not pause
}

// HelloResult says who answers.
type HelloResult struct {
	Protocol      int          `json:"protocol"`
	Version       string       `json:"version"`
	Platform      string       `json:"platform"`       // GOOS
	DisplayServer string       `json:"display_server"` // x11, wayland, quartz, windows or none
	Backend       string       `json:"backend"`        // x11, robotgo, portal …
	Capabilities  []Capability `json:"capabilities"`
	LookOnly      bool         `json:"look_only,omitempty"`
}

// The names of capabilities.
const (
	CanCapture  = "capture"
	CanPointer  = "pointer"
	CanText     = "text"
	CanKeys     = "keys"
	CanElements = "elements"
	CanWindows  = "windows"
	CanPerson   = "person" // tell a person's input from the agent's own
	CanBar      = "bar"
	CanHotkey   = "hotkey"
)

// A Capability is something that the helper can do here, or cannot and why.
type Capability struct {
	Name   string `json:"name"`
	Works  bool   `json:"works"`
	Reason string `json:"reason,omitempty"` // a sentence, when it does not
	Fix    string `json:"fix,omitempty"`    // what a person can do about it
}

// ProbeResult is what was tried for real, just now.
type ProbeResult struct {
	Capabilities []Capability `json:"capabilities"`
}

// A Display is one screen.
type Display struct {
	ID       string  `json:"id"` // "1", "2" … in the order of the system
	Name     string  `json:"name"`
	Primary  bool    `json:"primary,omitempty"`
	Box      Box     `json:"box"`     // physical pixels
	Logical  Size    `json:"logical"` // what programs that know of scale call its size
	Scale    float64 `json:"scale"`   // physical / logical
	Rotation int     `json:"rotation,omitempty"`
}

// DisplaysResult lists the screens.
type DisplaysResult struct {
	// Layout names this very arrangement: another set, place, size or scale of
	// displays has another.
	Layout   string    `json:"layout"`
	Displays []Display `json:"displays"`
}

// CaptureParams say what picture is wanted.
type CaptureParams struct {
	Display string `json:"display,omitempty"` // empty: the primary one
	Region  *Box   `json:"region,omitempty"`  // of the desktop, within the display; nil: all of it
	Size    *Size  `json:"size,omitempty"`    // scale to exactly this; nil: as captured
	Format  string `json:"format,omitempty"`  // png (default) or jpeg
	Quality int    `json:"quality,omitempty"` // of jpeg, 1–100; 0 is 80
	Marks   []Mark `json:"marks,omitempty"`   // drawn into the picture
	Point   *Point `json:"point,omitempty"`   // an executed point, drawn as a ring
}

// A Mark is a labelled frame around something.
type Mark struct {
	Box   Box    `json:"box"`
	Label string `json:"label"` // at most 4 characters
}

// CaptureResult is a picture and where it was taken.
type CaptureResult struct {
	Display string    `json:"display"`
	Layout  string    `json:"layout"`
	Box     Box       `json:"box"`  // what is seen
	Sent    Size      `json:"sent"` // of the picture
	Scale   float64   `json:"scale"`
	TakenAt time.Time `json:"taken_at"`
	Format  string    `json:"format"`
	Image   []byte    `json:"image"` // base64 in JSON
	Hash    string    `json:"hash"`  // of the pixels as captured, marks and bar left out
}

// WaitChangeParams wait until the picture differs from what it was, or holds still.
type WaitChangeParams struct {
	Display string `json:"display,omitempty"`
	Region  *Box   `json:"region,omitempty"`
	// Still waits until nothing has changed for that long, in ms, instead of
	// for a change.
	Still   int `json:"still_ms,omitempty"`
	Timeout int `json:"timeout_ms"` // 1–25,000
	// Since is the hash of an earlier capture of the same display and region:
	// what differs is told against that one, if it is still at hand (the last
	// few are), and else against the picture at the call.
	Since string `json:"since,omitempty"`
}

// ChangeResult says what differs between the picture at the call and now.
// The clock of the desktop or a blinking cursor count like anything else.
type ChangeResult struct {
	Changed  bool  `json:"changed"`
	TimedOut bool  `json:"timed_out,omitempty"`
	Since    bool  `json:"since,omitempty"` // it was compared with the earlier capture that was named
	Boxes    []Box `json:"boxes,omitempty"` // where, joined to at most 8
}

// A Window is a top-level window.
type Window struct {
	ID        string `json:"id"`
	Title     string `json:"title"`
	App       string `json:"app"`           // name of the application, such as its class
	Exe       string `json:"exe,omitempty"` // path of its program, if known
	PID       int    `json:"pid,omitempty"`
	Box       Box    `json:"box"`
	Display   string `json:"display,omitempty"`
	Active    bool   `json:"active,omitempty"`
	Minimized bool   `json:"minimized,omitempty"`
}

// WindowsResult lists the windows, the topmost first.
type WindowsResult struct {
	Windows []Window `json:"windows"`
}

// WindowAtResult is what lies under a point; nil is the bare desktop.
type WindowAtResult struct {
	Window *Window `json:"window,omitempty"`
}

// ElementsParams ask for a part of the accessibility tree.
type ElementsParams struct {
	Window      string `json:"window,omitempty"` // empty: the active one
	Max         int    `json:"max,omitempty"`    // elements; 0 is 300
	Depth       int    `json:"depth,omitempty"`  // 0 is 30
	Interactive bool   `json:"interactive,omitempty"`
	Timeout     int    `json:"timeout_ms,omitempty"` // 0 is 4,000
}

// ElementsResult is a snapshot of elements; references hold until the next one
// of the same window, or until the element goes.
type ElementsResult struct {
	Snapshot string    `json:"snapshot"`
	Window   Window    `json:"window"`
	Elements []Element `json:"elements"`       // a parent stands before its children
	More     int       `json:"more,omitempty"` // at least so many were left out
}

// An Element is one thing of the accessibility tree.
type Element struct {
	Ref     string   `json:"ref"` // "e12"
	Parent  string   `json:"parent,omitempty"`
	Role    string   `json:"role"` // "push button", as the system calls it in English
	Name    string   `json:"name,omitempty"`
	Value   string   `json:"value,omitempty"`
	States  []string `json:"states,omitempty"`  // disabled, focused, checked, expanded, selected, editable …
	Box     *Box     `json:"box,omitempty"`     // nil where it is not on a screen
	Actions []string `json:"actions,omitempty"` // what press can do, the usual one first
}

// InspectResult is the innermost element under a point; nil where none is known.
type InspectResult struct {
	Snapshot string   `json:"snapshot,omitempty"`
	Element  *Element `json:"element,omitempty"`
	Window   *Window  `json:"window,omitempty"`
}

// CursorResult is where the pointer is.
type CursorResult struct {
	Point   Point  `json:"point"`
	Display string `json:"display,omitempty"`
}

// PersonResult says when a person last used mouse or keyboard.
type PersonResult struct {
	Known  bool `json:"known"`             // false: this system does not tell
	IdleMS int  `json:"idle_ms,omitempty"` // since then, as far as this process knows
	// Exact: told by the device. Else it is the idle time of the system with
	// the agent's own acts taken off.
	Exact bool `json:"exact,omitempty"`
}
