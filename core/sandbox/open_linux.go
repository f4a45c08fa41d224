package sandbox

import (
	"errors"
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// openPlain opens a folder of which no part is a link. The kernel is asked for
// the folder without links, and the handle must be of that same folder.
func openPlain(dir string) (*os.Root, error) {
	fd, err := unix.Openat2(unix.AT_FDCWD, dir, &unix.OpenHow{
		Flags:   unix.O_PATH | unix.O_DIRECTORY | unix.O_CLOEXEC,
		Resolve: unix.RESOLVE_NO_SYMLINKS,
	})
	switch {
	case errors.Is(err, unix.ENOSYS), errors.Is(err, unix.EPERM): // an old kernel, or a filter on system calls
		return openChain(dir)
	case errors.Is(err, unix.ELOOP), errors.Is(err, unix.ENOTDIR):
		return nil, swapped(dir)
	case err != nil:
		return nil, openError(dir, err)
	}
	defer func() { _ = unix.Close(fd) }() // only looked at: nothing can be lost
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, openError(dir, err)
	}
	if err := sameFolder(root, fd); err != nil {
		return nil, errors.Join(openError(dir, err), root.Close())
	}
	return root, nil
}

func sameFolder(root *os.Root, fd int) error {
	info, err := root.Stat(".")
	if err != nil {
		return err
	}
	var want unix.Stat_t
	if err := unix.Fstat(fd, &want); err != nil {
		return err
	}
	got, ok := info.Sys().(*syscall.Stat_t)
	if !ok || got.Dev != want.Dev || got.Ino != want.Ino {
		return swapped(root.Name())
	}
	return nil
}
