package providertest

import (
	"path"
	"strings"

	"github.com/hobkin/hobkin/core/provider"
)

// gemini reads a request to Gemini. Its calls have no ids of their own there:
// clients number them, so they are told apart by their place.
func (a *Asked) gemini(at string, o object) {
	a.Model, _, _ = strings.Cut(path.Base(at), ":")
	a.Max = o.object("generationConfig").number("maxOutputTokens")
	a.System = flat(o.object("systemInstruction")["parts"])
	calls, results := 0, 0
	for _, c := range o.list("contents") {
		role := map[string]string{"user": "user", "model": "assistant"}[c.text("role")]
		for _, p := range c.list("parts") {
			call, response := p.object("functionCall"), p.object("functionResponse")
			switch {
			case call != nil:
				calls++
				if s := p.text("thoughtSignature"); s != "" {
					a.add(role, "reasoning", s, "", "")
				}
				a.add(role, "call", place(calls), call.text("name"), marshal(call["args"]))
			case response != nil:
				results++
				r := response.object("response")
				a.add("tool", "result", place(results), "", r.text("result")+r.text("error"))
			case p.object("inlineData") != nil:
				a.add(role, "image", "", "", p.object("inlineData").text("data"))
			default:
				a.add(role, "text", "", "", p.text("text"))
			}
		}
	}
	for _, t := range o.list("tools") {
		for _, f := range t.list("functionDeclarations") {
			schema := f["parametersJsonSchema"]
			if schema == nil {
				schema = small(f["parameters"])
			}
			a.Tools = append(a.Tools, f.text("name")+": "+f.text("description")+" "+marshal(schema))
		}
	}
}

func place(n int) string { return "call " + string(rune('0'+n)) }

// small writes the types of the older kind of schema as JSON Schema has them.
func small(v any) any {
	switch v := v.(type) {
	case map[string]any:
		out := map[string]any{}
		for k, x := range v {
			if s, ok := x.(string); ok && k == "type" {
				x = strings.ToLower(s)
			}
			out[k] = small(x)
		}
		return out
	case []any:
		for i := range v {
			v[i] = small(v[i])
		}
	}
	return v
}

func heardGemini(docs []object) (h Heard) {
	for _, d := range docs {
		h.Model = d.text("modelVersion")
		u := d.object("usageMetadata")
		h.Usage = provider.Usage{
			Input: u.number("promptTokenCount"), Output: u.number("candidatesTokenCount") + u.number("thoughtsTokenCount"),
			CachedInput: u.number("cachedContentTokenCount"), Reasoning: u.number("thoughtsTokenCount"),
		}
		for _, c := range d.list("candidates") {
			for _, p := range c.object("content").list("parts") {
				switch f := p.object("functionCall"); {
				case f != nil:
					h.Calls = append(h.Calls, provider.ToolCall{ID: f.text("id"), Name: f.text("name"), Args: marshal(f["args"])})
					if s := p.text("thoughtSignature"); s != "" {
						h.Opaque = append(h.Opaque, s)
					}
				case p["thought"] == true:
					h.Reasoning += p.text("text")
				default:
					h.Text += p.text("text")
				}
			}
			if c.text("finishReason") == "STOP" {
				h.Stop = provider.StopEnd
			}
		}
	}
	if len(h.Calls) > 0 {
		h.Stop = provider.StopTools
	}
	return h.sorted()
}
