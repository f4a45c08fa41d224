package anthropic

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"strings"

	"github.com/hobkin/hobkin/core/provider"
)

const (
	defaultMaxOutput = 8192    // tokens, where the catalogue does not know the model
	mostMaxOutput    = 32_000  // tokens asked for unless the caller wants more
	leastMaxOutput   = 4096    // tokens, however full the window is
	maxPicture       = 5 << 20 // bytes of one picture as base64; more is refused
)

type request struct {
	Model        string         `json:"model"`
	MaxTokens    int            `json:"max_tokens"`
	System       []content      `json:"system,omitempty"`
	Messages     []message      `json:"messages"`
	Tools        []tool         `json:"tools,omitempty"`
	Thinking     *thinking      `json:"thinking,omitempty"`
	OutputConfig map[string]any `json:"output_config,omitempty"`
	Stream       bool           `json:"stream"`
}

type message struct {
	Role    string    `json:"role"`
	Content []content `json:"content"`
}

// content is one block, with the fields of all types.
type content struct {
	Type      string          `json:"type"`
	Text      string          `json:"text,omitempty"`
	Source    *source         `json:"source,omitempty"`
	ID        string          `json:"id,omitempty"`
	Name      string          `json:"name,omitempty"`
	Input     json.RawMessage `json:"input,omitempty"`
	ToolUseID string          `json:"tool_use_id,omitempty"`
	Content   any             `json:"content,omitempty"`
	IsError   bool            `json:"is_error,omitempty"`
	Thinking  *string         `json:"thinking,omitempty"`
	Signature string          `json:"signature,omitempty"`
	Data      string          `json:"data,omitempty"`
	Cache     *cache          `json:"cache_control,omitempty"`
}

type source struct {
	Type      string `json:"type"`
	MediaType string `json:"media_type"`
	Data      string `json:"data"`
}

type tool struct {
	Type        string          `json:"type,omitempty"` // of the provider's own
	Name        string          `json:"name"`
	Description string          `json:"description,omitempty"`
	InputSchema json.RawMessage `json:"input_schema,omitempty"`
	Defer       bool            `json:"defer_loading,omitempty"`
	Width       int             `json:"display_width_px,omitempty"`
	Height      int             `json:"display_height_px,omitempty"`
	Zoom        bool            `json:"enable_zoom,omitempty"`
	Cache       *cache          `json:"cache_control,omitempty"`
}

type thinking struct {
	Type    string `json:"type"`
	Budget  int    `json:"budget_tokens,omitempty"`
	Display string `json:"display,omitempty"`
}

type cache struct {
	Type string `json:"type"`
}

var ephemeral = &cache{"ephemeral"}

func (m *Model) request(req provider.Request, messages []provider.Message) request {
	out := request{
		Model: m.info.Model, MaxTokens: m.maxTokens(req, messages), Messages: []message{}, Stream: true,
	}
	if req.System != "" {
		out.System = []content{{Type: "text", Text: req.System}}
	}
	w := writer{known: knownTools(req), computer: req.Operates(m.info)}
	for _, msg := range messages {
		role := "user"
		if msg.Role == provider.RoleAssistant {
			role = "assistant"
		}
		blocks := w.contents(msg.Parts)
		if last := len(out.Messages) - 1; last >= 0 && out.Messages[last].Role == role {
			out.Messages[last].Content = append(out.Messages[last].Content, blocks...) // results, then what the user said
			continue
		}
		out.Messages = append(out.Messages, message{role, blocks})
	}
	for _, t := range req.Tools {
		if w.computer != nil && t.Name == w.computer.Tool {
			out.Tools = append(out.Tools, m.computer(w.computer))
			continue
		}
		out.Tools = append(out.Tools, tool{Name: t.Name, Description: t.Description, InputSchema: provider.ToolSchema(provider.AnthropicSchema, t.Parameters)})
	}
	if req.CacheKey != "" {
		mark(&out)
	}
	out.Tools = append(out.Tools, searched(req.Deferred)...) // behind the mark, which none of them may have
	m.think(&out, req.Effort)
	return out
}

