package provider

import (
	"bytes"
	"context"
	"encoding/json"
	"image"
	_ "image/jpeg" // the formats that pictures of the screen have
	_ "image/png"
	"iter"
	"math"
	"slices"
)

// A Computer is the tool of ours that operates this computer, for models whose
// provider has a tool of its own for that. In a request to such a model, see
// [Info.HostedComputer], the provider's tool stands in its place: calls come
// back as calls of ours, and results go as its own.
type Computer struct {
	Tool          string // its name among [Request.Tools]
	Width, Height int    // pixels of the pictures of the screen that it sends
}

// LastFrame names the newest picture of a whole display that a conversation was
// sent: vendors' tools know no ids of pictures.
const LastFrame = "last"

// Operates returns what operates the computer in a request to a model, nil
// where the provider's own tool is not to be used.
func (r Request) Operates(info Info) *Computer {
	c := r.Computer
	if c == nil || info.HostedComputer == "" || !slices.ContainsFunc(r.Tools, func(t Tool) bool { return t.Name == c.Tool }) {
		return nil
	}
	return c
}

// An Act is the arguments of a call of [Computer.Tool].
type Act struct {
	Action    string       `json:"action"`
	Frame     string       `json:"observation_id,omitempty"` // of X, Y, Path and Region: [LastFrame]
	X         *int         `json:"x,omitempty"`
	Y         *int         `json:"y,omitempty"`
	Path      []ActPoint   `json:"path,omitempty"`
	Region    *ActRegion   `json:"region,omitempty"`
	Modifiers []string     `json:"modifiers,omitempty"`
	Direction string       `json:"direction,omitempty"` // up, down, left or right
	Amount    int          `json:"amount,omitempty"`    // notches of the wheel
	Text      string       `json:"text,omitempty"`
	Key       string       `json:"key,omitempty"` // a chord: ctrl+shift+t
	MS        int          `json:"ms,omitempty"`
	Checks    []SafetyNote `json:"safety_checks,omitempty"`
}

// An ActPoint is a pixel of the picture that [Act.Frame] names.
type ActPoint struct {
	X int `json:"x"`
	Y int `json:"y"`
}

// An ActRegion is a part of that picture.
type ActRegion struct {
	X int `json:"x"`
	Y int `json:"y"`
	W int `json:"w"`
	H int `json:"h"`
}

// A SafetyNote is what a provider wants a person to agree to before an act is
// done. It goes back with the result once they have.
type SafetyNote struct {
	ID      string `json:"id"`
	Code    string `json:"code,omitempty"`
	Message string `json:"message,omitempty"`
}

// ParseAct reads the arguments of a call; ok is false where they are not an act.
func ParseAct(args string) (a Act, ok bool) {
	err := json.Unmarshal([]byte(args), &a)
	return a, err == nil && a.Action != ""
}

// Args is the act as arguments.
func (a Act) Args() string {
	raw, err := json.Marshal(a)
	if err != nil {
		return "{}"
	}
	return string(raw)
}

// A Screen is the size of the newest picture of a whole display that a
// conversation holds. The zero Screen is not known.
type Screen struct{ Width, Height int }

// Screen finds the picture that points of a provider's tool are of. Such a tool
// looks at details without pointing at them, so that pictures of a part do not
// count.
func (c *Computer) Screen(history []Message) Screen {
	parts := c.details(history)
	for _, m := range slices.Backward(history) {
		for _, p := range slices.Backward(m.Parts) {
			r, ok := p.(ToolResult)
			if !ok || r.Name != c.Tool || len(r.Images) == 0 || parts[r.CallID] {
				continue
			}
			if cfg, _, err := image.DecodeConfig(bytes.NewReader(r.Images[0].Data)); err == nil {
				return Screen{cfg.Width, cfg.Height}
			}
		}
	}
	return Screen{}
}

// details are the ids of the calls whose picture is of a part of the screen.
func (c *Computer) details(history []Message) map[string]bool {
	parts := map[string]bool{}
	for _, m := range history {
		for _, p := range m.Parts {
			call, ok := p.(ToolCall)
			if !ok || call.Name != c.Tool {
				continue
			}
			if act, ok := ParseAct(call.Args); ok && act.Region != nil {
				parts[call.ID] = true
			}
		}
	}
	return parts
}

// Point is a point of a display that a tool was told has the size w×h, in
// pixels of the picture: they differ where a display was changed or another one
// is looked at. Without a size it is a pixel of the picture already.
func (s Screen) Point(x, y float64, w, h int) ActPoint {
	return ActPoint{X: scaled(x, w, s.Width), Y: scaled(y, h, s.Height)}
}

func scaled(v float64, from, to int) int {
	if from > 0 && to > 0 {
		v = v * float64(to) / float64(from)
	}
	return int(math.Round(v))
}

// Operating returns m with requests that say what operates the computer, where
// its provider has a tool of its own for that. The size of the screen is asked
// for with each request; nil leaves the tools as they are.
func Operating(m Model, of func(ctx context.Context) *Computer) Model {
	if m.Info().HostedComputer == "" {
		return m
	}
	o := operating{m, of}
	if c, ok := m.(Compacter); ok {
		return operatingCompacter{o, c}
	}
	return o
}

type operating struct {
	Model
	of func(context.Context) *Computer
}

// Stream implements [Model].
func (o operating) Stream(ctx context.Context, req Request) iter.Seq2[Event, error] {
	req.Computer = o.of(ctx)
	return o.Model.Stream(ctx, req)
}

// An operatingCompacter is one that can also shorten conversations.
type operatingCompacter struct {
	operating
	Compacter
}
