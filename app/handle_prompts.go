package app

import (
	"context"

	"github.com/hobkin/hobkin/core/control"
	"github.com/hobkin/hobkin/core/mcp/outbound"
)

// serverPrompts lists the prompts of all servers.
func (c *Core) serverPrompts(ctx context.Context, _ none) ([]control.ServerPrompt, error) {
	c.needServers(ctx)
	out := []control.ServerPrompt{}
	for _, p := range c.servers.Prompts() {
		shown := control.ServerPrompt{Server: p.Server, Name: p.Name, Title: p.Title, Description: p.Description}
		for _, a := range p.Arguments {
			shown.Arguments = append(shown.Arguments, control.ServerPromptInput(a))
		}
		out = append(out, shown)
	}
	return out, nil
}

// serverPrompt gets one prompt.
func (c *Core) serverPrompt(ctx context.Context, r control.PromptRequest) (out []control.PromptMessage, err error) {
	var got []outbound.PromptMessage
	err = c.atServer(ctx, r.Server, func() error {
		got, err = c.servers.GetPrompt(ctx, r.Server, r.Name, r.Arguments)
		return err
	})
	for _, m := range got {
		out = append(out, control.PromptMessage(m))
	}
	return out, err
}
