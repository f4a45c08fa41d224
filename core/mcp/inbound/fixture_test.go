package inbound

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"github.com/hobkin/hobkin/core/capability"
)

// The conformance suite calls tools, prompts and resources by names of its own.
// What a capability can be is one, and takes the whole path; the rest is added
// to the protocol's server.

// A dot and a click: the smallest picture and sound that are valid.
const (
	dot   = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg=="
	click = "UklGRiYAAABXQVZFZm10IBAAAAABAAEAQB8AAAB9AAACABAAZGF0YQIAAAA="
)

// suiteTools are the tools of the suite that are capabilities.
func suiteTools(t *testing.T, reg *capability.Registry) {
	t.Helper()
	picture, err := base64.StdEncoding.DecodeString(dot)
	if err != nil {
		t.Fatal(err)
	}
	add := func(name, schema string, run capability.Handler) {
		t.Helper()
		c := capability.Capability{
			Name: name, Title: name, Description: "A tool of the conformance suite.", Parameters: json.RawMessage(schema),
			Kind: capability.KindBuiltin, Class: capability.ReadOnly, Category: capability.CategorySystem, Handler: run,
		}
		if err := reg.Register(c); err != nil {
			t.Fatal(err)
		}
	}
	const none = `{"type":"object","properties":{}}`
	text := func(s string) capability.Handler {
		return func(context.Context, capability.Call) (capability.Result, error) {
			return capability.Result{Text: s}, nil
		}
	}
	add("test_simple_text", none, text("This is a simple text response for testing."))
	add("test_image_content", none, func(context.Context, capability.Call) (capability.Result, error) {
		return capability.Result{Images: []capability.Image{{MIME: "image/png", Data: picture}}}, nil
	})
	failure := &capability.Failure{Code: "as_asked", When: "always", Try: "nothing"}
	add("test_error_handling", none, func(context.Context, capability.Call) (capability.Result, error) {
		return capability.Result{}, failure.Becausef("This tool intentionally returns an error for testing")
	})
	add("json_schema_2020_12_tool", `{"$schema":"https://json-schema.org/draft/2020-12/schema","type":"object",
		"$defs":{"address":{"$anchor":"addressDef","type":"object","properties":{"street":{"type":"string"},"city":{"type":"string"}}}},
		"properties":{"name":{"type":"string"},"address":{"$ref":"#/$defs/address"},"contactMethod":{"type":"string","enum":["phone","email"]},"phone":{"type":"string"},"email":{"type":"string"}},
		"allOf":[{"anyOf":[{"required":["phone"]},{"required":["email"]}]}],
		"if":{"properties":{"contactMethod":{"const":"phone"}},"required":["contactMethod"]},"then":{"required":["phone"]},"else":{"required":["email"]},
		"additionalProperties":false}`, text("ok"))
	add("test_header_tool", `{"type":"object","properties":{"region":{"type":"string","x-mcp-header":"Region"},"query":{"type":"string"}}}`, text("ok"))
	add("test_custom_headers", `{"type":"object","properties":{"region":{"type":"string","x-mcp-header":"Region"}}}`, text("ok"))
	add("test_trigger_tool_change", none, func(context.Context, capability.Call) (capability.Result, error) {
		name := fmt.Sprintf("extra_%d", changes.Add(1))
		return capability.Result{Text: "changed"}, reg.Register(capability.Capability{
			Name: name, Title: name, Description: "New.", Parameters: json.RawMessage(none),
			Kind: capability.KindBuiltin, Class: capability.ReadOnly, Handler: text("new"),
		})
	})
}

var changes atomic.Int64

// suiteServer adds what no capability is.
func suiteServer(s *server.MCPServer) {
	for _, o := range []server.ServerOption{
		server.WithResourceCapabilities(true, true), server.WithPromptCapabilities(true), server.WithCompletions(), server.WithElicitation(), server.WithLogging(),
		server.WithCacheHints(1000, mcp.CacheScopePrivate),
	} {
		o(s)
	}
	s.EnableSampling()
	suiteContents(s)
	suiteNotices(s)
	suiteQuestions(s)
	suiteRounds(s)
	suiteResources(s)
	suitePrompts(s)
}

func answer(s string) (*mcp.CallToolResult, error) { return mcp.NewToolResultText(s), nil }

