package file

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strconv"

	"golang.org/x/sys/unix"
)

// errNoNameless says that the file system cannot make files without a name.
var errNoNameless = errors.New("files without a name are not possible here")

// place writes through a file that has no name until it is complete: a kill
// while it is written leaves nothing behind.
func (r *replacement) place(ctx context.Context, dir *os.File) error {
	err := r.nameless(ctx, dir)
	if errors.Is(err, errNoNameless) {
		return r.named(ctx)
	}
	return err
}

func (r *replacement) nameless(ctx context.Context, dir *os.File) error {
	perm := uint32(0o666)
	if r.old != nil {
		perm = 0o600
	}
	fd, err := unix.Openat(int(dir.Fd()), ".", unix.O_TMPFILE|unix.O_WRONLY|unix.O_CLOEXEC, perm)
	if err != nil {
		return errNoNameless // whatever is wrong, the other way will say it
	}
	f := os.NewFile(uintptr(fd), filepath.Join(dir.Name(), r.name))
	defer f.Close()
	self := "/proc/self/fd/" + strconv.Itoa(fd)
	if _, err := os.Lstat(self); err != nil {
		return errNoNameless
	}
	if err := r.fill(ctx, f); err != nil {
		return err
	}
	if err := r.ready(); err != nil {
		return err
	}
	return r.link(ctx, int(dir.Fd()), self)
}

// link gives the file its name. A new file takes it directly, and fails when
// another was faster; an old one is replaced by a rename.
func (r *replacement) link(ctx context.Context, dir int, self string) error {
	if r.old == nil {
		err := unix.Linkat(unix.AT_FDCWD, self, dir, r.name, unix.AT_SYMLINK_FOLLOW)
		if errors.Is(err, unix.EEXIST) {
			return stale.Becausef("another program made %s at the same moment", r.name)
		}
		return err
	}
	temp := tempName()
	if err := unix.Linkat(unix.AT_FDCWD, self, dir, temp, unix.AT_SYMLINK_FOLLOW); err != nil {
		return err
	}
	if err := r.rename(ctx, temp); err != nil {
		return errors.Join(err, r.root.Remove(temp))
	}
	return nil
}
