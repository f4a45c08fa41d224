package openai

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math"
	"runtime"
	"strconv"
	"strings"

	"github.com/hobkin/hobkin/core/provider"
)

// OpenAI's own tool for operating a computer. Of the two versions, computer is
// of the models from GPT-5.4 on: one call of it holds several acts, and its
// points are pixels of the last picture. computer_use_preview, of the model of
// that name, does one act a call on a screen whose size it is told. See the
// guide to computer use in OpenAI's manual.
const (
	computerTool    = "computer"
	computerPreview = "computer_use_preview"
	computerCall    = "computer_call"
	computerOutput  = "computer_call_output"

	// wheelStep is how many pixels a notch of the wheel scrolls: the acts count
	// pixels, ours notches.
	wheelStep = 100
	// waitMS is how long an act that says only to wait takes, in milliseconds.
	waitMS = 2000
)

// hostedComputer is the tool that a model knows, where it is wanted.
func hostedComputer(s provider.Spec, o provider.Options) string {
	if o.HostedComputer != provider.HostedOn || !official(s.BaseURL) {
		return ""
	}
	known := provider.HostedComputer(s.Model)
	if known == computerTool || known == computerPreview {
		return known
	}
	return ""
}

// A previewTool says what the older tool is told of the screen.
type previewTool struct {
	Type        string `json:"type"`
	Width       int    `json:"display_width"`
	Height      int    `json:"display_height"`
	Environment string `json:"environment"`
}

func (r *Responses) computer(c *provider.Computer) any {
	if r.info.HostedComputer == computerTool {
		return map[string]string{"type": computerTool}
	}
	system := map[string]string{"linux": "linux", "darwin": "mac", "windows": "windows"}[runtime.GOOS]
	if system == "" {
		system = "linux"
	}
	return previewTool{computerPreview, c.Width, c.Height, system}
}

// A computerAct is one act of a call, with the fields of all types.
type computerAct struct {
	Type    string      `json:"type"`
	Button  string      `json:"button,omitempty"`
	X       *float64    `json:"x,omitempty"`
	Y       *float64    `json:"y,omitempty"`
	Path    []pathPoint `json:"path,omitempty"`
	ScrollX *float64    `json:"scroll_x,omitempty"`
	ScrollY *float64    `json:"scroll_y,omitempty"`
	Text    string      `json:"text,omitempty"`
	Keys    []string    `json:"keys,omitempty"` // pressed together; of the mouse: held with it
}

// A pathPoint is an object, or a list of two numbers.
type pathPoint struct {
	X float64 `json:"x"`
	Y float64 `json:"y"`
}

// UnmarshalJSON implements [json.Unmarshaler].
func (p *pathPoint) UnmarshalJSON(raw []byte) error {
	var pair []float64
	if json.Unmarshal(raw, &pair) == nil {
		if len(pair) != 2 {
			return fmt.Errorf("openai: a point has two numbers, not %d", len(pair))
		}
		p.X, p.Y = pair[0], pair[1]
		return nil
	}
	type plain pathPoint
	return json.Unmarshal(raw, (*plain)(p))
}

// computerCalls makes calls of ours of a call of the hosted tool: one an act.
// Their ids are that of the call, with numbers where it has several.
func (d *responsesDecoder) computerCalls(it outputItem) (events []provider.Event) {
	if d.computer == nil || it.Status == "incomplete" {
		return nil
	}
	acts := it.Actions
	if len(acts) == 0 && it.Action != nil {
		acts = []json.RawMessage{it.Action}
	}
	for i, raw := range acts {
		id := it.CallID
		if len(acts) > 1 {
			id += actMark + strconv.Itoa(i+1)
		}
		act := d.ours(raw)
		if i == 0 {
			act.Checks = it.Checks // agreed to before the first, or not at all
		}
		d.calls = true
		events = append(events, provider.PartDone{Part: provider.ToolCall{ID: id, Name: d.computer.Tool, Args: act.Args(), ItemID: it.ID}})
	}
	return events
}

// actMark stands between the id of a call and the number of an act in it.
const actMark = "#"

