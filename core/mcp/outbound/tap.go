package outbound

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"sync"

	"github.com/mark3labs/mcp-go/client/transport"
	"github.com/mark3labs/mcp-go/mcp"
)

// mcp-go decodes tool lists into types that drop half of JSON Schema, and gives
// up a whole list for one tool that is malformed. So a tap on the transport
// reads the lists as they came, and hands on only what is sound.

// A tap stands between mcp-go and a transport.
type tap struct {
	transport.BidirectionalInterface
	list *listing
}

// An httpTap is a tap on a transport over HTTP, which mcp-go treats differently.
type httpTap struct {
	tap
	http transport.HTTPConnection
	conn *conn
}

// SetProtocolVersion implements mcp-go's transport over HTTP.
func (t httpTap) SetProtocolVersion(v string) { t.http.SetProtocolVersion(v) }

// RequiresLegacyProtocol is asked by mcp-go before it tries the newest protocol,
// which was never spoken over its older transport. That streamable HTTP listens
// is no reason not to: with the newest protocol it does not.
func (t httpTap) RequiresLegacyProtocol() bool {
	_, old := t.BidirectionalInterface.(oneWay)
	return old
}

// tapped puts a tap on the transport of a connection.
func tapped(t transport.BidirectionalInterface, c *conn) transport.Interface {
	if h, ok := t.(transport.HTTPConnection); ok {
		return httpTap{tap{t, c.list}, h, c}
	}
	return tap{t, c.list}
}

// SetConnectionLostHandler hands a handler on to transports that take one.
func (t tap) SetConnectionLostHandler(h func(error)) {
	if s, ok := t.BidirectionalInterface.(interface{ SetConnectionLostHandler(func(error)) }); ok {
		s.SetConnectionLostHandler(h)
	}
}

// SendRequest implements mcp-go's transport.
func (t tap) SendRequest(ctx context.Context, req transport.JSONRPCRequest) (*transport.JSONRPCResponse, error) {
	res, err := t.BidirectionalInterface.SendRequest(ctx, req)
	switch {
	case err != nil || res == nil:
	case req.Method == string(mcp.MethodServerDiscover):
		return t.discovered(ctx, req, res)
	case req.Method == string(mcp.MethodToolsList) && res.Error == nil:
		res.Result = t.list.read(res.Result)
	}
	return res, err
}

// discovered judges the answer to server/discover, by which mcp-go knows the
// newest protocol. Servers that answer every method with nothing are not of it;
// those that refuse the version and name it among theirs are asked once more.
func (t tap) discovered(ctx context.Context, req transport.JSONRPCRequest, res *transport.JSONRPCResponse) (*transport.JSONRPCResponse, error) {
	var versions struct {
		Supported []string `json:"supportedVersions"` // of the answer
		Named     []string `json:"supported"`         // of the refusal
	}
	if res.Error != nil {
		raw, err := json.Marshal(res.Error.Data)
		if err == nil && res.Error.Code == mcp.UNSUPPORTED_PROTOCOL_VERSION && json.Unmarshal(raw, &versions) == nil &&
			slices.Contains(versions.Named, mcp.LATEST_PROTOCOL_VERSION) {
			return t.BidirectionalInterface.SendRequest(ctx, req)
		}
		return res, nil
	}
	if _ = json.Unmarshal(res.Result, &versions); len(versions.Supported) == 0 { // what is no object names none
		return transport.NewJSONRPCErrorResponse(req.ID, mcp.METHOD_NOT_FOUND, "the answer to server/discover names no version", nil), nil
	}
	return res, nil
}

// A listing is the tools of one discovery, as they came.
type listing struct {
	mu    sync.Mutex
	tools []Tool
	bad   []string // what was left out, and why
}

// start forgets what was read before.
func (l *listing) start() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.tools, l.bad = nil, nil
}

// result is what was read since start.
func (l *listing) result() (tools []Tool, bad []string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.tools, l.bad
}

// read takes in one page and returns it without what is unsound, in a form
// that mcp-go can decode.
func (l *listing) read(page json.RawMessage) json.RawMessage {
	var fields map[string]json.RawMessage
	if json.Unmarshal(page, &fields) != nil {
		return page // mcp-go says what is wrong with it
	}
	var raw []json.RawMessage
	if json.Unmarshal(fields["tools"], &raw) != nil {
		return page
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	sound := make([]json.RawMessage, 0, len(raw))
	for i, r := range raw {
		var t Tool
		err := json.Unmarshal(r, &t)
		if err == nil {
			err = t.check()
		}
		if err != nil {
			l.bad = append(l.bad, fmt.Sprintf("tool %d (%s) is malformed: %v", i+1, nameIn(r), err))
			continue
		}
		l.tools = append(l.tools, t)
		sound = append(sound, bare(t))
	}
	fields["tools"], _ = json.Marshal(sound) // raw JSON always can
	out, err := json.Marshal(fields)
	if err != nil {
		return page
	}
	return out
}

// nameIn is the name in something that could not be decoded.
func nameIn(raw json.RawMessage) string {
	var t struct {
		Name any `json:"name"`
	}
	if json.Unmarshal(raw, &t) != nil || t.Name == nil {
		return "no name"
	}
	return fmt.Sprint(t.Name)
}

// bare is what mcp-go needs of a tool: its name, and the annotations of its
// parameters that are mirrored into headers.
func bare(t Tool) json.RawMessage {
	out, err := json.Marshal(Tool{Name: t.Name, InputSchema: t.InputSchema})
	if err != nil {
		return json.RawMessage(`{"name":"","inputSchema":{"type":"object"}}`)
	}
	return out
}
