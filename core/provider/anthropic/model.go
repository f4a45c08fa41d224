package anthropic

import (
	"context"
	"iter"
	"net/http"
	"net/url"
	"strings"

	"github.com/hobkin/hobkin/core/provider"
)

const version = "2023-06-01"

// A Model is a model behind a Messages interface.
type Model struct {
	endpoint provider.Endpoint
	info     provider.Info
	official bool // Anthropic itself, which knows every field
}

// New returns the model of a resolved spec.
func New(s provider.Spec, o provider.Options) *Model {
	s.BaseURL = strings.TrimSuffix(s.BaseURL, "/v1")
	info := provider.Describe(s)
	info.ToolResultImages = info.Images
	endpoint := s.Endpoint("X-Api-Key", "", o)
	header := endpoint.Header
	endpoint.Header = func(ctx context.Context) (http.Header, error) {
		h, err := header(ctx)
		if err == nil && h.Get("Anthropic-Version") == "" {
			h.Set("Anthropic-Version", version)
		}
		return h, err
	}
	u, err := url.Parse(s.BaseURL)
	official := err == nil && u.Hostname() == "api.anthropic.com"
	info.HostedToolSearch = official && searches(s.Model)
	if known := provider.HostedComputer(s.Model); official && betas[known] != "" && o.HostedComputer != provider.HostedOff {
		info.HostedComputer = known
	}
	return &Model{endpoint: endpoint, info: info, official: official}
}

// Info implements [provider.Model].
func (m *Model) Info() provider.Info { return m.info }

// Stream implements [provider.Model].
func (m *Model) Stream(ctx context.Context, req provider.Request) iter.Seq2[provider.Event, error] {
	return func(yield func(provider.Event, error) bool) {
		endpoint, d := m.endpoint, &decoder{provider: m.info.Provider, blocks: map[int]*block{}}
		if c := req.Operates(m.info); c != nil {
			endpoint, d.computer, d.screen = withBeta(endpoint, betas[m.info.HostedComputer]), c, c.Screen(req.Messages)
		}
		endpoint.Ask(ctx, req.Messages, m.info, provider.Exchange{
			Path:    "/v1/messages",
			Body:    func(messages []provider.Message) any { return m.request(req, messages) },
			Decoder: d,
		})(yield)
	}
}
