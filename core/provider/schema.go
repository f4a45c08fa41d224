package provider

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"
)

// emptyObject is the schema of a tool without arguments.
const emptyObject = `{"type":"object","properties":{}}`

// ToolSchema returns a tool's schema as an interface takes it: in its dialect, of
// type object, with properties, and without the alternatives at its top that all
// refuse. What is only in an alternative becomes an optional property. Calls are
// validated against the whole schema, so that nothing is lost but a hint.
func ToolSchema(d Dialect, raw json.RawMessage) json.RawMessage {
	if wide, differs := widened(d, raw); differs && wide != nil {
		if out, err := json.Marshal(wide); err == nil {
			raw = out
		}
	}
	return flat(raw)
}

// flat takes the alternatives off the top of a schema.
func flat(raw json.RawMessage) json.RawMessage {
	var top map[string]json.RawMessage
	if json.Unmarshal(raw, &top) != nil || top == nil {
		return json.RawMessage(emptyObject)
	}
	if accepted(top) {
		return raw
	}
	properties := alternatives(top)
	own := map[string]json.RawMessage{}
	if json.Unmarshal(top["properties"], &own) == nil {
		maps.Copy(properties, own)
	}
	for _, word := range refusedAtTop {
		delete(top, word)
	}
	top["type"] = json.RawMessage(`"object"`)
	var err error
	if top["properties"], err = json.Marshal(properties); err != nil {
		return json.RawMessage(emptyObject)
	}
	out, err := json.Marshal(top)
	if err != nil {
		return json.RawMessage(emptyObject)
	}
	return out
}

// alternatives are the properties of the alternatives of a schema. One that is
// different in two of them may be either.
func alternatives(top map[string]json.RawMessage) map[string]json.RawMessage {
	seen := map[string][]json.RawMessage{}
	for _, word := range []string{"oneOf", "anyOf", "allOf"} {
		var branches []struct {
			Properties map[string]json.RawMessage `json:"properties"`
		}
		if json.Unmarshal(top[word], &branches) != nil {
			continue
		}
		for _, b := range branches {
			for name, p := range b.Properties {
				if !slices.ContainsFunc(seen[name], func(o json.RawMessage) bool { return bytes.Equal(o, p) }) {
					seen[name] = append(seen[name], p)
				}
			}
		}
	}
	out := map[string]json.RawMessage{}
	for name, list := range seen {
		out[name] = list[0]
		if either, err := json.Marshal(map[string]any{"anyOf": list}); len(list) > 1 && err == nil {
			out[name] = either
		}
	}
	return out
}

var refusedAtTop = []string{"oneOf", "anyOf", "allOf", "not", "enum", "if", "then", "else"}

// accepted reports whether a schema can be sent as it is.
func accepted(top map[string]json.RawMessage) bool {
	for _, word := range refusedAtTop {
		if _, ok := top[word]; ok {
			return false
		}
	}
	var properties map[string]json.RawMessage
	return string(top["type"]) == `"object"` && json.Unmarshal(top["properties"], &properties) == nil && properties != nil
}
