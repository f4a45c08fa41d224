package confine

import (
	"fmt"
	"net"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"sync"

	"golang.org/x/sys/unix"
)

// With an allowlist a command has a network of its own, in which nothing is but
// a loopback. This program starts once more in there, opens a listener, hands
// it out and becomes the command. What comes to the listener is taken by a
// proxy out here, so nothing has to stay in there, and no address of the real
// network is ever seen from inside.

const (
	insideArg  = "__hobkin-inside"
	insidePath = "/run/hobkin-inside" // where this program is in there
)

// Inside must be the first call of every main. In a process that is to become a
// confined command it does that and does not return.
func Inside() {
	if len(os.Args) < 4 || os.Args[1] != insideArg {
		return
	}
	err := inside(os.Args[2], os.Args[3:])
	_, _ = fmt.Fprintln(os.Stderr, "hobkin: confinement:", err)
	os.Exit(126) //nolint:forbidigo // it stands for main; as shells number what cannot be started
}

// inside opens the listener, hands it out through a descriptor and becomes args.
func inside(descriptor string, args []string) error {
	fd, err := strconv.Atoi(descriptor)
	if err != nil {
		return err
	}
	l, err := net.Listen("tcp4", "127.0.0.1:0") //nolint:noctx // it is there at once, or not
	if err != nil {
		return err
	}
	f, err := l.(*net.TCPListener).File()
	if err != nil {
		return err
	}
	if err := unix.Sendmsg(fd, []byte{0}, unix.UnixRights(int(f.Fd())), nil, 0); err != nil {
		return err
	}
	unix.CloseOnExec(fd)
	env := os.Environ()
	proxy := "http://" + l.Addr().String()
	for _, name := range []string{"HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "http_proxy", "https_proxy", "all_proxy"} {
		env = setEnv(env, name, proxy)
	}
	for _, name := range []string{"NO_PROXY", "no_proxy"} {
		env = setEnv(env, name, "localhost,127.0.0.1,::1")
	}
	return unix.Exec(args[0], args, env)
}

// proxied makes this program stand before the command.
func (c *Confined) proxied(cmd *exec.Cmd) error {
	self, err := os.Executable()
	if err != nil {
		return fmt.Errorf("confine: %w", err)
	}
	pair, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return fmt.Errorf("confine: %w", err)
	}
	ours, theirs := os.NewFile(uintptr(pair[0]), "inside"), os.NewFile(uintptr(pair[1]), "inside")
	c.onRelease(func() { _ = theirs.Close() })
	conn, err := net.FileConn(ours)
	_ = ours.Close() // conn has its own
	if err != nil {
		return fmt.Errorf("confine: %w", err)
	}
	c.serve(conn.(*net.UnixConn))
	c.inside = self
	cmd.Args = slices.Concat([]string{insidePath, insideArg, passFile(cmd, theirs), cmd.Path}, cmd.Args[1:])
	cmd.Path = insidePath
	return nil
}

// serve takes the listener out of a connection and has the proxy serve it, until
// the release.
func (c *Confined) serve(conn *net.UnixConn) {
	var mu sync.Mutex
	var listener net.Listener
	ended := false
	done := make(chan struct{})
	go func() { // ends with the release
		defer close(done)
		l, err := receiveListener(conn)
		if err != nil {
			return // the command did not come to it
		}
		mu.Lock()
		if listener = l; ended {
			_ = l.Close()
		}
		mu.Unlock()
		c.spec.Serve(l)
	}()
	c.onRelease(func() {
		_ = conn.Close()
		mu.Lock()
		ended = true
		if listener != nil {
			_ = listener.Close()
		}
		mu.Unlock()
		<-done
	})
}

func receiveListener(conn *net.UnixConn) (net.Listener, error) {
	const room = 64 // for one descriptor
	data, rights := make([]byte, 1), make([]byte, room)
	_, n, _, _, err := conn.ReadMsgUnix(data, rights)
	if err != nil {
		return nil, err
	}
	messages, err := unix.ParseSocketControlMessage(rights[:n])
	if err != nil || len(messages) == 0 {
		return nil, fmt.Errorf("confine: no listener came: %w", err)
	}
	fds, err := unix.ParseUnixRights(&messages[0])
	if err != nil || len(fds) == 0 {
		return nil, fmt.Errorf("confine: no listener came: %w", err)
	}
	unix.CloseOnExec(fds[0])
	f := os.NewFile(uintptr(fds[0]), "listener")
	defer func() { _ = f.Close() }() // the listener has its own
	return net.FileListener(f)
}
