package page

import (
	"context"
	"strconv"
	"strings"
)

// filling is what the script says of a field that is to be filled.
type filling struct {
	word
	Way    string `json:"way"` // type: keys go there now; set: it is done
	Value  string `json:"value"`
	Before string `json:"before"`
	Secret bool   `json:"secret"`
	Rich   bool   `json:"rich"` // text that is edited in place
}

// holding is what a field holds.
type holding struct {
	Why    string `json:"why"`
	Value  string `json:"value"`
	Length int    `json:"length"` // in UTF-16 units
	Secret bool   `json:"secret"`
}

// fill is the act of putting text into a field, in place of what it holds.
func (p *Page) fill(ctx context.Context, a *Act) (*Done, error) {
	e, err := p.find(ctx, a.Ref)
	if err != nil {
		return nil, err
	}
	if _, err := p.ready(ctx, &e, need{Enabled: true, Editable: true}, a.Timeout); err != nil {
		return nil, err
	}
	var f filling
	if err := e.call(ctx, &f, "fill", e.number, a.Text); err != nil {
		return nil, err
	}
	if f.Why != "" {
		return nil, e.fail(f.word, a.Timeout)
	}
	if f.Way == "type" {
		if err := e.insert(ctx, a.Text); err != nil {
			return nil, err
		}
	}
	done, err := e.filled(ctx, f, a.Text)
	if err != nil || !a.Submit {
		return done, err
	}
	done.Text += " Pressed Enter."
	done.Left, err = e.enter(ctx)
	return done, err
}

// insert puts text in place of what is selected: one event of input, whatever
// the script of the text.
func (e element) insert(ctx context.Context, text string) error {
	if text == "" {
		k, err := parseChord("Delete")
		if err != nil {
			return err
		}
		_, err = k.press(ctx, e.frame.Session)
		return err
	}
	return ignoreLost(e.frame.Session.Call(ctx, "Input.insertText", map[string]any{"text": text}, nil))
}

// filled looks at the field again and says what it holds.
func (e element) filled(ctx context.Context, f filling, text string) (*Done, error) {
	var h holding
	if err := e.call(ctx, &h, "held", e.number); err != nil || h.Why != "" {
		return &Done{Text: "Filled " + e.String() + ". The page took the field away.", Left: lost(err)}, ignoreLost(err)
	}
	done := &Done{Text: "Filled " + e.String() + ".", Value: clean(h.Value, maxString)}
	switch {
	case h.Secret && h.Length == len([]rune(text)), h.Value == text:
	case h.Secret:
		done.Text = "Filled " + e.String() + ", which holds " + strconv.Itoa(h.Length) + " characters."
	case strings.TrimSpace(h.Value) == strings.TrimSpace(f.Before) && f.Before != text && f.Way == "type" && !f.Rich:
		return nil, Unchanged.Becausef("%v still holds %q", e, clean(h.Value, 100)).Trying("click the field and use type")
	case !f.Rich:
		done.Text += " It holds " + strconv.Quote(clean(h.Value, 200)) + " now."
	}
	return done, nil
}

// enter presses Enter where the focus is.
func (e element) enter(ctx context.Context) (left bool, err error) {
	k, err := parseChord("Enter")
	if err != nil {
		return false, err
	}
	return k.press(ctx, e.frame.Session)
}
