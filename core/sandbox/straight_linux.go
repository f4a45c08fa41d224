package sandbox

import (
	"io/fs"
	"os"

	"golang.org/x/sys/unix"
)

// straight looks at a clean absolute path in one step, if it exists and has no
// link in it anywhere: the kernel refuses it otherwise. Most paths are so, and
// every call of a file tool resolves several. It returns the type of what is
// there, as far as that matters here: a folder, a regular file, or neither.
func straight(path string) (kind fs.FileMode, ok bool) {
	fd, err := unix.Openat2(unix.AT_FDCWD, path, &unix.OpenHow{Flags: unix.O_PATH | unix.O_CLOEXEC, Resolve: noLinks})
	if err != nil {
		return 0, false
	}
	var st unix.Stat_t
	err = unix.Fstat(fd, &st)
	_ = unix.Close(fd) // only looked at: nothing can be lost
	switch st.Mode & unix.S_IFMT {
	case unix.S_IFREG:
		kind = 0
	case unix.S_IFDIR:
		kind = fs.ModeDir
	default:
		kind = fs.ModeIrregular
	}
	return kind, err == nil
}

// opensStraight says that the system can do what openStraight is for.
const opensStraight = true

// openStraight opens a file for reading, if no part of its path is a link. It
// waits for nothing.
func openStraight(path string) (*os.File, error) {
	fd, err := unix.Openat2(unix.AT_FDCWD, path, &unix.OpenHow{
		Flags: unix.O_RDONLY | unix.O_NONBLOCK | unix.O_NOCTTY | unix.O_LARGEFILE | unix.O_CLOEXEC, Resolve: noLinks,
	})
	if err != nil {
		return nil, err
	}
	return os.NewFile(uintptr(fd), path), nil
}

const noLinks = unix.RESOLVE_NO_SYMLINKS | unix.RESOLVE_NO_MAGICLINKS
