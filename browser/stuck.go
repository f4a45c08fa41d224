package browser

import (
	"context"
	"errors"
	"time"
)

// unstick ends the script of a page that answers nothing, and reports
// whether the page answers now.
func (v *view) unstick(ctx context.Context) bool {
	if v.answers(ctx, probeTime) {
		return true
	}
	v.session.Post("Runtime.terminateExecution", nil)
	return v.answers(ctx, 2*probeTime) // on a busy machine even that takes its time
}

// answers reports whether the page's process answers in time.
func (v *view) answers(ctx context.Context, in time.Duration) bool {
	ctx, cancel := context.WithTimeout(ctx, in)
	defer cancel()
	err := v.session.Call(ctx, "Runtime.evaluate", map[string]any{"expression": "1"}, nil)
	return err == nil || !errors.Is(err, context.DeadlineExceeded)
}

// able makes sure that the page can be left: one that computes without an end
// has its script ended, and one that goes on all the same, such as one that asks
// and asks, gives its place to a new page. It must come before the navigation:
// commands to a page that is about to go are held back.
func (t *Tab) able(ctx context.Context, v *view) (*view, error) {
	if v.unstick(ctx) || ctx.Err() != nil {
		return v, context.Cause(ctx)
	}
	if v.in.proc == nil {
		return v, Unresponsive.Becausef("the page answers nothing, and in the person's own browser it is not closed")
	}
	fresh, err := v.in.blank(ctx)
	if err != nil {
		return v, err
	}
	t.mu.Lock()
	t.view = fresh
	t.mu.Unlock()
	fresh.belong(t)
	v.belong(nil)
	v.in.root.Post("Target.closeTarget", map[string]any{"targetId": v.target})
	return fresh, nil
}

// again is the address that a reload must go to since there is no document to
// load again: its process died, or its place was given to a new page. It is
// empty when there is one.
func (t *Tab) again(v *view) string {
	v.mu.Lock()
	crashed, url := v.crashed, v.url
	v.mu.Unlock()
	t.mu.Lock()
	defer t.mu.Unlock()
	switch {
	case crashed:
		return url
	case url == blankURL && t.url != blankURL:
		return t.url
	}
	return ""
}
