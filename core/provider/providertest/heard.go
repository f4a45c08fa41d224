package providertest

import (
	"encoding/json"
	"strings"

	"github.com/hobkin/hobkin/core/provider"
)

// Heard is what an answer says, read plainly from a recording: what a decoder
// must find in it.
type Heard struct {
	Text      string
	Reasoning string
	Opaque    []string // signatures and encrypted reasoning
	Calls     []provider.ToolCall
	Stop      provider.Stop
	Usage     provider.Usage
	Model     string
}

// ParseHeard reads an answer in the format of the path that was asked. It looks
// at the whole recording at once, and so is no second decoder.
func ParseHeard(path, body string) Heard {
	var docs []object
	if strings.HasPrefix(strings.TrimSpace(body), "{") {
		docs = append(docs, parse(body))
	}
	for line := range strings.Lines(body) {
		if data, ok := strings.CutPrefix(line, "data: {"); ok {
			docs = append(docs, parse("{"+data))
		}
	}
	switch {
	case strings.HasSuffix(path, "/chat/completions"):
		return heardChat(docs)
	case strings.HasSuffix(path, "/responses"):
		return heardResponses(docs)
	case strings.Contains(path, "enerateContent"):
		return heardGemini(docs)
	}
	return heardAnthropic(docs)
}

func parse(s string) object {
	var o object
	_ = json.Unmarshal([]byte(s), &o) // nothing is found in what is no JSON
	return o
}

func heardChat(docs []object) (h Heard) {
	calls := map[int]*provider.ToolCall{}
	for _, d := range docs {
		h.Model = d.text("model")
		if u := d.object("usage"); u != nil {
			h.Usage = provider.Usage{
				Input: u.number("prompt_tokens"), Output: u.number("completion_tokens"),
				CachedInput: u.object("prompt_tokens_details").number("cached_tokens"),
				CacheWrite:  u.object("prompt_tokens_details").number("cache_write_tokens"),
				Reasoning:   u.object("completion_tokens_details").number("reasoning_tokens"),
			}
		}
		for _, c := range d.list("choices") {
			for _, m := range []object{c.object("delta"), c.object("message")} {
				h.Text += m.text("content")
				h.Reasoning += m.text("reasoning") + m.text("reasoning_content")
				for i, t := range m.list("tool_calls") {
					at := max(i, t.number("index"))
					if calls[at] == nil {
						calls[at] = &provider.ToolCall{}
					}
					calls[at].ID += t.text("id")
					calls[at].Name += t.object("function").text("name")
					calls[at].Args += t.object("function").text("arguments")
				}
			}
			switch c.text("finish_reason") {
			case "stop":
				h.Stop = provider.StopEnd
			case "tool_calls":
				h.Stop = provider.StopTools
			}
		}
	}
	for i := range len(calls) {
		h.Calls = append(h.Calls, *calls[i])
	}
	return h.sorted()
}

func heardResponses(docs []object) (h Heard) {
	final := docs[len(docs)-1]
	if r := final.object("response"); r != nil {
		final = r
	}
	u := final.object("usage")
	h.Model, h.Stop = final.text("model"), provider.StopEnd
	h.Usage = provider.Usage{
		Input: u.number("input_tokens"), Output: u.number("output_tokens"),
		CachedInput: u.object("input_tokens_details").number("cached_tokens"),
		Reasoning:   u.object("output_tokens_details").number("reasoning_tokens"),
	}
	for _, it := range final.list("output") {
		switch it.text("type") {
		case "message":
			h.Text += flat(it["content"])
		case "function_call":
			h.Stop = provider.StopTools
			h.Calls = append(h.Calls, provider.ToolCall{ID: it.text("call_id"), Name: it.text("name"), Args: it.text("arguments")})
		case "reasoning":
			var parts []string
			for _, s := range it.list("summary") {
				parts = append(parts, s.text("text"))
			}
			h.Reasoning += strings.Join(parts, "\n\n")
			if len(docs) == 1 { // each event of a stream has another encryption of it
				h.Opaque = append(h.Opaque, it.text("encrypted_content"))
			}
		}
	}
	for _, d := range docs {
		if it := d.object("item"); d.text("type") == "response.output_item.done" && it.text("type") == "reasoning" {
			h.Opaque = append(h.Opaque, it.text("encrypted_content"))
		}
	}
	return h.sorted()
}

func heardAnthropic(docs []object) (h Heard) {
	var blocks []object
	for _, d := range docs {
		message := d
		if m := d.object("message"); m != nil {
			message = m
		}
		if s := message.text("model"); s != "" {
			h.Model = s
		}
		blocks = append(blocks, message.list("content")...)
		for _, u := range []object{message.object("usage"), d.object("usage")} {
			if u != nil {
				h.Usage = provider.Usage{
					Input:  u.number("input_tokens") + u.number("cache_read_input_tokens") + u.number("cache_creation_input_tokens"),
					Output: u.number("output_tokens"), CachedInput: u.number("cache_read_input_tokens"), CacheWrite: u.number("cache_creation_input_tokens"),
				}
			}
		}
		if b := d.object("content_block"); b != nil {
			blocks = append(blocks, b)
		}
		delta := d.object("delta")
		if n := len(blocks); n > 0 {
			for from, to := range map[string]string{"text": "text", "thinking": "thinking", "signature": "signature", "partial_json": "json"} {
				blocks[n-1][to] = blocks[n-1].text(to) + delta.text(from)
			}
		}
		switch message.text("stop_reason") + delta.text("stop_reason") {
		case "end_turn":
			h.Stop = provider.StopEnd
		case "tool_use":
			h.Stop = provider.StopTools
		}
	}
	for _, b := range blocks {
		h.Text += b.text("text")
		h.Reasoning += b.text("thinking")
		if s := b.text("signature"); s != "" {
			h.Opaque = append(h.Opaque, s)
		}
		if b.text("type") == "tool_use" {
			args := b.text("json")
			if args == "" {
				args = marshal(b["input"])
			}
			h.Calls = append(h.Calls, provider.ToolCall{ID: b.text("id"), Name: b.text("name"), Args: args})
		}
	}
	return h.sorted()
}

// sorted writes the arguments with their keys sorted.
func (h Heard) sorted() Heard {
	for i := range h.Calls {
		h.Calls[i].Args = canonical(h.Calls[i].Args)
	}
	return h
}

// Heard is the answer in the form of [ParseHeard].
func (c Collected) Heard() Heard {
	h := Heard{}
	for _, p := range c.Parts {
		switch p := p.(type) {
		case provider.Text:
			h.Text += p.Text
		case provider.Reasoning:
			h.Reasoning += p.Text
			if s := p.Signature + p.Encrypted; s != "" && !strings.HasPrefix(s, "[") {
				h.Opaque = append(h.Opaque, s)
			}
		case provider.ToolCall:
			h.Calls = append(h.Calls, provider.ToolCall{ID: p.ID, Name: p.Name, Args: p.Args})
			if p.Signature != "" {
				h.Opaque = append(h.Opaque, p.Signature)
			}
		case provider.Image, provider.ToolResult: // no model answers so
		}
	}
	if c.Done != nil {
		h.Stop, h.Usage, h.Model = c.Done.Stop, c.Done.Usage, c.Done.Model
	}
	return h.sorted()
}
