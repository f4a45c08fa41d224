package process

import (
	"bytes"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"sync"
	"syscall"

	"golang.org/x/sys/unix"
)

// sealFiles keeps files that whoever started us left open from being passed on;
// what Go itself opens never is.
var sealFiles = sync.OnceFunc(func() {
	_ = unix.CloseRange(3, math.MaxUint32, unix.CLOSE_RANGE_CLOEXEC) // an old kernel: then they are passed on, as before
})

func setGroup(cmd *exec.Cmd) {
	sealFiles()
	session(cmd)
	cmd.SysProcAttr.Pdeathsig = syscall.SIGKILL
}

func noDeathSignal(cmd *exec.Cmd) { cmd.SysProcAttr.Pdeathsig = 0 }

// rounds bounds the hunt for marked processes: one that forks while it is
// looked for is found in the next round.
const rounds = 20

// endMarked kills every process whose environment began with the mark.
func endMarked(mark string) {
	for range rounds {
		pids := Marked(mark)
		if len(pids) == 0 {
			return
		}
		for _, pid := range pids {
			_ = syscall.Kill(pid, syscall.SIGKILL)
		}
		for _, pid := range pids {
			reap(pid)
		}
	}
}

// Marked lists the processes that carry the mark and live.
func Marked(mark string) (pids []int) {
	want := []byte("\x00" + MarkName + "=" + mark + "\x00")
	entries, err := os.ReadDir("/proc")
	if err != nil {
		return nil
	}
	for _, e := range entries {
		pid, err := strconv.Atoi(e.Name())
		if err != nil || pid == os.Getpid() {
			continue
		}
		env, err := os.ReadFile(filepath.Join("/proc", e.Name(), "environ"))
		if err == nil && bytes.Contains(append([]byte{0}, env...), want) {
			pids = append(pids, pid)
		}
	}
	return pids
}

// reap takes in an orphan that became our child, see [BecomeSubreaper].
func reap(pid int) {
	var ws syscall.WaitStatus
	_, _ = syscall.Wait4(pid, &ws, 0, nil) // it was killed, so this is short; not our child: at once
}

// BecomeSubreaper makes orphans of our descendants our children, instead of the
// system's, so that who started a process stays visible.
func BecomeSubreaper() error { return unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) }
