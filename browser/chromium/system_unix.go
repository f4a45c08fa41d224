//go:build unix

package chromium

import (
	"errors"
	"io/fs"
	"os"
	"strconv"
	"strings"
	"syscall"
)

// pipeFlags: on Unix the browser finds its pipe at the descriptors 3 and 4.
func pipeFlags(_, _ *os.File) []string { return nil }

// ours reports whether a folder belongs to this user: the folder for temporary
// files is everybody's.
func ours(info fs.FileInfo) bool {
	st, ok := info.Sys().(*syscall.Stat_t)
	return ok && int(st.Uid) == os.Geteuid()
}

// browserLives reports whether the process that marked a profile lives. A number
// that has gone to another program meanwhile does not count, where that can be
// told.
func browserLives(pid, dir string) bool {
	n, err := strconv.Atoi(pid)
	if err != nil || n <= 0 || errors.Is(syscall.Kill(n, 0), syscall.ESRCH) {
		return false
	}
	line, err := os.ReadFile("/proc/" + pid + "/cmdline")
	if err != nil {
		_, noProc := os.Stat("/proc/self")
		return noProc != nil // without /proc a living process is taken for the browser
	}
	return strings.Contains(string(line), dir) || strings.Contains(string(line), "chrom")
}
