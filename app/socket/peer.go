package socket

import (
	"fmt"

	"github.com/hobkin/hobkin/core/process"
)

// maxDepth bounds the walk to the first process; no real tree is as deep.
const maxDepth = 256

// StartedByAgent reports whether pid or an ancestor of it is the agent's
// process, or carries the mark of a call in its environment; agent 0 looks for
// the mark alone. A process that cannot be looked at is an error: who cannot be
// known is not let in.
func StartedByAgent(pid, agent int) (bool, error) {
	for range maxDepth {
		if agent != 0 && pid == agent || marked(pid) { // a command's namespace has an init that carries the mark
			return true, nil
		}
		if pid <= 1 {
			return false, nil
		}
		parent, err := parentOf(pid)
		if err != nil {
			return false, fmt.Errorf("process %d: %w", pid, err)
		}
		pid = parent
	}
	return true, nil
}

// mark begins the variable that every command of the agent's has.
const mark = process.MarkName + "="
