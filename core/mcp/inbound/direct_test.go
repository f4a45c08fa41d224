package inbound

import (
	"bytes"
	"context"
	"encoding/json"
	"testing"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"
)

// What is answered directly reads as mcp-go's own answer, and nothing is that
// mcp-go would understand otherwise.
func TestDirect(t *testing.T) {
	s, _ := serve(t, func(o *Options) {
		o.Extend = func(m *server.MCPServer) {
			m.AddTool(mcp.NewTool("extra"), func(context.Context, mcp.CallToolRequest) (*mcp.CallToolResult, error) {
				return mcp.NewToolResultText("of another kind"), nil
			})
		}
	})
	call := func(params string) string {
		return `{"jsonrpc":"2.0","id":7,"method":"tools/call","params":` + params + `}`
	}
	for name, tt := range map[string]struct {
		text   string
		direct bool
	}{
		"a call":                {call(`{"name":"echo","arguments":{"text":"a <b>"}}`), true},
		"an id of letters":      {`{"jsonrpc":"2.0","id":"x-1","method":"tools/call","params":{"name":"echo","arguments":{"text":"a"}}}`, true},
		"an id with a fraction": {`{"jsonrpc":"2.0","id":1.5,"method":"tools/call","params":{"name":"echo","arguments":{"text":"a"}}}`, true},
		"wrong arguments":       {call(`{"name":"echo","arguments":{"txt":1}}`), true},
		"arguments of no kind":  {call(`{"name":"echo","arguments":7}`), true},
		"null for arguments":    {call(`{"name":"echo","arguments":null}`), true},
		"no arguments":          {call(`{"name":"echo"}`), true},
		"more than is known":    {call(`{"name":"echo","arguments":{"text":"a"},"more":1}`), true},
		"a token of progress":   {call(`{"name":"echo","arguments":{"text":"a"},"_meta":{"progressToken":1}}`), false},
		"of a newer client":     {call(`{"name":"echo","arguments":{"text":"a"},"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}}`), false},
		"a task":                {call(`{"name":"echo","arguments":{"text":"a"},"task":{}}`), false},
		"a state":               {call(`{"name":"echo","arguments":{"text":"a"},"requestState":"x"}`), false},
		"answers":               {call(`{"name":"echo","arguments":{"text":"a"},"inputResponses":{}}`), false},
		"a tool that is hidden": {call(`{"name":"secret","arguments":{"text":"a"}}`), false},
		"a tool of another":     {call(`{"name":"extra"}`), false},
		"no tool":               {call(`{"arguments":{}}`), false},
		"a name of no kind":     {call(`{"name":7}`), false},
		"no parameters":         {`{"jsonrpc":"2.0","id":7,"method":"tools/call"}`, false},
		"another version":       {`{"jsonrpc":"1.0","id":7,"method":"tools/call","params":{"name":"echo"}}`, false},
		"a result":              {`{"jsonrpc":"2.0","id":7,"result":{},"method":"tools/call","params":{"name":"echo"}}`, false},
		"a notification":        {`{"jsonrpc":"2.0","method":"tools/call","params":{"name":"echo"}}`, false},
		"another method":        {`{"jsonrpc":"2.0","id":7,"method":"ping"}`, false},
	} {
		t.Run(name, func(t *testing.T) {
			var out bytes.Buffer
			c := &stdioClient{server: s, out: &out}
			m := read([]byte(tt.text))
			if c.direct(t.Context(), m) {
				t.Error("answered before initialize was")
			}
			c.Initialize()
			if got := c.direct(t.Context(), m); got != tt.direct {
				t.Fatalf("answered directly: %v, want %v", got, tt.direct)
			}
			if !tt.direct {
				return
			}
			want, err := json.Marshal(s.mcp.HandleMessage(s.mcp.WithContext(t.Context(), c), m.text))
			if err != nil {
				t.Fatal(err)
			}
			if got := bytes.TrimSpace(out.Bytes()); !bytes.Equal(got, want) {
				t.Errorf("got  %s\nwant %s", got, want)
			}
		})
	}
}

// A call that mcp-go answers can be cancelled as one that it does not.
func TestACallOfMoreCanBeCancelled(t *testing.T) {
	s, _ := serve(t, func(o *Options) { o.Timeout = time.Minute })
	p := talk(t, s)
	p.greet()
	runs := make(chan struct{})
	begun.Store("another to cancel", runs)
	p.send(`{"jsonrpc":"2.0","id":"7","method":"tools/call","params":{"name":"slow","arguments":{"text":"another to cancel"},"_meta":{"progressToken":1}}}`)
	<-runs
	p.send(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"7"}}`)
	if m := p.next(); m.ID != "7" || !m.Result.IsError {
		t.Errorf("a cancelled call gave %+v", m)
	}
}
