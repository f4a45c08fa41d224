package provider_test

import (
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hobkin/hobkin/core/provider"
)

func TestDescribe(t *testing.T) {
	for name, tc := range map[string]struct {
		spec provider.Spec
		want provider.Info
	}{
		"known": {
			provider.Spec{Name: "anthropic", Model: "claude-sonnet-4-20250514"},
			provider.Info{
				Title: "Claude Sonnet 4", Window: 200_000, MaxOutput: 64_000, Images: true, Tools: true, Caching: true, Reasoning: true,
				Price: provider.Price{Input: 3, Output: 15, CachedInput: .3}, Priced: true,
			},
		},
		"with a vendor, a dot and a variant": {
			provider.Spec{Name: "openrouter", Model: "anthropic/claude-sonnet-4.5:beta"},
			provider.Info{
				Title: "Claude Sonnet 4.5", Window: 200_000, MaxOutput: 64_000, Images: true, Tools: true, Caching: true, Reasoning: true,
				Price: provider.Price{Input: 3, Output: 15, CachedInput: .3}, Priced: true,
			},
		},
		"no reasoning": {
			provider.Spec{Name: "openai", Model: "gpt-4o-2024-08-06"},
			provider.Info{
				Title: "GPT-4o", Window: 128_000, MaxOutput: 16_384, Images: true, Tools: true, Caching: true,
				Price: provider.Price{Input: 2.5, Output: 10, CachedInput: 1.25}, Priced: true,
			},
		},
		"no pictures": {
			provider.Spec{Name: "openai", Model: "o3-mini"},
			provider.Info{
				Title: "o3-mini", Window: 200_000, MaxOutput: 100_000, Tools: true, Caching: true, Reasoning: true,
				Price: provider.Price{Input: 1.1, Output: 4.4, CachedInput: .55}, Priced: true,
			},
		},
		"unknown": {
			provider.Spec{Name: "acme", Model: "acme-1", BaseURL: "https://api.acme.test/v1"},
			provider.Info{Title: "acme-1", Assumed: true, Window: provider.AssumedWindow, Tools: true},
		},
		"unknown and local": {
			provider.Spec{Name: "ollama", Model: "qwen3-vl:8b", BaseURL: "http://127.0.0.1:11434/v1"},
			provider.Info{Title: "qwen3-vl:8b", Assumed: true, Window: provider.AssumedWindowLocal, Priced: true, Tools: true, Images: true, Reasoning: true},
		},
		"own window": {
			provider.Spec{Name: "ollama", Model: "llama", BaseURL: "http://localhost:11434/v1", Window: 65_536},
			provider.Info{Title: "llama", Assumed: true, Window: 65_536, Priced: true, Tools: true},
		},
	} {
		t.Run(name, func(t *testing.T) {
			tc.want.Provider, tc.want.Model = tc.spec.Name, tc.spec.Model
			if diff := cmp.Diff(tc.want, provider.Describe(tc.spec)); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
}

func TestCost(t *testing.T) {
	u := provider.Usage{Input: 1_000_000, CachedInput: 400_000, Output: 100_000}
	for name, tc := range map[string]struct {
		price provider.Price
		want  float64
	}{
		"with a cache": {provider.Price{Input: 3, Output: 15, CachedInput: .3}, 1.8 + .12 + 1.5},
		"without":      {provider.Price{Input: 3, Output: 15}, 3 + 1.5},
		"free":         {provider.Price{}, 0},
	} {
		if got := tc.price.Cost(u); math.Abs(got-tc.want) > 1e-9 {
			t.Errorf("%s: got %v, want %v", name, got, tc.want)
		}
	}
}

func TestToolSchema(t *testing.T) {
	for name, tc := range map[string]struct{ in, want string }{
		"right":          {`{"type":"object","properties":{"a":{"type":"string"}},"required":["a"]}`, `{"type":"object","properties":{"a":{"type":"string"}},"required":["a"]}`},
		"nothing":        {``, `{"type":"object","properties":{}}`},
		"no object":      {`true`, `{"type":"object","properties":{}}`},
		"no properties":  {`{"type":"object"}`, `{"properties":{},"type":"object"}`},
		"no type":        {`{"properties":{"a":{}}}`, `{"properties":{"a":{}},"type":"object"}`},
		"alternatives":   {`{"type":"object","properties":{"a":{"type":"string"}},"anyOf":[{"properties":{"b":{}},"required":["b"]},{"properties":{"a":{"const":1}}}]}`, `{"properties":{"a":{"type":"string"},"b":{}},"type":"object"}`},
		"deep ones stay": {`{"type":"object","properties":{"a":{"anyOf":[{},{}]}}}`, `{"type":"object","properties":{"a":{"anyOf":[{},{}]}}}`},
	} {
		if got := string(provider.ToolSchema(provider.OpenAISchema, []byte(tc.in))); got != tc.want {
			t.Errorf("%s: got %s, want %s", name, got, tc.want)
		}
	}
}
