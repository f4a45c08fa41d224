package confine

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// bwrapPaths is where bubblewrap is looked for. PATH does not count: a project
// could put its own there.
var bwrapPaths = []string{"/usr/bin/bwrap", "/bin/bwrap", "/usr/local/bin/bwrap", "/run/current-system/sw/bin/bwrap"}

// findBwrap is the path of bubblewrap; empty when it is not installed.
func findBwrap() string {
	for _, path := range bwrapPaths {
		if info, err := os.Stat(path); err == nil && info.Mode().IsRegular() && info.Mode().Perm()&0o111 != 0 && info.Mode().Perm()&0o022 == 0 {
			return path
		}
	}
	return ""
}

// A mount is one thing that bubblewrap puts in place, in the order of where.
type mount struct {
	at   string
	args []string
}

// bwrapArgs are the arguments for a plan. dir is the working folder.
func bwrapArgs(spec *Spec, plan *Plan, dir string) []string {
	args := []string{
		"--unshare-user-try", "--unshare-pid", "--unshare-ipc", "--unshare-uts", "--unshare-cgroup-try",
		"--die-with-parent", "--cap-drop", "ALL",
	}
	if spec.Network == NetworkOff || spec.Network == NetworkAllowlist {
		args = append(args, "--unshare-net")
	}
	for _, m := range mounts(spec, plan) {
		args = append(args, m.args...)
	}
	// What is left of the tree is made of nothing, and can be no more than seen:
	// a file that is put there would be gone with the command.
	// Root owns the switches of the kernel in /proc, also without capabilities.
	args = append(args, "--remount-ro", "/", "--remount-ro", "/proc", "--remount-ro", "/dev")
	if spec.Home != "" && !slices.Contains(spec.Write, spec.Home) || slices.Contains(plan.Passages, spec.Home) {
		args = append(args, "--remount-ro", spec.Home)
	}
	if dir != "" {
		args = append(args, "--chdir", dir)
	}
	return args
}

func mounts(spec *Spec, plan *Plan) []mount {
	out := []mount{
		{"/proc", []string{"--proc", "/proc"}},
		{"/dev", []string{"--dev", "/dev"}},
		{"/dev/shm", []string{"--tmpfs", "/dev/shm"}},
		{"/run", []string{"--dir", "/run"}},
		{"/var/tmp", []string{"--tmpfs", "/var/tmp"}},
	}
	if spec.Tmp != "" {
		out = append(out, mount{"/tmp", []string{"--bind", spec.Tmp, "/tmp"}})
	} else {
		out = append(out, mount{"/tmp", []string{"--tmpfs", "/tmp"}})
	}
	if spec.Home != "" {
		out = append(out, mount{spec.Home, []string{"--tmpfs", spec.Home}})
	}
	for _, dir := range plan.Passages {
		out = append(out, mount{dir, []string{"--dir", dir}})
	}
	for _, l := range plan.Links {
		out = append(out, mount{l.Path, []string{"--symlink", l.To, l.Path}})
	}
	for _, g := range plan.Grants {
		how := "--ro-bind-try"
		if g.Write {
			how = "--bind-try"
		}
		out = append(out, mount{g.Path, []string{how, g.Path, g.Path}})
	}
	for _, path := range plan.Masks {
		info, err := os.Lstat(path)
		switch {
		case err != nil:
		case info.IsDir():
			out = append(out, mount{path, []string{"--perms", "0000", "--tmpfs", path}})
		default:
			out = append(out, mount{path, []string{"--ro-bind-try", "/dev/null", path}})
		}
	}
	slices.SortStableFunc(out, func(a, b mount) int { return compareDepth(a.at, b.at) })
	return out
}

// compareDepth sorts a folder before what lies in it.
func compareDepth(a, b string) int {
	return strings.Compare(strings.ReplaceAll(a, "/", "\x00"), strings.ReplaceAll(b, "/", "\x00"))
}

// memfd makes a file that only its descriptor leads to.
func memfd(name string, data []byte) (*os.File, error) {
	fd, err := unix.MemfdCreate(name, unix.MFD_CLOEXEC)
	if err != nil {
		return nil, fmt.Errorf("confine: %w", err)
	}
	f := os.NewFile(uintptr(fd), name)
	_, err = f.Write(data)
	if err == nil {
		_, err = f.Seek(0, io.SeekStart)
	}
	if err != nil {
		_ = f.Close()
		return nil, fmt.Errorf("confine: %w", err)
	}
	return f, nil
}

// enterBwrap makes a command one of bubblewrap.
func (c *Confined) enterBwrap(cmd *exec.Cmd) error {
	filter, err := assemble(always())
	if err != nil {
		return err
	}
	cmd.Env = c.spec.environment(cmd.Env, "/tmp")
	if c.spec.Network == NetworkAllowlist {
		if err := c.proxied(cmd); err != nil {
			return err
		}
	}
	if c.alone {
		limited(cmd)
	} else if err := c.watch(cmd); err != nil {
		return err
	}
	dir := cmd.Dir
	if dir == "" {
		if dir, err = os.Getwd(); err != nil {
			return fmt.Errorf("confine: %w", err)
		}
	}
	args := bwrapArgs(&c.spec, &c.plan, filepath.Clean(dir))
	if c.inside != "" {
		args = append([]string{"--ro-bind", c.inside, insidePath}, args...)
	}
	seccomp, err := c.pass(cmd, "seccomp", rawFilter(filter))
	if err != nil {
		return err
	}
	args = append(args, "--seccomp", seccomp)
	list, err := c.pass(cmd, "args", append(bytes.Join(byteSlices(args), []byte{0}), 0))
	if err != nil {
		return err
	}
	cmd.Args = slices.Concat([]string{"bwrap", "--args", list, "--", cmd.Path}, cmd.Args[1:])
	cmd.Path = c.bwrap
	if c.setuid {
		return nil // no new privileges would take its own from it
	}
	return restrict(nil, true)
}

// pass hands data to the child and returns the number of its descriptor there.
func (c *Confined) pass(cmd *exec.Cmd, name string, data []byte) (string, error) {
	f, err := memfd(name, data)
	if err != nil {
		return "", err
	}
	c.onRelease(func() { _ = f.Close() })
	return passFile(cmd, f), nil
}

// passFile hands a file to the child.
func passFile(cmd *exec.Cmd, f *os.File) string {
	const first = 3
	cmd.ExtraFiles = append(cmd.ExtraFiles, f)
	return strconv.Itoa(first + len(cmd.ExtraFiles) - 1)
}

func byteSlices(list []string) [][]byte {
	out := make([][]byte, len(list))
	for i, s := range list {
		out[i] = []byte(s)
	}
	return out
}
