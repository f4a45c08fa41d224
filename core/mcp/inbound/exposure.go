package inbound

import (
	"slices"

	"github.com/hobkin/hobkin/core/capability"
)

// An Exposure says which capabilities other programs may use. The zero
// Exposure shows none. Names may be aliases.
type Exposure struct {
	Kinds   []capability.Kind
	Classes []capability.Class
	Allowed []string // those that may be used; empty allows none
	Denied  []string // those that may not, whatever else is said
	Tools   map[string]Override
}

// An Override is what is different for one capability.
type Override struct {
	Exposed     capability.Tri // Yes shows it whatever its kind and class and though it is not in Allowed; No hides it
	Description string         // what other programs read; empty is its own
}

// shows reports whether a capability may be used. Denials come first; to be
// named alone is enough; all else must fit kind, class and list.
func (e Exposure) shows(c *capability.Capability) bool {
	o := e.override(c)
	switch {
	case isNamed(c, e.Denied), o.Exposed == capability.No:
		return false
	case o.Exposed == capability.Yes:
		return true
	}
	return slices.Contains(e.Kinds, c.Kind) && slices.Contains(e.Classes, c.Class) && isNamed(c, e.Allowed)
}

func (e Exposure) override(c *capability.Capability) Override {
	for _, name := range append([]string{c.Name}, c.Aliases...) {
		if o, ok := e.Tools[name]; ok {
			return o
		}
	}
	return Override{}
}

func isNamed(c *capability.Capability, names []string) bool {
	return slices.ContainsFunc(names, func(n string) bool { return n == c.Name || slices.Contains(c.Aliases, n) })
}
