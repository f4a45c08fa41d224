package capability

import (
	"context"
	"encoding/json"
)

// A TypedHandler is one tool of a [Definition]. In is a struct, whose fields
// carry the tags that [Add] reads; Out is any value that marshals, a string or
// a [Result]. A handler that has more to say has methods for it too:
//
//	Hints() Hints     what a call does, as far as it is known
//	Class() Class     what it may touch; without it, read_only where the hints say so, else read_write
//	Title() string    its name in words
//	Docs() Docs       when to use it, examples, ways to fail
//	Preview(context.Context, In) (Preview, error)
//
// Handle returns a [UserError] for a failure that the model should know of.
// Any other error is logged, and the model sees only an id. It returns when its
// context ends. [ScopeOf] tells where the call comes from and [Progress] how
// far it is; nothing else of the agent can be reached from a handler.
type TypedHandler[In, Out any] interface {
	Name() string
	Description() string
	Handle(ctx context.Context, in In) (Out, error)
}

// A Tool is a typed handler that is ready for a definition.
type Tool struct {
	c   Capability
	err error // what is wrong with it, told when the agent is built
}

// Typed makes a tool of a handler. The types follow from it:
//
//	capability.Typed(lookup{})
func Typed[In, Out any](h TypedHandler[In, Out]) Tool {
	c := Capability{Name: h.Name(), Description: h.Description(), Kind: KindBuiltin, Category: CategoryPlugin}
	c.Title = c.Name
	more(&c, h)
	d, err := define[struct{}, In, Out](c, func(_ struct{}, ctx context.Context, call Call, in In) (Out, error) {
		return h.Handle(within(ctx, call), in)
	})
	if p, ok := h.(interface {
		Preview(ctx context.Context, in In) (Preview, error)
	}); ok {
		d.preview = previewed(func(_ struct{}, ctx context.Context, call Call, in In) (Preview, error) {
			return p.Preview(within(ctx, call), in)
		})
	}
	if err != nil {
		return Tool{c, err}
	}
	s := Set[struct{}]{defs: []def[struct{}]{d}}
	return Tool{c: s.Bind(struct{}{})[0]}
}

// more asks a handler for what it may say beside its name.
func more(c *Capability, h any) {
	if x, ok := h.(interface{ Hints() Hints }); ok {
		c.Hints = x.Hints()
	}
	c.Class = ReadWrite
	if c.Hints.ReadOnly == Yes {
		c.Class = ReadOnly
	}
	if x, ok := h.(interface{ Class() Class }); ok {
		c.Class = x.Class()
	}
	if x, ok := h.(interface{ Title() string }); ok {
		c.Title = x.Title()
	}
	if x, ok := h.(interface{ Docs() Docs }); ok {
		c.Docs = x.Docs()
	}
}

// Spec is the tool with its schemas, for tests, documentation or a catalogue.
// The error says why it cannot be used.
func (t Tool) Spec() (Capability, error) {
	if t.err != nil {
		return Capability{}, t.err
	}
	return t.c, nil
}

// check reports what is wrong with a tool of a definition.
func (t Tool) check(id string) *InvalidError {
	switch {
	case t.c.Name == "" && t.err == nil:
		return invalid(id, BadTool, "a tool that no handler was made into")
	case wordless(t.c.Description):
		return invalid(id, BlankText, "the tool has no description").of(t.c.Name)
	case wordless(t.c.Title):
		return invalid(id, BlankText, "the title of the tool is blank").of(t.c.Name)
	case t.err != nil:
		return invalid(id, BadTool, "%v", t.err).of(t.c.Name)
	}
	for name, schema := range map[string]json.RawMessage{"parameters": t.c.Parameters, "output": t.c.Output} {
		if len(schema) == 0 {
			continue
		}
		if _, err := compile(schema); err != nil {
			return invalid(id, BadTool, "the schema of its %s: %v", name, err).of(t.c.Name)
		}
	}
	return nil
}

// String is the name of the tool.
func (t Tool) String() string { return "tool " + t.c.Name }

// Check reports the first thing that is wrong with c: its names, texts or
// schemas. A registry takes nothing for which it reports an error.
func (c *Capability) Check() error { return c.check() }
