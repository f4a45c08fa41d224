// Package tool holds computer_use, the one capability that looks at the screen
// and uses the mouse and the keyboard.
//
// It reads what a model asks for, has package computeruse judge and do it, and
// writes what came of it. What it says itself stands behind the frame of what
// came from the screen.
package tool

import (
	"context"

	"github.com/hobkin/hobkin/computeruse"
	"github.com/hobkin/hobkin/core/capability"
	"github.com/hobkin/hobkin/core/lazy"
)

// Name is the name of the tool.
const Name = "computer_use"

// tools is the group's set.
var tools capability.Set[*Host]

// A Host is what the tool works with. Session must be set.
type Host struct {
	Session *computeruse.Session
	// Answers reports whether the native helper is there, as far as is known; it
	// must not block. Nil means that it is.
	Answers func() bool
}

// Bind makes the tool. It is offered where computer use is switched on, the
// helper answers, and a person takes part in the turn.
func Bind(h *Host) []capability.Capability {
	out := tools.Bind(h)
	for i := range out {
		out[i].Available = func(t capability.Turn) bool {
			return h.Session.Offered(t) && (h.Answers == nil || h.Answers())
		}
	}
	return out
}

func init() {
	capability.AddPreviewed(&tools, capability.Capability{
		Name:  Name,
		Title: "Use the screen, mouse and keyboard",
		Description: "Looks at the screen of the user's computer and uses its mouse and keyboard, one action a call. " +
			"Look first: a screenshot has an observation_id, and x and y are pixels of that picture. Elements and marks belong to the observation_id they came with. " +
			"Every act answers with a new picture and says whether anything changed; unknown or no_effect is not done. " +
			"Prefer press and set_value on elements over clicking, and the other tools over the screen.",
		Class:    capability.GUIControl,
		Category: capability.CategoryComputer,
		Hints:    capability.Hints{ReadOnly: capability.No, OpenWorld: capability.Yes, ConcurrencyKey: "screen", Exact: true},
		Docs: capability.Docs{
			When:  "when something can only be done in a program on the screen; not for what files, commands, the web tools or the browser can do",
			Setup: "computer_use.enabled = true, and the native helper: hobkin doctor says what works here",
			Examples: []capability.Example{
				{When: "to see the screen", In: in{Action: screenshot}},
				{When: "to see small text", In: in{Action: screenshot, Observation: "o4k2d-3", Region: &region{X: 600, Y: 300, W: 240, H: 120}}},
				{When: "a button is seen in the picture", In: in{Action: computeruse.LeftClick, Observation: "o4k2d-3", X: new(412.0), Y: new(288.0)}},
				{When: "a button is in a list of elements", In: in{Action: computeruse.Press, Observation: "o4k2d-4", Element: "e12"}},
				{When: "a field has the focus", In: in{Action: computeruse.Type, Text: "Grüße aus Köln"}},
				{When: "a shortcut does it", In: in{Action: computeruse.Key, Key: "ctrl+s"}},
			},
			Fails: computeruse.Failures(),
		},
	}, (*Host).run, (*Host).preview)
}

// The looks: they change nothing.
const (
	screenshot    = "screenshot"
	displays      = "displays"
	windows       = "windows"
	elements      = "elements"
	inspect       = "inspect"
	cursor        = "cursor_position"
	wait          = "wait"
	waitForChange = "wait_for_change"
)

