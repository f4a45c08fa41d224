package provider

import (
	"encoding/json"
	"maps"
)

// emptyObject is the schema of a tool without arguments.
const emptyObject = `{"type":"object","properties":{}}`

// ToolSchema returns a tool's schema as the interfaces take it: of type object,
// with properties, and without the alternatives at its top that they refuse.
// What is only in an alternative becomes an optional property.
func ToolSchema(raw json.RawMessage) json.RawMessage {
	var top map[string]json.RawMessage
	if json.Unmarshal(raw, &top) != nil || top == nil {
		return json.RawMessage(emptyObject)
	}
	if accepted(top) {
		return raw
	}
	properties := map[string]json.RawMessage{}
	for _, word := range []string{"oneOf", "anyOf", "allOf"} {
		var branches []struct {
			Properties map[string]json.RawMessage `json:"properties"`
		}
		if json.Unmarshal(top[word], &branches) == nil {
			for _, b := range branches {
				maps.Copy(properties, b.Properties)
			}
		}
	}
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
