//go:build unix

package store

import (
	"errors"
	"syscall"
)

// modesCount says that permission bits mean something on this system.
const modesCount = true

func isDiskFull(err error) bool {
	return errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT)
}

func isReadOnlyErrno(err error) bool { return errors.Is(err, syscall.EROFS) }
