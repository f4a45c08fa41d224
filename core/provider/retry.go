package provider

import (
	"context"
	"errors"
	"iter"
	"time"

	"github.com/cenkalti/backoff/v5"
)

// A RetryPolicy says how often and how fast a failed request is repeated. The
// zero value is right for use.
type RetryPolicy struct {
	Max     int           // repetitions after the first try; 0 means 4, below 0 none
	First   time.Duration // about the first wait; 0 means 500 ms
	Longest time.Duration // no wait is longer; 0 means 60 s

	// Notify is told of each repetition before its wait begins. It may be nil.
	Notify func(Retrying)
}

// Retrying tells of one repetition.
type Retrying struct {
	Attempt, Of int // 1 is the first repetition
	Wait        time.Duration
	Err         *Error // why
}

// Retry returns m with failures repeated that may pass: those that are
// [Error.Temporary], as long as nothing of the answer was seen. Waits grow and
// vary by chance. A wait that the provider asks for is kept; one that is longer
// than the policy allows ends the trying, as an earlier request would only
// fail again. A model that repeats already gets the new policy in place of its
// own.
func Retry(m Model, p RetryPolicy) Model {
	if r, ok := m.(retrying); ok {
		m = r.Model
	}
	if p.Max == 0 {
		p.Max = 4
	}
	if p.First == 0 {
		p.First = 500 * time.Millisecond
	}
	if p.Longest == 0 {
		p.Longest = time.Minute
	}
	return retrying{m, p}
}

type retrying struct {
	Model
	policy RetryPolicy
}

// Stream implements [Model].
func (r retrying) Stream(ctx context.Context, req Request) iter.Seq2[Event, error] {
	return func(yield func(Event, error) bool) {
		waits := &backoff.ExponentialBackOff{
			InitialInterval: r.policy.First, MaxInterval: r.policy.Longest,
			Multiplier: 2.5, RandomizationFactor: 0.5,
		}
		waits.Reset()
		for attempt := 1; ; attempt++ {
			failed, goOn := r.try(ctx, req, yield)
			if !goOn {
				return
			}
			delay, again := r.delay(failed, attempt, waits)
			if !again {
				yield(nil, failed)
				return
			}
			if r.policy.Notify != nil {
				r.policy.Notify(Retrying{attempt, r.policy.Max, delay, failed})
			}
			if err := pause(ctx, delay); err != nil {
				yield(nil, err)
				return
			}
		}
	}
}

// try asks once and passes on what comes. Only a failure that may be repeated
// is kept back.
func (r retrying) try(ctx context.Context, req Request, yield func(Event, error) bool) (failed *Error, goOn bool) {
	seen := false
	for event, err := range r.Model.Stream(ctx, req) {
		if pe, ok := errors.AsType[*Error](err); ok && !seen && pe.Temporary() && ctx.Err() == nil {
			return pe, true
		}
		seen = true
		if !yield(event, err) {
			return nil, false
		}
	}
	return nil, false
}

// delay is how long to wait before the repetition, if there is to be one.
func (r retrying) delay(failed *Error, attempt int, waits *backoff.ExponentialBackOff) (time.Duration, bool) {
	if attempt > r.policy.Max || failed.RetryAfter > r.policy.Longest {
		return 0, false
	}
	return max(min(waits.NextBackOff(), r.policy.Longest), failed.RetryAfter), true
}

func pause(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