// maxTokens must be given. Some models refuse a request whose input and limit
// together pass the window.
func (m *Model) maxTokens(req provider.Request, messages []provider.Message) int {
	if req.MaxOutput > 0 {
		return req.MaxOutput
	}
	limit := defaultMaxOutput
	if m.info.MaxOutput > 0 {
		limit = min(m.info.MaxOutput, mostMaxOutput)
	}
	room := m.info.Window - (len(req.System)+provider.Weight(messages))/4
	return min(limit, max(room, leastMaxOutput))
}

// mark sets the four marks that the cache has: after the tools, after the
// system text, and at the end of the last two messages of the user.
func mark(r *request) {
	if n := len(r.System); n > 0 {
		r.System[n-1].Cache = ephemeral
	}
	if n := len(r.Tools); n > 0 {
		r.Tools[n-1].Cache = ephemeral
	}
	left := 2
	for i := len(r.Messages) - 1; i >= 0 && left > 0; i-- {
		blocks := r.Messages[i].Content
		if r.Messages[i].Role != "user" || len(blocks) == 0 {
			continue
		}
		blocks[len(blocks)-1].Cache = ephemeral
		left--
	}
}

// A writer writes messages as the interface takes them.
type writer struct {
	known    map[string]bool    // the tools that searches in them may have found
	computer *provider.Computer // whose calls are calls of the hosted tool; nil: there is none
}

// contents writes the parts of a message. Thinking without a signature, left by
// an answer that broke off, would be refused.
func (w writer) contents(parts []provider.Part) []content {
	var out []content
	whole := wholeSearches(parts, w.known)
	for _, p := range parts {
		switch p := p.(type) {
		case provider.Text:
			out = append(out, content{Type: "text", Text: p.Text})
		case provider.Image:
			out = append(out, picture(p))
		case provider.Reasoning:
			switch {
			case len(p.Block) > 0:
				out = append(out, search(p.Block, whole)...)
			case p.Encrypted != "":
				out = append(out, content{Type: "redacted_thinking", Data: p.Encrypted})
			case p.Signature != "":
				out = append(out, content{Type: "thinking", Thinking: &p.Text, Signature: p.Signature})
			}
		case provider.ToolCall:
			out = append(out, w.call(p))
		case provider.ToolResult:
			out = append(out, result(p))
		}
	}
	return out
}

func (w writer) call(c provider.ToolCall) content {
	name, input := c.Name, json.RawMessage(c.Args)
	if w.computer != nil && name == w.computer.Tool {
		if hosted, ok := theirs(c.Args); ok {
			name, input = computerName, hosted
		}
	}
	return content{Type: "tool_use", ID: wireID(c.ID), Name: name, Input: input}
}

func result(r provider.ToolResult) content {
	var list []content
	if r.Text != "" {
		list = append(list, content{Type: "text", Text: r.Text})
	}
	for _, img := range r.Images {
		list = append(list, picture(img))
	}
	c := content{Type: "tool_result", ToolUseID: wireID(r.CallID), IsError: r.Failed}
	if len(list) > 0 {
		c.Content = list
	}
	return c
}

func picture(p provider.Image) content {
	data := base64.StdEncoding.EncodeToString(p.Data)
	if len(data) > maxPicture {
		return content{Type: "text", Text: "[a picture was left out: it is larger than 5 MB]"}
	}
	return content{Type: "image", Source: &source{"base64", p.MIME, data}}
}

// wireID makes an id of the letters that are taken, for calls that another
// provider's model made.
func wireID(id string) string {
	clean := strings.Map(func(r rune) rune {
		if r == '_' || r == '-' || '0' <= r && r <= '9' || 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' {
			return r
		}
		return '_'
	}, id)
	if clean == id {
		return id
	}
	sum := sha256.Sum256([]byte(id))
	return clean[:min(len(clean), 40)] + "_" + hex.EncodeToString(sum[:6])
}
