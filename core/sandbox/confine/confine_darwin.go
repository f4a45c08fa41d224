package confine

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
)

const sandboxExec = "/usr/bin/sandbox-exec"

// enter makes a command one of sandbox-exec.
func (c *Confined) enter(cmd *exec.Cmd) error {
	tmp := c.spec.Tmp
	if tmp == "" {
		dir, err := os.MkdirTemp("", "hobkin-tmp-")
		if err != nil {
			return fmt.Errorf("confine: %w", err)
		}
		c.onRelease(func() { _ = os.RemoveAll(dir) })
		if tmp, err = filepath.EvalSymlinks(dir); err != nil {
			return fmt.Errorf("confine: %w", err)
		}
		c.plan.Grants = append(c.plan.Grants, Grant{tmp, true, "for temporary files of this command"})
	}
	cmd.Env = c.spec.environment(cmd.Env, tmp)
	cmd.Args = slices.Concat([]string{"sandbox-exec", "-p", profile(&c.spec, &c.plan), cmd.Path}, cmd.Args[1:])
	cmd.Path = sandboxExec
	return nil
}

// probe tries sandbox-exec.
func probe() *probed {
	r := Report{Backend: Seatbelt}
	if out, err := exec.Command(sandboxExec, "-p", "(version 1)(allow default)", "/usr/bin/true").CombinedOutput(); err != nil { //nolint:noctx // it ends at once
		r.Why = fmt.Sprintf("sandbox-exec does not work here: %v %s", err, out)
		r.Fix = "install the newest macOS, or set sandbox.confine to off"
	}
	return &probed{reports: []Report{r}}
}

// Left is for namespaces, of which this system has none.
func (*Confined) Left() bool { return false }
