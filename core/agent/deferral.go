package agent

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/hobkin/hobkin/core/capability"
	"github.com/hobkin/hobkin/core/provider"
)

// What a request tells of the turn's tools. Schemas of many tools cost more
// than they help, so that those of connected servers and plugins are left out
// until the model asks for them: it knows their names, finds them with the
// bridges (see [capability.SearchTool]) and has their schemas from the next
// step on. A provider that searches for tools itself is given all of them.

// present settles which tools the model is told of. What may be called is all
// of r.tools, also by a name whose schema was left out.
func (r *run) present(req *provider.Request, info provider.Info) {
	r.tools, r.sent = nil, nil
	if !info.Tools {
		return
	}
	r.tools = r.Registry.List(r.filter)
	whole, deferred := r.deferral(info).Split(r.tools)
	if info.HostedToolSearch && len(deferred) > 0 {
		whole = capability.WithoutBridges(whole)
		req.Deferred = schemas(deferred) // all of them each time: so the beginning stays cached
	} else {
		whole = append(whole, r.revealed(deferred)...)
	}
	r.sent = schemas(whole)
	req.Tools = r.sent
}

// deferral is the rule for a model. One that answers by fixed rules cannot look
// a tool up, and has room for all of them.
func (a *Agent) deferral(info provider.Info) capability.Deferral {
	if a.Deferral == nil || info.Grammar {
		return capability.Deferral{}
	}
	return a.Deferral()
}

// revealed lists those of the tools left out that the model asked for, in the
// order in which it did. What was asked for is kept with the session, and found
// again in its messages after a restart.
func (r *run) revealed(deferred []*capability.Capability) (shown []*capability.Capability) {
	if len(deferred) == 0 {
		return nil
	}
	asked := r.session.asked
	known := map[string]bool{}
	for _, name := range asked {
		known[name] = true
	}
	for _, name := range askedFor(r.history) {
		if c, ok := r.Registry.Find(name); ok && !known[c.Name] {
			known[c.Name] = true
			asked = append(asked, c.Name)
		}
	}
	r.session.asked = asked
	for _, name := range asked {
		if i := slices.IndexFunc(deferred, func(c *capability.Capability) bool { return c.Name == name }); i >= 0 {
			shown = append(shown, deferred[i])
		}
	}
	return shown
}

// askedFor lists the tools that a conversation called, asked about or found.
func askedFor(history []provider.Message) (names []string) {
	for _, m := range history {
		for _, p := range m.Parts {
			switch p := p.(type) {
			case provider.ToolCall:
				names = append(names, capability.Asked(p.Name, json.RawMessage(p.Args))...)
			case provider.ToolResult:
				names = append(names, foundIn(p)...)
			case provider.Text, provider.Image, provider.Reasoning:
			}
		}
	}
	return names
}

// foundIn lists the tools that a search found.
func foundIn(r provider.ToolResult) (names []string) {
	if r.Name != capability.SearchTool || r.Failed {
		return nil
	}
	var out struct {
		Tools []struct {
			Name string `json:"name"`
		} `json:"tools"`
	}
	if json.NewDecoder(strings.NewReader(r.Text)).Decode(&out) != nil { // a note may follow
		return nil
	}
	for _, t := range out.Tools {
		names = append(names, t.Name)
	}
	return names
}

// maxNames bounds the names in a prompt, in bytes: beyond them a search is the
// way.
const maxNames = 16 << 10

// namesLeftOut is the part of the prompt that lists the tools whose schemas
// are left out. It stays the same when the model asks for one of them, so that
// the prompt stays cached. It is empty where the provider searches itself.
func (r *run) namesLeftOut() string {
	info := r.model().Info()
	if !info.Tools || info.HostedToolSearch {
		return ""
	}
	_, deferred := r.deferral(info).Split(r.Registry.List(r.filter))
	if len(deferred) == 0 {
		return ""
	}
	var b strings.Builder
	fmt.Fprintf(&b, "# More tools\n\nThese tools are there too, without their parameters, to save room. Find one by what it does with %s, or read its parameters with %s; then call it like any other, or through %s.\n\n",
		capability.SearchTool, capability.DescribeTool, capability.CallTool)
	for i, c := range deferred {
		if b.Len()+len(c.Name) > maxNames {
			fmt.Fprintf(&b, " and %d more, which %s finds", len(deferred)-i, capability.SearchTool)
			break
		}
		if i > 0 {
			b.WriteString(", ")
		}
		b.WriteString(c.Name)
	}
	return b.String()
}