func suiteContents(s *server.MCPServer) {
	s.AddTool(mcp.NewTool("test_audio_content", mcp.WithDescription("sound")), func(context.Context, mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		return &mcp.CallToolResult{Content: []mcp.Content{mcp.NewAudioContent(click, "audio/wav")}}, nil
	})
	s.AddTool(mcp.NewTool("test_embedded_resource", mcp.WithDescription("a resource")), func(context.Context, mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		return &mcp.CallToolResult{Content: []mcp.Content{mcp.NewEmbeddedResource(mcp.TextResourceContents{
			URI: "test://embedded-resource", MIMEType: "text/plain", Text: "This is an embedded resource content.",
		})}}, nil
	})
	s.AddTool(mcp.NewTool("test_multiple_content_types", mcp.WithDescription("all")), func(context.Context, mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		return &mcp.CallToolResult{Content: []mcp.Content{
			mcp.NewTextContent("Multiple content types test:"), mcp.NewImageContent(dot, "image/png"),
			mcp.NewEmbeddedResource(mcp.TextResourceContents{URI: "test://mixed-content-resource", MIMEType: "application/json", Text: `{"test":"data","value":123}`}),
		}}, nil
	})
}

func suiteNotices(s *server.MCPServer) {
	note := func(ctx context.Context, method string, params map[string]any) error {
		err := notify(ctx, s, method, params)
		<-time.After(50 * time.Millisecond) // the suite asks for it
		return err
	}
	log := func(name string, lines ...string) {
		s.AddTool(mcp.NewTool(name, mcp.WithDescription("logs")), func(ctx context.Context, _ mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			for _, line := range lines {
				if err := s.SendLogMessageToClient(ctx, mcp.NewLoggingMessageNotification(mcp.LoggingLevelInfo, "suite", line)); err != nil {
					return nil, err
				}
				<-time.After(50 * time.Millisecond)
			}
			return answer("logged")
		})
	}
	log("test_tool_with_logging", "Tool execution started", "Tool processing data", "Tool execution completed")
	log("test_logging_tool", "only who asked for it may see this")
	s.AddTool(mcp.NewTool("test_tool_with_progress", mcp.WithDescription("progress")), func(ctx context.Context, req mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		for _, done := range []int{0, 50, 100} {
			if m := req.Params.Meta; m != nil && m.ProgressToken != nil {
				err := note(ctx, string(mcp.MethodNotificationProgress), map[string]any{"progressToken": m.ProgressToken, "progress": done, "total": 100})
				if err != nil {
					return nil, err
				}
			}
		}
		return answer("done")
	})
	s.AddTool(mcp.NewTool("test_trigger_prompt_change", mcp.WithDescription("changes the prompts")), func(context.Context, mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		s.AddPrompt(mcp.NewPrompt(fmt.Sprintf("extra_%d", changes.Add(1)), mcp.WithPromptDescription("new")), func(context.Context, mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
			return &mcp.GetPromptResult{Messages: []mcp.PromptMessage{}}, nil
		})
		return answer("changed")
	})
}

func form(message string, schema string) mcp.ElicitationParams {
	var s map[string]any
	if err := json.Unmarshal([]byte(schema), &s); err != nil {
		panic(err)
	}
	return mcp.ElicitationParams{Message: message, RequestedSchema: s}
}

