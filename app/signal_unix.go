//go:build unix

package app

import (
	"os"
	"syscall"
)

// signalOf is the number of the signal that ended a program.
func signalOf(s *os.ProcessState) int {
	if ws, ok := s.Sys().(syscall.WaitStatus); ok && ws.Signaled() {
		return int(ws.Signal())
	}
	return 0
}
