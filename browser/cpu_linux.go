package browser

import (
	"bytes"
	"fmt"
	"os"
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
	const userAt, systemAt = 11, 12 // after the name, which stands in brackets
	f := bytes.Fields(b[bytes.LastIndexByte(b, ')')+1:])
	if len(f) <= systemAt {
		return ""
	}
	return string(f[userAt]) + " " + string(f[systemAt])
}
