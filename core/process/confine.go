package process

import (
	"os/exec"
	"runtime"
)

// A Confinement is what the kernel holds a command to. One is for one command.
type Confinement interface {
	// Enter is told of what is about to be started. It may change what that is,
	// and restrict the thread that it is called on: the child inherits it, and
	// nothing else of this program ever runs on that thread again.
	Enter(cmd *exec.Cmd) error
	// Namespace reports whether the command has process ids of its own. Then
	// what is started is a keeper with an init below it, and all processes end
	// with the keeper.
	Namespace() bool
	// Left reports whether a command with process ids of its own, which has
	// ended, left something running there: all of it ended with the command.
	Left() bool
	// Release gives back what Enter took. It is called once, when the command
	// has ended or was not started.
	Release()
}

// launch starts the child. One that is confined is started from a thread of its
// own, which lives as long as the child does, because on Linux the child is
// killed when the thread that made it is gone, and ends with it.
func (p *Process) launch() error {
	if p.cmd.Confine == nil {
		return p.execute()
	}
	started := make(chan error, 1)
	OnThread(func() { // ends with the command
		err := p.cmd.Confine.Enter(p.exec)
		if err == nil {
			err = p.execute()
		}
		started <- err
		<-p.gone
	})
	return <-started
}

// OnThread runs f on a thread of its own, which ends with f: what f does to the
// thread is done to nothing else of this program. It does not wait. The
// program's first thread is never taken. It cannot end, and the system takes
// what it may do for what the whole program may do and may have done to it.
func OnThread(f func()) {
	go func() { // ends with f
		runtime.LockOSThread()
		if !firstThread() {
			f()
			return // still locked: so the thread ends
		}
		defer runtime.UnlockOSThread()
		ended := make(chan struct{})
		OnThread(func() { // not this one, which is held until then
			defer close(ended)
			f()
		})
		<-ended
	}()
}

// inner reports whether the command's processes live in a namespace of their own.
func (c *Command) inner() bool { return c.Confine != nil && c.Confine.Namespace() }

func (c *Command) release() {
	if c.Confine != nil {
		c.Confine.Release()
	}
}
