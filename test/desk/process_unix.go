//go:build unix

package desk

import (
	"os/exec"
	"syscall"
)

// grouped makes a program the first of a group of processes; as root, of nobody
// where it must not be root.
func grouped(cmd *exec.Cmd, asNobody bool) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if asNobody {
		cmd.SysProcAttr.Credential = &syscall.Credential{Uid: nobody, Gid: nobody}
	}
}

// The ways to treat a process, or a group by its negative number.
func terminate(pid int) { _ = syscall.Kill(pid, syscall.SIGTERM) }
func kill(pid int)      { _ = syscall.Kill(pid, syscall.SIGKILL) }
func halt(pid int)      { _ = syscall.Kill(pid, syscall.SIGSTOP) }
func goOn(pid int)      { _ = syscall.Kill(pid, syscall.SIGCONT) }
