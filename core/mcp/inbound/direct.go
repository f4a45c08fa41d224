package inbound

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/mark3labs/mcp-go/mcp"

	"github.com/hobkin/hobkin/core/capability"
)

// A call that says only which tool it wants, and with what, is brought to the tool
// here: mcp-go reads a message five times to see that there is no more to it. A
// call with more to it, and every other message, is mcp-go's.

// direct answers such a call. It reports false for what mcp-go answers.
func (c *stdioClient) direct(ctx context.Context, m incoming) bool {
	tool, args := c.wanted(m)
	if tool == nil {
		return false
	}
	own, cancel := context.WithCancel(ctx)
	defer cancel()
	id := fmt.Sprint(m.ID)
	c.running.Store(id, cancel)
	defer c.running.Delete(id)
	r := c.server.call(own, tool, args, nil)
	if ctx.Err() == nil {
		c.write(mcp.NewJSONRPCResultResponse(mcp.NewRequestId(m.ID), r))
	}
	return true
}

// wanted is the tool that a call wants, and its arguments; nil for what is no such
// call, or has more to it.
func (c *stdioClient) wanted(m incoming) (*capability.Capability, json.RawMessage) {
	if m.Method != string(mcp.MethodToolsCall) || m.ID == nil || string(m.Version) != `"2.0"` || len(m.Result) > 0 || !c.Initialized() {
		return nil, nil
	}
	var p struct {
		Name      string          `json:"name"`
		Arguments json.RawMessage `json:"arguments"`

		Meta      json.RawMessage `json:"_meta"`
		Task      json.RawMessage `json:"task"`
		Responses json.RawMessage `json:"inputResponses"`
		State     json.RawMessage `json:"requestState"`
	}
	if json.Unmarshal(m.Params, &p) != nil || len(p.Meta)+len(p.Task)+len(p.Responses)+len(p.State) > 0 {
		return nil, nil
	}
	tool, _ := c.server.tools.Load(p.Name)
	found, _ := tool.(*capability.Capability)
	return found, p.Arguments
}

// cancelled ends the call that a notification names, if it is one of these.
func (c *stdioClient) cancelled(m incoming) {
	var p struct {
		ID any `json:"requestId"`
	}
	if m.Method != string(mcp.MethodNotificationCancelled) || m.ID != nil || json.Unmarshal(m.Params, &p) != nil {
		return
	}
	if cancel, ok := c.running.Load(fmt.Sprint(p.ID)); ok {
		cancel.(context.CancelFunc)()
	}
}
