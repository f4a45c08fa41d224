package confine

import (
	"github.com/hobkin/hobkin/core/capability"
	"github.com/hobkin/hobkin/core/sandbox"
)

// ForTurn is the Spec of a command of a turn: it may touch what the path policy
// lets the turn's own tools write to. What they may only read are outputs of
// other sessions, which are no business of a command. path is the PATH of the
// command.
func ForTurn(p *sandbox.Policy, turn capability.Turn, path string) Spec {
	return Spec{
		Home: p.Home(), Path: path, Write: p.Roots(turn),
		Hidden: p.Hidden, Secrets: p.Guarded(),
	}
}
