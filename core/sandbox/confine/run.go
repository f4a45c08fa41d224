package confine

import (
	"os/exec"
	"runtime"
)

// Run starts a command under a confinement, waits for its end and releases it.
func Run(c *Confined, cmd *exec.Cmd) error {
	defer c.Release()
	ended := make(chan error, 1)
	go func() { // ends with the command
		runtime.LockOSThread() // never unlocked: so the thread ends with this goroutine
		if err := c.Enter(cmd); err != nil {
			ended <- err
			return
		}
		ended <- cmd.Run()
	}()
	return <-ended
}
