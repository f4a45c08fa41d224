package gemini_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"github.com/hobkin/hobkin/core/provider"
	"github.com/hobkin/hobkin/core/provider/gemini"
	"github.com/hobkin/hobkin/core/provider/providertest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func open(s provider.Spec, o provider.Options) (provider.Model, error) {
	s, _, err := s.Resolve()
	return gemini.New(s, o), err
}

var subject = providertest.Subject{
	Open: open, Spec: provider.Spec{Kind: "gemini", Model: "gemini-2.5-pro"},
	Stream: stream, Fault: `data: {"error":{"code":503,"message":"The model is overloaded.","status":"UNAVAILABLE"}}` + "\n\n",
}

func TestSuite(t *testing.T) { providertest.Suite(t, subject) }

func FuzzStream(f *testing.F) {
	turn := providertest.Turn{Thought: "Hm.", Text: "Yes.", Calls: []provider.ToolCall{{ID: "a", Name: "t", Args: `{"x":1}`}, {ID: "b", Name: "u", Args: "{}"}}}
	f.Add(strings.Join(stream(turn), ""))
	f.Add(strings.Join(stream(providertest.Turn{Text: "Yes."}), "") + subject.Fault)
	f.Add(`[{"candidates":[{"content":{"parts":[{"text":"a"}]},"finishReason":"STOP"}]}]`)
	f.Add(`{"candidates":[{"content":{"parts":[{"functionCall":{"name":"t","args":null}}]},"finishReason":"MAX_TOKENS"}]}`)
	f.Fuzz(func(t *testing.T, body string) { providertest.Chew(t, subject, body) })
}

// stream writes a turn as Gemini does.
func stream(t providertest.Turn) (out []string) {
	send := func(finish string, parts ...map[string]any) {
		c := map[string]any{"index": 0, "content": map[string]any{"role": "model", "parts": parts}}
		doc := map[string]any{"candidates": []any{c}, "modelVersion": "gemini-2.5-pro"}
		if finish != "" {
			c["finishReason"] = finish
			doc["usageMetadata"] = map[string]any{"promptTokenCount": t.Usage.Input, "candidatesTokenCount": t.Usage.Output, "cachedContentTokenCount": t.Usage.CachedInput}
		}
		b, err := json.Marshal(doc)
		if err != nil {
			panic(err)
		}
		out = append(out, "data: "+string(b)+"\n\n")
	}
	for _, piece := range pieces(t.Thought) {
		send("", map[string]any{"text": piece, "thought": true})
	}
	for _, piece := range pieces(t.Text) {
		send("", map[string]any{"text": piece})
	}
	for _, c := range t.Calls {
		send("", map[string]any{"functionCall": map[string]any{"id": c.ID, "name": c.Name, "args": json.RawMessage(c.Args)}, "thoughtSignature": "c2lnbmVk"})
	}
	send("STOP")
	return out
}

// pieces cuts a text into pieces of five characters.
func pieces(s string) (out []string) {
	for r := []rune(s); len(r) > 0; r = r[min(5, len(r)):] {
		out = append(out, string(r[:min(5, len(r))]))
	}
	return out
}

// TestRequest holds the whole request: a system text, both sides, a call with
// its signature, its result, a picture behind it, the tools and the effort.
func TestRequest(t *testing.T) {
	picture := provider.Image{MIME: "image/png", Data: []byte("\x89PNG\r\n\x1a\n")}
	req := provider.Request{
		System: "Be brief.", MaxOutput: 6000, Effort: "low",
		Messages: []provider.Message{
			{Role: provider.RoleUser, Parts: []provider.Part{provider.Text{Text: "a<b"}, picture}},
			{Role: provider.RoleAssistant, Parts: []provider.Part{
				provider.Reasoning{Text: "Hm.", Provider: "gemini"},
				provider.Text{Text: "x"},
				provider.ToolCall{ID: "1", Name: "shot", Args: `{"n":1}`, Signature: "c2ln"},
				provider.ToolCall{ID: "2", Name: "shot", Args: `{}`},
			}},
			{Role: provider.RoleTool, Parts: []provider.Part{
				provider.ToolResult{CallID: "1", Text: "done", Images: []provider.Image{picture}}, provider.ToolResult{CallID: "2", Text: "no", Failed: true},
			}},
			{Role: provider.RoleUser, Parts: []provider.Part{provider.Text{Text: "and?"}}},
		},
		Tools: []provider.Tool{{Name: "shot", Description: "Takes one."}},
	}
	const inline = `{"inlineData":{"mimeType":"image/png","data":"iVBORw0KGgo="}}`
	const contents = `{"contents":[{"role":"user","parts":[{"text":"a<b"},` + inline + `]},{"role":"model","parts":[{"text":"x"},` +
		`{"functionCall":{"id":"1","name":"shot","args":{"n":1}},"thoughtSignature":"c2ln"},{"functionCall":{"id":"2","name":"shot","args":{}}}]},` +
		`{"role":"user","parts":[{"functionResponse":{"id":"1","name":"shot","response":{"result":"done"}}},{"functionResponse":{"id":"2","name":"shot","response":{"error":"no"}}},` +
		`{"text":"Pictures from the result of shot (1):"},` + inline + `,{"text":"and?"}]}],"systemInstruction":{"parts":[{"text":"Be brief."}]},` +
		`"tools":[{"functionDeclarations":[{"name":"shot","description":"Takes one.","parametersJsonSchema":{"type":"object","properties":{}}}]}],"generationConfig":{"maxOutputTokens":6000,"thinkingConfig":`
	for model, want := range map[string]string{
		"gemini-2.5-pro":       contents + `{"includeThoughts":true,"thinkingBudget":1024}}}`,
		"gemini-3-pro-preview": contents + `{"includeThoughts":true,"thinkingLevel":"low"}}}`,
	} {
		if got := ask(t, model, req); got != want {
			t.Errorf("%s\n got %s\nwant %s", model, got, want)
		}
	}
}

