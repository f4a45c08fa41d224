package policy

import (
	"slices"

	"github.com/hobkin/hobkin/core/capability"
	"github.com/hobkin/hobkin/core/provider"
)

const (
	imageLeftOut  = "[An image was left out to save space.]"
	imagesLeftOut = "[Its images were left out to save space.]"
)

// View is the history as it is sent within limits: long results cut in their
// middle, and of all images the newest, of those of the screen only a few.
// Messages that stay as they are are
// shared with it.
func (l Limits) View(history []provider.Message) []provider.Message {
	recent := screensFrom(history)
	out := make([]provider.Message, len(history))
	for i, m := range history {
		out[i] = m
		if i < recent {
			out[i] = change(m, pastScreen)
		}
	}
	oldest := l.oldestImage(out)
	for i, m := range out {
		out[i] = change(m, func(p provider.Part) (provider.Part, bool) { return l.part(p, i < oldest) })
	}
	return out
}

// change returns a message with its parts changed; m itself stays as it is.
func change(m provider.Message, part func(provider.Part) (provider.Part, bool)) provider.Message {
	var parts []provider.Part // nil while nothing differs
	for i, p := range m.Parts {
		got, changed := part(p)
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

func (l Limits) part(p provider.Part, blind bool) (got provider.Part, changed bool) {
	switch p := p.(type) {
	case provider.ToolResult:
		gone := blind && len(p.Images) > 0
		if l.Result > 0 && len(p.Text) > l.Result {
			p.Text, changed = capability.CutMiddle(p.Text, l.Result), true
		}
		if gone {
			p.Text, p.Images = p.Text+"\n"+imagesLeftOut, nil
		}
		return p, changed || gone
	case provider.Image:
		if blind {
			return provider.Text{Text: imageLeftOut}, true
		}
	case provider.Text, provider.Reasoning, provider.ToolCall:
	}
	return p, false
}

// oldestImage returns the index of the first message whose images are sent:
// the newest ones up to the limit.
func (l Limits) oldestImage(history []provider.Message) int {
	room := l.Images
	if room <= 0 {
		room = maxImages
	}
	total := 0
	for i, m := range slices.Backward(history) {
		total += imageBytes(m)
		if total > room {
			return i + 1
		}
	}
	return 0
}

func imageBytes(m provider.Message) (n int) {
	for _, p := range m.Parts {
		switch p := p.(type) {
		case provider.Image:
			n += len(p.Data)
		case provider.ToolResult:
			for _, im := range p.Images {
				n += len(im.Data)
			}
		case provider.Text, provider.Reasoning, provider.ToolCall:
		}
	}
	return n
}
