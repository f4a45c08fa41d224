package policy

import (
	"fmt"
	"slices"

	"github.com/hobkin/hobkin/core/capability"
	"github.com/hobkin/hobkin/core/provider"
)

// Defaults of compaction.
const (
	Full       = 0.85 // of the window: above it a conversation is shortened
	Goal       = 0.50 // of the window: what it is shortened to
	keepWhole  = 2    // last results of tools, at least those of the last step
	maskOver   = 256  // bytes of an old result that are worth masking
	growFactor = 1.05 // a futile compaction is not tried again until so much growth
	growTokens = 4096
	maxImages  = 20 << 20 // bytes of images in one request
	MaxRequest = 30 << 20 // bytes of one request: providers refuse more
)

// A Compactor shortens what one turn sends. The stored history is never
// changed: View shows it through what Shorten decided.
type Compactor struct {
	Window int // tokens of the model; 0 when unknown
	Task   int // index of the turn's own message, which is never left out

	masked int // results before this message are masked
	from   int // messages before this one are left out
	cut    int // bytes that any result may have; 0: the window's share
	futile int // tokens at which shortening did not help; 0: it was not tried
}

// A Report says what Shorten did, in estimated tokens.
type Report struct {
	Before, After int
	Method        string // masking or trim
}

// Due reports whether a request of that many tokens should be shortened first.
func (c *Compactor) Due(tokens int) bool {
	if c.Window <= 0 || float64(tokens) <= Full*float64(c.Window) {
		return false
	}
	return c.futile == 0 || float64(tokens) > float64(c.futile)*growFactor+growTokens
}

// Shorten decides what to leave out: old results first, then old messages.
// Fixed are the tokens of the request beside the messages. An emergency, after
// the provider refused the request, also cuts what is left of the results.
func (c *Compactor) Shorten(history []provider.Message, fixed int, emergency bool) Report {
	r := Report{Before: fixed + Tokens(c.View(history)), Method: "masking"}
	goal := c.goal(r.Before, emergency)
	c.masked = max(c.masked, wholeFrom(history))
	r.After = fixed + Tokens(c.View(history))
	for _, i := range starts(history, c.from) {
		if r.After <= goal {
			break
		}
		c.from, r.Method = i, "trim"
		r.After = fixed + Tokens(c.View(history))
	}
	if emergency && r.After > goal {
		c.cut, r.Method = max(goal*bytesPerToken/8, maskOver), "trim"
		r.After = fixed + Tokens(c.View(history))
	}
	c.futile = 0
	if r.After >= r.Before || c.Due(r.After) {
		c.futile = r.After
	}
	return r
}

// Futile reports whether the last Shorten did not help.
func (c *Compactor) Futile() bool { return c.futile > 0 }

func (c *Compactor) goal(before int, emergency bool) int {
	goal := int(Goal * float64(before))
	if c.Window <= 0 {
		return goal
	}
	window := int(Goal * float64(c.Window))
	if emergency {
		return min(goal, window) // the estimate was wrong, or the window is smaller than said
	}
	return window
}

// wholeFrom returns the index from which results are kept whole.
func wholeFrom(history []provider.Message) int {
	kept := 0
	for i, m := range slices.Backward(history) {
		for _, p := range m.Parts {
			if _, ok := p.(provider.ToolResult); ok {
				kept++
			}
		}
		if kept >= keepWhole {
			return i
		}
	}
	return 0
}

// starts lists where the conversation may begin, after index `after`: not at
// results, whose calls would be lost, and not beyond the last step.
func starts(history []provider.Message, after int) []int {
	last := len(history) - 1
	for last > 0 && history[last].Role == provider.RoleTool {
		last--
	}
	var out []int
	for i := after + 1; i <= last; i++ {
		if history[i].Role != provider.RoleTool {
			out = append(out, i)
		}
	}
	return out
}

// View is the history as it is sent. Messages that stay as they are are shared
// with it.
func (c *Compactor) View(history []provider.Message) []provider.Message {
	first := slices.IndexFunc(history, func(m provider.Message) bool { return m.Role == provider.RoleUser })
	oldest := oldestImage(history)
	out := make([]provider.Message, 0, len(history))
	for i, m := range history {
		if i < c.from && i != first && i != c.Task {
			continue
		}
		m = c.shown(m, i < c.masked, i < oldest)
		if i == first && c.from > first+1 {
			m.Parts = append(slices.Clip(m.Parts), provider.Text{Text: leftOut})
		}
		out = append(out, m)
	}
	return out
}

const leftOut = "[A part of this conversation that followed here was left out, because it no longer fits.]"

// shown is a message as it is sent.
func (c *Compactor) shown(m provider.Message, masked, blind bool) provider.Message {
	var parts []provider.Part // nil while nothing differs
	for i, p := range m.Parts {
		got, changed := c.part(p, masked, blind)
		if !changed {
			continue
		}
		if parts == nil {
			parts = slices.Clone(m.Parts)
		}
		parts[i] = got
	}
	if parts != nil {
		m.Parts = parts
	}
	return m
}

func (c *Compactor) part(p provider.Part, masked, blind bool) (got provider.Part, changed bool) {
	switch p := p.(type) {
	case provider.ToolResult:
		text := p.Text
		switch most := c.share(); {
		case masked && len(text) > maskOver:
			text = fmt.Sprintf("[This result of %d bytes was left out to save space. Make the call again if you need it.]", len(text))
		case most > 0 && len(text) > most:
			text = capability.CutMiddle(text, most)
		}
		gone := len(p.Images) > 0 && (masked || blind)
		if gone {
			text, p.Images = text+"\n[Its images were left out to save space.]", nil
		}
		if text == p.Text {
			return p, gone
		}
		p.Text = text
		return p, true
	case provider.Image:
		if blind {
			return provider.Text{Text: "[An image was left out to save space.]"}, true
		}
	case provider.Text, provider.Reasoning, provider.ToolCall:
	}
	return p, false
}

// share is what one result may have in bytes: a quarter of the window.
func (c *Compactor) share() int {
	if c.cut > 0 {
		return c.cut
	}
	return c.Window / 4 * bytesPerToken
}

// oldestImage returns the index of the first message whose images are sent:
// the newest ones up to a limit.
func oldestImage(history []provider.Message) int {
	total := 0
	for i, m := range slices.Backward(history) {
		for _, p := range m.Parts {
			switch p := p.(type) {
			case provider.Image:
				total += len(p.Data)
			case provider.ToolResult:
				for _, im := range p.Images {
					total += len(im.Data)
				}
			case provider.Text, provider.Reasoning, provider.ToolCall:
			}
		}
		if total > maxImages {
			return i + 1
		}
	}
	return 0
}
