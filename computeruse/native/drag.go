package native

import (
	"context"
	"fmt"
	"math"
	"time"

	"github.com/hobkin/hobkin/computeruse/wire"
)

// The bounds of a drag.
const (
	maxPath     = 100
	dragTime    = 300 // ms, where none is given
	maxDragTime = 10_000
	dragStep    = 8 * time.Millisecond // so long after the last one the pointer moves on; a pause takes hold as soon
)

// drag presses at the first point, moves along the path and releases at its
// end. When it is to stop, it releases where it is.
func (s *Server) drag(ctx context.Context, st *strike, p wire.DragParams) (none, error) {
	button, err := s.checkDrag(ctx, &p)
	if err != nil {
		return none{}, err
	}
	end, err := s.reach(ctx, st, target{&p.Path[0], p.Layout, p.Window})
	if err != nil {
		return none{}, err
	}
	defer end()
	return none{}, s.holding(ctx, st, p.Modifiers, func() error {
		if err := Pause(ctx, settle); err != nil {
			return err
		}
		st.sent.Store(true)
		if err := s.parts.Pointer.Press(ctx, button); err != nil {
			return err
		}
		perr := s.follow(ctx, p.Path, time.Duration(p.Duration)*time.Millisecond)
		if perr == nil {
			perr = Pause(ctx, settle)
		}
		if err := s.parts.Pointer.Release(context.WithoutCancel(ctx), button); err != nil {
			return err
		}
		return perr
	})
}

func (s *Server) checkDrag(ctx context.Context, p *wire.DragParams) (button string, err error) {
	if p.Duration == 0 {
		p.Duration = dragTime
	}
	switch button, err = buttonOf(p.Button); {
	case err != nil:
		return "", err
	case len(p.Path) < 2 || len(p.Path) > maxPath:
		return "", badRequest(fmt.Sprintf("the path of a drag has 2 to %d points, not %d", maxPath, len(p.Path)))
	case p.Duration < 0 || p.Duration > maxDragTime:
		return "", badRequest(fmt.Sprintf("duration_ms is at most %d, not %d", maxDragTime, p.Duration))
	}
	for i, at := range p.Path {
		window := ""
		if i == len(p.Path)-1 {
			window = p.EndWindow
		}
		if _, err := s.judge(ctx, target{&at, p.Layout, window}); err != nil {
			return "", err
		}
	}
	return button, nil
}

// follow moves the pointer along a path in even steps.
func (s *Server) follow(ctx context.Context, path []wire.Point, d time.Duration) error {
	began, length := time.Now(), lengthOf(path)
	for done := 0.0; done < 1; {
		if err := Pause(ctx, dragStep); err != nil {
			return err
		}
		if done = 1; d > 0 {
			done = min(1, float64(time.Since(began))/float64(d))
		}
		if err := s.parts.Pointer.Move(ctx, along(path, done*length)); err != nil {
			return err
		}
	}
	return nil
}

func lengthOf(path []wire.Point) (sum float64) {
	for i := 1; i < len(path); i++ {
		sum += distance(path[i-1], path[i])
	}
	return sum
}

func distance(a, b wire.Point) float64 { return math.Hypot(float64(b.X-a.X), float64(b.Y-a.Y)) }

// along is the point of a path after a length of way.
func along(path []wire.Point, way float64) wire.Point {
	for i := 1; i < len(path); i++ {
		a, b := path[i-1], path[i]
		d := distance(a, b)
		if way <= d && d > 0 {
			f := way / d
			return wire.Point{X: a.X + int(math.Round(f*float64(b.X-a.X))), Y: a.Y + int(math.Round(f*float64(b.Y-a.Y)))}
		}
		way -= d
	}
	return path[len(path)-1]
}
