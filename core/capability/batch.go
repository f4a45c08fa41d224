package capability

import (
	"context"
	"sync"
)

// RunAll runs the calls of one step and returns their outcomes in the order of
// the requests. Calls run side by side when all of them may: read-only or
// idempotent, with no concurrency key in common. Else they run one after
// another.
func (r *Runner) RunAll(ctx context.Context, reqs []Request) []*Outcome {
	out := make([]*Outcome, len(reqs))
	if !r.parallel(reqs) {
		var bounds []Bound // of the calls before, which hold those after them
		for i, req := range reqs {
			for _, b := range bounds {
				req.Filter.Turn = req.Filter.Turn.Within(b)
			}
			out[i] = r.Run(ctx, req)
			if b := out[i].Result.Bound; b != nil && !out[i].Failed() {
				bounds = append(bounds, b)
			}
		}
		return out
	}
	var wg sync.WaitGroup
	slots := make(chan struct{}, r.Limits.withDefaults().Parallel)
	for i, req := range reqs {
		slots <- struct{}{}
		wg.Go(func() {
			defer func() { <-slots }()
			out[i] = r.Run(ctx, req)
		})
	}
	wg.Wait()
	return out
}

func (r *Runner) parallel(reqs []Request) bool {
	shared := map[string]bool{}
	for _, req := range reqs {
		c := r.reached(req)
		if c == nil {
			continue // it fails at once, and touches nothing
		}
		key := c.Hints.ConcurrencyKey
		switch {
		case c.Class == GUIControl, c.Class != ReadOnly && c.Hints.Idempotent != Yes:
			return false
		case key != "" && shared[key]:
			return false
		}
		shared[key] = true
	}
	return len(reqs) > 1
}
