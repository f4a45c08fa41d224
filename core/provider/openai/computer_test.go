package openai_test

import (
	"bytes"
	"encoding/json"
	"image"
	"image/png"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hobkin/hobkin/core/provider"
	"github.com/hobkin/hobkin/core/provider/providertest/valid"
)

// shot is a picture of the screen of that size.
func shot(tb testing.TB, w, h int) provider.Image {
	tb.Helper()
	var b bytes.Buffer
	if err := png.Encode(&b, image.NewGray(image.Rect(0, 0, w, h))); err != nil {
		tb.Fatal(err)
	}
	return provider.Image{MIME: "image/png", Data: b.Bytes()}
}

// screen is a conversation that has looked at the screen, of the size w×h.
func screen(tb testing.TB, w, h int) provider.Request {
	tb.Helper()
	return provider.Request{
		Tools:    []provider.Tool{{Name: "read"}, {Name: "computer_use"}},
		Computer: &provider.Computer{Tool: "computer_use", Width: 1456, Height: 819},
		Messages: []provider.Message{
			{Role: provider.RoleUser, Parts: []provider.Part{provider.Text{Text: "click it"}}},
			{Role: provider.RoleAssistant, Parts: []provider.Part{provider.ToolCall{ID: "c0", Name: "computer_use", Args: `{"action":"screenshot"}`, ItemID: "cu_0"}}},
			{Role: provider.RoleTool, Parts: []provider.Part{provider.ToolResult{CallID: "c0", Name: "computer_use", Text: "frame f1", Images: []provider.Image{shot(tb, w, h)}}}},
		},
	}
}

func askHosted(t *testing.T, model string, req provider.Request, items string) (calls []provider.ToolCall, sent string) {
	t.Helper()
	got, sent := askWith(t, provider.Spec{Kind: "openai", Model: model}, provider.Options{HostedComputer: provider.HostedOn}, req, completed(`"status":"completed","output":[`+items+`]`))
	if got.Err != nil {
		t.Fatal(got.Err)
	}
	if err := valid.Request("/v1/responses", []byte(sent)); err != nil {
		t.Errorf("the request cannot be taken: %v\n%s", err, sent)
	}
	return got.Calls(), sent
}

// TestComputerActs: each act of the hosted tool is one of ours, in pixels of the
// picture that was sent.
func TestComputerActs(t *testing.T) {
	for name, tt := range map[string]struct{ act, want string }{
		"look":  {`{"type":"screenshot"}`, `{"action":"screenshot"}`},
		"click": {`{"type":"click","button":"left","x":10,"y":20}`, `{"action":"left_click","observation_id":"last","x":10,"y":20}`},
		"click with a key": {
			`{"type":"click","button":"right","x":1,"y":2,"keys":["SHIFT","CTRL"]}`,
			`{"action":"right_click","observation_id":"last","x":1,"y":2,"modifiers":["shift","ctrl"]}`,
		},
		"wheel":           {`{"type":"click","button":"wheel","x":1,"y":2}`, `{"action":"middle_click","observation_id":"last","x":1,"y":2}`},
		"double click":    {`{"type":"double_click","x":1,"y":2}`, `{"action":"double_click","observation_id":"last","x":1,"y":2}`},
		"move":            {`{"type":"move","x":1.6,"y":0}`, `{"action":"mouse_move","observation_id":"last","x":2,"y":0}`},
		"drag":            {`{"type":"drag","path":[{"x":1,"y":2},[3,4]]}`, `{"action":"left_click_drag","observation_id":"last","path":[{"x":1,"y":2},{"x":3,"y":4}]}`},
		"scroll down":     {`{"type":"scroll","x":1,"y":2,"scroll_x":0,"scroll_y":250}`, `{"action":"scroll","observation_id":"last","x":1,"y":2,"direction":"down","amount":3}`},
		"scroll left":     {`{"type":"scroll","x":1,"y":2,"scroll_x":-30,"scroll_y":0}`, `{"action":"scroll","observation_id":"last","x":1,"y":2,"direction":"left","amount":1}`},
		"type":            {`{"type":"type","text":"Grüße"}`, `{"action":"type","text":"Grüße"}`},
		"keys":            {`{"type":"keypress","keys":["CTRL","SHIFT","T"]}`, `{"action":"key","key":"ctrl+shift+t"}`},
		"other keys":      {`{"type":"keypress","keys":["CMD","ArrowLeft"]}`, `{"action":"key","key":"super+Left"}`},
		"function key":    {`{"type":"keypress","keys":["F5"]}`, `{"action":"key","key":"F5"}`},
		"wait":            {`{"type":"wait"}`, `{"action":"wait","ms":2000}`},
		"no button":       {`{"type":"click","button":"back","x":1,"y":2}`, `{"action":"click"}`},
		"a newer act":     {`{"type":"pinch","x":1}`, `{"action":"pinch"}`},
		"no such a point": {`{"type":"drag","path":[[1]]}`, `{"action":"drag"}`},
	} {
		t.Run(name, func(t *testing.T) {
			calls, _ := askHosted(t, "gpt-5.4", screen(t, 1456, 819), `{"id":"cu_1","type":"computer_call","call_id":"c1","status":"completed","actions":[`+tt.act+`]}`)
			want := []provider.ToolCall{{ID: "c1", Name: "computer_use", Args: tt.want, ItemID: "cu_1"}}
			if d := cmp.Diff(want, calls); d != "" {
				t.Errorf("(-want +got)\n%s", d)
			}
		})
	}
}

