package gemini

import (
	"encoding/base64"
	"encoding/json"
	"strings"

	"github.com/hobkin/hobkin/core/provider"
)

type request struct {
	Contents   []content   `json:"contents"`
	System     *content    `json:"systemInstruction,omitempty"`
	Tools      []tools     `json:"tools,omitempty"`
	Generation *generation `json:"generationConfig,omitempty"`
}

type content struct {
	Role  string `json:"role,omitempty"`
	Parts []part `json:"parts"`
}

// part is one piece, with the fields of all kinds.
type part struct {
	Text      string            `json:"text,omitempty"`
	Thought   bool              `json:"thought,omitempty"`
	Inline    *inline           `json:"inlineData,omitempty"`
	Call      *functionCall     `json:"functionCall,omitempty"`
	Response  *functionResponse `json:"functionResponse,omitempty"`
	Signature string            `json:"thoughtSignature,omitempty"`
}

type inline struct {
	MIME string `json:"mimeType"`
	Data string `json:"data"`
}

type functionCall struct {
	ID   string          `json:"id,omitempty"`
	Name string          `json:"name"`
	Args json.RawMessage `json:"args,omitempty"`
}

type functionResponse struct {
	ID       string            `json:"id,omitempty"`
	Name     string            `json:"name"`
	Response map[string]string `json:"response"`
}

type tools struct {
	Functions []function `json:"functionDeclarations"`
}

type function struct {
	Name        string          `json:"name"`
	Description string          `json:"description,omitempty"`
	Parameters  json.RawMessage `json:"parametersJsonSchema"` // JSON Schema; the older field knows a part of it only
}

type generation struct {
	MaxOutput int       `json:"maxOutputTokens,omitempty"`
	Thinking  *thinking `json:"thinkingConfig,omitempty"`
}

type thinking struct {
	Include bool   `json:"includeThoughts"`
	Budget  *int   `json:"thinkingBudget,omitempty"` // tokens, of models before 3
	Level   string `json:"thinkingLevel,omitempty"`  // of those since
}

func (m *Model) request(req provider.Request, messages []provider.Message) request {
	out := request{Contents: []content{}}
	if req.System != "" {
		out.System = &content{Parts: []part{{Text: req.System}}}
	}
	for _, msg := range messages {
		role := "user"
		if msg.Role == provider.RoleAssistant {
			role = "model"
		}
		parts := m.parts(msg.Parts)
		if last := len(out.Contents) - 1; last >= 0 && out.Contents[last].Role == role {
			out.Contents[last].Parts = append(out.Contents[last].Parts, parts...) // results, then what the user said
			continue
		}
		if len(parts) > 0 {
			out.Contents = append(out.Contents, content{role, parts})
		}
	}
	var list []function
	for _, t := range req.Tools {
		list = append(list, function{t.Name, t.Description, provider.ToolSchema(provider.GeminiSchema, t.Parameters)})
	}
	if len(list) > 0 {
		out.Tools = []tools{{list}}
	}
	if g := (generation{req.MaxOutput, m.thinking(req.Effort)}); g != (generation{}) {
		out.Generation = &g
	}
	return out
}

// parts writes the parts of a message. Thoughts are not wanted back, only the
// signatures that came with calls.
func (m *Model) parts(parts []provider.Part) []part {
	var out []part
	signed := false
	for _, p := range parts {
		switch p := p.(type) {
		case provider.Text:
			out = append(out, part{Text: p.Text})
		case provider.Image:
			out = append(out, part{Inline: &inline{p.MIME, base64.StdEncoding.EncodeToString(p.Data)}})
		case provider.ToolCall:
			c := part{Call: &functionCall{p.ID, p.Name, json.RawMessage(p.Args)}, Signature: p.Signature}
			if !signed && !validSignature(p.Signature) {
				c.Signature = m.unsigned()
			}
			signed = true
			out = append(out, c)
		case provider.ToolResult:
			key := "result"
			if p.Failed {
				key = "error"
			}
			out = append(out, part{Response: &functionResponse{p.CallID, p.Name, map[string]string{key: p.Text}}})
		case provider.Reasoning:
		}
	}
	return out
}

func validSignature(s string) bool {
	_, err := base64.StdEncoding.DecodeString(s)
	return s != "" && err == nil
}

// unsigned stands for the signature of a step's first call where another model
// made it: models since 3 refuse a call without one, and take this word instead.
func (m *Model) unsigned() string {
	if m.since3() {
		return "skip_thought_signature_validator"
	}
	return ""
}

func (m *Model) since3() bool {
	return strings.HasPrefix(m.info.Model, "gemini-") && m.info.Model >= "gemini-3"
}

// budgets are tokens of thinking for models that take a number; the pro models
// cannot do without.
var budgets = map[string]int{"none": 0, "low": 1024, "medium": 8192, "high": 24_576}

const leastOfPro = 128

// thinking asks for the effort that is wanted, in the manner of the model.
func (m *Model) thinking(effort string) *thinking {
	switch {
	case !m.info.Reasoning:
		return nil
	case effort == "":
		return &thinking{Include: true}
	case m.since3():
		level := map[string]string{"none": "low", "low": "low"}[effort]
		if level == "" {
			level = "high"
		}
		return &thinking{Include: effort != "none", Level: level}
	}
	n := budgets[effort]
	if strings.Contains(m.info.Model, "pro") {
		n = max(n, leastOfPro)
	}
	return &thinking{Include: n > leastOfPro, Budget: &n}
}
