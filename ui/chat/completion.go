package chat

import (
	"strings"

	"github.com/hobkin/hobkin/core/command"
	"github.com/hobkin/hobkin/core/control"
)

// A Completion is the list of commands that is shown while the name of one is
// written. The zero Completion knows none and shows nothing.
type Completion struct {
	All   []control.CommandEntry // that there are
	Shown []control.CommandEntry // that what is written may become; empty: nothing is shown
	At    int                    // the one that Enter and Tab take, of Shown

	typed string // the name so far
	shut  string // the text at which the person closed it
}

// Type takes in the text of the input. It reports whether something changed.
func (c *Completion) Type(text string) bool {
	before := len(c.Shown)
	typed, slash := strings.CutPrefix(text, "/")
	if !slash || strings.ContainsAny(typed, " \t\n/") || c.shut != "" && text == c.shut {
		c.Shown, c.At = nil, 0
		if text != c.shut {
			c.shut = ""
		}
		return before > 0
	}
	c.shut = ""
	if typed != c.typed || before == 0 {
		c.At = 0
	}
	c.typed = strings.ToLower(typed)
	c.Shown = command.Complete(c.All, typed)
	c.At = max(0, min(c.At, len(c.Shown)-1))
	return before > 0 || len(c.Shown) > 0
}

// Open reports whether the list is shown.
func (c *Completion) Open() bool { return len(c.Shown) > 0 }

// Move goes up or down the list, and round its ends.
func (c *Completion) Move(by int) {
	if n := len(c.Shown); n > 0 {
		c.At = ((c.At+by)%n + n) % n
	}
}

// Whole reports whether the name that is written is one that Enter gives, and
// not one that Enter completes.
func (c *Completion) Whole() bool {
	return !c.Open() || c.Shown[c.At].Name == c.typed
}

// Pick is the text of the input with the command at a place of the list: with a
// space behind it, for its arguments.
func (c *Completion) Pick(at int) string {
	if at < 0 || at >= len(c.Shown) {
		return "/" + c.typed
	}
	text := "/" + c.Shown[at].Name
	if c.Shown[at].Hint != "" {
		text += " "
	}
	return text
}

// Close hides the list until something else is written.
func (c *Completion) Close(text string) { c.Shown, c.At, c.shut = nil, 0, text }
