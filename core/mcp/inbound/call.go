package inbound

import (
	"context"
	"crypto/rand"
	"encoding/base64"
	"encoding/json"
	"log/slog"
	"net/url"
	"path/filepath"
	"strings"
	"sync/atomic"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"github.com/hobkin/hobkin/core/capability"
)

// handler runs calls of one capability.
func (s *Server) handler(c *capability.Capability) server.ToolHandlerFunc {
	return func(ctx context.Context, req mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		return s.call(ctx, c, req.Params.RawArguments, req.Params.Meta), nil
	}
}

// call runs one call.
func (s *Server) call(ctx context.Context, c *capability.Capability, args json.RawMessage, meta *mcp.Meta) *mcp.CallToolResult {
	ctx, cancel := context.WithTimeout(ctx, s.Timeout)
	defer cancel()
	if len(args) == 0 || string(args) == "null" {
		args = json.RawMessage("{}")
	}
	filter := s.filter(c)
	id := "mcp_" + strings.ToLower(rand.Text()[:12])
	filter.Turn.ID = id
	tell := s.progress(ctx, meta)
	return resultOf(c, s.Run(ctx, capability.Request{ID: id, Name: c.Name, Args: args, Filter: filter, Progress: tell}))
}

// progress returns what tells the caller how far its call is, if it wants to
// know.
func (s *Server) progress(ctx context.Context, meta *mcp.Meta) func(string) {
	if meta == nil || meta.ProgressToken == nil {
		return nil
	}
	var step atomic.Int64
	return func(text string) {
		err := notify(ctx, s.mcp, string(mcp.MethodNotificationProgress), map[string]any{
			"progressToken": meta.ProgressToken, "progress": step.Add(1), "message": text,
		})
		if err != nil {
			slog.DebugContext(ctx, "mcp: telling progress", "error", err)
		}
	}
}

// A plainAnswer is the answer to a call that has nothing but content. It reads
// as mcp-go's own, which is encoded piece by piece, each piece copied and looked
// through again for the whole.
type plainAnswer struct {
	JSONRPC string        `json:"jsonrpc"`
	ID      mcp.RequestId `json:"id"`
	Result  struct {
		Content           []mcp.Content `json:"content"`
		IsError           bool          `json:"isError,omitempty"`
		StructuredContent any           `json:"structuredContent,omitempty"`
	} `json:"result"`
}

// plain is m as it is encoded.
func plain(m mcp.JSONRPCMessage) any {
	answer, ok := m.(mcp.JSONRPCResponse)
	if !ok {
		return m
	}
	r, ok := answer.Result.(*mcp.CallToolResult)
	if !ok || r.Content == nil || r.Meta != nil || r.ResultType != "" || len(r.RawStructuredContent) > 0 || len(r.InputRequests) > 0 || r.RequestState != "" {
		return m
	}
	p := plainAnswer{JSONRPC: answer.JSONRPC, ID: answer.ID}
	p.Result.Content, p.Result.IsError, p.Result.StructuredContent = r.Content, r.IsError, r.StructuredContent
	return p
}

// resultOf is an outcome in the words of the protocol. A failure is a result
// too: the caller's model should read it and do better.
func resultOf(c *capability.Capability, o *capability.Outcome) *mcp.CallToolResult {
	r := &mcp.CallToolResult{IsError: o.Failed(), Content: []mcp.Content{}}
	if o.Result.Text != "" || len(o.Result.Images) == 0 {
		r.Content = append(r.Content, mcp.NewTextContent(o.Result.Text))
	}
	for _, im := range o.Result.Images {
		r.Content = append(r.Content, mcp.NewImageContent(base64.StdEncoding.EncodeToString(im.Data), im.MIME))
	}
	if !o.Failed() {
		for _, path := range o.Result.Files {
			address := url.URL{Scheme: "file", Path: filepath.ToSlash(path)}
			r.Content = append(r.Content, mcp.NewResourceLink(address.String(), filepath.Base(path), "", ""))
		}
		if len(c.Output) > 0 && len(o.Result.Data) > 0 {
			r.StructuredContent = o.Result.Data
		}
	}
	return r
}
