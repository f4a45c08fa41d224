package provider_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/hobkin/hobkin/core/provider"
)

func TestResolve(t *testing.T) {
	for name, tc := range map[string]struct {
		spec provider.Spec
		wire provider.Wire
		base string
	}{
		"openai":             {provider.Spec{Kind: "openai"}, provider.WireResponses, "https://api.openai.com/v1"},
		"openai elsewhere":   {provider.Spec{Kind: "openai", BaseURL: "http://127.0.0.1:9/v1/"}, provider.WireChat, "http://127.0.0.1:9/v1"},
		"responses anywhere": {provider.Spec{Kind: "openai_responses", BaseURL: "http://127.0.0.1:9/v1"}, provider.WireResponses, "http://127.0.0.1:9/v1"},
		"chat":               {provider.Spec{Kind: "openai_chat"}, provider.WireChat, "https://api.openai.com/v1"},
		"anthropic":          {provider.Spec{Kind: "anthropic"}, provider.WireAnthropic, "https://api.anthropic.com"},
		"ollama":             {provider.Spec{Kind: "ollama"}, provider.WireChat, "http://127.0.0.1:11434/v1"},
	} {
		tc.spec.Model = "m"
		got, wire, err := tc.spec.Resolve()
		if err != nil || wire != tc.wire || got.BaseURL != tc.base || got.Name != tc.spec.Kind {
			t.Errorf("%s: got %+v, %s, %v", name, got, wire, err)
		}
	}
}

func TestResolveRefuses(t *testing.T) {
	for name, tc := range map[string]struct {
		spec provider.Spec
		says string
	}{
		"kind":       {provider.Spec{Kind: "openia", Model: "m"}, `"openia" is not a kind of provider; the kinds are anthropic, gemini, llamacpp, lmstudio, mistral, ollama, openai, openai_chat, openai_responses, openrouter, xai`},
		"model":      {provider.Spec{Kind: "openai"}, "no model is named"},
		"scheme":     {provider.Spec{Kind: "openai", Model: "m", BaseURL: "ftp://x"}, "base_url must be an address such as https://api.openai.com/v1"},
		"no host":    {provider.Spec{Kind: "openai", Model: "m", BaseURL: "https:///v1"}, "base_url"},
		"a password": {provider.Spec{Kind: "openai", Model: "m", BaseURL: "https://u:p@x/v1"}, "base_url"},
		"a query":    {provider.Spec{Kind: "openai", Model: "m", BaseURL: "https://x/v1?key=1"}, "base_url"},
		"a header":   {provider.Spec{Kind: "openai", Model: "m", Headers: map[string]string{"a b": "c"}}, `"a b" is not a header`},
		"its value":  {provider.Spec{Kind: "openai", Model: "m", Headers: map[string]string{"a": "c\nd"}}, `"a" is not a header`},
	} {
		if _, _, err := tc.spec.Resolve(); err == nil || !strings.Contains(err.Error(), tc.says) || strings.Contains(err.Error(), "u:p") {
			t.Errorf("%s: got %v, want %q", name, err, tc.says)
		}
	}
}

func TestKey(t *testing.T) {
	locked := errors.New("the keyring is locked")
	for name, tc := range map[string]struct {
		key  string
		err  error
		want string // the header
		kind provider.Kind
	}{
		"plain":          {key: "sk-1", want: "Bearer sk-1"},
		"with a newline": {key: " sk-1\n", want: "Bearer sk-1"},
		"none":           {},
		"locked":         {err: locked},
		"two lines":      {key: "sk-1\nsk-2", kind: provider.KindAuth},
		"not ascii":      {key: "sk–1", kind: provider.KindAuth},
	} {
		s := provider.Spec{Name: "p", Headers: map[string]string{"X-Org": "o"}, Key: func(context.Context) (string, error) { return tc.key, tc.err }}
		h, err := s.Endpoint("Authorization", "Bearer ", provider.Options{}).Header(t.Context())
		switch {
		case tc.err != nil:
			if !errors.Is(err, tc.err) {
				t.Errorf("%s: got %v", name, err)
			}
		case tc.kind != "":
			if e, ok := errors.AsType[*provider.Error](err); !ok || e.Kind != tc.kind || strings.Contains(e.Error(), "sk") {
				t.Errorf("%s: got %v", name, err)
			}
		case err != nil || h.Get("Authorization") != tc.want || h.Get("X-Org") != "o":
			t.Errorf("%s: got %v, %v", name, h, err)
		}
	}
}
