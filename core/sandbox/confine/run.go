package confine

import (
	"os/exec"

	"github.com/hobkin/hobkin/core/process"
)

// Run starts a command under a confinement, waits for its end and releases it.
func Run(c *Confined, cmd *exec.Cmd) error {
	defer c.Release()
	c.alone = true
	ended := make(chan error, 1)
	process.OnThread(func() { // ends with the command
		if err := c.Enter(cmd); err != nil {
			ended <- err
			return
		}
		ended <- cmd.Run()
	})
	return <-ended
}
