package anthropic_test

import (
	"bytes"
	stdcmp "cmp"
	"encoding/json"
	"image"
	"image/jpeg"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hobkin/hobkin/core/provider"
	"github.com/hobkin/hobkin/core/provider/providertest"
)

// seen is a conversation that has looked at a screen whose picture has the size
// w×h, and then at a part of it.
func seen(tb testing.TB, w, h int) provider.Request {
	tb.Helper()
	shot := func(w, h int) []provider.Image {
		var b bytes.Buffer
		if err := jpeg.Encode(&b, image.NewGray(image.Rect(0, 0, w, h)), nil); err != nil {
			tb.Fatal(err)
		}
		return []provider.Image{{MIME: "image/jpeg", Data: b.Bytes()}}
	}
	return provider.Request{
		Tools:    []provider.Tool{{Name: "computer_use", Description: "ours"}, {Name: "read"}},
		Computer: &provider.Computer{Tool: "computer_use", Width: 1456, Height: 819},
		Messages: []provider.Message{
			said("click it"),
			message(provider.RoleAssistant, provider.ToolCall{ID: "1", Name: "computer_use", Args: `{"action":"screenshot"}`}),
			message(provider.RoleTool, provider.ToolResult{CallID: "1", Name: "computer_use", Text: "frame f1", Images: shot(w, h)}),
			message(provider.RoleAssistant, provider.ToolCall{ID: "2", Name: "computer_use", Args: `{"action":"screenshot","observation_id":"last","region":{"x":1,"y":2,"w":3,"h":4}}`}),
			message(provider.RoleTool, provider.ToolResult{CallID: "2", Name: "computer_use", Text: "frame f2", Images: shot(30, 40)}),
		},
	}
}

// hosted is an answer with one call of the hosted tool.
func hosted(input string) string {
	return strings.Join(stream(providertest.Turn{Calls: []provider.ToolCall{{ID: "3", Name: "computer", Args: input}}}), "")
}

