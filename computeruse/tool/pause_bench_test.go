//go:build linux

package tool

import (
	"context"
	"testing"

	"github.com/hobkin/hobkin/computeruse/helper"
	"github.com/hobkin/hobkin/computeruse/wire"
	"github.com/hobkin/hobkin/test/desk"
)

// BenchmarkPause is the time from the wish to pause, in the midst of a drag, to
// the helper's word that nothing moves any more.
func BenchmarkPause(b *testing.B) {
	d := desk.Bare(b)
	path := realHelper(b)
	h := helper.New(helper.Options{Find: func(context.Context) (string, error) { return path, nil }, Env: d.Env()})
	b.Cleanup(h.Close)
	c := helper.Client{Caller: h}
	ctx := context.Background()
	for b.Loop() {
		b.StopTimer()
		if err := c.Move(ctx, wire.MoveParams{Point: wire.Point{X: 100, Y: 100}}); err != nil {
			b.Fatal(err)
		}
		dragged := make(chan error, 1)
		go func() {
			dragged <- c.Drag(ctx, wire.DragParams{Path: []wire.Point{{X: 100, Y: 100}, {X: 900, Y: 500}}, Duration: 10_000})
		}()
		for at := (wire.Point{X: 100, Y: 100}); at.X < 110; { // until it moves
			r, err := c.Cursor(ctx)
			if err != nil {
				b.Fatal(err)
			}
			at = r.Point
		}
		b.StartTimer()
		r, err := c.Pause(ctx)
		b.StopTimer()
		if err != nil || !r.Stopped {
			b.Fatalf("got %+v, %v", r, err)
		}
		if err := <-dragged; err == nil {
			b.Fatal("the drag went on")
		}
		if err := c.Resume(ctx); err != nil {
			b.Fatal(err)
		}
		b.StartTimer()
	}
}
