// Package single makes sure that one Hobkin desktop runs for a person.
//
// The lock is the kernel's, on an open file: it ends with the process, however
// that ends, so there is no stale one.
package single

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/gofrs/flock"
)

// ErrRunning is returned when another process holds the lock.
var ErrRunning = errors.New("a Hobkin desktop is already running")

// A Lock is held until [Lock.Release] or the end of the process.
type Lock struct{ f *flock.Flock }

// Take takes the lock in dir, which is made if it is missing.
func Take(dir string) (*Lock, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("single: %w", err)
	}
	f := flock.New(filepath.Join(dir, "desktop.lock"), flock.SetPermissions(0o600))
	ok, err := f.TryLock()
	switch {
	case err != nil:
		return nil, fmt.Errorf("single: %w", err)
	case !ok:
		return nil, ErrRunning
	}
	return &Lock{f}, nil
}

// Release gives the lock up.
func (l *Lock) Release() error { return l.f.Unlock() }