// TestComputerActs follows each action of the hosted tool to a call of ours and
// back: its points are of the newest picture of a whole screen.
func TestComputerActs(t *testing.T) {
	for name, tt := range map[string]struct{ in, want, back string }{
		"look":        {`{"action":"screenshot"}`, `{"action":"screenshot"}`, ""},
		"where":       {`{"action":"cursor_position"}`, `{"action":"cursor_position"}`, ""},
		"click":       {`{"action":"left_click","coordinate":[10,20]}`, `{"action":"left_click","observation_id":"last","x":10,"y":20}`, ""},
		"click here":  {`{"action":"left_click"}`, `{"action":"left_click"}`, ""},
		"with a key":  {`{"action":"left_click","coordinate":[10,20],"text":"ctrl+shift"}`, `{"action":"left_click","observation_id":"last","x":10,"y":20,"modifiers":["ctrl","shift"]}`, ""},
		"right":       {`{"action":"right_click","coordinate":[1,2]}`, `{"action":"right_click","observation_id":"last","x":1,"y":2}`, ""},
		"middle":      {`{"action":"middle_click","coordinate":[1,2]}`, `{"action":"middle_click","observation_id":"last","x":1,"y":2}`, ""},
		"double":      {`{"action":"double_click","coordinate":[1,2]}`, `{"action":"double_click","observation_id":"last","x":1,"y":2}`, ""},
		"triple":      {`{"action":"triple_click","coordinate":[1,2]}`, `{"action":"triple_click","observation_id":"last","x":1,"y":2}`, ""},
		"move":        {`{"action":"mouse_move","coordinate":[1,2]}`, `{"action":"mouse_move","observation_id":"last","x":1,"y":2}`, ""},
		"down":        {`{"action":"left_mouse_down"}`, `{"action":"left_mouse_down"}`, ""},
		"up":          {`{"action":"left_mouse_up","coordinate":[1,2]}`, `{"action":"left_mouse_up","observation_id":"last","x":1,"y":2}`, ""},
		"drag":        {`{"action":"left_click_drag","coordinate":[3,4],"start_coordinate":[1,2]}`, `{"action":"left_click_drag","observation_id":"last","path":[{"x":1,"y":2},{"x":3,"y":4}]}`, ""},
		"scroll":      {`{"action":"scroll","coordinate":[1,2],"scroll_direction":"down","scroll_amount":3}`, `{"action":"scroll","observation_id":"last","x":1,"y":2,"direction":"down","amount":3}`, ""},
		"type":        {`{"action":"type","text":"Grüße\n"}`, `{"action":"type","text":"Grüße\n"}`, ""},
		"key":         {`{"action":"key","text":"ctrl+s"}`, `{"action":"key","key":"ctrl+s"}`, ""},
		"hold":        {`{"action":"hold_key","text":"shift","duration":1.5}`, `{"action":"hold_key","key":"shift","ms":1500}`, ""},
		"wait":        {`{"action":"wait","duration":2}`, `{"action":"wait","ms":2000}`, ""},
		"zoom":        {`{"action":"zoom","region":[10,20,110,70]}`, `{"action":"screenshot","observation_id":"last","region":{"x":10,"y":20,"w":100,"h":50}}`, ""},
		"a text":      {`{"action":"left_click","coordinate":"[10, 20]"}`, `{"action":"left_click","observation_id":"last","x":10,"y":20}`, `{"action":"left_click","coordinate":[10,20]}`},
		"no place":    {`{"action":"left_click","coordinate":"there"}`, `{"action":"left_click","coordinate":"there"}`, `{"action":"left_click"}`},
		"one number":  {`{"action":"left_click","coordinate":[1]}`, `{"action":"left_click"}`, `{"action":"left_click"}`},
		"outside":     {`{"action":"left_click","coordinate":[-5,99999]}`, `{"action":"left_click","observation_id":"last","x":-5,"y":99999}`, ""},
		"no such one": {`{"action":"pinch","text":"a"}`, `{"action":"pinch"}`, "none"},
	} {
		t.Run(name, func(t *testing.T) {
			req := seen(t, 1456, 819)
			got, _ := ask(t, "claude-opus-4-5", req, hosted(tt.in))
			want := []provider.ToolCall{{ID: "3", Name: "computer_use", Args: tt.want}}
			if d := cmp.Diff(want, got.Calls()); d != "" || got.Err != nil {
				t.Fatalf("%v (-want +got)\n%s", got.Err, d)
			}
			req.Messages = append(req.Messages, got.Message(), message(provider.RoleTool, provider.ToolResult{CallID: "3", Name: "computer_use", Text: "done"}))
			_, sent := ask(t, "claude-opus-4-5", req, ok)
			back := `{"type":"tool_use","id":"3","name":"computer","input":` + stdcmp.Or(tt.back, tt.in) + `}`
			if tt.back == "none" {
				back = `{"type":"tool_use","id":"3","name":"computer_use","input":` + tt.want + `}`
			}
			if !same(t, sent, back) {
				t.Errorf("no %s in %s", back, sent)
			}
		})
	}
}

// same reports whether a request has a block with the same content, in any
// order of its fields.
func same(t *testing.T, request, block string) bool {
	t.Helper()
	var r struct {
		Messages []struct{ Content []any }
	}
	var want any
	if err := json.Unmarshal([]byte(request), &r); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal([]byte(block), &want); err != nil {
		t.Fatal(err)
	}
	for _, m := range r.Messages {
		for _, b := range m.Content {
			if cmp.Equal(b, want) {
				return true
			}
		}
	}
	return false
}

