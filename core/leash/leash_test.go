package leash

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"
)

func TestDo(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := &Leash{Most: 2, Limit: time.Second}
		if v, err := Do(t.Context(), l, func(context.Context) (int, error) { return 7, nil }); v != 7 || err != nil {
			t.Errorf("got %d, %v", v, err)
		}
		if _, err := Do(t.Context(), l, func(context.Context) (int, error) { panic("x") }); err == nil {
			t.Error("a panic is no error")
		}
		free := make(chan struct{})
		stuck := func(context.Context) (int, error) { <-free; return 0, nil }
		for range 2 {
			start := time.Now()
			if _, err := Do(t.Context(), l, stuck); !errors.Is(err, context.DeadlineExceeded) || time.Since(start) != time.Second {
				t.Errorf("got %v after %s", err, time.Since(start))
			}
		}
		if _, err := Do(t.Context(), l, stuck); !errors.Is(err, ErrFull) || l.Busy() != 2 {
			t.Errorf("got %v with %d busy", err, l.Busy())
		}
		close(free)
		synctest.Wait()
		if _, err := Do(t.Context(), l, func(context.Context) (int, error) { return 0, nil }); err != nil || l.Busy() != 0 {
			t.Errorf("afterwards: got %v with %d busy", err, l.Busy())
		}
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if _, err := Do(ctx, l, func(ctx context.Context) (int, error) { <-ctx.Done(); return 0, ctx.Err() }); !errors.Is(err, context.Canceled) {
			t.Errorf("cancelled: got %v", err)
		}
	})
}
