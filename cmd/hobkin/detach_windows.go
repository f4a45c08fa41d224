package main

import (
	"os/exec"
	"syscall"
)

// detachedProcess is DETACHED_PROCESS of the Windows API: no console is shared.
const detachedProcess = 0x00000008

// detach lets cmd outlive this program's console.
func detach(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{CreationFlags: detachedProcess} }
