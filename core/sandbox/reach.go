package sandbox

import (
	"slices"

	"github.com/hobkin/hobkin/core/capability"
)

// Readable lists the folders that the turn may read, resolved, none inside
// another. All that it may write to is among them.
func (p *Policy) Readable(turn capability.Turn) []string {
	return outermost(p.rules.Load().roots(turn, Read))
}

// Writable reports whether abs, an absolute path without links, lies in a folder
// that the turn may write to.
func (p *Policy) Writable(turn capability.Turn, abs string) bool {
	return p.rules.Load().root(turn, Write, abs) != ""
}

// Guarded lists the absolute paths that [Policy.Hidden] hides for certain:
// credentials, this app's own, and what the owner has blocked. Most of them do
// not exist on any one machine.
func (p *Policy) Guarded() []string {
	return slices.Concat(p.Secrets(), p.rules.Load().blocked)
}
