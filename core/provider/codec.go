package provider

import (
	"encoding/json"
	"fmt"
)

// wirePart is a Part with its type's name, as it is stored.
type wirePart struct {
	Type string          `json:"type"`
	Data json.RawMessage `json:"data"`
}

// MarshalParts writes parts as JSON that [UnmarshalParts] reads back.
func MarshalParts(parts []Part) ([]byte, error) {
	out := make([]wirePart, len(parts))
	for i, p := range parts {
		data, err := json.Marshal(p)
		if err != nil {
			return nil, fmt.Errorf("provider: part %d: %w", i, err)
		}
		out[i] = wirePart{partType(p), data}
	}
	return json.Marshal(out)
}

// UnmarshalParts reads what [MarshalParts] wrote. Parts of an unknown type,
// such as those of a newer version, are an error.
func UnmarshalParts(raw []byte) ([]Part, error) {
	var wire []wirePart
	if err := json.Unmarshal(raw, &wire); err != nil {
		return nil, fmt.Errorf("provider: parts: %w", err)
	}
	parts := make([]Part, len(wire))
	for i, w := range wire {
		p, err := unmarshalPart(w)
		if err != nil {
			return nil, fmt.Errorf("provider: part %d: %w", i, err)
		}
		parts[i] = p
	}
	return parts, nil
}

func partType(p Part) string {
	switch p.(type) {
	case Text:
		return "text"
	case Image:
		return "image"
	case Reasoning:
		return "reasoning"
	case ToolCall:
		return "tool_call"
	case ToolResult:
		return "tool_result"
	}
	return ""
}

func unmarshalPart(w wirePart) (Part, error) {
	switch w.Type {
	case "text":
		return decodePart[Text](w.Data)
	case "image":
		return decodePart[Image](w.Data)
	case "reasoning":
		return decodePart[Reasoning](w.Data)
	case "tool_call":
		return decodePart[ToolCall](w.Data)
	case "tool_result":
		return decodePart[ToolResult](w.Data)
	}
	return nil, fmt.Errorf("unknown type %q", w.Type)
}

func decodePart[P Part](data []byte) (Part, error) {
	var p P
	err := json.Unmarshal(data, &p)
	return p, err
}
