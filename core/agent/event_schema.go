package agent

import (
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/hobkin/hobkin/core/capability"
	"github.com/hobkin/hobkin/core/provider"
)

// EventNames lists the names of all events, sorted.
func EventNames() []string { return slices.Sorted(maps.Keys(decoders)) }

// EventSchema is the JSON Schema of an event as [Event.MarshalJSON] writes it,
// made from the payloads themselves. A closed one refuses fields that it does
// not know; the open one, which is published, lets later versions add some.
func EventSchema(closed bool) (json.RawMessage, error) {
	root := &jsonschema.Schema{
		Schema:      "https://json-schema.org/draft/2020-12/schema",
		Title:       "An event of Hobkin",
		Description: "One line of hobkin ask --json. Further types and fields may come; those here stay.",
		Type:        "object",
		Required:    []string{"type", "session", "time", "data"},
		Properties: map[string]*jsonschema.Schema{
			"type":    {Type: "string", Description: "Which event it is, and so what data holds."},
			"seq":     {Type: "integer", Minimum: new(1.0), Description: "Position in the session's stream, without a gap. Only stored events have one."},
			"session": {Type: "string"},
			"turn":    {Type: "string", Description: "The turn that it is of; none for what happens between turns."},
			"time":    {Type: "string", Format: "date-time"},
			"data":    {Type: "object"},
		},
	}
	for _, name := range EventNames() {
		one, err := variant(name)
		if err != nil {
			return nil, err
		}
		root.OneOf = append(root.OneOf, one)
	}
	settle(root, closed)
	return json.MarshalIndent(root, "", "  ")
}

func variant(name string) (*jsonschema.Schema, error) {
	zero, err := decoders[name]([]byte("{}"))
	if err != nil {
		return nil, fmt.Errorf("agent: the schema of %s: %w", name, err)
	}
	data, err := jsonschema.ForType(reflect.TypeOf(zero), &jsonschema.ForOptions{TypeSchemas: wireTypes})
	if err != nil {
		return nil, fmt.Errorf("agent: the schema of %s: %w", name, err)
	}
	what := "Stored and numbered."
	if !Durable(zero) {
		what = "Live only: it is not stored and has no number."
	}
	var constant any = name
	return &jsonschema.Schema{Description: what, Properties: map[string]*jsonschema.Schema{"type": {Const: &constant}, "data": data}}, nil
}

// wireTypes are the types whose JSON form reflection does not see.
var wireTypes = map[reflect.Type]*jsonschema.Schema{
	reflect.TypeFor[json.RawMessage]():  {},
	reflect.TypeFor[provider.Stop]():    {Type: "string", Enum: []any{string(provider.StopEnd), string(provider.StopTools), string(provider.StopLength), string(provider.StopRefused)}},
	reflect.TypeFor[capability.Trust](): {Type: "string", Enum: []any{string(capability.Operator), string(capability.Guest), ""}},
}

// settle opens or closes all objects below s to fields that are not named.
func settle(s *jsonschema.Schema, closed bool) {
	if s == nil {
		return
	}
	if !closed && s.AdditionalProperties != nil && s.AdditionalProperties.Not != nil {
		s.AdditionalProperties = nil
	}
	for _, p := range s.Properties {
		settle(p, closed)
	}
	for _, v := range s.OneOf {
		settle(v, closed)
	}
	settle(s.Items, closed)
}
