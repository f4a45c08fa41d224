package anthropic

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"math"
	"net/http"
	"slices"
	"strings"

	"github.com/hobkin/hobkin/core/provider"
)

// Anthropic's own tool for operating a computer. It has no schema: the model
// was trained on it, and is told how large the screen is. Its points are of the
// whole screen, whatever picture came last. See the computer use tool in
// Anthropic's manual.
const computerName = "computer"

// betas are the versions of the tool that are spoken here, with the header that
// each asks for.
var betas = map[string]string{
	"computer_20250124": "computer-use-2025-01-24",
	"computer_20251124": "computer-use-2025-11-24", // looks at details, too
}

// withBeta adds the header that a hosted tool asks for.
func withBeta(e provider.Endpoint, beta string) provider.Endpoint {
	const name = "Anthropic-Beta"
	header := e.Header
	e.Header = func(ctx context.Context) (http.Header, error) {
		h, err := header(ctx)
		if err != nil {
			return h, err
		}
		if own := h.Get(name); own != "" {
			beta = own + "," + beta
		}
		h.Set(name, beta)
		return h, nil
	}
	return e
}

// computer is the hosted tool in place of ours.
func (m *Model) computer(c *provider.Computer) tool {
	return tool{
		Type: m.info.HostedComputer, Name: computerName, Width: c.Width, Height: c.Height,
		Zoom: m.info.HostedComputer == "computer_20251124",
	}
}

// A computerInput is what a call of the hosted tool says.
type computerInput struct {
	Action     string  `json:"action"`
	Coordinate numbers `json:"coordinate,omitempty"`
	Start      numbers `json:"start_coordinate,omitempty"`
	Region     numbers `json:"region,omitempty"` // left, top, right, bottom
	Text       string  `json:"text,omitempty"`
	Direction  string  `json:"scroll_direction,omitempty"`
	Amount     int     `json:"scroll_amount,omitempty"`
	Duration   float64 `json:"duration,omitempty"` // seconds
}

// numbers are the parts of a point or a region. Models write them as a list,
// and now and then as a text with a list in it.
type numbers []float64

// UnmarshalJSON implements [json.Unmarshaler].
func (n *numbers) UnmarshalJSON(raw []byte) error {
	var text string
	if json.Unmarshal(raw, &text) == nil {
		raw = bytes.TrimSpace([]byte(text))
	}
	var list []float64
	if err := json.Unmarshal(raw, &list); err != nil {
		return fmt.Errorf("anthropic: a point is a list of numbers: %w", err)
	}
	*n = list
	return nil
}

// pointed are the actions that are done at a point, and pressed those that may
// be done with modifiers held.
var (
	pointed = []string{"mouse_move", "left_click", "right_click", "middle_click", "double_click", "triple_click", "left_mouse_down", "left_mouse_up", "scroll", "left_click_drag"}
	pressed = []string{"left_click", "right_click", "middle_click", "double_click", "triple_click", "scroll", "left_click_drag"}
)

// ours reads a call of the hosted tool as one of ours. What cannot be read
// stays as it is: our tool says what is wrong with it.
func ours(args string, c *provider.Computer, s provider.Screen) string {
	var in computerInput
	if json.Unmarshal([]byte(args), &in) != nil || in.Action == "" {
		return args
	}
	act := provider.Act{Action: in.Action}
	at := func(n numbers) provider.ActPoint { return s.Point(n[0], n[1], c.Width, c.Height) }
	if len(in.Coordinate) == 2 {
		p := at(in.Coordinate)
		act.X, act.Y, act.Frame = &p.X, &p.Y, provider.LastFrame
		if in.Action == "left_click_drag" && len(in.Start) == 2 {
			act.X, act.Y, act.Path = nil, nil, []provider.ActPoint{at(in.Start), p}
		}
	}
	switch {
	case slices.Contains(pressed, in.Action):
		act.Modifiers = modifiers(in.Text)
		act.Direction, act.Amount = in.Direction, in.Amount
	case in.Action == "type":
		act.Text = in.Text
	case in.Action == "key":
		act.Key = in.Text
	case in.Action == "hold_key", in.Action == "wait":
		act.Key, act.MS = in.Text, int(math.Round(in.Duration*1000))
	case in.Action == "zoom" && len(in.Region) == 4:
		from, to := at(in.Region[:2]), at(in.Region[2:])
		act.Action, act.Frame = "screenshot", provider.LastFrame
		act.Region = &provider.ActRegion{X: from.X, Y: from.Y, W: to.X - from.X, H: to.Y - from.Y}
	}
	return act.Args()
}

// modifiers are the keys of a chord that are held while the mouse is used.
func modifiers(text string) []string {
	return strings.FieldsFunc(text, func(r rune) bool { return r == '+' || r == ' ' })
}

// theirs writes a call of ours as one of the hosted tool, and whether there is
// one: others go as calls of a tool that is not offered any more.
func theirs(args string) (json.RawMessage, bool) {
	act, ok := provider.ParseAct(args)
	if !ok {
		return nil, false
	}
	in := computerInput{Action: act.Action, Text: strings.Join(act.Modifiers, "+")}
	switch {
	case slices.Contains(pointed, act.Action):
		if act.X != nil && act.Y != nil {
			in.Coordinate = numbers{float64(*act.X), float64(*act.Y)}
		}
		if n := len(act.Path); n > 1 {
			in.Start, in.Coordinate = pair(act.Path[0]), pair(act.Path[n-1])
		}
		in.Direction, in.Amount = act.Direction, act.Amount
	case act.Action == "type":
		in.Text = act.Text
	case act.Action == "key":
		in.Text = act.Key
	case act.Action == "hold_key", act.Action == "wait":
		in.Text, in.Duration = act.Key, float64(act.MS)/1000
	case act.Action == "screenshot" && act.Region != nil:
		r := act.Region
		in.Action, in.Region = "zoom", numbers{float64(r.X), float64(r.Y), float64(r.X + r.W), float64(r.Y + r.H)}
	case act.Action != "screenshot" && act.Action != "cursor_position":
		return nil, false
	}
	raw, err := json.Marshal(in)
	return raw, err == nil
}

func pair(p provider.ActPoint) numbers { return numbers{float64(p.X), float64(p.Y)} }