// clicks are our actions for the buttons of the mouse. Those for back and
// forward have none: a key does the same.
var clicks = map[string]string{"": "left_click", "left": "left_click", "right": "right_click", "wheel": "middle_click"}

// ours reads an act of the hosted tool. Where there is none of ours it keeps its
// name: our tool says that it does not know it.
func (d *responsesDecoder) ours(raw json.RawMessage) (act provider.Act) {
	var in computerAct
	if json.Unmarshal(raw, &in) != nil {
		return provider.Act{Action: cmp.Or(nameOf(raw), "unknown")}
	}
	w, h := 0, 0
	if d.preview {
		w, h = d.computer.Width, d.computer.Height
	}
	if in.X != nil && in.Y != nil {
		p := d.screen.Point(*in.X, *in.Y, w, h)
		act.X, act.Y, act.Frame = &p.X, &p.Y, provider.LastFrame
	}
	act.Modifiers = ourKeys(in.Keys)
	switch in.Type {
	case "click":
		act.Action = clicks[in.Button]
	case "double_click", "screenshot":
		act.Action = in.Type
	case "move":
		act.Action = "mouse_move"
	case "drag":
		act.Action, act.Frame = "left_click_drag", provider.LastFrame
		for _, p := range in.Path {
			act.Path = append(act.Path, d.screen.Point(p.X, p.Y, w, h))
		}
	case "scroll":
		act.Action = "scroll"
		act.Direction, act.Amount = notches(in.ScrollX, in.ScrollY)
	case "type":
		act.Action, act.Text = "type", in.Text
	case "keypress":
		act.Action, act.Key, act.Modifiers = "key", strings.Join(ourKeys(in.Keys), "+"), nil
	case "wait":
		act.Action, act.MS = "wait", waitMS
	}
	if act.Action == "" {
		return provider.Act{Action: cmp.Or(in.Type, "unknown")}
	}
	return act
}

// nameOf is the type of an act whose other fields cannot be read.
func nameOf(raw json.RawMessage) string {
	var in struct {
		Type string `json:"type"`
	}
	_ = json.Unmarshal(raw, &in) // it has no name then
	return in.Type
}

// notches are the turns of the wheel for so many pixels. Of two directions the
// farther one counts, since ours is one at a time.
func notches(x, y *float64) (direction string, amount int) {
	dx, dy := value(x), value(y)
	far, back, forth := dy, "up", "down"
	if math.Abs(dx) > math.Abs(dy) {
		far, back, forth = dx, "left", "right"
	}
	direction = forth
	if far < 0 {
		direction = back
	}
	return direction, max(1, int(math.Round(math.Abs(far)/wheelStep)))
}

func value(p *float64) float64 {
	if p == nil {
		return 0
	}
	return *p
}

// keyNames are our names of the keys that the tool calls otherwise; both sides
// are taken in any case of letters.
var keyNames = map[string]string{
	"control": "ctrl", "option": "alt", "cmd": "super", "command": "super", "meta": "super", "win": "super", "windows": "super",
	"enter": "Return", "return": "Return", "esc": "Escape", "escape": "Escape", "tab": "Tab", "space": "space", " ": "space",
	"backspace": "BackSpace", "delete": "Delete", "del": "Delete", "insert": "Insert", "home": "Home", "end": "End",
	"pageup": "Page_Up", "pagedown": "Page_Down", "arrowup": "Up", "arrowdown": "Down", "arrowleft": "Left", "arrowright": "Right",
	"up": "Up", "down": "Down", "left": "Left", "right": "Right", "capslock": "Caps_Lock", "printscreen": "Print",
	"+": "plus", "-": "minus", "/": "slash", "\\": "backslash",
}

// ourKeys are keys as our tool names them: X's names of keys.
func ourKeys(keys []string) (out []string) {
	for _, k := range keys {
		name, low := k, strings.ToLower(k)
		switch {
		case keyNames[low] != "":
			name = keyNames[low]
		case len(low) > 1 && low[0] == 'f' && low[1] >= '1' && low[1] <= '9':
			name = strings.ToUpper(k)
		case k != "":
			name = low // a letter in capitals names its key, and does not ask for Shift
		}
		out = append(out, name)
	}
	return out
}
