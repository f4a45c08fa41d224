package providertest

import (
	"encoding/json"
	"fmt"
	"strings"
)

// Asked is what a request says, whatever its wire format: for comparing two.
type Asked struct {
	Model   string
	System  string
	Max     int
	Entries []Entry
	Tools   []string // name, description and schema of each
	Hosted  []string // the provider's own tools, as JSON
}

// An Entry is one piece of a conversation.
type Entry struct {
	Role string // user, assistant or tool
	Kind string // text, image, reasoning, call or result
	ID   string // of a call; of a result's call; the signature of reasoning
	Name string // of a call
	Text string // the text, the picture's data, the arguments, the result
}

// An object is any JSON object.
type object map[string]any

// ParseAsked reads a request in the format of the path that it goes to.
func ParseAsked(path, body string) (Asked, error) {
	var o object
	if err := json.Unmarshal([]byte(body), &o); err != nil {
		return Asked{}, fmt.Errorf("providertest: request: %w", err)
	}
	a := Asked{Model: o.text("model"), Max: o.number("max_tokens") + o.number("max_completion_tokens") + o.number("max_output_tokens")}
	switch {
	case strings.HasSuffix(path, "/chat/completions"):
		a.chat(o)
	case strings.HasSuffix(path, "/responses"):
		a.responses(o)
	case strings.HasSuffix(path, "/messages"):
		a.anthropic(o)
	case strings.Contains(path, "enerateContent"):
		a.gemini(path, o)
		return a, nil
	default:
		return Asked{}, fmt.Errorf("providertest: no known format at %s", path)
	}
	for _, t := range o.list("tools") {
		if f := t.object("function"); f != nil {
			t = f
		}
		if kind := t.text("type"); t["parameters"] == nil && t["input_schema"] == nil && kind != "" && kind != "custom" && kind != "function" {
			a.Hosted = append(a.Hosted, marshal(t))
			continue
		}
		schema := t["parameters"]
		if schema == nil {
			schema = t["input_schema"]
		}
		a.Tools = append(a.Tools, t.text("name")+": "+t.text("description")+" "+marshal(schema))
	}
	return a, nil
}

// Without returns the request with the entries left out that match says.
func (a Asked) Without(match func(Entry) bool) Asked {
	var kept []Entry
	for _, e := range a.Entries {
		if !match(e) {
			kept = append(kept, e)
		}
	}
	a.Entries = kept
	return a
}

// Of returns the entries of a kind.
func (a Asked) Of(kind string) []Entry {
	return a.Without(func(e Entry) bool { return e.Kind != kind }).Entries
}

func (a *Asked) add(role, kind, id, name, text string) {
	a.Entries = append(a.Entries, Entry{role, kind, id, name, text})
}

// content adds the pieces of a message, which are a text or a list.
func (a *Asked) content(role string, v any) {
	if s, ok := v.(string); ok {
		a.add(role, "text", "", "", s)
	}
	for _, p := range list(v) {
		switch p.text("type") {
		case "text", "input_text", "output_text":
			a.add(role, "text", "", "", p.text("text"))
		case "image_url":
			a.add(role, "image", "", "", p.object("image_url").text("url"))
		case "input_image":
			a.add(role, "image", "", "", p.text("image_url"))
		case "image":
			a.add(role, "image", "", "", p.object("source").text("data"))
		case "thinking":
			a.add(role, "reasoning", p.text("signature"), "", p.text("thinking"))
		case "redacted_thinking":
			a.add(role, "reasoning", p.text("data"), "", "")
		case "tool_use":
			a.add(role, "call", p.text("id"), p.text("name"), marshal(p["input"]))
		case "tool_result":
			a.add("tool", "result", p.text("tool_use_id"), "", flat(p["content"]))
		}
	}
}

func (a *Asked) chat(o object) {
	for _, m := range o.list("messages") {
		role := m.text("role")
		switch role {
		case "system", "developer":
			a.System += m.text("content")
			continue
		case "tool":
			a.add(role, "result", m.text("tool_call_id"), "", flat(m["content"]))
			continue
		}
		for _, d := range m.list("reasoning_details") {
			a.add(role, "reasoning", d.text("signature"), "", d.text("text"))
		}
		if s := m.text("reasoning_content"); s != "" {
			a.add(role, "reasoning", "", "", s)
		}
		a.content(role, m["content"])
		for _, c := range m.list("tool_calls") {
			a.add(role, "call", c.text("id"), c.object("function").text("name"), canonical(c.object("function").text("arguments")))
		}
	}
}

func (a *Asked) responses(o object) {
	a.System = o.text("instructions")
	for _, it := range o.list("input") {
		switch {
		case it.text("type") == "function_call":
			a.add("assistant", "call", it.text("call_id"), it.text("name"), canonical(it.text("arguments")))
		case it.text("type") == "function_call_output":
			a.add("tool", "result", it.text("call_id"), "", flat(it["output"]))
		case it.text("type") == "reasoning":
			a.add("assistant", "reasoning", it.text("encrypted_content"), "", flat(it["summary"]))
		case it.text("role") == "system" || it.text("role") == "developer":
			a.System += flat(it["content"])
		default:
			a.content(it.text("role"), it["content"])
		}
	}
}

func (a *Asked) anthropic(o object) {
	a.System = flat(o["system"])
	for _, m := range o.list("messages") {
		a.content(m.text("role"), m["content"])
	}
}

// flat is a text, or the texts and pictures of a list.
func flat(v any) string {
	if s, ok := v.(string); ok {
		return s
	}
	var b strings.Builder
	for _, p := range list(v) {
		b.WriteString(p.text("text") + p.object("source").text("data") + p.text("image_url"))
	}
	return b.String()
}

// canonical is a JSON text with its keys sorted, or s where it is none.
func canonical(s string) string {
	var v any
	if json.Unmarshal([]byte(s), &v) != nil {
		return s
	}
	return marshal(v)
}

func marshal(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		return err.Error()
	}
	return string(b)
}

func list(v any) []object {
	var out []object
	items, _ := v.([]any)
	for _, it := range items {
		if m, ok := it.(map[string]any); ok {
			out = append(out, m)
		}
	}
	return out
}

func (o object) list(key string) []object { return list(o[key]) }

func (o object) object(key string) object {
	m, _ := o[key].(map[string]any)
	return m
}

func (o object) text(key string) string {
	s, _ := o[key].(string)
	return s
}

func (o object) number(key string) int {
	n, _ := o[key].(float64)
	return int(n)
}
