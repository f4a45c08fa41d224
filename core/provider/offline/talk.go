package offline

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/hobkin/hobkin/core/provider"
)

// A call is a tool with its arguments.
type call struct {
	tool string
	args args
}

type args map[string]any

// json writes the arguments; keys come sorted, so the same every time.
func (a args) json() string {
	if a == nil {
		return "{}"
	}
	b, err := json.Marshal(map[string]any(a))
	if err != nil { // cannot be: strings, numbers, truths and lists of them
		return "{}"
	}
	return string(b)
}

// A talk is a conversation as far as it matters here.
type talk struct {
	text    string     // what the person said last
	images  bool       // with pictures
	earlier []exchange // what was said before, oldest first
	done    [][]ran    // the calls made since, step by step
	tools   []provider.Tool
	system  string
}

// An exchange is a message and the text that answered it.
type exchange struct{ said, answered string }

// ran is a call with what came of it.
type ran struct {
	call   provider.ToolCall
	result provider.ToolResult
}

// lookBack is how many earlier messages can belong to one request: each
// answers a question.
const lookBack = 6

func readTalk(req provider.Request) *talk {
	t := &talk{tools: req.Tools, system: req.System}
	results := map[string]provider.ToolResult{}
	last := -1
	for i, m := range req.Messages {
		if m.Role == provider.RoleUser && len(m.Parts) > 0 {
			last = i
		}
		for _, p := range m.Parts {
			if r, ok := p.(provider.ToolResult); ok {
				results[r.CallID] = r
			}
		}
	}
	for i, m := range req.Messages {
		switch {
		case i < last && m.Role == provider.RoleUser:
			t.earlier = append(t.earlier, exchange{said: textOf(m)})
		case i < last && m.Role == provider.RoleAssistant && len(t.earlier) > 0:
			t.earlier[len(t.earlier)-1].answered = textOf(m)
		case i == last:
			t.text = textOf(m)
			t.images = slices.ContainsFunc(m.Parts, func(p provider.Part) bool { _, ok := p.(provider.Image); return ok })
		case i > last && m.Role == provider.RoleAssistant:
			t.step(m, results)
		}
	}
	t.earlier = t.earlier[max(0, len(t.earlier)-lookBack):]
	return t
}

func (t *talk) step(m provider.Message, results map[string]provider.ToolResult) {
	var step []ran
	for _, p := range m.Parts {
		if c, ok := p.(provider.ToolCall); ok {
			r, ok := results[c.ID]
			if !ok {
				r = provider.ToolResult{CallID: c.ID, Name: c.Name, Failed: true, Text: "the call was interrupted"}
			}
			step = append(step, ran{c, r})
		}
	}
	if len(step) > 0 {
		t.done = append(t.done, step)
	}
}

func textOf(m provider.Message) string {
	var out []string
	for _, p := range m.Parts {
		if s, ok := p.(provider.Text); ok {
			out = append(out, s.Text)
		}
	}
	return strings.ToValidUTF8(strings.Join(out, "\n"), "\uFFFD")
}

// next is the step that follows those that were made; nil when the work is
// done or went wrong.
func (t *talk) next(in intent) []call {
	last := t.done[len(t.done)-1]
	for _, r := range last {
		if r.result.Failed {
			return t.otherWay(r)
		}
	}
	if n := len(t.done); n < len(in.steps) {
		return in.steps[n]
	}
	return nil
}

// otherWay turns a read of a folder into a listing, and the reverse: people
// say read and show for both.
func (t *talk) otherWay(r ran) []call {
	other := map[string]string{"file_read is_folder": "list_dir", "list_dir not_folder": "file_read"}[r.call.Name+" "+failureOf(r.result.Text).Code]
	var a args
	if other == "" || len(t.done) > 1 || !t.has(other) || json.Unmarshal([]byte(r.call.Args), &a) != nil {
		return nil
	}
	return []call{{other, args{"path": a["path"]}}}
}

// has reports whether a tool is offered.
func (t *talk) has(tool string) bool {
	return slices.ContainsFunc(t.tools, func(o provider.Tool) bool { return o.Name == tool })
}

// tool returns an offered tool.
func (t *talk) tool(name string) (provider.Tool, bool) {
	i := slices.IndexFunc(t.tools, func(o provider.Tool) bool { return o.Name == name })
	if i < 0 {
		return provider.Tool{}, false
	}
	return t.tools[i], true
}

// offeredOnly makes a step, or says which tool it lacks. Of calls side by side
// the offered ones are enough.
func (t *talk) offeredOnly(step []call) ([]call, string) {
	var out []call
	for _, c := range step {
		if tool, ok := t.tool(c.tool); ok {
			out = append(out, c.fit(tool))
		}
	}
	if len(out) == 0 {
		return nil, t.notOffered(step[0].tool)
	}
	return out, ""
}
