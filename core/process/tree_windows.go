package process

import (
	"os"
	"os/exec"
	"strconv"
	"syscall"
	"time"

	"golang.org/x/sys/windows"
)

func setGroup(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{
		HideWindow:    true, // no console flashes up
		CreationFlags: windows.CREATE_NEW_PROCESS_GROUP | windows.CREATE_NO_WINDOW,
	}
}

func noDeathSignal(*exec.Cmd) {}

// polite asks the tree to close; console programs without a window do not hear
// it, so the kill follows after the grace.
func polite(pid int) { taskkill(pid) }

func forceful(pid int) { taskkill(pid, "/F") }

func taskkill(pid int, more ...string) {
	cmd := exec.Command("taskkill", append([]string{"/T", "/PID", strconv.Itoa(pid)}, more...)...) //nolint:noctx // ends by itself
	setGroup(cmd)
	_ = cmd.Run() // a tree that is gone is what we want
}

func endTree(pid int, _ string, _ time.Duration) { forceful(pid) }

func endMarked(string) {}

// Marked finds nothing here: the tree is known by its parents.
func Marked(string) []int { return nil }

func ignoreSignals() {}

func signalName(*os.ProcessState) string { return "" }

// BecomeSubreaper does nothing here: the system has no such thing.
func BecomeSubreaper() error { return nil }
