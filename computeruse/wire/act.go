package wire

// The buttons of a mouse.
const (
	Left   = "left"
	Right  = "right"
	Middle = "middle"
)

// The modifiers, in the names that chords use too.
const (
	Ctrl  = "ctrl"
	Shift = "shift"
	Alt   = "alt"
	Super = "super" // the Windows or Command key
)

// NoWindow stands where a window is named for the bare desktop: that no window
// may lie under the point, or be active.
const NoWindow = "none"

// MoveParams move the pointer.
type MoveParams struct {
	Point  Point  `json:"point"`
	Layout string `json:"layout,omitempty"` // of the frame that the point is from; another one now is [DisplayReplaced]
}

// ClickParams press and release a button.
type ClickParams struct {
	Point     *Point   `json:"point,omitempty"` // nil: where the pointer is
	Button    string   `json:"button,omitempty"`
	Count     int      `json:"count,omitempty"` // 1–3; 0 is 1
	Modifiers []string `json:"modifiers,omitempty"`
	Layout    string   `json:"layout,omitempty"`
	// Window must be under the point at the moment of the click, else it is not
	// made ([UnknownWindow]); empty does not check.
	Window string `json:"window,omitempty"`
}

// ButtonParams press or release a button and leave it so. A button held for
// more than 60 s is released.
type ButtonParams struct {
	Point  *Point `json:"point,omitempty"`
	Button string `json:"button,omitempty"`
	Layout string `json:"layout,omitempty"`
	Window string `json:"window,omitempty"` // as for a click
}

// DragParams press at the first point, move through all and release at the last.
type DragParams struct {
	Path      []Point  `json:"path"` // 2–100
	Button    string   `json:"button,omitempty"`
	Modifiers []string `json:"modifiers,omitempty"`
	Duration  int      `json:"duration_ms,omitempty"` // 0 is 300; at most 10,000
	Layout    string   `json:"layout,omitempty"`
	Window    string   `json:"window,omitempty"`     // as for a click, under the first point
	EndWindow string   `json:"end_window,omitempty"` // the same under the last point, judged before the press
}

// ScrollParams turn the wheel at a point.
type ScrollParams struct {
	Point     *Point   `json:"point,omitempty"`
	DX        int      `json:"dx,omitempty"` // notches to the right, negative to the left; at most 100
	DY        int      `json:"dy,omitempty"` // notches down, negative up
	Modifiers []string `json:"modifiers,omitempty"`
	Layout    string   `json:"layout,omitempty"`
	Window    string   `json:"window,omitempty"` // as for a click
}

// MaxText bounds a text that is typed or pasted, in bytes.
const MaxText = 10_000

// TypeParams put in a text where the focus is.
type TypeParams struct {
	Text   string `json:"text"`             // valid UTF-8; newline and tab are keys
	Window string `json:"window,omitempty"` // must be the active one, else nothing is typed ([UnknownWindow])
}

// TypeResult says how it went in.
type TypeResult struct {
	Method string `json:"method"` // keys or clipboard
	Typed  int    `json:"typed"`  // characters that went out
}

// KeyParams tap keys together.
type KeyParams struct {
	Chord  string `json:"chord"`            // "ctrl+shift+t", "Return", "F5", "a"
	Repeat int    `json:"repeat,omitempty"` // 1–100; 0 is 1
	Window string `json:"window,omitempty"`
}

// HoldKeyParams hold keys down for a while.
type HoldKeyParams struct {
	Chord    string `json:"chord"`
	Duration int    `json:"duration_ms"` // 1–10,000
	Window   string `json:"window,omitempty"`
}

// PressParams do the action of an element, without the pointer.
type PressParams struct {
	Snapshot string `json:"snapshot"`
	Ref      string `json:"ref"`
	Action   string `json:"action,omitempty"` // one of its actions; empty: the first
}

// SetValueParams give an element a value: text, or a number for sliders.
type SetValueParams struct {
	Snapshot string `json:"snapshot"`
	Ref      string `json:"ref"`
	Value    string `json:"value"`
}

// FocusWindowParams bring a window to the front.
type FocusWindowParams struct {
	Window string `json:"window"`
}

// PauseResult says what was let go of.
type PauseResult struct {
	Released []string `json:"released,omitempty"` // names of keys and buttons
	Stopped  bool     `json:"stopped,omitempty"`  // an act was under way
}

// Who paused.
const (
	ByAgent  = "agent"  // asked through this protocol
	ByHotkey = "hotkey" //
	ByCorner = "corner" // a person threw the pointer into a corner
	ByBar    = "bar"    // a person clicked the strip
)

// PausedData says who paused, with what was let go of.
type PausedData struct {
	By       string   `json:"by"`
	Released []string `json:"released,omitempty"`
}

// BarParams show, change or hide the strip on the screen. It takes no focus
// and is in no picture that the helper takes.
type BarParams struct {
	Text   string `json:"text,omitempty"`   // empty hides it
	Button string `json:"button,omitempty"` // what its one button says; a click on it pauses
	Tone   string `json:"tone,omitempty"`   // working, waiting or paused
}

// HotkeyParams set the chord that pauses; empty takes none.
type HotkeyParams struct {
	Chord string `json:"chord"`
}
