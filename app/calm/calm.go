// Package calm keeps a process small that waits for most of its life: what only
// its start needed is given back to the system once it is over.
package calm

import (
	"runtime/debug"
	"time"
)

// After lets the heap grow by so many percent before it is cleared up, as
// [debug.SetGCPercent] does, and gives back what the start needed after a while.
// Stop is called when the process ends before.
func After(d time.Duration, grow int) (stop func()) {
	debug.SetGCPercent(grow)
	t := time.AfterFunc(d, func() {
		debug.FreeOSMemory()
		forgetProgram()
	})
	return func() { t.Stop() }
}
