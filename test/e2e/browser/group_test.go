package browser

import (
	"errors"
	"syscall"
)

// groupLives reports whether a process of a group is there.
func groupLives(pgid int) bool { return !errors.Is(syscall.Kill(-pgid, 0), syscall.ESRCH) }
