package capability

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// A Set is a group of tools that share a host type H, such as a workspace or a
// browser session. The zero Set is ready to use.
type Set[H any] struct{ defs []def[H] }

type def[H any] struct {
	spec    Capability
	run     func(H, context.Context, Call) (Result, error)
	preview func(H, context.Context, Call) (Preview, error)
}

// Add puts a tool into s. The parameter schema comes from In, whose exported
// fields carry tags: json, jsonschema (the description), enum (values joined by
// commas), min, max and default. Out may be [Result], a string, or a value that
// is marshalled and described by an output schema; where it has a method
// Summary() string, that is the Summary of the result. Kind defaults to
// [KindBuiltin].
//
// Add is for init functions: it panics if the spec or the types are wrong,
// because no user can mend that.
func Add[H, In, Out any](s *Set[H], spec Capability, fn func(H, context.Context, Call, In) (Out, error)) {
	d, err := define[H, In, Out](spec, fn)
	if err != nil {
		panic(err.Error())
	}
	s.defs = append(s.defs, d)
}

// AddPreviewed is Add for a tool that can tell what a call would do.
func AddPreviewed[H, In, Out any](
	s *Set[H], spec Capability,
	fn func(H, context.Context, Call, In) (Out, error),
	preview func(H, context.Context, Call, In) (Preview, error),
) {
	d, err := define[H, In, Out](spec, fn)
	if err != nil {
		panic(err.Error())
	}
	d.preview = previewed(preview)
	s.defs = append(s.defs, d)
}

// previewed is a typed preview that decodes its arguments.
func previewed[H, In any](preview func(H, context.Context, Call, In) (Preview, error)) func(H, context.Context, Call) (Preview, error) {
	return func(h H, ctx context.Context, c Call) (Preview, error) {
		var in In
		if err := decodeArgs(c.Args, &in); err != nil {
			return Preview{}, err
		}
		return preview(h, ctx, c, in)
	}
}

func define[H, In, Out any](spec Capability, fn func(H, context.Context, Call, In) (Out, error)) (def[H], error) {
	if spec.Kind == "" {
		spec.Kind = KindBuiltin
	}
	if err := describe[In, Out](&spec); err != nil {
		return def[H]{}, err
	}
	run := func(h H, ctx context.Context, c Call) (Result, error) {
		var in In
		if err := decodeArgs(c.Args, &in); err != nil {
			return Result{}, err
		}
		out, err := fn(h, ctx, c, in)
		if err != nil {
			r, _ := any(out).(Result) // what a command printed before it failed
			return r, err
		}
		return resultOf(out)
	}
	spec.Handler = unbound // stands in until Bind, so that check can run now
	return def[H]{spec: spec, run: run}, spec.check()
}

func unbound(context.Context, Call) (Result, error) { return Result{}, Internal.Becausef("not bound") }

// describe fills in the schemas of spec from the types.
func describe[In, Out any](spec *Capability) (err error) {
	if spec.Parameters, err = SchemaFor[In](); err != nil {
		return fmt.Errorf("capability %q: parameters: %w", spec.Name, err)
	}
	if bytes.HasPrefix(spec.Parameters, []byte(`{"type":"object"`)) {
		spec.made = spec.Parameters
	}
	var out Out
	switch any(out).(type) {
	case Result, string:
		return nil
	}
	if spec.Output, err = SchemaFor[Out](); err != nil {
		return fmt.Errorf("capability %q: output: %w", spec.Name, err)
	}
	return nil
}

// Bind gives every tool in s the host h. The tools come sorted by name.
func (s *Set[H]) Bind(h H) []Capability {
	out := make([]Capability, len(s.defs))
	for i, d := range s.defs {
		c := d.spec
		c.Handler = func(ctx context.Context, call Call) (Result, error) { return d.run(h, ctx, call) }
		if d.preview != nil {
			c.Preview = func(ctx context.Context, call Call) (Preview, error) { return d.preview(h, ctx, call) }
		}
		out[i] = c
	}
	slices.SortFunc(out, func(a, b Capability) int { return strings.Compare(a.Name, b.Name) })
	return out
}

// Func makes a capability of one function. The schema comes from In and its
// tags, as in [Add]. It is read-only until the caller sets another Class.
func Func[In, Out any](name, description string, fn func(context.Context, In) (Out, error)) (Capability, error) {
	spec := Capability{Name: name, Title: name, Description: description, Kind: KindBuiltin, Class: ReadOnly, Category: CategoryPlugin}
	d, err := define[struct{}, In, Out](spec, func(_ struct{}, ctx context.Context, c Call, in In) (Out, error) { return fn(within(ctx, c), in) })
	if err != nil {
		return Capability{}, err
	}
	s := Set[struct{}]{defs: []def[struct{}]{d}}
	return s.Bind(struct{}{})[0], nil
}

// decodeArgs reads arguments that the schema has accepted.
func decodeArgs(raw json.RawMessage, into any) error {
	if len(raw) == 0 {
		raw = json.RawMessage("{}")
	}
	if err := json.Unmarshal(raw, into); err != nil {
		return BadInput.Becausef("the arguments do not decode: %v", err)
	}
	return nil
}

// resultOf makes a Result of what a typed function returned.
func resultOf(out any) (Result, error) {
	switch v := out.(type) {
	case Result:
		return v, nil
	case string:
		return Result{Text: v}, nil
	}
	b, err := encodeAny(out)
	if err != nil {
		return Result{}, fmt.Errorf("marshalling the result: %w", err)
	}
	r := Result{Text: string(b), Data: b}
	if s, ok := out.(interface{ Summary() string }); ok {
		r.Summary = s.Summary()
	}
	return r, nil
}
