package browser

import (
	"context"
	"errors"
	"math"
	"time"

	"github.com/hobkin/hobkin/browser/cdp"
	"github.com/hobkin/hobkin/core/picture"
)

// A Shot says what a screenshot shows.
type Shot struct {
	Full   bool // the whole page instead of the part in view
	Clip   *Box // this part of the page; nil for none
	Limits picture.Limits

	// Of the frame that a Clip is of; nil is the tab's own document.
	Session *cdp.Session
}

// A Box is a part of a page, in CSS pixels from its upper left corner.
type Box struct {
	X      float64 `json:"x"`
	Y      float64 `json:"y"`
	Width  float64 `json:"width"`
	Height float64 `json:"height"`
}

const (
	// maxSide is the longest side, in pixels, that the browser draws.
	maxSide = 16000
	// maxArea bounds a picture before it is scaled to what a model takes.
	maxArea = 20_000_000
	// shotTime bounds one try: a page that is not in view may never draw.
	shotTime = 10 * time.Second
)

// Screenshot takes a picture of the tab, scaled to what models take. A tab that
// is not in view is brought to the front first; one that is, is left alone, since
// a person may be at work in that window.
func (t *Tab) Screenshot(ctx context.Context, o Shot) (*picture.Picture, error) {
	v, done, err := t.use(ctx)
	if err != nil {
		return nil, err
	}
	defer done()
	if err := t.Readable(ctx); err != nil {
		return nil, err
	}
	box, beyond, err := v.frame(ctx, o)
	if err != nil {
		return nil, t.explain(v, err)
	}
	if v.hidden(ctx) {
		if err := v.session.Call(ctx, "Page.bringToFront", nil, nil); err != nil {
			return nil, t.explain(v, err)
		}
	}
	data, err := v.capture(ctx, box, beyond)
	if err != nil {
		return nil, t.explain(v, err)
	}
	p, err := picture.Fit(data, o.Limits)
	if err != nil {
		return nil, TooLarge.Becausef("the picture cannot be shown: %v", err)
	}
	return p, nil
}

// frame is the part of the page that a picture shows, and whether that may be
// out of view.
func (v *view) frame(ctx context.Context, o Shot) (box Box, beyond bool, err error) {
	var m struct {
		Viewport struct {
			X      float64 `json:"pageX"`
			Y      float64 `json:"pageY"`
			Width  float64 `json:"clientWidth"`
			Height float64 `json:"clientHeight"`
		} `json:"cssLayoutViewport"`
		Content Box `json:"cssContentSize"`
	}
	if err := v.session.Call(ctx, "Page.getLayoutMetrics", nil, &m); err != nil {
		return box, false, err
	}
	switch {
	case o.Clip != nil:
		box = *o.Clip
		if !(box.Width >= 1 && box.Height >= 1) || math.IsInf(box.X, 0) || math.IsNaN(box.X+box.Y+box.Width+box.Height) {
			return box, false, TooLarge.Becausef("what is to be shown has no size").Trying("choose an element that can be seen")
		}
		return box, true, nil
	case o.Full:
		return m.Content, true, nil
	}
	return Box{m.Viewport.X, m.Viewport.Y, m.Viewport.Width, m.Viewport.Height}, false, nil
}

// hidden reports whether the page is not in view and so may not draw. One that
// does not answer is not brought to the front for that.
func (v *view) hidden(ctx context.Context) bool {
	ctx, cancel := context.WithTimeout(ctx, probeTime)
	defer cancel()
	var out struct {
		Result struct {
			Value bool `json:"value"`
		} `json:"result"`
	}
	err := v.session.Call(ctx, "Runtime.evaluate", map[string]any{"expression": "document.hidden", "returnByValue": true}, &out)
	return err == nil && out.Result.Value
}

func (v *view) capture(ctx context.Context, box Box, beyond bool) ([]byte, error) {
	box.Width, box.Height = max(box.Width, 1), max(box.Height, 1)
	scale := min(1, maxSide/max(box.Width, box.Height), math.Sqrt(maxArea/(box.Width*box.Height)))
	clip := map[string]any{"x": box.X, "y": box.Y, "width": box.Width, "height": box.Height, "scale": scale}
	short, cancel := context.WithTimeout(ctx, shotTime)
	defer cancel()
	var out struct {
		Data []byte `json:"data"` // base64
	}
	err := v.session.Call(short, "Page.captureScreenshot", map[string]any{"format": "png", "clip": clip, "captureBeyondViewport": beyond, "optimizeForSpeed": true}, &out)
	if err != nil && ctx.Err() == nil && errors.Is(err, context.DeadlineExceeded) {
		return nil, Unresponsive.Becausef("the page did not draw itself within %v", shotTime)
	}
	return out.Data, err
}
