package provider

import (
	"bytes"
	"encoding/json"
	"maps"
	"reflect"
	"slices"
	"strings"
)

const (
	deepest = 40     // levels of a schema that are offered
	widest  = 20_000 // parts that references may grow to
)

// A widener rewrites one schema into a dialect. What a dialect does not take is
// left out, so that the rewritten schema accepts at least what the whole does:
// calls are validated against the whole one.
type widener struct {
	dialect Dialect
	root    map[string]any
	parts   int // made so far
}

// widened returns the schema in a dialect, and whether that differs.
func widened(d Dialect, raw json.RawMessage) (map[string]any, bool) {
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.UseNumber()
	var root map[string]any
	if dec.Decode(&root) != nil || root == nil {
		return nil, true
	}
	w := &widener{dialect: d, root: root}
	out := w.schema(root, 0, nil)
	return out, !reflect.DeepEqual(out, root)
}

// schema rewrites a schema. Open are the references that it lies in.
func (w *widener) schema(v any, depth int, open []string) map[string]any {
	in, ok := v.(map[string]any)
	if w.parts++; !ok || depth > deepest || w.parts > widest {
		return map[string]any{} // accepts everything
	}
	if target, rest, ok := w.inlined(in, open); ok {
		return w.schema(target, depth+1, rest)
	}
	out := map[string]any{}
	for word, v := range in {
		if w.takes(word) && sound(word, v) {
			out[word] = v
		}
	}
	if text, ok := in["const"].(string); ok && w.dialect == GeminiSchema {
		out["enum"] = []any{text}
	}
	w.references(out)
	w.within(out, depth, open)
	w.turned(out, depth, open)
	w.oneOf(out, in)
	w.lists(out, in)
	w.names(out, in)
	return out
}

// takes reports whether the dialect has a word. Words that no draft has are
// hints for others, which do no harm but in Gemini's.
func (w *widener) takes(word string) bool {
	if w.dialect == GeminiSchema {
		return slices.Contains(geminiWords, word)
	}
	return !slices.Contains(wordsOfNoUse, word)
}

// inlined is what a reference stands for, where the dialect has none. One that
// goes round or leads elsewhere stands for everything.
func (w *widener) inlined(in map[string]any, open []string) (target any, rest []string, ok bool) {
	ref, ok := in["$ref"].(string)
	if !ok || w.dialect != GeminiSchema {
		return nil, nil, false
	}
	found, ok := w.at(ref)
	if !ok || slices.Contains(open, ref) {
		wide := map[string]any{}
		if text, ok := in["description"].(string); ok {
			wide["description"] = text
		}
		return wide, open, true
	}
	if text, ok := in["description"].(string); ok {
		found = maps.Clone(found)
		found["description"] = text
	}
	return found, append(slices.Clone(open), ref), true
}

// at is what a reference within the schema points to.
func (w *widener) at(ref string) (map[string]any, bool) {
	path, ok := strings.CutPrefix(ref, "#")
	if !ok {
		return nil, false
	}
	here := w.root
	for part := range strings.SplitSeq(strings.TrimPrefix(path, "/"), "/") {
		if path == "" {
			break
		}
		if here, ok = here[strings.NewReplacer("~1", "/", "~0", "~").Replace(part)].(map[string]any); !ok {
			return nil, false
		}
	}
	return here, true
}

// references keeps those that lead to a definition of the schema itself.
func (w *widener) references(out map[string]any) {
	ref, ok := out["$ref"].(string)
	if !ok {
		return
	}
	defined := strings.HasPrefix(ref, "#/$defs/") || strings.HasPrefix(ref, "#/definitions/")
	if _, found := w.at(ref); !found || !defined {
		delete(out, "$ref")
	}
}

// within rewrites the schemas that a schema holds.
func (w *widener) within(out map[string]any, depth int, open []string) {
	for _, word := range wordsOfOne {
		if v, ok := out[word]; ok && word != "items" {
			if yes, ok := v.(bool); ok && (word == "additionalProperties" || yes) {
				continue
			}
			out[word] = w.schema(v, depth+1, open)
		}
	}
	for _, word := range wordsOfMany {
		if list, ok := out[word].([]any); ok {
			wide := make([]any, len(list))
			for i, v := range list {
				wide[i] = w.schema(v, depth+1, open)
			}
			out[word] = wide
		}
	}
	for _, word := range wordsOfNamed {
		if named, ok := out[word].(map[string]any); ok {
			wide := map[string]any{}
			for k, v := range named {
				wide[k] = w.schema(v, depth+1, open)
			}
			out[word] = wide
		}
	}
	if v, ok := out["items"]; ok {
		out["items"] = w.items(v, depth, open)
	}
}

// items rewrites what a list holds. A list of schemas, as older drafts have it
// for tuples, says nothing of what comes behind.
func (w *widener) items(v any, depth int, open []string) any {
	if _, tuple := v.([]any); tuple {
		return map[string]any{}
	}
	return w.schema(v, depth+1, open)
}

// turned drops what must not be made wider but would be.
func (w *widener) turned(out map[string]any, depth int, open []string) {
	for _, word := range wordsTurned {
		if v, ok := out[word]; ok && !reflect.DeepEqual(any(w.schema(v, depth+1, open)), v) {
			delete(out, word)
		}
	}
	if _, ok := out["if"]; !ok || out["then"] == nil && out["else"] == nil {
		delete(out, "if")
		delete(out, "then")
		delete(out, "else")
	}
	delete(out, "maxContains") // more may count
}

// oneOf makes alternatives of which one only may fit, and which have become
// wider, such as may all fit.
func (w *widener) oneOf(out, in map[string]any) {
	one, ok := out["oneOf"]
	if !ok || reflect.DeepEqual(one, in["oneOf"]) {
		return
	}
	if _, both := out["anyOf"]; !both {
		out["anyOf"] = one
	}
	delete(out, "oneOf")
}

// lists sees to it that lists say what they hold, and no more than they did.
func (w *widener) lists(out, in map[string]any) {
	_, had := in["prefixItems"]
	_, has := out["prefixItems"]
	if had && !has {
		out["items"] = map[string]any{}
	}
	list := out["type"] == "array"
	if types, ok := out["type"].([]any); ok {
		list = slices.Contains(types, any("array"))
	}
	if _, ok := out["items"]; list && !ok {
		out["items"] = map[string]any{}
	}
}

// names drops properties that cannot be offered, and what would forbid them.
func (w *widener) names(out, in map[string]any) {
	named, _ := out["properties"].(map[string]any)
	if w.dialect == AnthropicSchema {
		maps.DeleteFunc(named, func(k string, _ any) bool { return !plainName.MatchString(k) })
	}
	before, _ := in["properties"].(map[string]any)
	gone := len(before) != len(named) || in["patternProperties"] != nil && out["patternProperties"] == nil
	if gone {
		delete(out, "additionalProperties")
	}
	if required, ok := out["required"].([]any); ok && w.dialect == AnthropicSchema {
		out["required"] = slices.DeleteFunc(slices.Clone(required), func(v any) bool {
			name, _ := v.(string)
			return !plainName.MatchString(name)
		})
	}
}
