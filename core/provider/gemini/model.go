package gemini

import (
	"context"
	"iter"
	"net/url"
	"strings"

	"github.com/hobkin/hobkin/core/provider"
)

// A Model is a model behind a Gemini interface.
type Model struct {
	endpoint provider.Endpoint
	info     provider.Info
}

// New returns the model of a resolved spec.
func New(s provider.Spec, o provider.Options) *Model {
	s.Model = strings.TrimPrefix(s.Model, "models/")
	return &Model{endpoint: s.Endpoint("X-Goog-Api-Key", "", o), info: provider.Describe(s)}
}

// Info implements [provider.Model].
func (m *Model) Info() provider.Info { return m.info }

// Stream implements [provider.Model].
func (m *Model) Stream(ctx context.Context, req provider.Request) iter.Seq2[provider.Event, error] {
	return func(yield func(provider.Event, error) bool) {
		m.endpoint.Ask(ctx, req.Messages, m.info, provider.Exchange{
			Path:    "/models/" + url.PathEscape(m.info.Model) + ":streamGenerateContent?alt=sse",
			Body:    func(messages []provider.Message) any { return m.request(req, messages) },
			Decoder: &decoder{provider: m.info.Provider},
		})(yield)
	}
}
