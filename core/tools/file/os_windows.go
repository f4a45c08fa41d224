package file

import (
	"errors"
	"io/fs"

	"golang.org/x/sys/windows"
)

const nonblock = 0

const errQuota = windows.ERROR_DISK_FULL

// links is how many names a file has; Windows does not say cheaply.
func links(fs.FileInfo) int { return 1 }

// owner is whom a file belongs to; a new file inherits it from its folder.
func owner(fs.FileInfo) (uid, gid int, ok bool) { return 0, 0, false }

// transient reports whether a rename that failed may work in a moment: virus
// scanners and indexers open new files for a while.
func transient(err error) bool {
	return errors.Is(err, windows.ERROR_SHARING_VIOLATION) || errors.Is(err, windows.ERROR_ACCESS_DENIED)
}

// alive reports whether a process runs; it is not asked, age has to do.
func alive(int) bool { return true }
