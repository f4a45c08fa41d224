package agent

import (
	"context"
	"encoding/json"
	"strings"

	"github.com/hobkin/hobkin/core/capability"
	"github.com/hobkin/hobkin/core/provider"
)

// A showing is one answer on its way to who watches: without secrets, also
// those that are split between two pieces of it. One that is held shows nothing:
// its words are told when they are whole and were checked.
type showing struct {
	words, thoughts *capability.Live
	said            strings.Builder // written by words alone
}

func (r *run) show(ctx context.Context) *showing {
	s, held := &showing{}, r.Screen != nil && r.Holds != nil && r.Holds()
	s.words = r.live(func(text string) {
		s.said.WriteString(text)
		if !held {
			r.emit(ctx, OutputDelta{text})
		}
	})
	s.thoughts = r.live(func(text string) {
		if !held {
			r.emit(ctx, ReasoningDelta{text})
		}
	})
	return s
}

func (r *run) live(show func(string)) *capability.Live {
	if r.Runner.Stream == nil {
		return capability.NewLive(nil, func(text string) { show(r.redact(text)) })
	}
	return capability.NewLive(r.Runner.Stream(), show)
}

// end shows what the streams held back and returns all words, as they were shown
// or would have been.
func (s *showing) end() string {
	s.thoughts.Flush()
	s.words.Flush()
	return s.said.String()
}

// clean hides secrets in a message for the history. What a provider has signed
// is not changed but left out: it would refuse it.
func (r *run) clean(m provider.Message) provider.Message {
	out := provider.Message{Role: m.Role}
	for _, p := range m.Parts {
		switch p := p.(type) {
		case provider.Text:
			p.Text = r.redact(p.Text)
			out.Parts = append(out.Parts, p)
		case provider.Reasoning:
			if hidden := r.redact(p.Text); hidden == p.Text {
				out.Parts = append(out.Parts, p)
			} else if p.Signature == "" && p.Encrypted == "" {
				p.Text = hidden
				out.Parts = append(out.Parts, p)
			}
		case provider.ToolCall:
			p.Args = r.cleanArgs(p.Args)
			out.Parts = append(out.Parts, p)
		case provider.ToolResult, provider.Image: // a result was cleaned by the runner
			out.Parts = append(out.Parts, p)
		}
	}
	return out
}

// cleanArgs keeps what is no JSON as it is written but for the secrets.
func (r *run) cleanArgs(args string) string {
	if !json.Valid([]byte(args)) {
		return r.redact(args)
	}
	return string(capability.RedactJSON(json.RawMessage(args), r.redact))
}
