package confine

import (
	"context"
	"fmt"
	"io/fs"
	"math"
	"os"
	"os/exec"
	"slices"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

func (c *Confined) enter(cmd *exec.Cmd) error {
	// Files that whoever started us left open are not passed on.
	_ = unix.CloseRange(3, math.MaxUint32, unix.CLOSE_RANGE_CLOEXEC)
	if c.backend == Bubblewrap {
		return c.enterBwrap(cmd)
	}
	return c.enterLandlock(cmd)
}

// limits are set by the shell before the command. No core files: the
// memory of a program may hold secrets. So many processes and threads are more
// than any build needs, and few enough that a fork bomb leaves the machine
// usable.
const limits = `ulimit -c 0; ulimit -u 8192 2>/dev/null || ulimit -p 8192 2>/dev/null; `

// limited puts the limits before a command.
func limited(cmd *exec.Cmd) { before(cmd, limits+`exec "$@"`) }

// watched does so too, and stays until the command ends, to tell whether
// anything else then runs in its namespace: with the command all of that ends,
// and nobody could tell later. Signals that are meant for the command do not end
// it; its descriptors and its words are its own.
const watched = limits + `trap : HUP INT QUIT TERM
eval "exec 9>&$1 $1>&- 8>&2 2>/dev/null"
shift
"$@" 2>&8 8>&- 9>&-
code=$?
kill -0 -1 && sleep 0.05 && kill -0 -1 && echo left >&9
exit $code`

// watch makes a command one that is watched.
func (c *Confined) watch(cmd *exec.Cmd) (err error) {
	if c.left, err = memfd("left", nil); err != nil {
		return err
	}
	c.onRelease(func() { _ = c.left.Close() })
	before(cmd, watched, passFile(cmd, c.left))
	return nil
}

// Left reports whether the command, which has ended, left anything running in
// its namespace.
func (c *Confined) Left() bool {
	if c.left == nil {
		return false
	}
	info, err := c.left.Stat()
	return err == nil && info.Size() > 0
}

// before puts a script of sh before a command.
func before(cmd *exec.Cmd, script string, args ...string) {
	cmd.Args = slices.Concat([]string{"/bin/sh", "-c", script, "sh"}, args, []string{cmd.Path}, cmd.Args[1:])
	cmd.Path = cmd.Args[0]
}

// probe tries both backends.
func probe() *probed {
	p := &probed{bwrap: findBwrap()}
	bwrap := Report{Backend: Bubblewrap}
	if p.bwrap == "" {
		bwrap.Why, bwrap.Fix = "bubblewrap is not installed", installBwrap
	} else {
		if info, err := os.Stat(p.bwrap); err == nil && info.Mode()&fs.ModeSetuid != 0 {
			p.setuid = true
		}
		if err := tryBwrap(p.bwrap); err != nil {
			bwrap.Why = "bubblewrap does not work here: " + err.Error()
			bwrap.Fix = "let programs make user namespaces, as the manual of your system says for bubblewrap (on Ubuntu an AppArmor profile, in a container --security-opt seccomp=unconfined)"
		}
	}
	abi := landlockABI()
	if abi < scopeABI || p.setuid {
		bwrap.Missing = append(bwrap.Missing, "abstract sockets of your other programs can be reached while the network is on (Linux 6.12 or newer keeps them apart)")
	}
	alone := Report{Backend: Landlock}
	switch {
	case abi < leastABI:
		alone.Why, alone.Fix = "bubblewrap is not there or does not work, and the kernel has no Landlock of version 3 or newer", installBwrap
	default:
		alone.Missing = append(alone.Missing, "names of files everywhere can be guessed, and programs cannot look at processes, at shared memory or at terminals; bubblewrap holds better ("+installBwrap+")")
		if abi < scopeABI {
			alone.Missing = append(alone.Missing, "your other programs can be sent signals (Linux 6.12 or newer prevents it)")
		}
		if abi < unixABI {
			alone.Missing = append(alone.Missing, "no sockets of Unix can be used")
		}
	}
	p.reports = []Report{bwrap, alone}
	return p
}

const installBwrap = "sudo apt install bubblewrap, or its package of your system"

// tryBwrap runs a program in what every command gets. It has a time of its own:
// the answer is kept for all that ask later.
func tryBwrap(path string) error {
	const patience = 10 * time.Second
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	c := &Confined{backend: Bubblewrap, bwrap: path, spec: Spec{Network: NetworkOff}}
	c.plan = newPlan(c.spec, true, func() []string { return closedIn("/etc") })
	defer c.Release()
	cmd := exec.CommandContext(ctx, "/bin/true")
	cmd.Dir, cmd.Env = "/", []string{}
	var out strings.Builder
	cmd.Stderr = &out
	err := Run(c, cmd)
	if err != nil && out.Len() > 0 {
		return fmt.Errorf("%s", strings.TrimSpace(out.String()))
	}
	return err
}
