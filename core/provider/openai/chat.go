package openai

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"iter"
	"net/url"
	"strings"

	"github.com/hobkin/hobkin/core/provider"
)

// Chat is a model behind a Chat Completions interface.
type Chat struct {
	endpoint provider.Endpoint
	info     provider.Info
	official bool // OpenAI itself, which knows fields that others refuse
}

// NewChat returns the model of a resolved spec.
func NewChat(s provider.Spec, o provider.Options) *Chat {
	return &Chat{
		endpoint: s.Endpoint("Authorization", "Bearer ", o),
		info:     provider.Describe(s),
		official: official(s.BaseURL),
	}
}

// official reports whether base is OpenAI's own interface.
func official(base string) bool {
	u, err := url.Parse(base)
	return err == nil && u.Hostname() == "api.openai.com"
}

// Info implements [provider.Model].
func (c *Chat) Info() provider.Info { return c.info }

// Stream implements [provider.Model].
func (c *Chat) Stream(ctx context.Context, req provider.Request) iter.Seq2[provider.Event, error] {
	return func(yield func(provider.Event, error) bool) {
		c.endpoint.Ask(ctx, req.Messages, c.info, provider.Exchange{
			Path:    "/chat/completions",
			Body:    func(messages []provider.Message) any { return c.request(req, messages) },
			Decoder: &chatDecoder{provider: c.info.Provider},
		})(yield)
	}
}

type chatRequest struct {
	Model               string         `json:"model"`
	Messages            []chatMessage  `json:"messages"`
	Tools               []chatTool     `json:"tools,omitempty"`
	Stream              bool           `json:"stream"`
	StreamOptions       map[string]any `json:"stream_options"`
	MaxTokens           int            `json:"max_tokens,omitempty"`
	MaxCompletionTokens int            `json:"max_completion_tokens,omitempty"`
	ReasoningEffort     string         `json:"reasoning_effort,omitempty"`
	PromptCacheKey      string         `json:"prompt_cache_key,omitempty"`
}

type chatMessage struct {
	Role             string          `json:"role"`
	Content          any             `json:"content,omitempty"` // string or []chatContent
	ToolCalls        []chatCall      `json:"tool_calls,omitempty"`
	ToolCallID       string          `json:"tool_call_id,omitempty"`
	ReasoningContent string          `json:"reasoning_content,omitempty"`
	ReasoningDetails json.RawMessage `json:"reasoning_details,omitempty"`
}

type chatContent struct {
	Type     string       `json:"type"`
	Text     string       `json:"text,omitempty"`
	ImageURL *chatPicture `json:"image_url,omitempty"`
}

type chatPicture struct {
	URL string `json:"url"`
}

type chatCall struct {
	ID       string       `json:"id"`
	Type     string       `json:"type"`
	Function chatFunction `json:"function"`
}

type chatFunction struct {
	Name      string `json:"name"`
	Arguments string `json:"arguments"`
}

type chatTool struct {
	Type     string         `json:"type"`
	Function chatDefinition `json:"function"`
}

type chatDefinition struct {
	Name        string          `json:"name"`
	Description string          `json:"description,omitempty"`
	Parameters  json.RawMessage `json:"parameters"`
}

func (c *Chat) request(req provider.Request, messages []provider.Message) chatRequest {
	out := chatRequest{
		Model: c.info.Model, Stream: true, StreamOptions: map[string]any{"include_usage": true},
		ReasoningEffort: effort(c.info, req.Effort),
	}
	if c.official {
		out.MaxCompletionTokens, out.PromptCacheKey = req.MaxOutput, cacheKey(req.CacheKey)
	} else {
		out.MaxTokens = req.MaxOutput
	}
	if req.System != "" {
		out.Messages = append(out.Messages, chatMessage{Role: "system", Content: req.System})
	}
	for _, m := range messages {
		out.Messages = append(out.Messages, chatMessages(m)...)
	}
	for _, t := range req.Tools {
		out.Tools = append(out.Tools, chatTool{"function", chatDefinition{t.Name, t.Description, provider.ToolSchema(provider.OpenAISchema, t.Parameters)}})
	}
	return out
}

// chatMessages writes one message; each tool result is one of its own.
func chatMessages(m provider.Message) []chatMessage {
	switch m.Role {
	case provider.RoleUser:
		return []chatMessage{{Role: "user", Content: userContent(m.Parts)}}
	case provider.RoleAssistant:
		return []chatMessage{assistantMessage(m.Parts)}
	case provider.RoleTool:
	}
	var out []chatMessage
	for _, p := range m.Parts {
		if r, ok := p.(provider.ToolResult); ok {
			out = append(out, chatMessage{Role: "tool", ToolCallID: r.CallID, Content: r.Text})
		}
	}
	return out
}

// userContent is one text where there are no pictures: some servers take
// nothing else.
func userContent(parts []provider.Part) any {
	var (
		list     []chatContent
		texts    []string
		pictures bool
	)
	for _, p := range parts {
		switch p := p.(type) {
		case provider.Text:
			texts = append(texts, p.Text)
			list = append(list, chatContent{Type: "text", Text: p.Text})
		case provider.Image:
			pictures = true
			list = append(list, chatContent{Type: "image_url", ImageURL: &chatPicture{dataURL(p)}})
		case provider.Reasoning, provider.ToolCall, provider.ToolResult: // not in a user's message
		}
	}
	if pictures {
		return list
	}
	return strings.Join(texts, "\n\n")
}

func assistantMessage(parts []provider.Part) chatMessage {
	out := chatMessage{Role: "assistant"}
	var (
		texts    []string
		thinking strings.Builder
	)
	for _, p := range parts {
		switch p := p.(type) {
		case provider.Text:
			texts = append(texts, p.Text)
		case provider.ToolCall:
			out.ToolCalls = append(out.ToolCalls, chatCall{p.ID, "function", chatFunction{p.Name, p.Args}})
		case provider.Reasoning:
			if p.ID == fieldReasoningContent {
				thinking.WriteString(p.Text)
			}
			if json.Valid([]byte(p.Encrypted)) && strings.HasPrefix(p.Encrypted, "[") {
				out.ReasoningDetails = json.RawMessage(p.Encrypted)
			}
		case provider.Image, provider.ToolResult: // not in an assistant's message
		}
	}
	if len(texts) > 0 {
		out.Content = strings.Join(texts, "\n\n")
	}
	if len(out.ToolCalls) > 0 { // only there is it wanted back
		out.ReasoningContent = thinking.String()
	}
	return out
}

func dataURL(p provider.Image) string {
	return "data:" + p.MIME + ";base64," + base64.StdEncoding.EncodeToString(p.Data)
}

// effort is what a model calls the effort that is wanted; empty for its default
// and for models that do not reason.
func effort(info provider.Info, want string) string {
	if !info.Reasoning {
		return ""
	}
	if want != "none" {
		return want
	}
	model := info.Model[strings.LastIndexByte(info.Model, '/')+1:]
	switch {
	case strings.HasPrefix(model, "gpt-5."):
		return "none"
	case strings.HasPrefix(model, "gpt-5"):
		return "minimal"
	case strings.HasPrefix(model, "o1"), strings.HasPrefix(model, "o3"), strings.HasPrefix(model, "o4"), strings.HasPrefix(model, "gpt-oss"):
		return "low"
	}
	return "none"
}

// cacheKey is at most the 64 bytes that the interface takes.
func cacheKey(key string) string { return key[:min(len(key), 64)] }
