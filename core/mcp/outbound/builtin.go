package outbound

import (
	"context"
	"encoding/json"

	"github.com/mark3labs/mcp-go/client/transport"
	"github.com/mark3labs/mcp-go/mcp"
	mcpserver "github.com/mark3labs/mcp-go/server"

	"github.com/hobkin/hobkin/core/version"
)

// A BuiltinTool is a tool of a server that runs in this process.
type BuiltinTool struct {
	Name        string
	Description string
	Parameters  json.RawMessage // JSON Schema of an object
	// Run runs a call. Its error is told to the model as the tool's failure.
	Run func(ctx context.Context, args json.RawMessage) (text string, err error)
}

// dialBuiltin makes a server of this process and the way to it. It is used as
// all others are: the same names, limits and pins.
func (c *conn) dialBuiltin() transport.BidirectionalInterface {
	s := mcpserver.NewMCPServer(c.spec.Name, version.Version, mcpserver.WithToolCapabilities(false), mcpserver.WithRecovery())
	for _, t := range c.spec.Builtin {
		s.AddTool(mcp.NewToolWithRawSchema(t.Name, t.Description, t.Parameters), func(ctx context.Context, req mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			args, err := json.Marshal(req.GetRawArguments())
			if err != nil {
				return mcp.NewToolResultError(err.Error()), nil
			}
			text, err := t.Run(ctx, args)
			if err != nil {
				return mcp.NewToolResultError(err.Error()), nil
			}
			return mcp.NewToolResultText(text), nil
		})
	}
	return here{transport.NewInProcessTransport(s)}
}

// here is mcp-go's transport within the process. What runs here asks nothing of
// us through the protocol.
type here struct{ *transport.InProcessTransport }

// SetRequestHandler implements mcp-go's transport.
func (here) SetRequestHandler(transport.RequestHandler) {}
