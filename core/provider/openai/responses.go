package openai

import (
	"context"
	"encoding/json"
	"iter"
	"strings"

	"github.com/hobkin/hobkin/core/provider"
)

// Responses is a model behind the Responses interface. Nothing is stored there:
// each request carries the whole conversation, and the reasoning in it comes
// and goes encrypted.
type Responses struct {
	endpoint provider.Endpoint
	info     provider.Info
	official bool
}

// NewResponses returns the model of a resolved spec.
func NewResponses(s provider.Spec, o provider.Options) *Responses {
	info := provider.Describe(s)
	info.ToolResultImages = info.Images
	info.NativeCompaction = info.Reasoning && official(s.BaseURL)
	info.HostedComputer = hostedComputer(s, o)
	info.HostedToolSearch = o.HostedToolSearch && official(s.BaseURL) && searches(s.Model)
	return &Responses{endpoint: s.Endpoint("Authorization", "Bearer ", o), info: info, official: official(s.BaseURL)}
}

// Info implements [provider.Model].
func (r *Responses) Info() provider.Info { return r.info }

// Stream implements [provider.Model].
func (r *Responses) Stream(ctx context.Context, req provider.Request) iter.Seq2[provider.Event, error] {
	return func(yield func(provider.Event, error) bool) {
		d := &responsesDecoder{provider: r.info.Provider, emitted: map[string]bool{}, preview: r.info.HostedComputer == computerPreview}
		if c := req.Operates(r.info); c != nil {
			d.computer, d.screen = c, c.Screen(req.Messages)
		}
		r.endpoint.Ask(ctx, req.Messages, r.info, provider.Exchange{
			Path:    "/responses",
			Body:    func(messages []provider.Message) any { return r.request(req, messages) },
			Decoder: d,
		})(yield)
	}
}

type responsesRequest struct {
	Model           string              `json:"model"`
	Instructions    string              `json:"instructions,omitempty"`
	Input           []any               `json:"input"`
	Tools           []any               `json:"tools,omitempty"`
	Stream          bool                `json:"stream"`
	Store           bool                `json:"store"`
	Include         []string            `json:"include,omitempty"`
	Reasoning       *responsesReasoning `json:"reasoning,omitempty"`
	MaxOutputTokens int                 `json:"max_output_tokens,omitempty"`
	PromptCacheKey  string              `json:"prompt_cache_key,omitempty"`
	Truncation      string              `json:"truncation,omitempty"`
}

type responsesReasoning struct {
	Effort  string `json:"effort,omitempty"`
	Summary string `json:"summary"`
}

type responsesTool struct {
	Type        string          `json:"type"`
	Name        string          `json:"name"`
	Description string          `json:"description,omitempty"`
	Parameters  json.RawMessage `json:"parameters"`
	Strict      bool            `json:"strict"` // must be said: the default is true
	Defer       bool            `json:"defer_loading,omitempty"`
}

// An item is one entry of the conversation, there and back.
type item struct {
	Type      string `json:"type"`
	ID        string `json:"id,omitempty"`
	Role      string `json:"role,omitempty"`
	Content   any    `json:"content,omitempty"`
	CallID    string `json:"call_id,omitempty"`
	Name      string `json:"name,omitempty"`
	Namespace string `json:"namespace,omitempty"`
	Arguments string `json:"arguments,omitempty"`
	Output    any    `json:"output,omitempty"`

	Summary   *[]itemPiece `json:"summary,omitempty"` // of reasoning, where it must be there even if empty
	Encrypted string       `json:"encrypted_content,omitempty"`

	block json.RawMessage // stands in place of all of it
}

type itemPiece struct {
	Type     string `json:"type"`
	Text     string `json:"text,omitempty"`
	ImageURL string `json:"image_url,omitempty"`
}

func (r *Responses) request(req provider.Request, messages []provider.Message) responsesRequest {
	out := responsesRequest{
		Model: r.info.Model, Instructions: req.System, Stream: true, Input: []any{},
		MaxOutputTokens: req.MaxOutput,
	}
	if r.official {
		out.PromptCacheKey = cacheKey(req.CacheKey)
	}
	if r.info.Reasoning {
		out.Include = []string{"reasoning.encrypted_content"}
		out.Reasoning = &responsesReasoning{Effort: effort(r.info, req.Effort), Summary: "auto"}
	}
	w := writer{searching: len(req.Deferred) > 0, computer: req.Operates(r.info), preview: r.info.HostedComputer == computerPreview}
	w.groups = computerGroups(messages, w.computer)
	if w.computer != nil && w.preview {
		out.Truncation = "auto" // that model takes no other
	}
	for _, m := range messages {
		for _, it := range w.items(m) {
			if it.block != nil {
				out.Input = append(out.Input, it.block)
				continue
			}
			out.Input = append(out.Input, it)
		}
	}
	for _, t := range req.Tools {
		if w.computer != nil && t.Name == w.computer.Tool {
			out.Tools = append(out.Tools, r.computer(w.computer))
			continue
		}
		out.Tools = append(out.Tools, responsesTool{"function", t.Name, t.Description, provider.ToolSchema(provider.OpenAISchema, t.Parameters), false, false})
	}
	out.Tools = append(out.Tools, searched(req.Deferred)...)
	return out
}

