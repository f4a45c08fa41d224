package tool

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/hobkin/hobkin/computeruse"
	"github.com/hobkin/hobkin/computeruse/wire"
	"github.com/hobkin/hobkin/core/capability"
)

// preview tells which program an act would be done to, for the person who is
// asked and for the rules. A look is not asked about.
func (h *Host) preview(ctx context.Context, call capability.Call, a in) (capability.Preview, error) {
	if !computeruse.IsAct(a.Action) {
		if len(a.Checks) == 0 {
			return capability.Preview{Effect: capability.EffectLook}, nil
		}
		p := capability.Preview{Question: "Look at the screen?", Summary: strings.ReplaceAll(a.Action, "_", " ")}
		a.warn(&p)
		return p, nil
	}
	act, err := a.act()
	if err != nil {
		return capability.Preview{}, err
	}
	j, err := h.Session.Judge(ctx, call, act)
	if err != nil {
		return capability.Preview{}, err
	}
	p := capability.Preview{Summary: a.says(j)}
	for _, one := range j.Programs {
		if !slices.Contains(p.Apps, one.Name) {
			p.Apps = append(p.Apps, one.Name)
		}
		if one.Name == "" {
			p.Warnings = append(p.Warnings, "It cannot be told which program this is.")
		}
	}
	p.Question = fmt.Sprintf("Use the mouse and the keyboard in %s?", quotedApps(p.Apps))
	a.warn(&p)
	return p, nil
}

// warn adds what the model's provider wants a person to agree to: no rule covers
// that.
func (a *in) warn(p *capability.Preview) {
	for _, c := range a.Checks {
		p.Warnings = append(p.Warnings, "The provider of the model wants this checked: "+or(c.Message, c.Code))
		p.Alone = true
	}
}

func or(a, b string) string {
	if a != "" {
		return a
	}
	return b
}

func quotedApps(apps []string) string {
	out := make([]string, len(apps))
	for i, a := range apps {
		switch a {
		case "":
			out[i] = "an unknown program"
		case "desktop":
			out[i] = "the desktop"
		default:
			out[i] = "“" + a + "”"
		}
	}
	return strings.Join(out, " and ")
}

// says what the act is, in a line for a person.
func (a *in) says(j *computeruse.Judgement) string {
	parts := []string{strings.ReplaceAll(a.Action, "_", " ")}
	switch {
	case a.Text != "":
		parts = append(parts, "“"+brief(a.Text, 200)+"”")
	case a.Key != "":
		parts = append(parts, a.Key)
	case a.Action == computeruse.SetValue:
		parts = append(parts, "“"+brief(a.Value, 200)+"”")
	case a.Action == computeruse.Scroll:
		parts = append(parts, or(a.Direction, "down"))
	}
	if len(a.Modifiers) > 0 {
		parts = append(parts, "with "+strings.Join(a.Modifiers, "+"))
	}
	if e := j.Element; e != nil {
		parts = append(parts, e.Role+" “"+brief(e.Name, 80)+"”")
	} else if j.Point != nil {
		parts = append(parts, fmt.Sprintf("at %d,%d of the screen", j.Point.X, j.Point.Y))
	}
	if t := j.Programs[0].Title; t != "" {
		parts = append(parts, "in “"+brief(t, 80)+"”")
	}
	return strings.Join(parts, " · ")
}

// brief is a text in one line, cut.
func brief(text string, most int) string {
	text = strings.Join(strings.Fields(text), " ")
	if len(text) <= most {
		return text
	}
	return capability.CutText(text, most) + "…"
}

// act reads an act, and checks what needs no screen to be checked.
func (a *in) act() (computeruse.Act, error) {
	out := computeruse.Act{
		Action: a.Action, Observation: a.Observation, X: a.X, Y: a.Y, Element: a.Element, Mark: a.Mark, ToX: a.ToX, ToY: a.ToY,
		Direction: a.Direction, Amount: a.Amount, Text: a.Text, Chord: a.Key, Repeat: a.Repeat, Duration: time.Duration(a.MS) * time.Millisecond,
		Value: a.Value, Does: a.Does, Window: a.Window,
	}
	for _, p := range a.Path {
		out.Path = append(out.Path, [2]float64{p.X, p.Y})
	}
	var err error
	if out.Modifiers, err = computeruse.Modifiers(a.Modifiers); err != nil {
		return out, err
	}
	return out, a.check()
}

// longest is how long a key is held or a drag takes, at most.
const longest = 10_000

// check reports what is missing or too much for an action.
func (a *in) check() error {
	why := ""
	switch a.Action {
	case computeruse.Type, computeruse.Paste:
		why = a.checkText()
	case computeruse.Key, computeruse.HoldKey:
		why = a.checkKey()
	case computeruse.LeftClickDrag:
		if a.MS > longest {
			why = fmt.Sprintf("/ms is at most %d", longest)
		}
	case computeruse.Scroll:
		if a.Direction == "" {
			why = "/direction is missing: up, down, left or right"
		}
	case computeruse.FocusWindow:
		if a.Window == "" {
			why = "/window is missing: an id from windows"
		}
	}
	if why == "" {
		return nil
	}
	return capability.BadInput.Becausef("%s: %s", a.Action, why)
}

func (a *in) checkText() string {
	switch {
	case a.Text == "":
		return "/text is missing"
	case len(a.Text) > wire.MaxText:
		return fmt.Sprintf("/text has %d bytes, %d are the most; send it in parts", len(a.Text), wire.MaxText)
	case !utf8.ValidString(a.Text):
		return "/text is not valid UTF-8"
	}
	return ""
}

func (a *in) checkKey() string {
	switch {
	case strings.TrimSpace(a.Key) == "":
		return "/key is missing"
	case a.Action == computeruse.HoldKey && (a.MS < 1 || a.MS > longest):
		return fmt.Sprintf("/ms must say how long, from 1 to %d", longest)
	}
	return ""
}