func suiteQuestions(s *server.MCPServer) {
	ask := func(name, schema string, args ...mcp.ToolOption) {
		s.AddTool(mcp.NewTool(name, append(args, mcp.WithDescription("asks"))...), func(ctx context.Context, req mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			res, err := s.RequestElicitation(ctx, mcp.ElicitationRequest{Params: form(req.GetString("message", "Please answer"), schema)})
			if err != nil {
				return mcp.NewToolResultError(err.Error()), nil
			}
			content, _ := json.Marshal(res.Content)
			return answer(fmt.Sprintf("User response: action=%s, content=%s", res.Action, content))
		})
	}
	ask("test_elicitation", `{"type":"object","properties":{"username":{"type":"string","description":"User's response"},"email":{"type":"string","description":"User's email address"}},"required":["username","email"]}`, mcp.WithString("message", mcp.Required()))
	ask("test_elicitation_sep1034_defaults", `{"type":"object","properties":{"name":{"type":"string","default":"John Doe"},"age":{"type":"integer","default":30},"score":{"type":"number","default":95.5},"status":{"type":"string","enum":["active","inactive","pending"],"default":"active"},"verified":{"type":"boolean","default":true}}}`)
	ask("test_elicitation_sep1330_enums", `{"type":"object","properties":{"untitledSingle":{"type":"string","enum":["option1","option2","option3"]},"titledSingle":{"type":"string","oneOf":[{"const":"value1","title":"First Option"},{"const":"value2","title":"Second Option"},{"const":"value3","title":"Third Option"}]},"legacyEnum":{"type":"string","enum":["opt1","opt2","opt3"],"enumNames":["Option One","Option Two","Option Three"]},"untitledMulti":{"type":"array","items":{"type":"string","enum":["option1","option2","option3"]}},"titledMulti":{"type":"array","items":{"anyOf":[{"const":"value1","title":"First Choice"},{"const":"value2","title":"Second Choice"},{"const":"value3","title":"Third Choice"}]}}}}`)
	s.AddTool(mcp.NewTool("test_sampling", mcp.WithDescription("samples"), mcp.WithString("prompt", mcp.Required())), func(ctx context.Context, req mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		//lint:ignore SA1019 clients of older protocols have it
		res, err := s.RequestSampling(ctx, mcp.CreateMessageRequest{CreateMessageParams: question(req.GetString("prompt", ""), 100)}) //nolint:staticcheck // as above
		if err != nil {
			return mcp.NewToolResultError(err.Error()), nil
		}
		return answer("LLM response: " + spoken(res))
	})
}

func question(text string, tokens int) mcp.CreateMessageParams {
	return mcp.CreateMessageParams{MaxTokens: tokens, Messages: []mcp.SamplingMessage{{Role: mcp.RoleUser, Content: mcp.NewTextContent(text)}}}
}

func spoken(res *mcp.CreateMessageResult) string {
	if t, ok := res.Content.(mcp.TextContent); ok {
		return t.Text
	}
	raw, _ := json.Marshal(res.Content)
	return string(raw)
}

// seal signs a state, so that a client cannot change it.
func seal(state string) string {
	mac := hmac.New(sha256.New, []byte("a key of the test"))
	_, _ = mac.Write([]byte(state))
	return state + "." + hex.EncodeToString(mac.Sum(nil))
}

func unseal(sealed string) (string, error) {
	state, _, _ := strings.Cut(sealed, ".")
	if !hmac.Equal([]byte(seal(state)), []byte(sealed)) {
		return "", errors.New("the state was changed")
	}
	return state, nil
}

const (
	askName  = `{"type":"object","properties":{"name":{"type":"string"}},"required":["name"]}`
	askOK    = `{"type":"object","properties":{"ok":{"type":"boolean"}},"required":["ok"]}`
	askColor = `{"type":"object","properties":{"color":{"type":"string"}},"required":["color"]}`
)

// given is the answer to a question, as its form wants it, or empty.
func given(p mcp.MultiRoundTripParams, id, field string) string {
	res := server.ElicitationResponse(p.InputResponses, id)
	if res == nil || res.Action != mcp.ElicitationResponseActionAccept {
		return ""
	}
	content, _ := res.Content.(map[string]any)
	if content[field] == nil {
		return ""
	}
	return fmt.Sprint(content[field])
}

