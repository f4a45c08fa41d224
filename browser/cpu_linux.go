package browser

import (
	"bytes"
	"fmt"
	"os"
	"time"
)

// cpu is what the browser's process has computed so far, in clock ticks as
// text. One that is stopped, or waits for what never comes, computes nothing.
func (in *instance) cpu() string {
	if in.proc == nil {
		return ""
	}
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", in.proc.PID()))
	if err != nil {
		return ""
	}
	const stateAt, userAt, systemAt = 0, 11, 12 // after the name, which stands in brackets
	f := bytes.Fields(b[bytes.LastIndexByte(b, ')')+1:])
	if len(f) <= systemAt {
		return ""
	}
	if string(f[stateAt]) == "R" { // it would, if it got its turn
		return time.Now().String()
	}
	return string(f[userAt]) + " " + string(f[systemAt])
}
