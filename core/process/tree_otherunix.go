//go:build unix && !linux

package process

import (
	"context"
	"os/exec"
	"syscall"
)

func setGroup(cmd *exec.Cmd) { session(cmd) }

func noDeathSignal(*exec.Cmd) {}

// lives would tell a dead member from one that lives; here it is not known.
func lives(int) bool { return true }

// strays are not looked for here: the environments of other processes cannot
// be read on this system. The group is ended all the same.
type strays struct{}

func (strays) find(int, string) {}

func (strays) below(int) strays { return strays{} }

func (strays) live() bool { return false }

func (strays) signal(syscall.Signal) bool { return false }

func (strays) end(int, string) {}

// Marked finds nothing here, see strays.
func Marked(string) []int { return nil }

// InSession finds nothing here, as Marked.
func InSession(int) []int { return nil }

// BecomeSubreaper does nothing here: the system has no such thing.
func BecomeSubreaper(context.Context) error { return nil }
