package capability

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync"

	gen "github.com/google/jsonschema-go/jsonschema"
)

// SchemaFor generates the JSON Schema of T from its fields and their tags. The
// bytes are the same every time, so that prompts stay cacheable.
//
// Beside json and jsonschema (the description) it reads enum (values joined by
// commas), min, max (of a number, of a text's length, of a list's length) and
// default.
func SchemaFor[T any]() (json.RawMessage, error) {
	t := reflect.TypeFor[T]()
	if made, ok := generated.Load(t); ok {
		return slices.Clone(made.(json.RawMessage)), nil
	}
	made, err := generate[T](t)
	if err != nil {
		return nil, err
	}
	generated.Store(t, made)
	return slices.Clone(made), nil
}

// generated are those that were made, by type: many tools share a type, such as
// those that each run one program, and making one takes longer than all else
// that they need.
var generated sync.Map

func generate[T any](t reflect.Type) (json.RawMessage, error) {
	s, err := gen.For[T](nil)
	if err != nil {
		return nil, err
	}
	if err := applyTags(s, t); err != nil {
		return nil, err
	}
	return writeSchema(s)
}

// applyTags adds what the jsonschema tag cannot say, in s and below it.
func applyTags(s *gen.Schema, t reflect.Type) error {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if s == nil {
		return nil
	}
	flat(s)
	switch t.Kind() {
	case reflect.Slice, reflect.Array:
		return applyTags(s.Items, t.Elem())
	case reflect.Map:
		return applyTags(s.AdditionalProperties, t.Elem())
	case reflect.Struct:
		return applyFields(s, t)
	default:
		return nil
	}
}

func applyFields(s *gen.Schema, t reflect.Type) error {
	for f := range t.Fields() {
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		if f.Anonymous && name == "" { // its fields stand among ours
			if err := applyTags(s, f.Type); err != nil {
				return err
			}
			continue
		}
		if name == "" {
			name = f.Name
		}
		p := s.Properties[name]
		if p == nil {
			continue
		}
		if err := applyTags(p, f.Type); err != nil {
			return err
		}
		if err := applyTag(p, f.Tag); err != nil {
			return fmt.Errorf("field %s: %w", f.Name, err)
		}
	}
	return nil
}

func applyTag(p *gen.Schema, tag reflect.StructTag) error {
	if err := applyEnum(p, tag.Get("enum")); err != nil {
		return err
	}
	if err := applyBound(tag.Get("min"), p, &p.Minimum, &p.MinLength, &p.MinItems); err != nil {
		return fmt.Errorf("min: %w", err)
	}
	if err := applyBound(tag.Get("max"), p, &p.Maximum, &p.MaxLength, &p.MaxItems); err != nil {
		return fmt.Errorf("max: %w", err)
	}
	if d := tag.Get("default"); d != "" {
		raw, err := literal(d, p.Type)
		if err != nil {
			return fmt.Errorf("default: %w", err)
		}
		p.Default = raw
	}
	return nil
}

// applyEnum lists the values of p, or of its items where p is a list.
func applyEnum(p *gen.Schema, list string) error {
	if list == "" {
		return nil
	}
	if p.Items != nil {
		p = p.Items
	}
	for text := range strings.SplitSeq(list, ",") {
		raw, err := literal(text, p.Type)
		if err != nil {
			return fmt.Errorf("enum: %w", err)
		}
		var v any
		if err := json.Unmarshal(raw, &v); err != nil {
			return fmt.Errorf("enum: %w", err)
		}
		p.Enum = append(p.Enum, v)
	}
	return nil
}

// literal writes the text of a tag as a JSON value of a type.
func literal(text, typ string) (json.RawMessage, error) {
	if typ == "string" {
		return json.Marshal(text)
	}
	raw := json.RawMessage(text)
	if !json.Valid(raw) {
		return nil, fmt.Errorf("%q is not JSON, and the field is no text", text)
	}
	return raw, nil
}

// flat turns ["null","array"], which the generator writes for slices and
// pointers, into the plain type: not every provider takes a list of types. A
// null where it is optional is left out by the repair.
func flat(p *gen.Schema) {
	if len(p.Types) != 2 {
		return
	}
	for i, t := range p.Types {
		if t == "null" {
			p.Type, p.Types = p.Types[1-i], nil
			return
		}
	}
}

func applyBound(tag string, p *gen.Schema, number **float64, length, items **int) error {
	if tag == "" {
		return nil
	}
	v, err := strconv.ParseFloat(tag, 64)
	if err != nil {
		return err
	}
	switch p.Type {
	case "number", "integer":
		*number = &v
	case "string":
		*length = new(int(v))
	case "array":
		*items = new(int(v))
	default:
		return fmt.Errorf("a %s has no bounds", p.Type)
	}
	return nil
}
