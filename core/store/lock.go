package store

import (
	"context"
	"errors"
	"time"

	"github.com/gofrs/flock"
)

// A lock tells processes of each other: every open store shares it, and who
// replaces the database file needs it alone. Without it a second process would
// go on writing into a file that was renamed under it.
type lock struct{ f *flock.Flock }

func newLock(path string) lock { return lock{flock.New(path, flock.SetPermissions(0o600))} }

const (
	lockWait  = 3 * time.Second // a replacement by another process takes less
	lockRetry = 10 * time.Millisecond
)

// share waits while another process replaces the database.
func (l lock) share(ctx context.Context) error { return l.take(ctx, l.f.TryRLockContext) }

// alone gives up the share and waits to be the only one. On failure nothing is
// held.
func (l lock) alone(ctx context.Context) error {
	if err := l.release(); err != nil {
		return err
	}
	return l.take(ctx, l.f.TryLockContext)
}

// ifFree runs do while no other process shares the lock; if one does, it does
// nothing.
func (l lock) ifFree(do func() error) error {
	free, err := l.f.TryLock()
	if !free || err != nil {
		return err
	}
	return errors.Join(do(), l.release())
}

func (l lock) take(ctx context.Context, try func(context.Context, time.Duration) (bool, error)) error {
	wait, cancel := context.WithTimeout(ctx, lockWait)
	defer cancel()
	_, err := try(wait, lockRetry)
	switch {
	case err == nil:
		return nil
	case ctx.Err() != nil:
		return ctx.Err()
	case errors.Is(err, context.DeadlineExceeded):
		return ErrInUse
	}
	return err
}

func (l lock) release() error { return l.f.Close() }
