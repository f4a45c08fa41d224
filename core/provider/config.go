package provider

import (
	"context"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"unicode"

	"golang.org/x/net/http/httpguts"
)

// A Wire is the format that a provider's interface speaks.
type Wire string

// The wire formats.
const (
	WireChat      Wire = "openai_chat"      // OpenAI Chat Completions and what is compatible with it
	WireResponses Wire = "openai_responses" // OpenAI Responses
	WireAnthropic Wire = "anthropic"        // Anthropic Messages
	WireGemini    Wire = "gemini"           // Google Gemini
)

// A Spec says where a model is and how it is reached.
type Spec struct {
	Name    string // config name of the provider; empty means Kind
	Kind    string // a wire format, or a known provider: see [Kinds]
	BaseURL string // empty means the kind's own
	Model   string

	// Key fetches the key when a request is made. Nil or an empty key sends none.
	Key func(ctx context.Context) (string, error)

	Headers map[string]string // further ones, sent with each request
	Window  int               // tokens of context; 0 means what is known or assumed
}

// A known kind of provider.
type known struct {
	wire Wire
	base string
}

var kinds = map[string]known{
	"openai":           {WireResponses, "https://api.openai.com/v1"},
	"openai_responses": {WireResponses, "https://api.openai.com/v1"},
	"openai_chat":      {WireChat, "https://api.openai.com/v1"},
	"anthropic":        {WireAnthropic, "https://api.anthropic.com"},
	"gemini":           {WireGemini, "https://generativelanguage.googleapis.com/v1beta"},
	"openrouter":       {WireChat, "https://openrouter.ai/api/v1"},
	"xai":              {WireChat, "https://api.x.ai/v1"},
	"mistral":          {WireChat, "https://api.mistral.ai/v1"},
	"ollama":           {WireChat, "http://127.0.0.1:11434/v1"},
	"lmstudio":         {WireChat, "http://127.0.0.1:1234/v1"},
	"llamacpp":         {WireChat, "http://127.0.0.1:8080/v1"},
}

// Kinds lists what Spec.Kind may be, sorted. Plain openai is the Responses
// interface at OpenAI itself, and Chat Completions under any other address,
// which is what compatible servers have.
func Kinds() []string { return slices.Sorted(maps.Keys(kinds)) }

// Resolve checks s, fills in what it leaves empty and names its wire format.
// The error is for whoever wrote the settings.
func (s Spec) Resolve() (Spec, Wire, error) {
	k, ok := kinds[s.Kind]
	if !ok {
		return s, "", fmt.Errorf("provider: %q is not a kind of provider; the kinds are %s", s.Kind, strings.Join(Kinds(), ", "))
	}
	if s.Name == "" {
		s.Name = s.Kind
	}
	if s.Model == "" {
		return s, "", fmt.Errorf("provider: %s: no model is named", s.Name)
	}
	if s.BaseURL == "" {
		s.BaseURL = k.base
	}
	u, ok := baseURL(s.BaseURL)
	if !ok {
		return s, "", fmt.Errorf("provider: %s: base_url must be an address such as %s", s.Name, k.base)
	}
	for k, v := range s.Headers {
		if !httpguts.ValidHeaderFieldName(k) || !httpguts.ValidHeaderFieldValue(v) {
			return s, "", fmt.Errorf("provider: %s: %q is not a header that can be sent", s.Name, k)
		}
	}
	s.BaseURL = strings.TrimRight(s.BaseURL, "/")
	if s.Kind == "openai" && u.Hostname() != "api.openai.com" {
		k.wire = WireChat
	}
	return s, k.wire, nil
}

// baseURL reads an address that paths can be put behind.
func baseURL(s string) (*url.URL, bool) {
	u, err := url.Parse(s)
	if err != nil || (u.Scheme != "http" && u.Scheme != "https") || u.Host == "" {
		return nil, false
	}
	return u, u.User == nil && u.RawQuery == "" && u.Fragment == ""
}

// Endpoint is where s is reached. name is the header that carries the key, and
// scheme stands before it, such as "Bearer ".
func (s Spec) Endpoint(name, scheme string, o Options) Endpoint {
	return Endpoint{
		Provider: s.Name, Base: s.BaseURL, Options: o,
		Header: func(ctx context.Context) (http.Header, error) {
			h := http.Header{}
			for k, v := range s.Headers {
				h.Set(k, v)
			}
			key, err := s.key(ctx)
			if err == nil && key != "" {
				h.Set(name, scheme+key)
			}
			return h, err
		},
	}
}

// key fetches the key and refuses one that no header can carry.
func (s Spec) key(ctx context.Context) (string, error) {
	if s.Key == nil {
		return "", nil
	}
	key, err := s.Key(ctx)
	if err != nil {
		return "", err
	}
	key = strings.TrimSpace(key)
	if strings.ContainsFunc(key, func(r rune) bool { return r > unicode.MaxASCII || unicode.IsSpace(r) || unicode.IsControl(r) }) {
		return "", &Error{
			Provider: s.Name, Kind: KindAuth, Message: "its key contains characters that no key has",
			Try: "store the key again, without quotes, spaces or line ends within it",
		}
	}
	return key, nil
}