// A writer writes messages as the interface takes them.
type writer struct {
	searching bool               // the request has a search for tools
	computer  *provider.Computer // whose calls are calls of the hosted tool; nil: there is none
	preview   bool               // of its older version
	groups    map[string]*computerGroup
}

// items writes one message as what the interface makes of it: texts, calls and
// reasoning are entries of their own. Items go without their ids, for nothing
// is stored under them; with one the server would look for its neighbours. Only a
// request with a search has what belongs to one.
func (w writer) items(m provider.Message) []item {
	var out []item
	var notes []string
	texts := func(piece itemPiece) {
		if last := len(out) - 1; last >= 0 && out[last].Type == "message" {
			out[last].Content = append(out[last].Content.([]itemPiece), piece)
			return
		}
		out = append(out, item{Type: "message", Role: string(m.Role), Content: []itemPiece{piece}})
	}
	for _, p := range m.Parts {
		switch p := p.(type) {
		case provider.Text:
			kind := "input_text"
			if m.Role == provider.RoleAssistant {
				kind = "output_text"
			}
			texts(itemPiece{Type: kind, Text: p.Text})
		case provider.Image:
			texts(picture(p))
		case provider.Reasoning:
			if it, ok := thought(p, w.searching); ok {
				out = append(out, it)
			}
		case provider.ToolCall:
			out = append(out, w.call(p)...)
		case provider.ToolResult:
			its, note := w.result(p)
			out = append(out, its...)
			if note != "" {
				notes = append(notes, note)
			}
		}
	}
	if len(notes) > 0 {
		out = append(out, item{Type: "message", Role: string(provider.RoleUser), Content: []itemPiece{{Type: "input_text", Text: computerNote + strings.Join(notes, "\n")}}})
	}
	return out
}

// call writes a call, and nothing where one before has it with its own.
func (w writer) call(c provider.ToolCall) []item {
	if it, handled := w.computerCall(c); handled {
		return written(it)
	}
	call := item{Type: "function_call", CallID: c.ID, Name: c.Name, Arguments: c.Args}
	if w.searching {
		call.Namespace = c.Namespace
	}
	return []item{call}
}

// result writes the output of a call, and what it says beside that.
func (w writer) result(r provider.ToolResult) (its []item, note string) {
	if it, text, handled := w.computerOutput(r); handled {
		return written(it), text
	}
	return []item{{Type: "function_call_output", CallID: r.CallID, Output: output(r)}}, ""
}

// written is the item, where there is one.
func written(it item) []item {
	if it.block == nil {
		return nil
	}
	return []item{it}
}

// thought writes what only the provider reads of an earlier answer.
func thought(p provider.Reasoning, searching bool) (item, bool) {
	switch {
	case p.Encrypted != "" && p.ID == compactionID:
		return item{Type: "compaction", Encrypted: p.Encrypted}, true
	case len(p.Block) > 0 && searching:
		return item{Type: "block", block: p.Block}, true
	case p.Encrypted != "":
		return item{Type: "reasoning", Summary: summary(p.Text), Encrypted: p.Encrypted}, true
	}
	return item{}, false
}

func picture(p provider.Image) itemPiece {
	return itemPiece{Type: "input_image", ImageURL: dataURL(p)}
}

func summary(text string) *[]itemPiece {
	if text == "" {
		return &[]itemPiece{}
	}
	return &[]itemPiece{{Type: "summary_text", Text: text}}
}

// output is the text of a result, or a list where there are pictures in it.
func output(r provider.ToolResult) any {
	if len(r.Images) == 0 {
		return r.Text
	}
	var list []itemPiece
	if r.Text != "" {
		list = append(list, itemPiece{Type: "input_text", Text: r.Text})
	}
	for _, img := range r.Images {
		list = append(list, picture(img))
	}
	return list
}
