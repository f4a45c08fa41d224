package inbound

import (
	"encoding/json"
	"reflect"
	"testing"

	"github.com/mark3labs/mcp-go/mcp"

	"github.com/hobkin/hobkin/core/capability"
)

// What is encoded in one go reads as mcp-go's own.
func TestPlain(t *testing.T) {
	with := func(change func(*mcp.CallToolResult)) mcp.JSONRPCMessage {
		r := mcp.NewToolResultText("a <b> & \"c\"\u2028\xff")
		change(r)
		return mcp.NewJSONRPCResultResponse(mcp.NewRequestId("7"), r)
	}
	for name, tt := range map[string]struct {
		m     mcp.JSONRPCMessage
		plain bool
	}{
		"text": {with(func(*mcp.CallToolResult) {}), true},
		"of ours": {mcp.NewJSONRPCResultResponse(mcp.NewRequestId(int64(7)), resultOf(&capability.Capability{Output: json.RawMessage(`{}`)}, &capability.Outcome{
			Result: capability.Result{Text: "x", Files: []string{"/a b"}, Images: []capability.Image{{MIME: "image/png", Data: []byte{1}}}, Data: json.RawMessage(`{"b": 1, "a": "<"}`)},
		})), true},
		"a failure":      {with(func(r *mcp.CallToolResult) { r.IsError = true }), true},
		"no content":     {with(func(r *mcp.CallToolResult) { r.Content = nil }), false},
		"empty content":  {with(func(r *mcp.CallToolResult) { r.Content = []mcp.Content{} }), true},
		"meta":           {with(func(r *mcp.CallToolResult) { r.Meta = &mcp.Meta{ProgressToken: 1} }), false},
		"a newer client": {with(func(r *mcp.CallToolResult) { r.ResultType = mcp.ResultTypeComplete }), false},
		"raw data":       {with(func(r *mcp.CallToolResult) { r.RawStructuredContent = json.RawMessage(`{"a":1}`) }), false},
		"no question":    {with(func(r *mcp.CallToolResult) { r.InputRequests = mcp.InputRequests{} }), true},
		"a state":        {with(func(r *mcp.CallToolResult) { r.RequestState = "s" }), false},
		"an error":       {failed("7", mcp.INTERNAL_ERROR, "x"), false},
		"another result": {mcp.NewJSONRPCResultResponse(mcp.NewRequestId(1), mcp.EmptyResult{}), false},
	} {
		t.Run(name, func(t *testing.T) {
			p := plain(tt.m)
			if _, got := p.(plainAnswer); got != tt.plain {
				t.Errorf("plain: %v, want %v", got, tt.plain)
			}
			want, err := json.Marshal(tt.m)
			if err != nil {
				t.Fatal(err)
			}
			if got, err := json.Marshal(p); err != nil || string(got) != string(want) {
				t.Errorf("got  %s, %v\nwant %s", got, err, want)
			}
		})
	}
	// A new field would be left out: plain must look at it.
	if n := reflect.TypeFor[mcp.CallToolResult]().NumField() + reflect.TypeFor[mcp.Result]().NumField() + reflect.TypeFor[mcp.MultiRoundTripResult]().NumField(); n != 6+2+2 {
		t.Errorf("results of mcp-go have %d fields now", n)
	}
}
