// Package wireschema writes the JSON Schema of package wire, made from its
// types, for those who write another helper or another agent.
package wireschema

import (
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/hobkin/hobkin/computeruse/wire"
)

// A word is what a method takes and what it answers with.
type word struct{ params, result reflect.Type }

func of[P, R any]() word { return word{reflect.TypeFor[P](), reflect.TypeFor[R]()} }

// none is an object without fields.
type none struct{}

var words = map[string]word{
	wire.Hello:       of[wire.HelloParams, wire.HelloResult](),
	wire.Probe:       of[none, wire.ProbeResult](),
	wire.Displays:    of[none, wire.DisplaysResult](),
	wire.Capture:     of[wire.CaptureParams, wire.CaptureResult](),
	wire.WaitChange:  of[wire.WaitChangeParams, wire.ChangeResult](),
	wire.Windows:     of[none, wire.WindowsResult](),
	wire.WindowAt:    of[wire.Point, wire.WindowAtResult](),
	wire.Elements:    of[wire.ElementsParams, wire.ElementsResult](),
	wire.Inspect:     of[wire.Point, wire.InspectResult](),
	wire.Cursor:      of[none, wire.CursorResult](),
	wire.Person:      of[none, wire.PersonResult](),
	wire.Move:        of[wire.MoveParams, none](),
	wire.Click:       of[wire.ClickParams, none](),
	wire.ButtonDown:  of[wire.ButtonParams, none](),
	wire.ButtonUp:    of[wire.ButtonParams, none](),
	wire.Drag:        of[wire.DragParams, none](),
	wire.Scroll:      of[wire.ScrollParams, none](),
	wire.Type:        of[wire.TypeParams, wire.TypeResult](),
	wire.Paste:       of[wire.TypeParams, wire.TypeResult](),
	wire.Key:         of[wire.KeyParams, none](),
	wire.HoldKey:     of[wire.HoldKeyParams, none](),
	wire.Press:       of[wire.PressParams, none](),
	wire.SetValue:    of[wire.SetValueParams, none](),
	wire.FocusWindow: of[wire.FocusWindowParams, none](),
	wire.Pause:       of[none, wire.PauseResult](),
	wire.Resume:      of[none, none](),
	wire.Release:     of[none, wire.PauseResult](),
	wire.Bar:         of[wire.BarParams, none](),
	wire.Hotkey:      of[wire.HotkeyParams, none](),
}

var events = map[string]reflect.Type{
	wire.Paused:          reflect.TypeFor[wire.PausedData](),
	wire.PersonActive:    reflect.TypeFor[wire.PersonResult](),
	wire.DisplaysChanged: reflect.TypeFor[wire.DisplaysResult](),
}

// codes are those of errors.
var codes = []any{
	wire.BadRequest, wire.WrongProtocol, wire.NoDisplay, wire.Unsupported, wire.Denied, wire.LookOnly, wire.IsPaused, wire.Busy,
	wire.OutOfBounds, wire.UnknownKey, wire.StaleElement, wire.NotActionable, wire.UnknownWindow, wire.UnknownDisplay,
	wire.DisplayReplaced, wire.TimedOut, wire.Failed,
}

// Methods are the names of all methods, sorted.
func Methods() []string { return slices.Sorted(maps.Keys(words)) }

// Schema is the JSON Schema of every line of both sides. An answer does not
// tell the method of its request; what it holds for one is the definition
// "result." with the method's name.
func Schema() (json.RawMessage, error) {
	root := &jsonschema.Schema{
		Schema:      "https://json-schema.org/draft/2020-12/schema",
		Title:       "A line between Hobkin and its native helper",
		Description: fmt.Sprintf("Version %d of the protocol. A line is a request to the helper, or an answer or an event from it.", wire.Protocol),
		OneOf:       []*jsonschema.Schema{{Ref: "#/$defs/request"}, {Ref: "#/$defs/answer"}, {Ref: "#/$defs/refusal"}, {Ref: "#/$defs/event"}},
		Defs:        map[string]*jsonschema.Schema{},
	}
	refusal, err := schemaOf(reflect.TypeFor[wire.Error]())
	if err != nil {
		return nil, err
	}
	refusal.Properties["code"].Enum = codes
	root.Defs["error"] = refusal
	root.Defs["answer"] = line([]string{"id", "result"}, map[string]*jsonschema.Schema{"id": id(), "result": {Type: "object"}})
	root.Defs["refusal"] = line([]string{"error"}, map[string]*jsonschema.Schema{"id": id(), "error": {Ref: "#/$defs/error"}})
	root.Defs["request"], root.Defs["event"] = &jsonschema.Schema{}, &jsonschema.Schema{}
	for _, m := range Methods() {
		if err := addMethod(root, m); err != nil {
			return nil, err
		}
	}
	for _, name := range slices.Sorted(maps.Keys(events)) {
		data, err := schemaOf(events[name])
		if err != nil {
			return nil, err
		}
		e := line([]string{"event", "data"}, map[string]*jsonschema.Schema{"event": constant(name), "data": data})
		root.Defs["event"].OneOf = append(root.Defs["event"].OneOf, e)
	}
	return json.MarshalIndent(root, "", "  ")
}

func addMethod(root *jsonschema.Schema, name string) error {
	params, err := schemaOf(words[name].params)
	if err != nil {
		return err
	}
	result, err := schemaOf(words[name].result)
	if err != nil {
		return err
	}
	root.Defs["result."+name] = result
	need := []string{"id", "method"}
	if len(params.Required) > 0 {
		need = append(need, "params")
	}
	r := line(need, map[string]*jsonschema.Schema{"id": id(), "method": constant(name), "params": params})
	root.Defs["request"].OneOf = append(root.Defs["request"].OneOf, r)
	return nil
}

// line is an object with those fields and no other.
func line(required []string, fields map[string]*jsonschema.Schema) *jsonschema.Schema {
	return &jsonschema.Schema{Type: "object", Required: required, Properties: fields, AdditionalProperties: &jsonschema.Schema{Not: &jsonschema.Schema{}}}
}

func id() *jsonschema.Schema { return &jsonschema.Schema{Type: "integer", Minimum: new(1.0)} }

func constant(name string) *jsonschema.Schema {
	var v any = name
	return &jsonschema.Schema{Const: &v}
}

func schemaOf(t reflect.Type) (*jsonschema.Schema, error) {
	s, err := jsonschema.ForType(t, &jsonschema.ForOptions{TypeSchemas: map[reflect.Type]*jsonschema.Schema{
		reflect.TypeFor[[]byte](): {Type: "string", ContentEncoding: "base64"},
	}})
	if err != nil {
		return nil, fmt.Errorf("wireschema: %v: %w", t, err)
	}
	return s, nil
}
