//go:build !linux

package socket

import (
	"net"
	"os"

	"github.com/hobkin/hobkin/core/control"
	"github.com/hobkin/hobkin/core/process"
)

// identify relies on the folder of the socket, which is the owner's alone: the
// other end's process is not told here. So that nothing which the agent started
// can agree to anything, a marked environment is refused by the command line
// itself (see StartedByAgent).
func (s *Server) identify(net.Conn) (control.Peer, error) { return control.Peer{}, nil }

// StartedByAgent reports whether this very process carries the mark of a call;
// other processes cannot be looked at on this system.
func StartedByAgent(pid, _ int) (bool, error) {
	_, marked := os.LookupEnv(process.MarkName)
	return pid == os.Getpid() && marked, nil
}
