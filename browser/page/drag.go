package page

import (
	"context"
	"encoding/json"
	"fmt"
	"time"
)

// dragSteps is in how many moves the mouse goes from one place to the other:
// pages that follow it want to see it on the way.
const dragSteps = 8

// drag is the act of dragging an element onto another, or by a distance.
func (p *Page) drag(ctx context.Context, a *Act) (*Done, error) {
	from, err := p.find(ctx, a.Ref)
	if err != nil {
		return nil, err
	}
	if a.To == "" && a.X == 0 && a.Y == 0 {
		return nil, BadAct.Becausef("drag needs to know where to").Trying("give the reference of what to drop on, or a distance in x and y")
	}
	start, err := p.ready(ctx, &from, need{Enabled: true, Point: true}, a.Timeout)
	if err != nil {
		return nil, err
	}
	end, where := point{start.x + a.X, start.y + a.Y}, "by "+formatPoint(a.X, a.Y)
	if a.To != "" {
		var to element
		if to, start, end, err = p.dropPlace(ctx, a, &from, start); err != nil {
			return nil, err
		}
		where = "onto " + to.String()
	}
	var data bool
	if err := from.call(ctx, &data, "dragsData", from.number); err != nil {
		return nil, err
	}
	d := dragging{mouse: mouse{session: from.frame.Session}, from: start, to: end, data: data}
	if err := d.play(ctx); err != nil {
		return nil, err
	}
	return &Done{Text: fmt.Sprintf("Dragged %v %s.", from, where)}, nil
}

// dropPlace finds where to drop. Both ends must be in the window at once, so the
// start is looked at again after the end was scrolled to.
func (p *Page) dropPlace(ctx context.Context, a *Act, from *element, start point) (to element, begin, end point, err error) {
	if to, err = p.find(ctx, a.To); err != nil {
		if target := p.explain(ctx, parseRef(a.To), err); target != nil {
			return to, start, end, target
		}
	}
	if to.frame.Session != from.frame.Session {
		return to, start, end, BadAct.Becausef("%s and %s are in frames of different origins", a.Ref, a.To).Trying("there is no dragging between those; look for another way, such as a menu")
	}
	if end, err = p.ready(ctx, &to, need{Point: true}, a.Timeout); err != nil {
		return to, start, end, err
	}
	if begin, err = p.ready(ctx, from, need{Point: true}, a.Timeout); err != nil || begin == start {
		return to, start, end, err
	}
	end, err = p.ready(ctx, &to, need{Point: true}, a.Timeout) // the start had to be scrolled back to
	return to, begin, end, err
}

// dragging is the way of the mouse from one place to another.
type dragging struct {
	mouse
	from, to point
	data     bool // the browser itself drags the element, and not the page
}

// at is a place on the way, the step-th of dragSteps.
func (d dragging) at(step int) point {
	f := float64(step) / dragSteps
	return point{d.from.x + (d.to.x-d.from.x)*f, d.from.y + (d.to.y-d.from.y)*f}
}

// up lets go of the button without waiting, when something went wrong.
func (d dragging) up(at point) {
	d.session.Post("Input.dispatchMouseEvent", d.event("mouseReleased", at, map[string]any{"button": "left", "buttons": 0, "clickCount": 1}))
}

// play goes the way with the button down. Where the browser starts a drag of data
// of its own, that is caught and played out, since no desktop would do it here.
func (d dragging) play(ctx context.Context) error {
	caught := make(chan json.RawMessage, 1)
	off := d.session.On("Input.dragIntercepted", func(params []byte) {
		var e struct {
			Data json.RawMessage `json:"data"`
		}
		if json.Unmarshal(params, &e) == nil {
			select {
			case caught <- append(json.RawMessage(nil), e.Data...):
			default: // one drag at a time
			}
		}
	})
	defer off()
	if err := d.session.Call(ctx, "Input.setInterceptDrags", map[string]any{"enabled": true}, nil); err != nil {
		return err
	}
	defer func() { d.session.Post("Input.setInterceptDrags", map[string]any{"enabled": false}) }()
	if err := d.move(ctx, d.from, 0); err != nil {
		return err
	}
	if left, err := d.press(ctx, d.from, "left", 1); err != nil || left {
		return err
	}
	for step := 1; step <= dragSteps; step++ {
		if err := d.move(ctx, d.at(step), 1); err != nil {
			d.up(d.at(step))
			return ignoreLost(err)
		}
		if data := d.caught(ctx, caught, step); data != nil {
			return d.drop(ctx, data)
		}
	}
	_, err := d.letGo(ctx, d.to, "left", 1)
	return err
}

// caught is the drag of data that has begun, or nil. At the end of the way one
// that must come is waited for.
func (d dragging) caught(ctx context.Context, caught <-chan json.RawMessage, step int) json.RawMessage {
	if !d.data || step < dragSteps {
		select {
		case data := <-caught:
			return data
		default:
			return nil
		}
	}
	late := time.NewTimer(dragWait)
	defer late.Stop()
	select {
	case data := <-caught:
		return data
	case <-late.C: // the page took the mouse for itself
	case <-ctx.Done():
	}
	return nil
}

// dragWait is how long a drag of data may take to begin after the mouse has
// moved.
const dragWait = 300 * time.Millisecond

// drop plays a caught drag out.
func (d dragging) drop(ctx context.Context, data json.RawMessage) error {
	for _, kind := range []string{"dragEnter", "dragOver", "dragOver", "drop"} {
		err := d.session.Call(ctx, "Input.dispatchDragEvent", map[string]any{"type": kind, "x": d.to.x, "y": d.to.y, "data": data, "modifiers": d.modifiers}, nil)
		if err != nil {
			d.up(d.to)
			return ignoreLost(err)
		}
	}
	_, err := d.letGo(ctx, d.to, "left", 1)
	return err
}
