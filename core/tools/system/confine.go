package system

import (
	"strings"

	"github.com/hobkin/hobkin/core/capability"
	"github.com/hobkin/hobkin/core/process"
)

// A Confine readies what the kernel holds a command of a turn to, which has the
// environment env. It returns nil when nothing does, and in note a sentence
// about what does not hold.
type Confine func(turn capability.Turn, env []string) (held process.Confinement, note string, err error)

// A Teller is a [process.Confinement] that has something to say of a command
// that has run, such as which hosts it was kept from.
type Teller interface {
	// Said is a sentence; empty when there is nothing to say.
	Said() string
}

// said is what its confinement has to say of a line by now.
func (l *line) said() string {
	if t, ok := l.held.(Teller); ok {
		if text := t.Said(); text != "" {
			return text + "\n"
		}
	}
	return ""
}

// confine asks for the confinement of a line.
func (l *line) confine(h *Host, turn capability.Turn) (err error) {
	if h.Confine != nil {
		l.held, l.note, err = h.Confine(turn, l.env)
	}
	return err
}

// refused are the words in which programs tell that the system refused them.
var refused = []string{"Read-only file system", "Permission denied", "Operation not permitted", "Network is unreachable"}

// hint says, when a confined command failed for want of rights, what it was
// held to; else it is empty.
func (o *outcome) hint() string {
	if o.line.held == nil || o.res.ExitCode == 0 {
		return ""
	}
	text := o.res.Stderr.String() + o.res.Stdout.String()
	for _, words := range refused {
		if strings.Contains(text, words) {
			return "Commands reach the workspace and the granted folders alone; request_directory_access asks for another.\n"
		}
	}
	return ""
}