// TestComputerOtherSize: a picture of another size than the tool was told of is
// not clicked beside: the point is taken over.
func TestComputerOtherSize(t *testing.T) {
	got, _ := ask(t, "claude-sonnet-4-5", seen(t, 728, 1638), hosted(`{"action":"left_click","coordinate":[728,409]}`))
	if want := `{"action":"left_click","observation_id":"last","x":364,"y":818}`; got.Calls()[0].Args != want {
		t.Errorf("got %s, want %s", got.Calls()[0].Args, want)
	}
}

// TestComputerOffer: the hosted tool stands where ours did, as the model knows
// it, and asks for its header. Elsewhere ours is offered.
func TestComputerOffer(t *testing.T) {
	const ours = `{"name":"computer_use","description":"ours","input_schema":{"type":"object","properties":{}}}`
	for name, tt := range map[string]struct {
		spec provider.Spec
		use  provider.HostedUse
		own  string // header of the settings
		want string
		beta string
	}{
		"Sonnet 4":       {provider.Spec{Model: "claude-sonnet-4-20250514"}, "", "", `{"type":"computer_20250124","name":"computer","display_width_px":1456,"display_height_px":819}`, "computer-use-2025-01-24"},
		"Opus 4.5":       {provider.Spec{Model: "claude-opus-4-5"}, "on", "x-1", `{"type":"computer_20251124","name":"computer","display_width_px":1456,"display_height_px":819,"enable_zoom":true}`, "x-1,computer-use-2025-11-24"},
		"off":            {provider.Spec{Model: "claude-opus-4-5"}, "off", "x-1", ours, "x-1"},
		"not known":      {provider.Spec{Model: "claude-next"}, "", "", ours, ""},
		"another server": {provider.Spec{Model: "claude-opus-4-5", BaseURL: "https://proxy.test"}, "", "", ours, ""},
	} {
		t.Run(name, func(t *testing.T) {
			tt.spec.Kind = "anthropic"
			if tt.own != "" {
				tt.spec.Headers = map[string]string{"anthropic-beta": tt.own}
			}
			heard := &listening{Canned: &providertest.Canned{Body: ok}}
			m, err := open(tt.spec, provider.Options{HTTP: &http.Client{Transport: heard}, HostedComputer: tt.use})
			if err != nil {
				t.Fatal(err)
			}
			providertest.Collect(t.Context(), m, seen(t, 10, 10))
			if sent := heard.Asked()[0]; !strings.Contains(sent, `"tools":[`+tt.want+`,{"name":"read"`) {
				t.Errorf("sent %s", sent)
			}
			if got := heard.header.Get("Anthropic-Beta"); got != tt.beta {
				t.Errorf("the header is %q, want %q", got, tt.beta)
			}
		})
	}
}

// listening is canned and keeps the header it was asked with.
type listening struct {
	*providertest.Canned
	header http.Header
}

func (l *listening) RoundTrip(r *http.Request) (*http.Response, error) {
	l.header = r.Header.Clone()
	return l.Canned.RoundTrip(r)
}

// FuzzComputer: no input of the hosted tool panics or makes a request that
// cannot be sent.
func FuzzComputer(f *testing.F) {
	for _, in := range []string{`{"action":"left_click","coordinate":[1,2]}`, `{"action":"zoom","region":[1,2,3,4]}`, `{"action":"left_click_drag","coordinate":"[1e300,2]","start_coordinate":[null]}`, `{"action":3}`, `[]`, `{`} {
		f.Add(in)
	}
	f.Fuzz(func(t *testing.T, in string) {
		req := seen(t, 16, 9)
		got, _ := ask(t, "claude-opus-4-5", req, hosted(in))
		for _, c := range got.Calls() {
			req.Messages = append(req.Messages, message(provider.RoleAssistant, c), message(provider.RoleTool, provider.ToolResult{CallID: c.ID, Name: c.Name, Text: "x"}))
		}
		_, sent := ask(t, "claude-opus-4-5", req, ok)
		if !json.Valid([]byte(sent)) {
			t.Errorf("%q makes %s", in, sent)
		}
	})
}