// TestComputerPreview: the older tool is told the size of the screen. Where the
// picture has another, its points are taken over.
func TestComputerPreview(t *testing.T) {
	const call = `{"id":"cu_1","type":"computer_call","call_id":"c1","status":"completed","action":{"type":"click","button":"left","x":728,"y":409},"pending_safety_checks":[]}`
	calls, sent := askHosted(t, "computer-use-preview", screen(t, 728, 1638), call)
	if want := `{"action":"left_click","observation_id":"last","x":364,"y":818}`; len(calls) != 1 || calls[0].Args != want {
		t.Errorf("got %+v, want %s", calls, want)
	}
	for _, want := range []string{
		`{"type":"computer_use_preview","display_width":1456,"display_height":819,"environment":"`, `"truncation":"auto"`,
		`{"type":"computer_call","id":"cu_0","call_id":"c0","status":"completed","action":{"type":"screenshot"},"pending_safety_checks":[]}`,
		`{"type":"computer_call_output","call_id":"c0","output":{"type":"computer_screenshot","image_url":"data:image/png;base64,`,
	} {
		if !strings.Contains(sent, want) {
			t.Errorf("no %s in %s", want, sent)
		}
	}
	if strings.Contains(sent, `"name":"computer_use"`) || strings.Contains(sent, `"original"`) {
		t.Errorf("sent %s", sent)
	}
}

// TestComputerBatch: several acts of one call come as several calls and go back
// as the one, with what was agreed to and the last picture.
func TestComputerBatch(t *testing.T) {
	req := screen(t, 1456, 819)
	calls, sent := askHosted(t, "gpt-5.4", req, `{"id":"cu_1","type":"computer_call","call_id":"c1","status":"completed",`+
		`"actions":[{"type":"click","button":"left","x":1,"y":2},{"type":"type","text":"a"},{"type":"keypress","keys":["ENTER"]}],`+
		`"pending_safety_checks":[{"id":"sc_1","code":"sensitive_domain","message":"A bank."}]}`)
	want := []provider.ToolCall{
		{ID: "c1#1", Name: "computer_use", ItemID: "cu_1", Args: `{"action":"left_click","observation_id":"last","x":1,"y":2,"safety_checks":[{"id":"sc_1","code":"sensitive_domain","message":"A bank."}]}`},
		{ID: "c1#2", Name: "computer_use", ItemID: "cu_1", Args: `{"action":"type","text":"a"}`},
		{ID: "c1#3", Name: "computer_use", ItemID: "cu_1", Args: `{"action":"key","key":"Return"}`},
	}
	if d := cmp.Diff(want, calls); d != "" {
		t.Fatalf("(-want +got)\n%s", d)
	}
	if !strings.Contains(sent, `"tools":[{"type":"function","name":"read","parameters":{"type":"object","properties":{}},"strict":false},{"type":"computer"}]`) {
		t.Errorf("sent %s", sent)
	}
	answer := func(failed bool, images ...provider.Image) string {
		results := provider.Message{Role: provider.RoleTool}
		said := provider.Message{Role: provider.RoleAssistant}
		for i, c := range calls {
			said.Parts = append(said.Parts, c)
			r := provider.ToolResult{CallID: c.ID, Name: c.Name, Text: "said " + c.ID, Failed: failed}
			if i == 2 {
				r.Images = images
			}
			results.Parts = append(results.Parts, r)
		}
		again := req
		again.Messages = append(slices.Clip(again.Messages), said, results)
		_, sent := askHosted(t, "gpt-5.4", again, `{"id":"m","type":"message","content":[{"type":"output_text","text":"done"}]}`)
		return sent
	}
	last := shot(t, 2, 2)
	back := answer(false, last)
	const call = `{"type":"computer_call","id":"cu_1","call_id":"c1","status":"completed","actions":[{"type":"click","button":"left","x":1,"y":2},{"type":"type","text":"a"},{"type":"keypress","keys":["Return"]}],` +
		`"pending_safety_checks":[{"id":"sc_1","code":"sensitive_domain","message":"A bank."}]},`
	for _, want := range []string{
		call, `{"type":"computer_call_output","call_id":"c1","acknowledged_safety_checks":[{"id":"sc_1","code":"sensitive_domain","message":"A bank."}],"output":{"type":"computer_screenshot","image_url":"data:image/png;base64,`,
		`","detail":"original"}}`, `{"type":"message","role":"user","content":[{"type":"input_text","text":"[From the computer tool, not from the user:]\nsaid c1#1\nsaid c1#2\nsaid c1#3"}]}`,
	} {
		if !strings.Contains(back, want) {
			t.Errorf("no %s in %s", want, back)
		}
	}
	if refused := answer(true, last); !strings.Contains(refused, call) || strings.Contains(refused, "acknowledged") {
		t.Errorf("what was refused is agreed to: %s", refused)
	}
	if blind := answer(true); !strings.Contains(blind, `{"type":"function_call","call_id":"c1#1","name":"computer_use"`) ||
		!strings.Contains(blind, `{"type":"function_call_output","call_id":"c1#3","output":"said c1#3"}`) || strings.Contains(blind, `"call_id":"c1",`) {
		t.Errorf("without a picture: %s", blind)
	}
}

