//go:build unix

package process

import (
	"os"
	"os/exec"
	"syscall"
	"time"
)

// A tree is what a command started: its process group, and what has left that.
type tree struct {
	pid    int
	mark   string
	inner  bool // pid is the keeper of a namespace
	strays strays
}

// rooted makes the tree of a command that was just started.
func rooted(cmd *exec.Cmd, c *Command) (*tree, error) {
	return &tree{pid: cmd.Process.Pid, mark: c.Mark, inner: c.inner(), strays: strays{}}, nil
}

// polite asks the group to end. The keeper of a namespace is not asked: its end
// would be the end of all, at once.
func (t *tree) polite() {
	t.look() // as long as parents live, their children can be told
	if t.inner && t.strays.below(t.pid).signal(syscall.SIGTERM) {
		return
	}
	_ = syscall.Kill(-t.pid, syscall.SIGTERM)
}

// forceful ends the group.
func (t *tree) forceful() {
	t.look()
	_ = syscall.Kill(-t.pid, syscall.SIGKILL)
}

// look finds what has left the group.
func (t *tree) look() {
	if t.mark != "" {
		t.strays.find(t.pid, t.mark)
	}
}

func (t *tree) alive() bool { return syscall.Kill(-t.pid, 0) == nil && lives(t.pid) }

// tickTime is how often a dying group is looked at.
const tickTime = 10 * time.Millisecond

// end ends what the command left behind when it ended: its group, first
// politely, and what has left that. It reports whether there was anything.
func (t *tree) end(grace time.Duration) (left bool) {
	t.look()
	left = t.strays.live()
	if t.alive() {
		left = true
		_ = syscall.Kill(-t.pid, syscall.SIGTERM)
		t.strays.signal(syscall.SIGTERM)
		t.await(grace)
		_ = syscall.Kill(-t.pid, syscall.SIGKILL)
	}
	t.reapGroup()
	if t.mark != "" {
		t.strays.end(t.pid, t.mark)
	}
	return left
}

// await waits until the group is gone, at most for the grace.
func (t *tree) await(grace time.Duration) {
	deadline := time.NewTimer(grace)
	defer deadline.Stop()
	tick := time.NewTicker(tickTime)
	defer tick.Stop()
	for t.alive() {
		t.reapGroup() // a dead member that became our child keeps the group alive
		select {
		case <-tick.C:
		case <-deadline.C:
			return
		}
	}
}

// reapGroup takes in dead members of the group that became our children, see
// [BecomeSubreaper].
func (t *tree) reapGroup() {
	for {
		var ws syscall.WaitStatus
		if got, err := syscall.Wait4(-t.pid, &ws, syscall.WNOHANG, nil); got <= 0 || err != nil {
			return
		}
	}
}

func (*tree) leave() {}

func (*tree) close() {}

func signalName(s *os.ProcessState) string {
	ws, ok := s.Sys().(syscall.WaitStatus)
	if !ok || !ws.Signaled() {
		return ""
	}
	return ws.Signal().String()
}

func passFiles(cmd *exec.Cmd, files []*os.File) error {
	cmd.ExtraFiles = files
	return nil
}

func session(cmd *exec.Cmd) {
	if cmd.SysProcAttr == nil {
		cmd.SysProcAttr = &syscall.SysProcAttr{}
	}
	cmd.SysProcAttr.Setsid = true // a group of its own, and no terminal to ask on
}
