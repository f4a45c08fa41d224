package offline

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/hobkin/hobkin/core/provider"
)

// slash reads a call that is written out: tool name key=value key="a b"
// list=["a"] on, with the word tool or without. Values take the types that the
// tool's schema declares.
func slash(text string, t *talk) (intent, bool) {
	head, rest, _ := strings.Cut(strings.TrimSpace(text), " ")
	if head == "tool" {
		head, rest, _ = strings.Cut(strings.TrimSpace(rest), " ")
		if head == "" {
			return intent{reply: "Write `/tool NAME key=value`. Say `help` to see the names."}, true
		}
	} else if !t.has(head) {
		return intent{}, false
	}
	tool, ok := t.tool(head)
	if !ok {
		return intent{reply: t.notOffered(head)}, true
	}
	a, err := readArgs(rest, shapeOf(tool))
	if err != nil {
		return intent{reply: fmt.Sprintf("I cannot read that call: %v. Write `/tool %s key=value key2=\"several words\"`.", err, head)}, true
	}
	return intent{steps: [][]call{{{head, a}}}}, true
}

// A shape is what a schema says of an object, as far as it matters here.
type shape struct {
	Type       any              `json:"type"`
	Properties map[string]shape `json:"properties"`
	Required   []string         `json:"required"`
	Items      *shape           `json:"items"`
	Enum       []any            `json:"enum"`
}

func shapeOf(t provider.Tool) shape {
	var s shape
	if json.Unmarshal(t.Parameters, &s) != nil {
		return shape{}
	}
	return s
}

// kind is the declared type; of several, the first that is not null.
func (s shape) kind() string {
	switch v := s.Type.(type) {
	case string:
		return v
	case []any:
		for _, one := range v {
			if k, ok := one.(string); ok && k != "null" {
				return k
			}
		}
	}
	return ""
}

func readArgs(text string, s shape) (args, error) {
	a := args{}
	text = strings.TrimSpace(text)
	if strings.HasPrefix(text, "{") {
		if err := json.Unmarshal([]byte(text), &a); err != nil {
			return nil, errors.New("the text in braces is not JSON")
		}
		return a, nil
	}
	for text != "" {
		key, raw, rest, err := readPair(text, s)
		if err != nil {
			return nil, err
		}
		p, known := s.Properties[key]
		if !known && len(s.Properties) > 0 {
			return nil, fmt.Errorf("it has no %q; it takes %s", key, strings.Join(slices.Sorted(maps.Keys(s.Properties)), ", "))
		}
		a[key], err = typed(raw, p)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", key, err)
		}
		text = strings.TrimSpace(rest)
	}
	return a, nil
}

// readPair reads key=value. A first value without a key is the one parameter
// that must be given.
func readPair(text string, s shape) (key, raw, rest string, err error) {
	i := strings.IndexAny(text, "= \t\n\"'")
	if i > 0 && text[i] == '=' {
		key, text = text[:i], text[i+1:]
	} else if len(s.Required) == 1 {
		key = s.Required[0]
	} else {
		return "", "", "", fmt.Errorf("%q has no key", cutRunes(text, 20))
	}
	if raw, rest, ok := jsonValue(text); ok {
		return key, raw, rest, nil
	}
	if w, ok := quotedAt(text, 0); ok && text != "" {
		return key, w.text, text[w.to:], nil
	}
	raw, rest, _ = strings.Cut(text, " ")
	return key, raw, rest, nil
}

// jsonValue reads a list, an object or a text in JSON's quotes.
func jsonValue(text string) (raw, rest string, ok bool) {
	if text == "" || !strings.ContainsRune(`[{"`, rune(text[0])) {
		return "", "", false
	}
	d := json.NewDecoder(strings.NewReader(text))
	var v json.RawMessage
	if d.Decode(&v) != nil {
		return "", "", false
	}
	rest = text[d.InputOffset():]
	if rest != "" && rest[0] != ' ' && rest[0] != '\n' && rest[0] != '\t' {
		return "", "", false
	}
	var s string
	if json.Unmarshal(v, &s) == nil {
		return s, rest, true
	}
	return string(v), rest, true
}

// typed makes a text the value that its declared type wants. What does not fit
// stays text: the check of the arguments says it better.
func typed(raw string, s shape) (any, error) {
	switch s.kind() {
	case "integer", "number":
		if v, err := strconv.ParseInt(raw, 10, 64); err == nil {
			return v, nil
		}
		if v, err := strconv.ParseFloat(raw, 64); err == nil && v == v && v < 1e300 && v > -1e300 {
			return v, nil
		}
	case "boolean":
		switch strings.ToLower(raw) {
		case "true", "yes", "on", "1":
			return true, nil
		case "false", "no", "off", "0":
			return false, nil
		}
	case "array":
		return typedList(raw, s)
	case "object", "":
		var v any
		if json.Unmarshal([]byte(raw), &v) == nil {
			return v, nil
		}
		if s.kind() == "object" {
			return nil, errors.New("an object is written as JSON, such as {\"a\": 1}")
		}
	}
	return raw, nil
}

// typedList reads a JSON list, or words between commas.
func typedList(raw string, s shape) (any, error) {
	var list []any
	if json.Unmarshal([]byte(raw), &list) == nil {
		return list, nil
	}
	list = []any{}
	for one := range strings.SplitSeq(raw, ",") {
		var item shape
		if s.Items != nil {
			item = *s.Items
		}
		v, err := typed(strings.TrimSpace(one), item)
		if err != nil {
			return nil, err
		}
		list = append(list, v)
	}
	return list, nil
}

// fit adapts a call of the grammar to the schema of the tool that is offered:
// items that are texts here may be objects there.
func (c call) fit(tool provider.Tool) call {
	list, ok := c.args["items"].([]any)
	if !ok {
		return c
	}
	items := shapeOf(tool).Properties["items"].Items
	if items == nil || items.kind() != "object" {
		return c
	}
	out := make([]any, len(list))
	for i, v := range list {
		out[i] = items.fill(v)
	}
	a := maps.Clone(c.args)
	a["items"] = out
	return call{c.tool, a}
}

// fill makes an object of a text: it goes into the first required property
// that takes any text; those with choices get their first.
func (s shape) fill(v any) any {
	if _, ok := v.(string); !ok {
		return v
	}
	o := map[string]any{}
	done := false
	for _, name := range s.Required {
		p := s.Properties[name]
		switch {
		case len(p.Enum) > 0:
			o[name] = p.Enum[0]
		case p.kind() == "string" && !done:
			o[name], done = v, true
		}
	}
	if done {
		return o
	}
	for _, name := range slices.Sorted(maps.Keys(s.Properties)) {
		if p := s.Properties[name]; p.kind() == "string" && len(p.Enum) == 0 {
			o[name] = v
			break
		}
	}
	return o
}
