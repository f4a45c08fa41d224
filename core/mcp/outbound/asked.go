package outbound

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"path/filepath"
	"strings"

	"github.com/mark3labs/mcp-go/client"
	"github.com/mark3labs/mcp-go/mcp"

	"github.com/hobkin/hobkin/core/capability"
)

// asked answers what a server asks. It implements mcp-go's handlers.
type asked struct {
	server string
	host   Host
	call   func() capability.Call
}

// options offer to the server what the host can do.
func (a *asked) options() []client.ClientOption {
	var out []client.ClientOption
	if a.host.Roots != nil {
		out = append(out, client.WithRootsHandler(a))
	}
	if a.host.Elicit != nil {
		out = append(out, client.WithElicitationHandler(a))
	}
	if a.host.Sample != nil {
		out = append(out, client.WithSamplingHandler(a))
	}
	return out
}

// ListRoots implements [client.RootsHandler].
func (a *asked) ListRoots(context.Context, mcp.ListRootsRequest) (*mcp.ListRootsResult, error) {
	out := &mcp.ListRootsResult{Roots: []mcp.Root{}}
	for _, path := range a.host.Roots() {
		u := url.URL{Scheme: "file", Path: filepath.ToSlash(path)}
		out.Roots = append(out.Roots, mcp.Root{URI: u.String(), Name: filepath.Base(path)})
	}
	return out, nil
}

// Elicit implements [client.ElicitationHandler].
func (a *asked) Elicit(ctx context.Context, req mcp.ElicitationRequest) (*mcp.ElicitationResult, error) {
	if err := req.Params.Validate(); err != nil {
		return nil, err
	}
	e := Elicitation{Server: a.server, Call: a.call(), Message: req.Params.Message, URL: req.Params.URL}
	if req.Params.RequestedSchema != nil {
		raw, err := json.Marshal(req.Params.RequestedSchema)
		if err != nil {
			return nil, fmt.Errorf("mcp: the form of the question: %w", err)
		}
		e.Schema = raw
	}
	got, err := a.host.Elicit(ctx, e)
	if err != nil {
		return nil, err
	}
	res := &mcp.ElicitationResult{}
	res.Action = mcp.ElicitationResponseAction(got.Action)
	if got.Action == string(mcp.ElicitationResponseActionAccept) && e.URL == "" {
		res.Content = got.Content
	}
	return res, nil
}

// errTools is the answer to a server that wants the model to use its tools.
var errTools = errors.New("sampling with tools is not offered")

// CreateMessage implements [client.SamplingHandler].
func (a *asked) CreateMessage(ctx context.Context, req mcp.CreateMessageRequest) (*mcp.CreateMessageResult, error) {
	if len(req.Tools) > 0 || req.ToolChoice != nil {
		return nil, errTools
	}
	s := Sampling{Server: a.server, Call: a.call(), System: req.SystemPrompt, MaxTokens: req.MaxTokens}
	for _, m := range req.Messages {
		text, err := textOf(m.Content)
		if err != nil {
			return nil, err
		}
		s.Messages = append(s.Messages, SamplingMessage{Role: string(m.Role), Text: text})
	}
	got, err := a.host.Sample(ctx, s)
	if err != nil {
		return nil, err
	}
	res := &mcp.CreateMessageResult{Model: got.Model, StopReason: got.Stop}
	res.Role = mcp.RoleAssistant
	res.Content = mcp.NewTextContent(got.Text)
	return res, nil
}

// textOf is the text of a message. Other contents are refused: they would be
// shown to the person who agrees as less than they are.
func textOf(content any) (string, error) {
	raw, err := json.Marshal(content)
	if err != nil {
		return "", fmt.Errorf("mcp: a message: %w", err)
	}
	type part struct{ Type, Text string }
	var parts []part
	if json.Unmarshal(raw, &parts) != nil {
		var one part
		if err := json.Unmarshal(raw, &one); err != nil {
			return "", errors.New("a message of the request is neither text nor a list of texts")
		}
		parts = []part{one}
	}
	var texts []string
	for _, p := range parts {
		if p.Type != "text" {
			return "", fmt.Errorf("a message of the request holds %s; only text is passed on", p.Type)
		}
		texts = append(texts, p.Text)
	}
	return strings.Join(texts, "\n"), nil
}
