package jobs

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"time"

	"github.com/gofrs/flock"
)

// machine is the clock of the machine.
type machine struct{ start time.Time }

func newClock() machine { return machine{time.Now()} }

// Now implements [Clock]: the wall clock alone, without the part that goes on
// steadily.
func (machine) Now() time.Time { return time.Now().Round(0) }

// Awake implements [Clock]. On Linux it stands still while the machine sleeps.
func (m machine) Awake() time.Duration { return time.Since(m.start) }

// Wait implements [Clock].
func (machine) Wait(ctx context.Context, d time.Duration, wake <-chan struct{}) {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
	case <-wake:
	case <-t.C:
	}
}

// ErrElsewhere is returned by [Take] where another process schedules.
var ErrElsewhere = errors.New("another Hobkin runs the jobs already")

// A Lock makes its holder the one process that schedules.
type Lock struct{ f *flock.Flock }

// Take takes the lock of a data folder. The kernel gives it up with the
// process, however that ends.
func Take(dir string) (*Lock, error) {
	f := flock.New(filepath.Join(dir, "jobs.lock"), flock.SetPermissions(0o600))
	ok, err := f.TryLock()
	switch {
	case err != nil:
		return nil, fmt.Errorf("jobs: %w", err)
	case !ok:
		return nil, ErrElsewhere
	}
	return &Lock{f}, nil
}

// Release gives the lock up.
func (l *Lock) Release() error { return l.f.Close() }

// Taken reports whether a process schedules the jobs of a data folder.
func Taken(dir string) bool {
	l, err := Take(dir)
	if err != nil {
		return errors.Is(err, ErrElsewhere)
	}
	_ = l.Release() // the kernel does it too
	return false
}
