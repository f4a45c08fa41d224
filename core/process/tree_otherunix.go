//go:build unix && !linux

package process

import "os/exec"

func setGroup(cmd *exec.Cmd) { session(cmd) }

func noDeathSignal(*exec.Cmd) {}

// endMarked does nothing here: the environments of other processes cannot be
// read on this system. The group is ended all the same.
func endMarked(string) {}

// Marked finds nothing here, see endMarked.
func Marked(string) []int { return nil }

// BecomeSubreaper does nothing here: the system has no such thing.
func BecomeSubreaper() error { return nil }
