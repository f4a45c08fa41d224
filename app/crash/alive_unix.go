//go:build unix

package crash

import (
	"errors"
	"syscall"
)

// alive reports whether a process runs, as far as can be told.
func alive(pid int) bool { return !errors.Is(syscall.Kill(pid, 0), syscall.ESRCH) }
