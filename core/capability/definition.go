package capability

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
)

// A Definition is a package of tools with a stable id, the words of a
// catalogue, and instructions for whoever uses them. It never changes: each
// method returns another one.
//
//	records := capability.Define("records", "Records", "Looks up records of the company.").
//		Instructions("Use exact ids and do not guess missing records.").
//		Tool(capability.Typed(lookup{store}))
//
// What is wrong with it is told when an agent is built of it, or by Check.
type Definition struct {
	id, name, description string

	instructions *string
	metadata     any
	tools        []Tool
}

// Define begins a definition. Name and description are for people.
func Define(id, name, description string) Definition {
	return Definition{id: id, name: name, description: description}
}

// Instructions are added to the prompt of an agent that has these tools.
func (d Definition) Instructions(text string) Definition {
	d.instructions = &text
	return d
}

// Metadata is kept with the definition for whoever lists it; no model sees it.
// It marshals to a JSON object. It is no place for secrets.
func (d Definition) Metadata(object any) Definition {
	d.metadata = object
	return d
}

// Tool adds a tool, see [Typed].
func (d Definition) Tool(t Tool) Definition {
	d.tools = append(slices.Clip(d.tools), t)
	return d
}

// ID is the stable id.
func (d Definition) ID() string { return d.id }

// Name is the name for people.
func (d Definition) Name() string { return d.name }

// Description says for people what the tools are for.
func (d Definition) Description() string { return d.description }

// Prompt is the part of the prompt that the instructions are; empty without.
func (d Definition) Prompt() string {
	if d.instructions == nil {
		return ""
	}
	return "# " + d.name + "\n\n" + strings.TrimSpace(*d.instructions)
}

// Meta is the metadata as JSON; nil without.
func (d Definition) Meta() json.RawMessage {
	raw, err := d.meta()
	if err != nil {
		return nil
	}
	return raw
}

// Tools lists the tools, each with the schemas of what it takes and gives.
func (d Definition) Tools() []Tool { return slices.Clone(d.tools) }

// definitionMeta is where a capability's Meta says whose it is.
const definitionMeta = "definition"

// Family is the Meta that all capabilities of the definition of that id have,
// for [Registry.Replace] and [Registry.UnregisterWhere].
func Family(id string) map[string]string { return map[string]string{definitionMeta: id} }

// DefinitionOf is the id of the definition that c is of; empty for none.
func DefinitionOf(c *Capability) string { return c.Meta[definitionMeta] }

// Bundle returns the capabilities of the definition, to be registered at once,
// or what is wrong with it: one or more [InvalidError], joined.
func (d Definition) Bundle() ([]Capability, error) {
	if err := d.Check(); err != nil {
		return nil, err
	}
	out := make([]Capability, len(d.tools))
	for i, t := range d.tools {
		out[i] = t.c
		out[i].Meta = maps.Clone(t.c.Meta)
		if out[i].Meta == nil {
			out[i].Meta = map[string]string{}
		}
		maps.Copy(out[i].Meta, Family(d.id))
	}
	return out, nil
}

// Check reports everything that is wrong with the definition itself: one or
// more [InvalidError], joined.
func (d Definition) Check() error {
	var faults faults
	faults.add(checkID(d.id))
	for what, text := range map[string]string{"name": d.name, "description": d.description} {
		if wordless(text) {
			faults.add(invalid(d.id, BlankText, "the %s is blank", what))
		}
	}
	if d.instructions != nil && wordless(*d.instructions) {
		faults.add(invalid(d.id, BlankText, "the instructions are blank"))
	}
	if _, err := d.meta(); err != nil {
		faults.add(invalid(d.id, BadMetadata, "%v", err))
	}
	if len(d.tools) == 0 {
		faults.add(invalid(d.id, NoTools, "it has no tool"))
	}
	taken := map[string]bool{}
	for _, t := range d.tools {
		faults.add(t.check(d.id))
		if taken[t.c.Name] {
			faults.add(invalid(d.id, DuplicateTool, "two of its tools have one name").of(t.c.Name))
		}
		taken[t.c.Name] = true
	}
	return faults.err()
}

func (d Definition) meta() (json.RawMessage, error) { return object(d.metadata) }

func wordless(text string) bool { return strings.TrimSpace(text) == "" }
