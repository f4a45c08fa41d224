//go:build unix

package process

import (
	"fmt"
	"os"
	"os/exec"
	"time"

	"github.com/charmbracelet/x/termios"
	"github.com/charmbracelet/x/xpty"
	"golang.org/x/sys/unix"
)

// A terminal is a pseudo-terminal.
type terminal struct {
	ours  *os.File // our end
	tty   *os.File // the command's end
	input string
}

func openTerminal(t *Terminal) (*terminal, error) {
	pty, err := xpty.NewUnixPty(t.Cols, t.Rows)
	if err != nil {
		return nil, fmt.Errorf("process: opening a terminal: %w", err)
	}
	ours, err := pollable(pty.Master())
	if err != nil {
		_ = pty.Close()
		return nil, fmt.Errorf("process: opening a terminal: %w", err)
	}
	return &terminal{ours, pty.Slave(), t.Input}, nil
}

// pollable makes a file whose reads and writes can be ended, of one that may
// have been opened to wait. It closes f.
func pollable(f *os.File) (*os.File, error) {
	fd, err := unix.FcntlInt(f.Fd(), unix.F_DUPFD_CLOEXEC, 0)
	if err != nil {
		return nil, err
	}
	_ = f.Close()
	if err := unix.SetNonblock(fd, true); err != nil {
		_ = unix.Close(fd)
		return nil, err
	}
	return os.NewFile(uintptr(fd), f.Name()), nil
}

// output is what the command prints to. It ends when no one has the terminal
// open any more.
func (t *terminal) output() *os.File { return t.ours }

// attach makes the terminal that of the command's new session.
func (t *terminal) attach(cmd *exec.Cmd) {
	cmd.Stdin, cmd.Stdout, cmd.Stderr = t.tty, t.tty, t.tty
	cmd.SysProcAttr.Setctty, cmd.SysProcAttr.Ctty = true, 0
}

func (*terminal) start(cmd *exec.Cmd) error { return cmd.Start() }

// started lets go of the command's end.
func (t *terminal) started() { _ = t.tty.Close() }

// typeIn types the input, and then, as long as lines are read there, the end of
// input: once it is read, and whenever that was dropped, as programs do that ask
// for a password. It ends when ended is closed.
func (t *terminal) typeIn(ended <-chan struct{}) {
	const endOfInput, again = "\x04", 500 * time.Millisecond
	tick := time.NewTicker(again)
	defer tick.Stop()
	if t.input != "" {
		stop := make(chan struct{})
		defer close(stop)
		go func() { // ends with typeIn
			select {
			case <-ended:
				_ = t.ours.SetWriteDeadline(time.Now()) // it may not read
			case <-stop:
			}
		}()
		if _, err := t.ours.WriteString(t.input); err != nil {
			return
		}
	}
	for {
		select {
		case <-ended:
			return
		case <-tick.C:
			if t.readsLines() {
				_ = t.ours.SetWriteDeadline(time.Now().Add(again))
				_, _ = t.ours.WriteString(endOfInput) // the next time, if not now
			}
		}
	}
}

// readsLines reports whether the terminal hands over whole lines.
func (t *terminal) readsLines() (lines bool) {
	conn, err := t.ours.SyscallConn()
	if err != nil {
		return false
	}
	err = conn.Control(func(fd uintptr) {
		attr, err := termios.GetTermios(int(fd))
		lines = err == nil && attr.Lflag&unix.ICANON != 0
	})
	return lines && err == nil
}

// finish has nothing to do: the output is closed by its reader.
func (*terminal) finish() {}
