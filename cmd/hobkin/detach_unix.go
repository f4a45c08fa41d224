//go:build unix

package main

import (
	"os/exec"
	"syscall"
)

// detach lets cmd outlive this program's terminal.
func detach(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true} }
