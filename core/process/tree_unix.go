//go:build unix

package process

import (
	"errors"
	"os"
	"os/exec"
	"os/signal"
	"syscall"
	"time"
)

func polite(pid int)   { _ = syscall.Kill(-pid, syscall.SIGTERM) } // a group that is gone is what we want
func forceful(pid int) { _ = syscall.Kill(-pid, syscall.SIGKILL) }

func groupAlive(pid int) bool { return syscall.Kill(-pid, 0) == nil }

// tickTime is how often a dying group is looked at.
const tickTime = 10 * time.Millisecond

// endTree ends what a command left behind: its group, first politely, and what
// has left the group but carries the mark.
func endTree(pid int, mark string, grace time.Duration) {
	if groupAlive(pid) {
		polite(pid)
		deadline := time.NewTimer(grace)
		defer deadline.Stop()
		tick := time.NewTicker(tickTime)
		defer tick.Stop()
		for groupAlive(pid) {
			select {
			case <-tick.C:
				continue
			case <-deadline.C:
			}
			break
		}
		forceful(pid)
	}
	if mark != "" {
		endMarked(mark)
	}
	reapGroup(pid)
}

// reapGroup takes in dead members of the group that became our children, see
// [BecomeSubreaper]. Those that are not ours are not waited for.
func reapGroup(pid int) {
	for {
		var ws syscall.WaitStatus
		if got, err := syscall.Wait4(-pid, &ws, 0, nil); got <= 0 && !errors.Is(err, syscall.EINTR) {
			return
		}
	}
}

func ignoreSignals() {
	signal.Ignore(syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGQUIT)
}

func signalName(s *os.ProcessState) string {
	ws, ok := s.Sys().(syscall.WaitStatus)
	if !ok || !ws.Signaled() {
		return ""
	}
	return ws.Signal().String()
}

func session(cmd *exec.Cmd) {
	if cmd.SysProcAttr == nil {
		cmd.SysProcAttr = &syscall.SysProcAttr{}
	}
	cmd.SysProcAttr.Setsid = true // a group of its own, and no terminal to ask on
}
