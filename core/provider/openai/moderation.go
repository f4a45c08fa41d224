package openai

import (
	"context"
	"errors"
	"maps"
	"slices"
	"strings"

	"github.com/hobkin/hobkin/core/provider"
)

// ModerationModel is the model that is asked where none is named.
const ModerationModel = "omni-moderation-latest"

// Moderation is the moderation interface of OpenAI and of servers that are
// compatible with it.
type Moderation struct {
	endpoint provider.Endpoint
	model    string
}

// NewModeration returns the interface of a resolved spec.
func NewModeration(s provider.Spec, o provider.Options) *Moderation {
	return &Moderation{endpoint: s.Endpoint("Authorization", "Bearer ", o), model: s.Model}
}

type moderationRequest struct {
	Model string `json:"model"`
	Input string `json:"input"`
}

type moderationAnswer struct {
	Results []struct {
		Flagged    bool            `json:"flagged"`
		Categories map[string]bool `json:"categories"`
	} `json:"results"`
}

// Moderate reports whether a text is flagged, and in which categories.
func (m *Moderation) Moderate(ctx context.Context, text string) (flagged bool, categories []string, err error) {
	var got moderationAnswer
	if err := m.endpoint.PostJSON(ctx, "/moderations", moderationRequest{m.model, text}, &got); err != nil {
		return false, nil, err
	}
	if len(got.Results) == 0 {
		return false, nil, provider.NotUnderstood(m.endpoint.Provider, errors.New("no results"))
	}
	for _, r := range got.Results {
		flagged = flagged || r.Flagged
		for _, name := range slices.Sorted(maps.Keys(r.Categories)) {
			if r.Categories[name] && !slices.Contains(categories, name) {
				categories = append(categories, strings.ToValidUTF8(name, ""))
			}
		}
	}
	return flagged, categories, nil
}
