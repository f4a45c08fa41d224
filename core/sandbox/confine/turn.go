package confine

import (
	"github.com/hobkin/hobkin/core/capability"
	"github.com/hobkin/hobkin/core/sandbox"
)

// ForTurn is the Spec of a command of a turn: it may touch what the path policy
// lets the turn's own tools touch. path is the PATH of the command.
func ForTurn(p *sandbox.Policy, turn capability.Turn, path string) Spec {
	return Spec{
		Home: p.Home(), Path: path, Write: p.Roots(turn), Read: p.Readable(turn),
		Hidden: p.Hidden, Secrets: p.Guarded(),
	}
}
