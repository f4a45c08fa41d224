package socket

import (
	"encoding/binary"
	"errors"
	"fmt"
	"net"
	"os"
	"strings"

	"golang.org/x/sys/unix"

	"github.com/hobkin/hobkin/core/control"
)

// identify tells who is at the other end: the user must be ours, and a process
// below us that is no window of ours was started by the agent.
func (s *Server) identify(conn net.Conn) (control.Peer, error) {
	uid, pid, err := credentials(conn)
	if err != nil {
		return control.Peer{}, err
	}
	if int(uid) != os.Getuid() {
		return control.Peer{}, fmt.Errorf("user %d is not the owner", uid)
	}
	if pid == os.Getpid() || s.isWindow(pid) {
		return control.Peer{PID: pid}, nil
	}
	ours, err := StartedByAgent(pid, os.Getpid())
	if err != nil {
		return control.Peer{}, err
	}
	return control.Peer{PID: pid, Agents: ours}, nil
}

func credentials(conn net.Conn) (uid uint32, pid int, err error) {
	uc, ok := conn.(*net.UnixConn)
	if !ok {
		return 0, 0, errors.New("not a unix socket")
	}
	raw, err := uc.SyscallConn()
	if err != nil {
		return 0, 0, err
	}
	var cred *unix.Xucred
	var credErr, pidErr error
	if err := raw.Control(func(fd uintptr) {
		cred, credErr = unix.GetsockoptXucred(int(fd), unix.SOL_LOCAL, unix.LOCAL_PEERCRED)
		pid, pidErr = unix.GetsockoptInt(int(fd), unix.SOL_LOCAL, unix.LOCAL_PEERPID)
	}); err != nil {
		return 0, 0, err
	}
	if err := errors.Join(credErr, pidErr); err != nil {
		return 0, 0, err
	}
	return cred.Uid, pid, nil
}

// marked reports whether the environment the process began with has our mark.
// The kernel gives that of our own user's processes: a count of arguments, the
// program, blanks, the arguments, the environment, each ended by a NUL.
func marked(pid int) bool {
	const size = 4
	raw, err := unix.SysctlRaw("kern.procargs2", pid)
	if err != nil || len(raw) < size {
		return false
	}
	arguments := int(binary.LittleEndian.Uint32(raw)) // all of its processors are so
	_, rest, ok := strings.Cut(string(raw[size:]), "\x00")
	if !ok {
		return false
	}
	words := strings.Split(strings.TrimLeft(rest, "\x00"), "\x00")
	for _, word := range words[min(max(arguments, 0), len(words)):] {
		if strings.HasPrefix(word, mark) {
			return true
		}
	}
	return false
}

func parentOf(pid int) (int, error) {
	info, err := unix.SysctlKinfoProc("kern.proc.pid", pid)
	if err != nil {
		return 0, err
	}
	return int(info.Eproc.Ppid), nil
}
