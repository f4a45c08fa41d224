package git

import (
	"github.com/hobkin/hobkin/core/capability"
	"github.com/hobkin/hobkin/core/process"
)

// A Confine readies what the kernel holds a git of a turn to, which has the
// environment env; nil when nothing does. With remote it has to sign in
// elsewhere, by the keys of ssh.
type Confine func(turn capability.Turn, env []string, remote bool) (process.Confinement, error)