// in is what a model says. Which fields count depends on the action.
type in struct {
	Action      string   `json:"action" enum:"screenshot,displays,windows,elements,inspect,cursor_position,wait,wait_for_change,mouse_move,left_click,right_click,middle_click,double_click,triple_click,left_click_drag,left_mouse_down,left_mouse_up,scroll,type,paste,key,hold_key,press,set_value,focus_window" jsonschema:"what to do"`
	Observation string   `json:"observation_id,omitempty" max:"40" jsonschema:"the picture that x and y, path, region or mark are in, or the list that element is in; last is the newest picture of a whole display"`
	X           *float64 `json:"x,omitempty" jsonschema:"pixels from the left edge of that picture"`
	Y           *float64 `json:"y,omitempty" jsonschema:"pixels from its top"`
	Element     string   `json:"element,omitempty" max:"20" jsonschema:"in place of x and y: reference of an element, such as e12"`
	Mark        int      `json:"mark,omitempty" min:"0" max:"99" jsonschema:"in place of x and y: number of a mark of a screenshot with marks"`
	ToX         *float64 `json:"to_x,omitempty" jsonschema:"left_click_drag: where it ends"`
	ToY         *float64 `json:"to_y,omitempty" jsonschema:"left_click_drag: where it ends"`
	Path        []point  `json:"path,omitempty" max:"100" jsonschema:"left_click_drag, in place of x, y, to_x and to_y: all places it leads through"`
	Modifiers   []string `json:"modifiers,omitempty" max:"4" jsonschema:"keys that are held during a click, scroll or drag: ctrl, shift, alt, super"`
	Direction   string   `json:"direction,omitempty" enum:"up,down,left,right" jsonschema:"scroll: where to"`
	Amount      int      `json:"amount,omitempty" min:"0" max:"100" jsonschema:"scroll: notches of the wheel; 0 is 3"`
	Text        string   `json:"text,omitempty" max:"10000" jsonschema:"type and paste: the text, any Unicode, at most 10,000 bytes; it goes where the focus is"`
	Key         string   `json:"key,omitempty" max:"80" jsonschema:"key and hold_key: a chord such as ctrl+shift+t, Return, F5"`
	Repeat      int      `json:"repeat,omitempty" min:"0" max:"100" jsonschema:"key: how often; 0 is once"`
	MS          int      `json:"ms,omitempty" min:"0" max:"25000" jsonschema:"milliseconds: of wait (most 10,000), wait_for_change (most 25,000), hold_key and left_click_drag (most 10,000)"`
	Value       string   `json:"value,omitempty" max:"10000" jsonschema:"set_value: text, or a number for sliders"`
	Does        string   `json:"element_action,omitempty" max:"80" jsonschema:"press: which of the element's actions; empty is the first"`
	Window      string   `json:"window,omitempty" max:"80" jsonschema:"focus_window, elements and marks: id of a window from windows; empty is the active one"`
	Display     string   `json:"display,omitempty" max:"20" jsonschema:"screenshot and wait_for_change: id of a display; empty is the primary one"`
	Region      *region  `json:"region,omitempty" jsonschema:"screenshot and wait_for_change: a part of the picture that observation_id names, shown as large as can be"`
	Marks       bool     `json:"marks,omitempty" jsonschema:"screenshot: number what can be pressed in the active window"`
	Format      string   `json:"format,omitempty" enum:"png,jpeg" default:"png" jsonschema:"screenshot: jpeg is smaller and less sharp"`
	All         bool     `json:"all,omitempty" jsonschema:"elements: also those that cannot be used, such as labels"`
	Checks      []check  `json:"safety_checks,omitempty" max:"20" jsonschema:"what the model's provider wants a person to agree to before this; set by Hobkin"`
}

// A point is a place in a picture.
type point struct {
	X float64 `json:"x" jsonschema:"pixels from the left edge"`
	Y float64 `json:"y" jsonschema:"pixels from the top"`
}

// A region is a part of a picture.
type region struct {
	X float64 `json:"x" jsonschema:"left edge"`
	Y float64 `json:"y" jsonschema:"upper edge"`
	W float64 `json:"w" jsonschema:"width"`
	H float64 `json:"h" jsonschema:"height"`
}

// A check is a worry of the model's provider about this act.
type check struct {
	ID      string `json:"id" jsonschema:"id of the check"`
	Code    string `json:"code,omitempty" jsonschema:"sort of the worry"`
	Message string `json:"message,omitempty" jsonschema:"the worry in words"`
}

// run does one action.
func (h *Host) run(ctx context.Context, call capability.Call, a in) (capability.Result, error) {
	if computeruse.IsAct(a.Action) {
		return h.act(ctx, call, a)
	}
	return h.look(ctx, call.Turn, a)
}

// observationRE finds an observation_id in a result.
var observationRE = lazy.Regexp(`(?m)^observation_id: (\S+)`)

// ObservationID is the id of the picture or list that a result of the tool
// holds; empty when it holds none. What came from the screen stands before it,
// so that the last one counts.
func ObservationID(result string) string {
	all := observationRE().FindAllStringSubmatch(result, -1)
	if len(all) == 0 {
		return ""
	}
	return all[len(all)-1][1]
}
