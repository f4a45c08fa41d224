package openai

import (
	"encoding/json"
	"strings"

	"github.com/hobkin/hobkin/core/provider"
)

// A computerGroup is one call of the hosted tool: the acts of it, each of which
// is a call of ours, and what came of them.
type computerGroup struct {
	id    string // of the item
	acts  []computerAct
	check []provider.SafetyNote
	shot  *provider.Image // what is seen after the last act
	text  []string        // what the results say
	known bool            // each act is one of the hosted tool's
	ok    bool            // no act was refused
	sent  bool
	told  bool
}

// whole reports whether the group can go as a call of the hosted tool. One
// without a picture goes as calls of ours: an output is a picture and nothing
// else.
func (g *computerGroup) whole() bool { return g != nil && g.known && g.shot != nil && g.id != "" }

// computerGroups finds the calls of the hosted tool in a history, by the id of
// the call.
func computerGroups(history []provider.Message, c *provider.Computer) map[string]*computerGroup {
	if c == nil {
		return nil
	}
	groups := map[string]*computerGroup{}
	for _, m := range history {
		for _, p := range m.Parts {
			switch p := p.(type) {
			case provider.ToolCall:
				if p.Name == c.Tool {
					id := baseID(p.ID)
					if groups[id] == nil {
						groups[id] = &computerGroup{id: p.ItemID, known: true, ok: true}
					}
					groups[id].call(p)
				}
			case provider.ToolResult:
				if g := groups[baseID(p.CallID)]; g != nil {
					g.result(p)
				}
			case provider.Text, provider.Image, provider.Reasoning:
			}
		}
	}
	return groups
}

// baseID is the id of the call that an act belongs to.
func baseID(id string) string {
	base, _, _ := strings.Cut(id, actMark)
	return base
}

func (g *computerGroup) call(c provider.ToolCall) {
	act, ok := provider.ParseAct(c.Args)
	hosted, known := theirAct(act)
	g.known = g.known && ok && known
	g.acts = append(g.acts, hosted)
	g.check = append(g.check, act.Checks...)
}

func (g *computerGroup) result(r provider.ToolResult) {
	g.ok = g.ok && !r.Failed
	if r.Text != "" {
		g.text = append(g.text, r.Text)
	}
	if n := len(r.Images); n > 0 {
		g.shot = &r.Images[n-1]
	}
}

// theirTypes are the types of the acts of the hosted tool, by our action.
var theirTypes = map[string]string{
	"left_click": "click", "right_click": "click", "middle_click": "click", "double_click": "double_click", "mouse_move": "move",
	"left_click_drag": "drag", "scroll": "scroll", "type": "type", "key": "keypress", "wait": "wait", "screenshot": "screenshot",
}

// theirAct writes an act of ours as one of the hosted tool, if it has one.
func theirAct(a provider.Act) (computerAct, bool) {
	out := computerAct{Type: theirTypes[a.Action], Keys: a.Modifiers}
	if a.X != nil && a.Y != nil {
		x, y := float64(*a.X), float64(*a.Y)
		out.X, out.Y = &x, &y
	}
	switch out.Type {
	case "click":
		out.Button = map[string]string{"left_click": "left", "right_click": "right", "middle_click": "wheel"}[a.Action]
		return out, out.X != nil
	case "double_click", "move":
		return out, out.X != nil
	case "scroll":
		out.ScrollX, out.ScrollY = pixels(a)
		return out, out.X != nil
	case "drag":
		for _, p := range a.Path {
			out.Path = append(out.Path, pathPoint{float64(p.X), float64(p.Y)})
		}
	case "type":
		out.Text = a.Text
	case "keypress":
		out.Keys = strings.Split(a.Key, "+")
	case "screenshot":
		return out, a.Region == nil
	}
	return out, out.Type != ""
}

// pixels are how far the notches of an act scroll.
func pixels(a provider.Act) (x, y *float64) {
	far, none := float64(a.Amount*wheelStep), 0.0
	if a.Direction == "up" || a.Direction == "left" {
		far = -far
	}
	if a.Direction == "left" || a.Direction == "right" {
		return &far, &none
	}
	return &none, &far
}

// A computerItem is a call of the hosted tool, or its output.
type computerItem struct {
	Type    string                 `json:"type"`
	ID      string                 `json:"id,omitempty"`
	CallID  string                 `json:"call_id"`
	Status  string                 `json:"status,omitempty"`
	Action  *computerAct           `json:"action,omitempty"`
	Actions []computerAct          `json:"actions,omitempty"`
	Pending *[]provider.SafetyNote `json:"pending_safety_checks,omitempty"`
	Agreed  []provider.SafetyNote  `json:"acknowledged_safety_checks,omitempty"`
	Output  *computerShot          `json:"output,omitempty"`
}

type computerShot struct {
	Type     string `json:"type"`
	ImageURL string `json:"image_url"`
	Detail   string `json:"detail,omitempty"`
}

// computerCall writes the call that an act belongs to, with the first act of it.
// Handled says that the act needs no item of its own.
func (w writer) computerCall(c provider.ToolCall) (it item, handled bool) {
	id := baseID(c.ID)
	g := w.groups[id]
	if !g.whole() || c.Name != w.computer.Tool {
		return item{}, false
	}
	if g.sent {
		return item{}, true
	}
	g.sent = true
	checks := append([]provider.SafetyNote{}, g.check...)
	call := computerItem{Type: computerCall, ID: g.id, CallID: id, Status: "completed", Pending: &checks}
	if w.preview {
		call.Action = &g.acts[0]
	} else {
		call.Actions = g.acts
	}
	return blockItem(call), true
}

// computerOutput writes what the acts of a call came to: its picture, and behind
// all outputs what the results say.
func (w writer) computerOutput(r provider.ToolResult) (it item, text string, handled bool) {
	id := baseID(r.CallID)
	g := w.groups[id]
	if !g.whole() || r.Name != w.computer.Tool {
		return item{}, "", false
	}
	if g.told {
		return item{}, "", true
	}
	g.told = true
	out := computerItem{Type: computerOutput, CallID: id, Output: &computerShot{Type: "computer_screenshot", ImageURL: dataURL(*g.shot)}}
	if !w.preview {
		out.Output.Detail = "original" // else points would be of a smaller picture
	}
	if g.ok {
		out.Agreed = g.check // the acts were done: a person agreed
	}
	return blockItem(out), strings.Join(g.text, "\n"), true
}

// computerNote begins what a result says beside its picture: the interface
// takes it only as a message.
const computerNote = "[From the computer tool, not from the user:]\n"

// blockItem is an item that is written whole.
func blockItem(v any) item {
	raw, err := json.Marshal(v)
	if err != nil {
		return item{}
	}
	return item{Type: "block", block: raw}
}
