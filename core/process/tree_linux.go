package process

import (
	"math"
	"os"
	"os/exec"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// sealFiles keeps files from being passed on that whoever started us left open,
// or a C library opened since; what Go itself opens never is.
func sealFiles() {
	_ = unix.CloseRange(3, math.MaxUint32, unix.CLOSE_RANGE_CLOEXEC) // an old kernel: then they are passed on, as before
}

func setGroup(cmd *exec.Cmd) {
	sealFiles()
	session(cmd)
	cmd.SysProcAttr.Pdeathsig = syscall.SIGKILL
}

func noDeathSignal(cmd *exec.Cmd) { cmd.SysProcAttr.Pdeathsig = 0 }

// strays are processes of a command that are not in its group, each with its
// start time, which tells it from a later one with the same number.
type strays map[int]uint64

// find adds what belongs to a command now: what carries its mark, what is in
// its session, and their children.
func (s strays) find(pid int, mark string) {
	all := processes()
	for id, p := range all {
		if id != os.Getpid() && (p.session == pid || carries(id, mark)) {
			s[id] = p.start
		}
	}
	for grew := true; grew; {
		grew = false
		for id, p := range all {
			if start, known := s[p.parent]; known && start == all[p.parent].start && s[id] != p.start && id != os.Getpid() {
				s[id], grew = p.start, true
			}
		}
	}
}

// below is what runs in the namespace that pid keeps: all but pid itself and
// the init that is its child.
func (s strays) below(pid int) strays {
	out := strays{}
	for id, start := range s {
		if p, ok := look(id); ok && id != pid && p.parent != pid {
			out[id] = start
		}
	}
	return out
}

// live reports whether any of them lives.
func (s strays) live() bool {
	for pid, start := range s {
		if p, ok := look(pid); ok && p.start == start && !p.dead {
			return true
		}
	}
	return false
}

// signal sends a signal to all that live.
func (s strays) signal(sig syscall.Signal) (lived bool) {
	for pid, start := range s {
		p, ok := look(pid)
		if !ok || p.start != start {
			delete(s, pid)
			continue
		}
		if p.dead {
			var ws syscall.WaitStatus
			_, _ = syscall.Wait4(pid, &ws, syscall.WNOHANG, nil) // only when it became our child
			continue
		}
		lived = true
		_ = syscall.Kill(pid, sig)
	}
	return lived
}

// huntTime bounds the hunt for strays: one that forks while it is looked for is
// found in the next round.
const huntTime = 2 * time.Second

// end kills all strays.
func (s strays) end(pid int, mark string) {
	deadline := time.NewTimer(huntTime)
	defer deadline.Stop()
	tick := time.NewTicker(tickTime / 2)
	defer tick.Stop()
	for {
		s.find(pid, mark)
		if !s.signal(syscall.SIGKILL) {
			return
		}
		select {
		case <-tick.C:
		case <-deadline.C:
			return
		}
	}
}
