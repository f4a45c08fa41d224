// Package wire is the protocol between Hobkin and its native helper, a child
// process that alone touches the screen, the mouse and the keyboard.
//
//	Hobkin                                    hobkin-helper
//	   │  {"id":1,"method":"hello","params":…}      │
//	   ├───────────────────────────────────────────►│
//	   │      {"id":1,"result":…} or {"id":1,"error":…}
//	   │◄───────────────────────────────────────────┤
//	   │                        {"event":"paused","data":…}, at any time
//	   │◄───────────────────────────────────────────┤
//
// Every line is one JSON value of at most [MaxLine] bytes. A request has
// exactly one answer. Answers may come in another order than their requests:
// a pause is answered while the drag that it stops still runs. Only one act
// runs at a time, a second is answered with [Busy]. When its input ends, the
// helper releases what it holds down and ends.
//
// All coordinates are physical pixels of the whole desktop, in which the
// primary display need not begin at 0,0 and others may lie at negative ones.
package wire

import (
	"encoding/json"

	"github.com/hobkin/hobkin/core/version"
)

// Protocol is the version of the words below; both sides must have the same.
const Protocol = 2

// Version is the version of the program.
const Version = version.Version

// MaxLine bounds a line of either side, in bytes, its end included.
const MaxLine = 32 << 20

// The methods, with their parameters and results. One without a result is
// answered with an empty object.
const (
	Hello       = "hello"        // HelloParams → HelloResult; first on every connection
	Probe       = "probe"        // → ProbeResult: tries for real what works here
	Displays    = "displays"     // → DisplaysResult
	Capture     = "capture"      // CaptureParams → CaptureResult
	WaitChange  = "wait_change"  // WaitChangeParams → ChangeResult
	Windows     = "windows"      // → WindowsResult, the topmost first
	WindowAt    = "window_at"    // Point → WindowAtResult
	Elements    = "elements"     // ElementsParams → ElementsResult
	Inspect     = "inspect"      // Point → InspectResult
	Cursor      = "cursor"       // → CursorResult
	Person      = "person"       // → PersonResult: when a person last used mouse or keys
	Move        = "move"         // MoveParams
	Click       = "click"        // ClickParams
	ButtonDown  = "button_down"  // ButtonParams
	ButtonUp    = "button_up"    // ButtonParams
	Drag        = "drag"         // DragParams
	Scroll      = "scroll"       // ScrollParams
	Type        = "type"         // TypeParams → TypeResult
	Paste       = "paste"        // TypeParams → TypeResult: always by the clipboard
	Key         = "key"          // KeyParams
	HoldKey     = "hold_key"     // HoldKeyParams
	Press       = "press"        // PressParams
	SetValue    = "set_value"    // SetValueParams
	FocusWindow = "focus_window" // FocusWindowParams
	Pause       = "pause"        // → PauseResult; answered once nothing moves any more
	Resume      = "resume"       //
	Release     = "release"      // → PauseResult; lets go of all that is held, acts go on
	Bar         = "bar"          // BarParams: the strip on the screen that says what happens
	Hotkey      = "hotkey"       // HotkeyParams: the chord that pauses from anywhere
)

// A Request is a line to the helper.
type Request struct {
	ID     int64           `json:"id"` // above 0, new with every request
	Method string          `json:"method"`
	Params json.RawMessage `json:"params,omitempty"`
}

// A Message is a line from the helper: an answer if it has an ID, else an event.
type Message struct {
	ID     int64           `json:"id,omitempty"`
	Result json.RawMessage `json:"result,omitempty"`
	Error  *Error          `json:"error,omitempty"`

	Event string          `json:"event,omitempty"`
	Data  json.RawMessage `json:"data,omitempty"`
}

// The events that come unasked.
const (
	Paused          = "paused"           // PausedData: acts are refused until resume
	PersonActive    = "person_active"    // PersonResult; at most two a second
	DisplaysChanged = "displays_changed" // DisplaysResult
)

// An Error says why a request was not met.
type Error struct {
	Code    string `json:"code"`
	Message string `json:"message"`        // one sentence for a person
	Fix     string `json:"fix,omitempty"`  // what they can do about it
	Sent    bool   `json:"sent,omitempty"` // some of the input had gone out: what it did is not known
}

// Error implements error.
func (e *Error) Error() string { return e.Message }

// The codes of errors.
const (
	BadRequest      = "bad_request"      // not JSON, unknown method, or parameters out of range
	WrongProtocol   = "wrong_protocol"   // the two are of different versions
	NoDisplay       = "no_display"       // there is no screen, or it has gone
	Unsupported     = "unsupported"      // cannot be done on this system
	Denied          = "denied"           // the system, or a person in its dialog, did not allow it
	LookOnly        = "look_only"        // started only to look
	IsPaused        = "paused"           // paused, by whom the message says
	Busy            = "busy"             // another act runs
	OutOfBounds     = "out_of_bounds"    // a point that is on no display, or a region of no size
	UnknownKey      = "unknown_key"      //
	StaleElement    = "stale_element"    // the element is gone, or of an older snapshot
	NotActionable   = "not_actionable"   // disabled, of no size, or without the action
	UnknownWindow   = "unknown_window"   //
	UnknownDisplay  = "unknown_display"  //
	DisplayReplaced = "display_replaced" // the layout is not the one named any more
	TimedOut        = "timed_out"        //
	Failed          = "failed"           // anything else; the message says what
)
