//go:build !windows

package outbound

import "syscall"

// lives reports whether anything of a process group is left.
func lives(pid int) bool { return syscall.Kill(-pid, 0) == nil }
