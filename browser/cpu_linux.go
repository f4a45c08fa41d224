package browser

import (
	"bytes"
	"fmt"
	"os"
)

// pulse is what the system says of the browser's process: it stands still, waits,
// or works.
func (in *instance) pulse() pulse {
	if in.proc == nil { // the person's own: not looked into
		return pulse{works: true}
	}
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", in.proc.PID()))
	if err != nil {
		return pulse{}
	}
	const stateAt, userAt, systemAt = 0, 11, 12 // after the name, which stands in brackets
	f := bytes.Fields(b[bytes.LastIndexByte(b, ')')+1:])
	if len(f) <= systemAt {
		return pulse{}
	}
	state := string(f[stateAt])
	return pulse{
		stands: state == "T" || state == "t",
		works:  state == "R" || state == "D", // it would, if it got its turn or its disk
		ticks:  string(f[userAt]) + " " + string(f[systemAt]),
	}
}
