package system

import (
	"context"
	"fmt"
	"strings"

	"github.com/hobkin/hobkin/core/capability"
)

func init() {
	capability.Add(&Tools, capability.Capability{
		Name:        capability.SearchTool,
		Title:       "Find tools",
		Description: "Searches the tools whose parameters are left out here, by what they do. The tools it finds can be called from the next step on.",
		Class:       capability.ReadOnly,
		Category:    capability.CategorySystem,
		Hints:       capability.Hints{ReadOnly: capability.Yes, Idempotent: capability.Yes, OpenWorld: capability.No, Exact: true},
		Docs: capability.Docs{
			When: "when none of the tools with parameters does what is wanted; not to search files or the web",
			Examples: []capability.Example{
				{When: "something is to be done in a connected service", In: findIn{Query: "create calendar event"}},
				{When: "more choice is wanted", In: findIn{Query: "invoice", Limit: 20}},
			},
			Fails: []*capability.Failure{nothingFound},
		},
	}, (*Host).findTools)
}

var nothingFound = &capability.Failure{Code: "nothing_found", When: "no tool fits the query", Try: "search with other, fewer words for what the tool should do; do without one if that finds nothing either"}

type findIn struct {
	Query string `json:"query" min:"1" max:"2000" jsonschema:"what the tool should do, in a few English words, or a part of its name"`
	Limit int    `json:"limit,omitempty" min:"1" max:"20" default:"5" jsonschema:"how many tools to return at most"`
}

type findOut struct {
	Tools []foundTool `json:"tools" jsonschema:"the best first"`
}

type foundTool struct {
	Name        string `json:"name"`
	Description string `json:"description"`
}

// Summary is the line of the tool's card.
func (o findOut) Summary() string { return fmt.Sprint(len(o.Tools), " found") }

// Of what is found.
const (
	foundTools  = 5
	foundLength = 400 // bytes of a description
)

func (h *Host) findTools(_ context.Context, call capability.Call, in findIn) (findOut, error) {
	if in.Limit == 0 {
		in.Limit = foundTools
	}
	if h.Registry == nil {
		return findOut{}, nothingFound.Becausef("no tools are known here")
	}
	f := call.Offered()
	f.Deferrable = true
	var out findOut
	for _, c := range h.Registry.Search(f, in.Query, in.Limit) {
		text := capability.CutText(c.Description, foundLength)
		if len(text) < len(c.Description) {
			text += "…"
		}
		out.Tools = append(out.Tools, foundTool{c.Name, text})
	}
	if len(out.Tools) == 0 {
		return findOut{}, nothingFound.Becausef("none of the %d tools that can be searched fits %q", len(h.Registry.List(f)), in.Query)
	}
	return out, nil
}

// unknown is the failure of a name that no tool of a filter has.
func (h *Host) unknown(name string, seen capability.Filter) error {
	var names []string
	for _, c := range h.Registry.List(seen) {
		names = append(names, c.Name)
	}
	near := capability.Nearest(name, names, nearest)
	if len(near) == 0 {
		return unknownTool.Becausef("no tool is called %q, and there is none to look up", name)
	}
	return unknownTool.Becausef("no tool is called %q; the closest are %s", name, strings.Join(near, ", ")).With("closest", near)
}