// TestComputerElsewhere: acts that the hosted tool has not stay calls of ours,
// and without it all of them are.
func TestComputerElsewhere(t *testing.T) {
	req := screen(t, 100, 100)
	req.Messages[1].Parts = []provider.Part{provider.ToolCall{ID: "c0", Name: "computer_use", Args: `{"action":"elements"}`, ItemID: "x"}}
	if _, sent := askHosted(t, "gpt-5.4", req, `{"id":"m","type":"message","content":[{"type":"output_text","text":"done"}]}`); !strings.Contains(sent, `{"type":"function_call","call_id":"c0","name":"computer_use","arguments":"{\"action\":\"elements\"}"}`) {
		t.Errorf("sent %s", sent)
	}
	for name, tt := range map[string]struct {
		model string
		use   provider.HostedUse
	}{
		"not asked for":      {"gpt-5.4", provider.HostedTried},
		"off":                {"gpt-5.4", provider.HostedOff},
		"a model without it": {"gpt-5.1", provider.HostedOn},
	} {
		got, sent := askWith(t, provider.Spec{Kind: "openai", Model: tt.model}, provider.Options{HostedComputer: tt.use}, screen(t, 100, 100),
			completed(`"status":"completed","output":[{"id":"cu_1","type":"computer_call","call_id":"c1","actions":[{"type":"wait"}]}]`))
		if len(got.Calls()) != 0 || !strings.Contains(sent, `"name":"computer_use"`) || strings.Contains(sent, `"computer`+`_call`) {
			t.Errorf("%s: %+v, sent %s", name, got, sent)
		}
	}
}

// FuzzComputer: no act of the hosted tool panics or makes a request that cannot
// be sent.
func FuzzComputer(f *testing.F) {
	for _, in := range []string{`{"type":"click","button":"left","x":1,"y":2}`, `{"type":"drag","path":[[1,2],{"x":3}]}`, `{"type":"scroll","x":1,"y":1,"scroll_y":1e308}`, `{"type":"keypress","keys":["+"]}`, `{"type":3}`, `[]`, `null`} {
		f.Add(in)
	}
	f.Fuzz(func(t *testing.T, in string) {
		if !json.Valid([]byte(in)) {
			return // an answer that is no JSON is another test's
		}
		req := screen(t, 100, 100)
		got, _ := askWith(t, provider.Spec{Kind: "openai", Model: "gpt-5.4"}, provider.Options{HostedComputer: provider.HostedOn}, req,
			completed(`"status":"completed","output":[{"id":"cu_1","type":"computer_call","call_id":"c1","status":"completed","actions":[`+in+`]}]`))
		for _, c := range got.Calls() {
			req.Messages = append(req.Messages, provider.Message{Role: provider.RoleAssistant, Parts: []provider.Part{c}},
				provider.Message{Role: provider.RoleTool, Parts: []provider.Part{provider.ToolResult{CallID: c.ID, Name: c.Name, Text: "x", Images: []provider.Image{shot(t, 2, 2)}}}})
		}
		if len(got.Calls()) > 0 {
			askHosted(t, "gpt-5.4", req, `{"id":"m","type":"message","content":[{"type":"output_text","text":"done"}]}`)
		}
	})
}
