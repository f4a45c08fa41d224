package socket

import (
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"

	"github.com/hobkin/hobkin/core/control"
)

// identify tells who is at the other end: the user must be ours, and a process
// below us that is no window of ours was started by the agent.
func (s *Server) identify(conn net.Conn) (control.Peer, error) {
	cred, err := credentials(conn)
	if err != nil {
		return control.Peer{}, err
	}
	if int(cred.Uid) != os.Getuid() {
		return control.Peer{}, fmt.Errorf("user %d is not the owner", cred.Uid)
	}
	pid := int(cred.Pid)
	if pid == os.Getpid() || s.isWindow(pid) {
		return control.Peer{PID: pid}, nil
	}
	ours, err := StartedByAgent(pid, os.Getpid())
	if err != nil {
		return control.Peer{}, err
	}
	return control.Peer{PID: pid, Agents: ours}, nil
}

func credentials(conn net.Conn) (*unix.Ucred, error) {
	uc, ok := conn.(*net.UnixConn)
	if !ok {
		return nil, errors.New("not a unix socket")
	}
	raw, err := uc.SyscallConn()
	if err != nil {
		return nil, err
	}
	var cred *unix.Ucred
	var credErr error
	if err := raw.Control(func(fd uintptr) { cred, credErr = unix.GetsockoptUcred(int(fd), unix.SOL_SOCKET, unix.SO_PEERCRED) }); err != nil {
		return nil, err
	}
	return cred, credErr
}

// marked reports whether the environment the process began with has our mark.
func marked(pid int) bool {
	env, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "environ"))
	return err == nil && strings.Contains("\x00"+string(env), "\x00"+mark)
}

func parentOf(pid int) (int, error) {
	stat, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "stat"))
	if err != nil {
		return 0, err
	}
	// The name, in parentheses, may hold anything; what follows the last one is
	// the state and then the parent.
	_, rest, ok := strings.Cut(string(stat[strings.LastIndexByte(string(stat), ')')+1:]), " ")
	fields := strings.Fields(rest)
	if !ok || len(fields) < 2 {
		return 0, errors.New("its stat cannot be read")
	}
	return strconv.Atoi(fields[1])
}