func suiteRounds(s *server.MCPServer) {
	round := func(name string, run func(context.Context, mcp.MultiRoundTripParams) (*mcp.CallToolResult, error)) {
		s.AddTool(mcp.NewTool(name, mcp.WithDescription("asks in rounds")), func(ctx context.Context, req mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			return run(ctx, req.Params.MultiRoundTripParams)
		})
	}
	name := func(_ context.Context, p mcp.MultiRoundTripParams) (*mcp.CallToolResult, error) {
		if who := given(p, "user_name", "name"); who != "" {
			return answer("Hello, " + who + "!")
		}
		return server.NewInputRequestBuilder("").Elicit("user_name", form("What is your name?", askName)).ToolResult(), nil
	}
	round("test_input_required_result_elicitation", name)
	round("test_streaming_elicitation", name)
	round("test_input_required_result_sampling", func(_ context.Context, p mcp.MultiRoundTripParams) (*mcp.CallToolResult, error) {
		if res := server.SamplingResponse(p.InputResponses, "capital_question"); res != nil {
			return answer(spoken(res))
		}
		return server.NewInputRequestBuilder("").Sample("capital_question", question("What is the capital of France?", 100)).ToolResult(), nil
	})
	round("test_input_required_result_list_roots", func(_ context.Context, p mcp.MultiRoundTripParams) (*mcp.CallToolResult, error) {
		if res := server.RootsResponse(p.InputResponses, "client_roots"); res != nil {
			return answer(fmt.Sprintf("Roots: %v", res.Roots))
		}
		return server.NewInputRequestBuilder("").Roots("client_roots").ToolResult(), nil
	})
	state := func(_ context.Context, p mcp.MultiRoundTripParams) (*mcp.CallToolResult, error) {
		if p.RequestState == "" {
			return server.NewInputRequestBuilder(seal("confirm")).Elicit("confirm", form("Please confirm", askOK)).ToolResult(), nil
		}
		if _, err := unseal(p.RequestState); err != nil {
			return nil, err
		}
		return answer("state-ok")
	}
	round("test_input_required_result_request_state", state)
	round("test_input_required_result_tampered_state", state)
	suiteMoreRounds(round)
	s.AddTool(mcp.NewTool("test_missing_capability", mcp.WithDescription("needs sampling")), func(ctx context.Context, _ mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		if c := capabilitiesOf(ctx); c == nil || c.Sampling == nil {
			return nil, mcp.MissingRequiredClientCapabilityError{Capability: "sampling"}
		}
		return answer("ok")
	})
}

func suiteMoreRounds(round func(string, func(context.Context, mcp.MultiRoundTripParams) (*mcp.CallToolResult, error))) {
	round("test_input_required_result_multiple_inputs", func(_ context.Context, p mcp.MultiRoundTripParams) (*mcp.CallToolResult, error) {
		if given(p, "user_name", "name") != "" && server.SamplingResponse(p.InputResponses, "greeting") != nil && server.RootsResponse(p.InputResponses, "client_roots") != nil {
			return answer("all there")
		}
		return server.NewInputRequestBuilder(seal("many")).Elicit("user_name", form("What is your name?", askName)).
			Sample("greeting", question("Generate a greeting", 50)).Roots("client_roots").ToolResult(), nil
	})
	round("test_input_required_result_multi_round", func(_ context.Context, p mcp.MultiRoundTripParams) (*mcp.CallToolResult, error) {
		switch {
		case given(p, "step2", "color") != "":
			return answer("both rounds done")
		case given(p, "step1", "name") != "":
			return server.NewInputRequestBuilder(seal("two")).Elicit("step2", form("Step 2: What is your favorite color?", askColor)).ToolResult(), nil
		}
		return server.NewInputRequestBuilder(seal("one")).Elicit("step1", form("Step 1: What is your name?", askName)).ToolResult(), nil
	})
	round("test_input_required_result_capabilities", func(ctx context.Context, p mcp.MultiRoundTripParams) (*mcp.CallToolResult, error) {
		b, c := server.NewInputRequestBuilder(""), capabilitiesOf(ctx)
		if len(p.InputResponses) > 0 || c == nil {
			return answer("ok")
		}
		if c.Elicitation != nil {
			b.Elicit("name", form("What is your name?", askName))
		}
		if c.Sampling != nil {
			b.Sample("greeting", question("Generate a greeting", 50))
		}
		return b.ToolResult(), nil
	})
}

func capabilitiesOf(ctx context.Context) *mcp.ClientCapabilities {
	if info := server.RequestProtocolInfoFromContext(ctx); info != nil {
		return info.ClientCapabilities
	}
	return nil
}

