package store

import (
	"errors"
	"syscall"
)

// modesCount says that permission bits mean something on this system; on
// Windows the folder's access list, inherited from the profile, is what counts.
const modesCount = false

// The numbers of ERROR_HANDLE_DISK_FULL, ERROR_DISK_FULL and
// ERROR_WRITE_PROTECT, which package syscall does not name.
const (
	errHandleDiskFull = syscall.Errno(39)
	errDiskFull       = syscall.Errno(112)
	errWriteProtect   = syscall.Errno(19)
)

func isDiskFull(err error) bool {
	return errors.Is(err, errDiskFull) || errors.Is(err, errHandleDiskFull)
}

func isReadOnlyErrno(err error) bool { return errors.Is(err, errWriteProtect) }
