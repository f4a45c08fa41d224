package confine

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"

	"github.com/landlock-lsm/go-landlock/landlock"
	ll "github.com/landlock-lsm/go-landlock/landlock/syscall"
	"golang.org/x/sys/unix"
)

// What Landlock can do, by the version of its interface.
const (
	leastABI = 3 // shortening files; without that they can be emptied
	scopeABI = 6 // signals and abstract sockets
	unixABI  = 9 // sockets of Unix that have a path
)

// landlockABI is the version of the kernel's Landlock; 0 when there is none.
func landlockABI() int {
	v, err := ll.LandlockGetABIVersion()
	if err != nil {
		return 0
	}
	return v
}

// devices and facts may be used where /dev and /proc are the system's own. The
// processes in /proc, terminals and shared memory are not among them.
var (
	devices = []string{"/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom"}
	facts   = []string{"/proc/cpuinfo", "/proc/meminfo", "/proc/stat", "/proc/loadavg", "/proc/uptime", "/proc/version", "/proc/filesystems", "/proc/sys"}
)

const (
	readFile  = ll.AccessFSExecute | ll.AccessFSReadFile
	readAll   = readFile | ll.AccessFSReadDir
	writeFile = readFile | ll.AccessFSWriteFile | ll.AccessFSTruncate
	writeAll  = readAll | writeFile | ll.AccessFSRemoveDir | ll.AccessFSRemoveFile | ll.AccessFSMakeDir | ll.AccessFSMakeReg |
		ll.AccessFSMakeSock | ll.AccessFSMakeFifo | ll.AccessFSMakeSym | ll.AccessFSRefer
)

// rulesOf are the rules for a plan.
func rulesOf(plan *Plan) []landlock.Rule {
	var out []landlock.Rule
	add := func(path string, dir, write bool) {
		access := landlock.AccessFSSet(readFile)
		switch {
		case dir && write:
			access = writeAll
		case dir:
			access = readAll
		case write:
			access = writeFile
		}
		out = append(out, landlock.PathAccess(access, path).IgnoreIfMissing())
	}
	for _, g := range plan.Grants {
		if info, err := os.Stat(g.Path); err == nil {
			add(g.Path, info.IsDir(), g.Write)
		}
	}
	for _, path := range devices {
		add(path, false, true)
	}
	for _, path := range facts {
		info, err := os.Stat(path)
		add(path, err == nil && info.IsDir(), false)
	}
	return out
}

// restrict puts a Landlock domain on this thread: for the files of a plan, when
// there is one, for TCP when the network is off, and always for signals and
// abstract sockets.
func restrict(plan *Plan, network bool) error {
	cfg := landlock.Config{Scoped: landlock.V11.Scoped}
	var rules []landlock.Rule
	if plan != nil {
		cfg.HandledAccessFS = landlock.V11.HandledAccessFS
		if !network {
			cfg.HandledAccessNet = landlock.V11.HandledAccessNet
		}
		rules = rulesOf(plan)
	}
	fd, flags, err := cfg.BestEffort().NewRulesetFD(rules...)
	if err != nil {
		return fmt.Errorf("confine: Landlock: %w", err)
	}
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return fmt.Errorf("confine: no new privileges: %w", err)
	}
	if fd < 0 {
		return nil // the kernel has none of this
	}
	defer func() { _ = unix.Close(fd) }()
	if err := ll.LandlockRestrictSelf(fd, flags); err != nil {
		return fmt.Errorf("confine: Landlock: %w", err)
	}
	return nil
}

// dropCapabilities takes from this thread, and for good, what root may do
// beyond its own files.
func dropCapabilities() error {
	for c := uintptr(0); c <= unix.CAP_LAST_CAP; c++ {
		if err := unix.Prctl(unix.PR_CAPBSET_DROP, c, 0, 0, 0); err != nil && os.Geteuid() == 0 && !errors.Is(err, unix.EINVAL) {
			return fmt.Errorf("confine: dropping capabilities: %w", err)
		}
	}
	_ = unix.Prctl(unix.PR_CAP_AMBIENT, unix.PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0) // an old kernel has none
	header := unix.CapUserHeader{Version: unix.LINUX_CAPABILITY_VERSION_3}
	var none [2]unix.CapUserData
	if err := unix.Capset(&header, &none[0]); err != nil {
		return fmt.Errorf("confine: dropping capabilities: %w", err)
	}
	return nil
}

// enterLandlock restricts this thread.
func (c *Confined) enterLandlock(cmd *exec.Cmd) error {
	tmp := c.spec.Tmp
	if tmp == "" {
		dir, err := os.MkdirTemp("", "hobkin-tmp-")
		if err != nil {
			return fmt.Errorf("confine: %w", err)
		}
		if dir, err = filepath.EvalSymlinks(dir); err != nil {
			return fmt.Errorf("confine: %w", err)
		}
		c.onRelease(func() { _ = os.RemoveAll(dir) })
		tmp = dir
		c.plan.Grants = append(c.plan.Grants, Grant{tmp, true, "for temporary files of this command"})
	}
	cmd.Env = c.spec.environment(cmd.Env, tmp)
	limited(cmd)
	abi := landlockABI()
	network := c.spec.Network == NetworkOn || c.spec.Network == ""
	filter, err := assemble(append(always(), landlocked(network, abi >= unixABI)...))
	if err != nil {
		return err
	}
	if err := dropCapabilities(); err != nil {
		return err
	}
	if err := restrict(&c.plan, network); err != nil {
		return err
	}
	fd, err := installFilter(filter, true)
	if err != nil {
		return err
	}
	k, err := keep(fd, &c.plan)
	if err != nil {
		return fmt.Errorf("confine: %w", err)
	}
	c.onRelease(k.close)
	return nil
}