func suiteResources(s *server.MCPServer) {
	s.AddResource(mcp.NewResource("test://static-text", "static-text", mcp.WithMIMEType("text/plain")), func(context.Context, mcp.ReadResourceRequest) ([]mcp.ResourceContents, error) {
		return []mcp.ResourceContents{mcp.TextResourceContents{URI: "test://static-text", MIMEType: "text/plain", Text: "This is the content of the static text resource."}}, nil
	})
	s.AddResource(mcp.NewResource("test://static-binary", "static-binary", mcp.WithMIMEType("image/png")), func(context.Context, mcp.ReadResourceRequest) ([]mcp.ResourceContents, error) {
		return []mcp.ResourceContents{mcp.BlobResourceContents{URI: "test://static-binary", MIMEType: "image/png", Blob: dot}}, nil
	})
	s.AddResource(mcp.NewResource("test://watched-resource", "watched-resource", mcp.WithMIMEType("text/plain")), func(context.Context, mcp.ReadResourceRequest) ([]mcp.ResourceContents, error) {
		return []mcp.ResourceContents{mcp.TextResourceContents{URI: "test://watched-resource", MIMEType: "text/plain", Text: "watched"}}, nil
	})
	s.AddResourceTemplate(mcp.NewResourceTemplate("test://template/{id}/data", "template", mcp.WithTemplateMIMEType("application/json")), func(_ context.Context, req mcp.ReadResourceRequest) ([]mcp.ResourceContents, error) {
		id := strings.TrimSuffix(strings.TrimPrefix(req.Params.URI, "test://template/"), "/data")
		return []mcp.ResourceContents{mcp.TextResourceContents{URI: req.Params.URI, MIMEType: "application/json", Text: fmt.Sprintf(`{"id":%q,"templateTest":true,"data":%q}`, id, "Data for ID: "+id)}}, nil
	})
}

func suitePrompts(s *server.MCPServer) {
	say := func(c mcp.Content) mcp.PromptMessage { return mcp.PromptMessage{Role: mcp.RoleUser, Content: c} }
	prompt := func(p mcp.Prompt, run func(map[string]string) []mcp.PromptMessage) {
		s.AddPrompt(p, func(_ context.Context, req mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
			return &mcp.GetPromptResult{Messages: run(req.Params.Arguments)}, nil
		})
	}
	prompt(mcp.NewPrompt("test_simple_prompt", mcp.WithPromptDescription("simple")), func(map[string]string) []mcp.PromptMessage {
		return []mcp.PromptMessage{say(mcp.NewTextContent("This is a simple prompt for testing."))}
	})
	prompt(mcp.NewPrompt("test_prompt_with_arguments", mcp.WithPromptDescription("with arguments"), mcp.WithArgument("arg1", mcp.RequiredArgument()), mcp.WithArgument("arg2", mcp.RequiredArgument())), func(a map[string]string) []mcp.PromptMessage {
		return []mcp.PromptMessage{say(mcp.NewTextContent(fmt.Sprintf("Prompt with arguments: arg1='%s', arg2='%s'", a["arg1"], a["arg2"])))}
	})
	prompt(mcp.NewPrompt("test_prompt_with_embedded_resource", mcp.WithPromptDescription("with a resource"), mcp.WithArgument("resourceUri", mcp.RequiredArgument())), func(a map[string]string) []mcp.PromptMessage {
		return []mcp.PromptMessage{
			say(mcp.NewEmbeddedResource(mcp.TextResourceContents{URI: a["resourceUri"], MIMEType: "text/plain", Text: "Embedded resource content for testing."})),
			say(mcp.NewTextContent("Please process the embedded resource above.")),
		}
	})
	prompt(mcp.NewPrompt("test_prompt_with_image", mcp.WithPromptDescription("with a picture")), func(map[string]string) []mcp.PromptMessage {
		return []mcp.PromptMessage{say(mcp.NewImageContent(dot, "image/png")), say(mcp.NewTextContent("Please analyze the image above."))}
	})
	s.AddPrompt(mcp.NewPrompt("test_input_required_result_prompt", mcp.WithPromptDescription("asks")), func(_ context.Context, req mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
		what := given(req.Params.MultiRoundTripParams, "user_context", "context")
		if what == "" {
			return server.NewInputRequestBuilder("").Elicit("user_context", form("What context should the prompt use?", `{"type":"object","properties":{"context":{"type":"string"}},"required":["context"]}`)).PromptResult(), nil
		}
		return &mcp.GetPromptResult{Messages: []mcp.PromptMessage{say(mcp.NewTextContent("Context: " + what))}}, nil
	})
}
