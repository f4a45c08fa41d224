package capability

import (
	"encoding/json"
	"slices"
)

// The bridges to tools whose schemas are left out of a request. The first two
// are ordinary tools. A call of the third is a call of the tool that it names:
// [Runner] takes it apart before anything is decided, so that policy, approval
// and traces see the real tool.
const (
	SearchTool   = "tool_search"
	DescribeTool = "tool_describe"
	CallTool     = "tool_call"
)

// bridge reports whether c is one of the bridges.
func (c *Capability) bridge() bool {
	return c.Kind == KindBuiltin && (c.Name == SearchTool || c.Name == DescribeTool || c.Name == CallTool)
}

// A Deferral says whose schemas are left out of requests. The zero Deferral
// leaves out none.
type Deferral struct {
	Enabled    bool
	Threshold  int      // only where there are at least so many that may be
	NeverDefer []string // names or aliases of tools that are always sent whole
}

// Split parts the tools of a turn into those that are sent whole and those that
// are left out, both in their order. Only what is Deferrable is left out, and
// only where the bridges are among the tools: else nobody would find it. Where
// nothing is left out the bridges lead nowhere and are not sent.
func (d Deferral) Split(list []*Capability) (whole, deferred []*Capability) {
	bridges := 0
	for _, c := range list {
		switch {
		case c.bridge():
			bridges++
		case c.Deferrable:
			deferred = append(deferred, c)
		}
	}
	if !d.Enabled || bridges < 3 || len(deferred) < d.Threshold {
		deferred = nil
	}
	deferred = slices.DeleteFunc(deferred, d.always)
	whole = slices.DeleteFunc(slices.Clone(list), func(c *Capability) bool {
		if len(deferred) == 0 {
			return c.bridge()
		}
		return c.Deferrable && !d.always(c)
	})
	return whole, deferred
}

// WithoutBridges is a list without the bridges, for a provider that searches
// for tools itself.
func WithoutBridges(list []*Capability) []*Capability {
	return slices.DeleteFunc(slices.Clone(list), (*Capability).bridge)
}

// always reports whether c is always sent whole.
func (d Deferral) always(c *Capability) bool {
	return slices.ContainsFunc(d.NeverDefer, func(name string) bool {
		return name == c.Name || slices.Contains(c.Aliases, name)
	})
}

// Asked returns the names of the tools that a call asks for or about, the tool
// it calls included: what a model asked for it is shown whole from then on.
func Asked(name string, args json.RawMessage) []string {
	if name != DescribeTool && name != CallTool {
		return []string{name}
	}
	var in struct {
		Name string `json:"name"`
	}
	if json.Unmarshal(args, &in) != nil || in.Name == "" {
		return nil
	}
	return []string{in.Name}
}

// Offered is what the call's turn may use, for tools that tell about tools.
func (c Call) Offered() Filter {
	f := c.filter
	f.Turn = c.Turn
	return f
}

// bridgedCall is what a model gives to [CallTool].
type bridgedCall struct {
	Name string
	Args json.RawMessage
}

// unwrap reads the arguments of [CallTool]. Models write those of the inner
// tool as an object, as the text of one, under another name or beside the name
// of the tool; each of these can mean only one thing.
func unwrap(args json.RawMessage) (in bridgedCall, err error) {
	var all map[string]json.RawMessage
	if err := json.Unmarshal(args, &all); err != nil {
		return in, BadInput.Becausef("the arguments of %s are not an object: %v", CallTool, err)
	}
	if json.Unmarshal(all["name"], &in.Name) != nil || in.Name == "" {
		return in, BadInput.Becausef("%s: /name: the name of a tool is missing", CallTool)
	}
	delete(all, "name")
	for _, key := range []string{"args", "arguments"} {
		if inner, ok := all[key]; ok && len(all) == 1 {
			in.Args = inner
		}
	}
	switch text := ""; {
	case in.Args == nil && len(all) > 0:
		in.Args, err = encodeAny(all)
	case json.Unmarshal(in.Args, &text) == nil && len(in.Args) > 0:
		in.Args = json.RawMessage(text)
	}
	return in, err
}
