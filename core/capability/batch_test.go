package capability

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// TestRunAll holds which calls run side by side, and that results keep the order.
func TestRunAll(t *testing.T) {
	for name, tt := range map[string]struct {
		edit func(c *Capability)
		want bool // side by side
	}{
		"read-only":         {func(*Capability) {}, true},
		"idempotent":        {func(c *Capability) { c.Class, c.Hints.Idempotent = ReadWrite, Yes }, true},
		"changes":           {func(c *Capability) { c.Class = ReadWrite }, false},
		"not idempotent":    {func(c *Capability) { c.Class, c.Hints.Idempotent = Network, No }, false},
		"gui":               {func(c *Capability) { c.Class, c.Hints.Idempotent = GUIControl, Yes }, false},
		"one key":           {func(c *Capability) { c.Hints.ConcurrencyKey = "page" }, false},
		"keys of their own": {func(c *Capability) { c.Hints.ConcurrencyKey = c.Name }, true},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var cs []Capability
				var reqs []Request
				for i := range 3 {
					c := tool(fmt.Sprint("t", i), ReadOnly, func(context.Context, Call) (Result, error) {
						<-time.After(time.Second)
						return Result{Text: strconv.Itoa(i)}, nil
					})
					tt.edit(&c)
					cs, reqs = append(cs, c), append(reqs, request(c.Name, "{}"))
				}
				start := time.Now()
				for i, o := range newRunner(t, cs...).RunAll(t.Context(), append(reqs, request("unknown", "{}"))) {
					if i < 3 && o.Result.Text != strconv.Itoa(i) || i == 3 && !errors.Is(o.Err, UnknownTool) {
						t.Errorf("result %d is %q", i, o.Result.Text)
					}
				}
				if got := time.Since(start) == time.Second; got != tt.want {
					t.Errorf("it took %v; side by side wanted: %v", time.Since(start), tt.want)
				}
			})
		})
	}
}

func TestRunAllBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var mu sync.Mutex
		running, most := 0, 0
		r := newRunner(t, tool("act", ReadOnly, func(context.Context, Call) (Result, error) {
			mu.Lock()
			running++
			most = max(most, running)
			mu.Unlock()
			<-time.After(time.Second)
			mu.Lock()
			running--
			mu.Unlock()
			return Result{}, nil
		}))
		r.RunAll(t.Context(), slices.Repeat([]Request{request("act", "{}")}, 30))
		if most != 8 {
			t.Errorf("%d ran at once, want 8", most)
		}
	})
}
