package process

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"syscall"

	"github.com/charmbracelet/x/xpty"
	"golang.org/x/sys/windows"
)

// A terminal is a pseudo console.
type terminal struct {
	pty   *xpty.ConPty
	input string
	r, w  *os.File // what it prints, as other commands print it
	done  chan struct{}
}

func openTerminal(t *Terminal) (*terminal, error) {
	pty, err := xpty.NewConPty(t.Cols, t.Rows)
	if err != nil {
		return nil, fmt.Errorf("process: opening a console: %w", err)
	}
	r, w, err := os.Pipe()
	if err != nil {
		_ = pty.Close()
		return nil, fmt.Errorf("process: %w", err)
	}
	return &terminal{pty: pty, input: t.Input, r: r, w: w}, nil
}

func (t *terminal) output() *os.File { return t.r }

// attach drops the flag by which a program has no console at all: its console
// is the pseudo one, which has no window.
func (*terminal) attach(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{CreationFlags: windows.CREATE_NEW_PROCESS_GROUP | windows.CREATE_SUSPENDED}
}

func (t *terminal) start(cmd *exec.Cmd) error {
	if cmd.Err != nil {
		return cmd.Err
	}
	return t.pty.Start(cmd)
}

// started passes on what the console prints, until it is closed.
func (t *terminal) started() {
	t.done = make(chan struct{})
	go func() { // ends with finish
		defer close(t.done)
		_, _ = io.Copy(t.w, t.pty) // an error is the end of the console
		_ = t.w.Close()
	}()
}

// typeIn types the input, and the end of input.
func (t *terminal) typeIn(<-chan struct{}) {
	const endOfInput = "\x1a\r"
	_, _ = io.WriteString(t.pty, t.input+endOfInput) // a program that has ended reads nothing
}

// finish ends the console, which tells the rest of what was printed first.
func (t *terminal) finish() {
	_ = t.pty.Close()
	<-t.done
}
