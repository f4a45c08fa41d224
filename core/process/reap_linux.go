package process

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// settleTime is how old a dead child must be before it is taken for an adopted
// one: those that this program started itself are waited for at once.
const settleTime = 5 * time.Second

// BecomeSubreaper makes orphans of our descendants our children instead of the
// system's, so that it stays visible who started a process, and takes them in
// when they die, so that none becomes a zombie. It does so until ctx ends.
func BecomeSubreaper(ctx context.Context) error {
	if err := unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0); err != nil {
		return fmt.Errorf("process: becoming a subreaper: %w", err)
	}
	died := make(chan os.Signal, 1)
	signal.Notify(died, syscall.SIGCHLD)
	go func() { // ends with ctx
		defer signal.Stop(died)
		reapAdopted(ctx, died, settleTime)
	}()
	return nil
}

// reapAdopted takes in dead children that no one waits for.
func reapAdopted(ctx context.Context, died <-chan os.Signal, settle time.Duration) {
	type dead struct {
		pid   int
		start uint64
	}
	since := map[dead]time.Time{}
	timer := time.NewTimer(settle)
	defer timer.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-died:
			if len(since) == 0 {
				timer.Reset(settle)
			}
			continue
		case <-timer.C:
		}
		seen := map[dead]time.Time{}
		for pid, p := range processes() {
			one := dead{pid, p.start}
			switch first, known := since[one]; {
			case !p.dead || p.parent != os.Getpid():
			case known && time.Since(first) >= settle:
				var ws syscall.WaitStatus
				_, _ = syscall.Wait4(pid, &ws, syscall.WNOHANG, nil) // when another took it in meanwhile, good
			case known:
				seen[one] = first
			default:
				seen[one] = time.Now()
			}
		}
		if since = seen; len(since) > 0 {
			timer.Reset(settle)
		}
	}
}
