package outbound

import (
	"context"
	"errors"
	"fmt"

	"github.com/mark3labs/mcp-go/mcp"
)

// A Prompt is a text that a server offers to people, with blanks to fill in.
type Prompt struct {
	Server      string
	Name        string
	Title       string
	Description string
	Arguments   []PromptArgument
}

// A PromptArgument is a blank of a prompt.
type PromptArgument struct {
	Name        string
	Description string
	Required    bool
}

// A PromptMessage is a part of a prompt. All of it comes from outside.
type PromptMessage struct {
	Role string // user or assistant
	Text string
}

const (
	mostPrompts  = 1000 // prompts of one server
	promptPages  = 50
	mostListings = 5000 // resources that are listed of one server
)

// Prompts are the prompts of all servers that are connected, by server.
func (m *Manager) Prompts() []Prompt {
	var out []Prompt
	for _, s := range m.all() {
		s.mu.Lock()
		out = append(out, s.prompts...)
		s.mu.Unlock()
	}
	return out
}

// GetPrompt fills in a prompt.
func (m *Manager) GetPrompt(ctx context.Context, server, name string, args map[string]string) ([]PromptMessage, error) {
	s, err := m.find(server)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, s.spec.CallTime)
	defer cancel()
	c, err := s.use(ctx)
	if err != nil {
		return nil, failed(s.spec, err)
	}
	var req mcp.GetPromptRequest
	req.Params.Name, req.Params.Arguments = name, args
	res, err := c.client.GetPrompt(ctx, req)
	if err != nil {
		return nil, failed(s.spec, c.explain(ctx, err))
	}
	var out []PromptMessage
	for _, msg := range res.Messages {
		r := &reading{}
		r.part(ctx, 0, msg.Content)
		for _, i := range r.out.Images {
			r.text = append(r.text, fmt.Sprintf("(a picture, %s, %d bytes)", i.MIME, len(i.Data)))
		}
		for _, t := range r.text {
			out = append(out, PromptMessage{Role: string(msg.Role), Text: t})
		}
	}
	return out, nil
}

// prompts lists what the server offers, all pages.
func (c *conn) prompts(ctx context.Context) ([]Prompt, error) {
	if c.client.GetServerCapabilities().Prompts == nil {
		return nil, nil
	}
	var req mcp.ListPromptsRequest
	var out []Prompt
	for range promptPages {
		page, err := c.client.ListPromptsByPage(ctx, req)
		if err != nil {
			return nil, c.explain(ctx, fmt.Errorf("it cannot list its prompts: %w", err))
		}
		for _, p := range page.Prompts {
			shown := Prompt{Server: c.spec.Name, Name: p.Name, Title: p.Title, Description: p.Description}
			for _, a := range p.Arguments {
				shown.Arguments = append(shown.Arguments, PromptArgument{a.Name, a.Description, a.Required})
			}
			out = append(out, shown)
		}
		if page.NextCursor == "" || page.NextCursor == req.Params.Cursor || len(out) > mostPrompts {
			return out[:min(len(out), mostPrompts)], nil
		}
		req.Params.Cursor = page.NextCursor
	}
	return nil, errors.New("its list of prompts never ends")
}
