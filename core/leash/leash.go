// Package leash runs work that cannot be stopped, such as a library's parser on
// a hostile file, so that nobody waits for it longer than they want to.
//
// Work that does not end in time is left to itself. How many of those there may
// be is bounded: after some, no more work is taken on.
package leash

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"time"
)

// ErrFull is returned when too much work goes on, or never ended.
var ErrFull = errors.New("too much of this is going on already; a restart helps if it never ends")

// A Leash bounds the work that goes on at once. The zero Leash allows 8.
type Leash struct {
	Most  int32         // pieces of work at once; 0 is 8
	Limit time.Duration // for one piece; 0 is what its context allows

	busy atomic.Int32
}

// Busy is how many pieces of work go on, those among them that were left alone.
func (l *Leash) Busy() int { return int(l.busy.Load()) }

// Do runs work in a goroutine of its own and waits for it. When ctx ends or the
// time is up it returns the context's error, and work goes on alone; its context
// has ended then. A panic of work is an error.
func Do[T any](ctx context.Context, l *Leash, work func(ctx context.Context) (T, error)) (T, error) {
	var none T
	most := l.Most
	if most == 0 {
		most = 8
	}
	if l.busy.Add(1) > most {
		l.busy.Add(-1)
		return none, ErrFull
	}
	limited, cancel := context.WithCancel(ctx)
	if l.Limit > 0 {
		limited, cancel = context.WithTimeout(ctx, l.Limit)
	}
	defer cancel()
	type outcome struct {
		value T
		err   error
	}
	done := make(chan outcome, 1) // the goroutine ends although no one waits any more
	go func() {
		var o outcome
		defer func() {
			if p := recover(); p != nil {
				o.err = fmt.Errorf("leash: panic: %v", p)
			}
			l.busy.Add(-1)
			done <- o
		}()
		o.value, o.err = work(limited)
	}()
	select {
	case o := <-done:
		return o.value, o.err
	case <-limited.Done():
		return none, limited.Err()
	}
}