// TestUnsigned: a call that another model made has no signature. Models since 3
// want one with the first call of a step.
func TestUnsigned(t *testing.T) {
	call := func(id, signature string) provider.Part {
		return provider.ToolCall{ID: id, Name: "t", Args: "{}", Signature: signature}
	}
	for name, tt := range map[string]struct {
		model string
		parts []provider.Part
		want  []string // of each call
	}{
		"before 3":              {"gemini-2.5-flash", []provider.Part{call("1", ""), call("2", "")}, []string{"", ""}},
		"since 3":               {"gemini-3-pro-preview", []provider.Part{call("1", ""), call("2", "")}, []string{"skip_thought_signature_validator", ""}},
		"since 3, signed":       {"gemini-3-pro-preview", []provider.Part{call("1", "c2ln"), call("2", "")}, []string{"c2ln", ""}},
		"since 3, of another's": {"gemini-3-pro-preview", []provider.Part{call("1", "not base64!")}, []string{"skip_thought_signature_validator"}},
	} {
		raw := ask(t, tt.model, provider.Request{Messages: []provider.Message{
			{Role: provider.RoleUser, Parts: []provider.Part{provider.Text{Text: "q"}}}, {Role: provider.RoleAssistant, Parts: tt.parts},
		}})
		var body struct {
			Contents []struct {
				Parts []struct {
					Call      map[string]any `json:"functionCall"`
					Signature string         `json:"thoughtSignature"`
				} `json:"parts"`
			} `json:"contents"`
		}
		if err := json.Unmarshal([]byte(raw), &body); err != nil {
			t.Fatal(err)
		}
		for i, want := range tt.want {
			if got := body.Contents[1].Parts[i].Signature; got != want {
				t.Errorf("%s: call %d has %q, want %q", name, i, got, want)
			}
		}
	}
}

func ask(t *testing.T, model string, req provider.Request) string {
	t.Helper()
	replay := &providertest.Replay{Cassette: providertest.Cassette{Interactions: []providertest.Interaction{{}}}}
	in := &replay.Cassette.Interactions[0]
	in.Request.URL = "https://generativelanguage.googleapis.com/v1beta/models/" + model + ":streamGenerateContent"
	in.Response.Code, in.Response.Body = http.StatusOK, strings.Join(stream(providertest.Turn{Text: "ok"}), "")
	m, err := open(provider.Spec{Kind: "gemini", Model: model}, provider.Options{HTTP: &http.Client{Transport: replay}})
	if err != nil {
		t.Fatal(err)
	}
	got := providertest.Collect(t.Context(), m, req)
	if len(replay.Asked()) != 1 || got.Err != nil {
		t.Fatalf("%d requests, error %v", len(replay.Asked()), got.Err)
	}
	return strings.TrimSpace(replay.Asked()[0])
}

// TestAnswers are the ends that are none of the usual ones.
func TestAnswers(t *testing.T) {
	for name, tt := range map[string]struct {
		body string
		stop provider.Stop
		kind provider.Kind
	}{
		"cut off":           {`[{"candidates":[{"content":{"parts":[{"text":"a"}]},"finishReason":"MAX_TOKENS"}]}]`, provider.StopLength, ""},
		"withheld":          {`{"candidates":[{"finishReason":"SAFETY"}]}`, provider.StopRefused, ""},
		"question withheld": {`{"promptFeedback":{"blockReason":"PROHIBITED_CONTENT"}}`, provider.StopRefused, ""},
		"malformed call":    {`{"candidates":[{"finishReason":"MALFORMED_FUNCTION_CALL"}]}`, "", provider.KindResponse},
		"no end":            {"data: {\"candidates\":[{\"content\":{\"parts\":[{\"text\":\"a\"}]}}]}\n\n", "", provider.KindNetwork},
		"an error within":   {subject.Fault, "", provider.KindOverloaded},
		"a wrong key":       {`{"error":{"code":400,"message":"API key not valid. Please pass a valid API key.","status":"INVALID_ARGUMENT"}}`, "", provider.KindAuth},
		"too long":          {`{"error":{"code":400,"message":"The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).","status":"INVALID_ARGUMENT"}}`, "", provider.KindContext},
	} {
		replay := &providertest.Replay{Cassette: providertest.Cassette{Interactions: []providertest.Interaction{{}}}}
		in := &replay.Cassette.Interactions[0]
		in.Request.URL, in.Response.Code, in.Response.Body = "https://generativelanguage.googleapis.com/v1beta/models/m:streamGenerateContent", http.StatusOK, tt.body
		m, err := open(provider.Spec{Kind: "gemini", Model: "m"}, provider.Options{HTTP: &http.Client{Transport: replay}})
		if err != nil {
			t.Fatal(err)
		}
		got := providertest.Collect(t.Context(), m, provider.Request{Messages: []provider.Message{{Role: provider.RoleUser, Parts: []provider.Part{provider.Text{Text: "q"}}}}})
		var kind provider.Kind
		if e, ok := got.Err.(*provider.Error); ok { //nolint:errorlint // it is not wrapped here
			kind = e.Kind
		}
		if kind != tt.kind || tt.stop != "" && (got.Done == nil || got.Done.Stop != tt.stop) {
			t.Errorf("%s: got %v, %v, want %q or %q", name, got.Done, got.Err, tt.stop, tt.kind)
		}
	}
}
