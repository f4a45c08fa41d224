package capability

import (
	"encoding/json"
	"reflect"

	gen "github.com/google/jsonschema-go/jsonschema"
)

// A schemaWriter writes schemas as their own MarshalJSON does, byte for byte. That
// encodes each part again for every part that it lies in, and the schemas of all
// tools are made at every start.
type schemaWriter struct {
	out []byte
	err error // the first failure
}

func writeSchema(s *gen.Schema) (json.RawMessage, error) {
	var w schemaWriter
	w.schema(s)
	return w.out, w.err
}

func (w *schemaWriter) schema(s *gen.Schema) {
	if !isPlain(s) {
		w.value(s)
		return
	}
	start := len(w.out)
	w.out = append(w.out, '{')
	w.shape(s)
	w.field("description", s.Description, s.Description != "")
	w.field("default", s.Default, len(s.Default) > 0)
	w.field("enum", s.Enum, len(s.Enum) > 0)
	w.field("minimum", s.Minimum, s.Minimum != nil)
	w.field("maximum", s.Maximum, s.Maximum != nil)
	w.field("minLength", s.MinLength, s.MinLength != nil)
	w.field("maxLength", s.MaxLength, s.MaxLength != nil)
	w.field("minItems", s.MinItems, s.MinItems != nil)
	w.field("maxItems", s.MaxItems, s.MaxItems != nil)
	w.field("required", s.Required, len(s.Required) > 0)
	if s.AdditionalProperties != nil {
		w.key("additionalProperties")
		w.schema(s.AdditionalProperties)
	}
	if s.Not != nil {
		w.key("not")
		w.schema(s.Not)
	}
	w.out = append(w.out, '}')
	switch string(w.out[start:]) {
	case "{}":
		w.out = append(w.out[:start], "true"...)
	case `{"not":true}`:
		w.out = append(w.out[:start], "false"...)
	}
}

// shape writes the types, and the schemas of what is inside.
func (w *schemaWriter) shape(s *gen.Schema) {
	w.field("type", s.Type, s.Type != "")
	w.field("type", s.Types, s.Types != nil)
	if s.Properties != nil {
		w.key("properties")
		w.out = append(w.out, '{')
		for _, name := range s.PropertyOrder {
			w.key(name)
			w.schema(s.Properties[name])
		}
		w.out = append(w.out, '}')
	}
	if s.Items != nil {
		w.key("items")
		w.schema(s.Items)
	}
}

// isPlain reports whether s has nothing but what is written here.
func isPlain(s *gen.Schema) bool {
	if s == nil || s.Type != "" && s.Types != nil || len(s.PropertyOrder) != len(s.Properties) {
		return false
	}
	for _, name := range s.PropertyOrder {
		if s.Properties[name] == nil {
			return false
		}
	}
	rest := *s
	rest.Type, rest.Types, rest.Properties, rest.PropertyOrder, rest.Items = "", nil, nil, nil, nil
	rest.Description, rest.Default, rest.Enum, rest.Required, rest.AdditionalProperties, rest.Not = "", nil, nil, nil, nil, nil
	rest.Minimum, rest.Maximum, rest.MinLength, rest.MaxLength, rest.MinItems, rest.MaxItems = nil, nil, nil, nil, nil, nil
	return reflect.ValueOf(rest).IsZero()
}

func (w *schemaWriter) field(name string, value any, there bool) {
	if there {
		w.key(name)
		w.value(value)
	}
}

func (w *schemaWriter) key(name string) {
	if w.out[len(w.out)-1] != '{' {
		w.out = append(w.out, ',')
	}
	w.value(name)
	w.out = append(w.out, ':')
}

func (w *schemaWriter) value(v any) {
	raw, err := json.Marshal(v)
	if err != nil && w.err == nil {
		w.err = err
	}
	w.out = append(w.out, raw...)
}
