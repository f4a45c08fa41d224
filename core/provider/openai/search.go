package openai

import (
	"bytes"
	"encoding/json"
	"errors"
	"regexp"
	"strconv"

	"github.com/hobkin/hobkin/core/provider"
)

// OpenAI's own search for tools: a request has all tools, most of them marked
// to be left out until the search finds them. What it searched and found comes
// as two items of the answer, which go back as they came, and so does the
// namespace of a call. See the guide to tool search in OpenAI's manual.
const (
	searchCall   = "tool_search_call"
	searchOutput = "tool_search_output"
)

var versioned = regexp.MustCompile(`^gpt-(\d{1,2})(?:\.(\d{1,2}))?(?:-|$)`)

// searches reports whether a model can search for tools: from GPT-5.4 on.
func searches(model string) bool {
	v := versioned.FindStringSubmatch(model)
	if v == nil {
		return false
	}
	major, _ := strconv.Atoi(v[1]) // digits, as the expression says
	minor, _ := strconv.Atoi(v[2]) // or nothing, which is 0
	return major > 5 || major == 5 && minor >= 4
}

// searched are the tools that are left out, with the search for them.
func searched(tools []provider.Tool) []any {
	if len(tools) == 0 {
		return nil
	}
	out := []any{map[string]string{"type": "tool_search"}}
	for _, t := range tools {
		out = append(out, responsesTool{"function", t.Name, t.Description, provider.ToolSchema(provider.OpenAISchema, t.Parameters), false, true})
	}
	return out
}

// UnmarshalJSON keeps the whole of an entry of a search. Fields of another type
// than usual are passed over.
func (o *outputItem) UnmarshalJSON(raw []byte) error {
	type plain outputItem
	err := json.Unmarshal(raw, (*plain)(o))
	if o.Type == searchCall || o.Type == searchOutput {
		o.raw = bytes.Clone(raw)
	}
	if _, odd := errors.AsType[*json.UnmarshalTypeError](err); odd {
		return nil
	}
	return err
}

// searched keeps an entry of a search, without the id under which nothing is
// stored.
func (d *responsesDecoder) searched(it outputItem) []provider.Event {
	var fields map[string]json.RawMessage
	if it.Status == "incomplete" || json.Unmarshal(it.raw, &fields) != nil {
		return nil
	}
	delete(fields, "id")
	raw, err := json.Marshal(fields)
	if err != nil {
		return nil
	}
	return []provider.Event{provider.PartDone{Part: provider.Reasoning{ID: it.ID, Provider: d.provider, Block: raw}}}
}
