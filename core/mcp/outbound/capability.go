package outbound

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/mark3labs/mcp-go/client/transport"

	"github.com/hobkin/hobkin/core/capability"
	"github.com/hobkin/hobkin/core/mcp/oauth"
)

// The failures of a server's tool.
var (
	ServerFailed = &capability.Failure{Code: "server_failed", When: "the tool server could not be reached, ended, or broke the protocol", Try: "try once more; if it fails again, tell the user what the message says"}
	ToolFailed   = &capability.Failure{Code: "tool_failed", When: "the tool itself reports that it failed", Try: "read its message and call it differently"}
)

// A caller runs calls of one server over whatever connection it has now.
type caller interface {
	use(ctx context.Context) (*conn, error)
	broken(c *conn, err error)
	host() Host
}

// capabilities makes the tools of a server into capabilities.
func capabilities(s Spec, tools []Tool, via caller) []capability.Capability {
	out := make([]capability.Capability, 0, len(tools))
	for _, t := range tools {
		name, alias := toolName(s.Name, t.Name)
		c := capability.Capability{
			Name: name, Title: title(t), Description: description(s, t, name),
			Parameters: t.schema(), Output: t.OutputSchema,
			Kind: capability.KindMCP, Class: capability.ExternalAPI, Category: capability.CategoryPlugin,
			Hints: capability.Hints{
				ReadOnly: tri(t.Annotations.ReadOnly), Destructive: tri(t.Annotations.Destructive),
				Idempotent: tri(t.Annotations.Idempotent), OpenWorld: tri(t.Annotations.OpenWorld),
			},
			Docs:       capability.Docs{When: "Use it for what the server " + s.Name + " offers.", Fails: []*capability.Failure{ServerFailed, ToolFailed}},
			Deferrable: true, Meta: withTool(s.meta(), t.Name),
			Handler: handler(s, t, via),
		}
		if alias != "" {
			c.Aliases = []string{alias}
		}
		if o, ok := s.Tools[t.Name]; ok {
			c.Hidden = o.Hidden
			if o.Class != "" {
				c.Class = o.Class
			}
		}
		out = append(out, c)
	}
	return out
}

// withTool adds the tool's own name to what marks a capability.
func withTool(meta map[string]string, tool string) map[string]string {
	meta["tool"] = tool
	return meta
}

func title(t Tool) string { return or(t.Title, or(t.Annotations.Title, t.Name)) }

// description is what the server says, and the name it has there where ours
// had to be shortened.
func description(s Spec, t Tool, name string) string {
	text := strings.TrimSpace(t.Description)
	if text == "" {
		text = "The tool " + t.Name + " of the server " + s.Name + ", which does not describe it."
	}
	if name != "mcp_"+s.Name+"_"+t.Name {
		text += fmt.Sprintf(" (%s of %s)", t.Name, s.Name)
	}
	return text
}

func tri(b *bool) capability.Tri {
	switch {
	case b == nil:
		return capability.Unsaid
	case *b:
		return capability.Yes
	}
	return capability.No
}

// handler runs calls of one tool.
func handler(s Spec, t Tool, via caller) capability.Handler {
	return func(ctx context.Context, call capability.Call) (capability.Result, error) {
		ctx, cancel := context.WithTimeout(ctx, s.CallTime)
		defer cancel()
		c, err := via.use(ctx)
		if err != nil {
			return capability.Result{}, failed(s, err)
		}
		res, err := c.call(ctx, t.Name, call)
		if neverRun(err) {
			via.broken(c, err)
			if c, err = via.use(ctx); err == nil {
				res, err = c.call(ctx, t.Name, call)
			}
		}
		if err != nil {
			if errors.Is(err, oauth.ErrLogin) && !errors.Is(err, oauth.ErrScope) {
				via.broken(c, err) // no call can work until the owner has signed in
			}
			return capability.Result{}, failed(s, err)
		}
		r := readingFor(via.host(), call)
		r.read(ctx, res)
		if res.IsError {
			return capability.Result{Untrusted: true}, ToolFailed.Becausef("%s", or(r.out.Text, "it gives no reason"))
		}
		return r.out, nil
	}
}

// neverRun reports whether a call failed before it was run: the server does not
// know the session any more, or was not reached. It may be made once more.
func neverRun(err error) bool {
	return errors.Is(err, transport.ErrSessionTerminated) || errors.Is(err, errAway)
}

// failed says which server failed and why. The end of the call's own context
// stays what it is.
func failed(s Spec, err error) error {
	switch {
	case errors.Is(err, context.Canceled):
		return err
	case errors.Is(err, oauth.ErrScope):
		err = fmt.Errorf("%w; %s", oauth.ErrScope, signIn(s.Name))
	case errors.Is(err, oauth.ErrLogin):
		err = fmt.Errorf("%w; %s", oauth.ErrLogin, signIn(s.Name))
	}
	return ServerFailed.Becausef("the server %s: %v", s.Name, err).With("server", s.Name)
}
