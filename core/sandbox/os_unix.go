//go:build unix

package sandbox

import (
	"io/fs"
	"os/exec"
	"syscall"
)

// checkSpelling refuses spellings that mean something special to the system.
func checkSpelling(string) error { return nil }

// isLink reports whether a file leads elsewhere.
func isLink(info fs.FileInfo) bool { return info.Mode()&fs.ModeSymlink != 0 }

// long gives the one true spelling of an existing path.
func long(path string) string { return path }

// alone lets cmd and all that it starts be ended as one.
func alone(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
}
