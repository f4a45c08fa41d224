package builder

import (
	"cmp"
	"errors"
	"slices"
	"strings"

	"github.com/hobkin/hobkin/core/capability"
)

// self is the id by which errors name the agent itself.
const self = "(agent)"

// A plan is what an agent will be made of, and what is wrong with it.
type plan struct {
	parts       Parts
	tools       []capability.Capability // all of them, the program's own first
	definitions []capability.Definition
	references  []capability.Reference

	owners map[string]string // name or alias of a tool → whose it is
	faults []error
}

func newPlan(p Parts) *plan { return &plan{parts: p, owners: map[string]string{}} }

// check takes the parts in and reports everything that is wrong.
func (p *plan) check() error {
	if p.parts.Model == nil {
		p.fault(self, "", capability.NoModel, "there is no model to answer")
	}
	if p.parts.Instructions != "" && strings.TrimSpace(p.parts.Instructions) == "" {
		p.fault(self, "", capability.BlankText, "the instructions are blank")
	}
	p.take(self, p.parts.Base)
	for _, f := range p.parts.Functions {
		if err := f.Check(); err != nil {
			p.fault(f.Name, "", capability.BadTool, err.Error())
			continue
		}
		p.take(f.Name, []capability.Capability{f})
	}
	ids := map[string]string{} // as an id is after its other names are resolved → as it was written
	for _, part := range p.parts.Capabilities {
		p.part(part, ids)
	}
	p.approver(p.tools, self)
	return errors.Join(p.faults...)
}

func (p *plan) fault(id, tool string, reason capability.Reason, detail string) {
	if tool == id {
		tool = ""
	}
	p.faults = append(p.faults, &capability.InvalidError{ID: id, Tool: tool, Reason: reason, Detail: detail})
}

// part takes in a definition or a reference.
func (p *plan) part(part capability.Part, ids map[string]string) {
	if part == nil {
		p.fault(self, "", capability.NotAPart, "one of the capabilities is nil")
		return
	}
	spec := part.Part()
	switch {
	case spec.Definition != nil && spec.Reference == nil:
		d := *spec.Definition
		if b, ok := find(d.ID()); ok {
			p.fault(d.ID(), "", capability.ShadowsBuiltIn, "the id is that of the built-in "+b.ID)
			return
		}
		p.unique(d.ID(), d.ID(), ids)
		p.define(d)
	case spec.Reference != nil && spec.Definition == nil:
		p.refer(*spec.Reference, ids)
	default:
		p.fault(self, "", capability.NotAPart, "one of the capabilities is neither a definition nor a reference")
	}
}

// unique keeps ids apart.
func (p *plan) unique(id, resolved string, ids map[string]string) {
	before, taken := ids[resolved]
	switch {
	case taken && before == id:
		p.fault(id, "", capability.DuplicateID, "it is there twice")
	case taken:
		p.fault(id, "", capability.DuplicateID, "it is another name of "+before+", which is there too")
	}
	ids[resolved] = id
}

func (p *plan) define(d capability.Definition) {
	bundle, err := d.Bundle()
	if err != nil {
		p.faults = append(p.faults, err)
		return
	}
	p.definitions = append(p.definitions, d)
	p.take(d.ID(), deferrable(bundle))
}

// deferrable lets the schemas of a definition's tools be left out of requests,
// see [ToolSearch].
func deferrable(bundle []capability.Capability) []capability.Capability {
	for i := range bundle {
		bundle[i].Deferrable = true
	}
	return bundle
}

func (p *plan) refer(r capability.Reference, ids map[string]string) {
	resolved := r.ID()
	b, known := find(r.ID())
	if known {
		resolved = b.ID
	}
	p.unique(r.ID(), resolved, ids)
	if err := r.Check(); err != nil {
		p.faults = append(p.faults, err)
		return
	}
	if b.Absent != "" {
		p.fault(r.ID(), "", capability.NotHere, "an agent that is built of parts has none: "+b.Absent)
		return
	}
	p.references = append(p.references, r)
	if !known {
		return
	}
	config, err := r.Settings()
	if err == nil {
		err = b.validate(config, p.parts)
	}
	if err != nil {
		p.fault(r.ID(), "", capability.ConfigRefused, "the configuration "+err.Error())
	}
}

// take takes tools in, if their names are free.
func (p *plan) take(owner string, tools []capability.Capability) {
	for _, t := range tools {
		for _, name := range append([]string{t.Name}, t.Aliases...) {
			whose, taken := p.owners[name]
			switch {
			case taken:
				p.fault(owner, name, reasonOf(whose), "the name is taken by a tool of "+whose)
				continue
			case owner != self && slices.Contains(bridgeNames, name):
				p.fault(owner, name, capability.ShadowsBuiltIn, "the name is that of a bridge to tools that are left out; those belong in Base")
				continue
			}
			p.owners[name] = owner
		}
		p.tools = append(p.tools, t)
	}
}

// bridgeNames are names that calls of are taken apart, see [capability.CallTool].
var bridgeNames = []string{capability.SearchTool, capability.DescribeTool, capability.CallTool}

// reasonOf a name that is taken: those of the program itself are shadowed.
func reasonOf(owner string) capability.Reason {
	if owner == self {
		return capability.ShadowsBuiltIn
	}
	return capability.DuplicateTool
}

// approver reports tools that need an agreement when nobody can give it.
func (p *plan) approver(tools []capability.Capability, otherwise string) {
	if p.parts.Approve != nil {
		return
	}
	for _, t := range tools {
		if t.Class == capability.ReadOnly {
			continue
		}
		id := cmp.Or(capability.DefinitionOf(&t), p.owners[t.Name], otherwise)
		p.fault(id, t.Name, capability.NoApprover, "it is not read-only, and there is nobody to agree to its calls")
	}
}
