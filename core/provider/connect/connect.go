// Package connect opens models of every wire format. It is the one place that
// knows all of them.
package connect

import (
	"cmp"
	"fmt"

	"github.com/hobkin/hobkin/core/provider"
	"github.com/hobkin/hobkin/core/provider/anthropic"
	"github.com/hobkin/hobkin/core/provider/gemini"
	"github.com/hobkin/hobkin/core/provider/openai"
)

// Open returns the model that s describes. Nothing is sent; the error is for
// whoever wrote the settings.
func Open(s provider.Spec, o provider.Options) (provider.Model, error) {
	s, wire, err := s.Resolve()
	if err != nil {
		return nil, err
	}
	switch wire {
	case provider.WireAnthropic:
		return anthropic.New(s, o), nil
	case provider.WireResponses:
		return openai.NewResponses(s, o), nil
	case provider.WireGemini:
		return gemini.New(s, o), nil
	case provider.WireChat:
	}
	return openai.NewChat(s, o), nil
}

// Moderation returns the moderation interface of the provider that s describes,
// with the usual model where s names none.
func Moderation(s provider.Spec, o provider.Options) (*openai.Moderation, error) {
	s.Model = cmp.Or(s.Model, openai.ModerationModel)
	s, wire, err := s.Resolve()
	switch {
	case err != nil:
		return nil, err
	case wire != provider.WireResponses && wire != provider.WireChat:
		return nil, fmt.Errorf("provider: %s has no moderation", s.Name)
	}
	return openai.NewModeration(s, o), nil
}
