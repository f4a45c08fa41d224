package helper

import (
	"context"

	"github.com/hobkin/hobkin/computeruse/wire"
)

// A Caller asks the helper for something. *[Helper] is one.
type Caller interface {
	// Do sends a request and decodes its answer into result, which may be nil.
	// An error of the helper's, or about it, is a *[wire.Error]; its Sent says
	// whether some input may have gone out. When ctx ends first, its error is
	// returned and the answer is thrown away.
	Do(ctx context.Context, method string, params, result any) error
}

// A Client has a method for each of the helper's. See package wire for what
// they take and give.
type Client struct{ Caller Caller }

// ask sends a request whose answer is an R.
func ask[R any](ctx context.Context, c Client, method string, params any) (r R, err error) {
	err = c.Caller.Do(ctx, method, params, &r)
	return r, err
}

// Probe tries for real what works here.
func (c Client) Probe(ctx context.Context) (wire.ProbeResult, error) {
	return ask[wire.ProbeResult](ctx, c, wire.Probe, nil)
}

// Displays lists the screens.
func (c Client) Displays(ctx context.Context) (wire.DisplaysResult, error) {
	return ask[wire.DisplaysResult](ctx, c, wire.Displays, nil)
}

// Capture takes a picture of a display or of a part of one.
func (c Client) Capture(ctx context.Context, p wire.CaptureParams) (wire.CaptureResult, error) {
	return ask[wire.CaptureResult](ctx, c, wire.Capture, p)
}

// WaitChange waits until the picture changes or holds still.
func (c Client) WaitChange(ctx context.Context, p wire.WaitChangeParams) (wire.ChangeResult, error) {
	return ask[wire.ChangeResult](ctx, c, wire.WaitChange, p)
}

// Windows lists the windows, the topmost first.
func (c Client) Windows(ctx context.Context) ([]wire.Window, error) {
	r, err := ask[wire.WindowsResult](ctx, c, wire.Windows, nil)
	return r.Windows, err
}

// WindowAt is the window under a point; nil is the bare desktop.
func (c Client) WindowAt(ctx context.Context, p wire.Point) (*wire.Window, error) {
	r, err := ask[wire.WindowAtResult](ctx, c, wire.WindowAt, p)
	return r.Window, err
}

// Elements lists a part of the accessibility tree.
func (c Client) Elements(ctx context.Context, p wire.ElementsParams) (wire.ElementsResult, error) {
	return ask[wire.ElementsResult](ctx, c, wire.Elements, p)
}

// Inspect tells what element lies under a point.
func (c Client) Inspect(ctx context.Context, p wire.Point) (wire.InspectResult, error) {
	return ask[wire.InspectResult](ctx, c, wire.Inspect, p)
}

// Cursor tells where the pointer is.
func (c Client) Cursor(ctx context.Context) (wire.CursorResult, error) {
	return ask[wire.CursorResult](ctx, c, wire.Cursor, nil)
}

// Person tells when a person last used mouse or keyboard.
func (c Client) Person(ctx context.Context) (wire.PersonResult, error) {
	return ask[wire.PersonResult](ctx, c, wire.Person, nil)
}

// Move moves the pointer.
func (c Client) Move(ctx context.Context, p wire.MoveParams) error {
	return c.Caller.Do(ctx, wire.Move, p, nil)
}

// Click presses and releases a button.
func (c Client) Click(ctx context.Context, p wire.ClickParams) error {
	return c.Caller.Do(ctx, wire.Click, p, nil)
}

// ButtonDown presses a button and leaves it so.
func (c Client) ButtonDown(ctx context.Context, p wire.ButtonParams) error {
	return c.Caller.Do(ctx, wire.ButtonDown, p, nil)
}

// ButtonUp releases a button.
func (c Client) ButtonUp(ctx context.Context, p wire.ButtonParams) error {
	return c.Caller.Do(ctx, wire.ButtonUp, p, nil)
}

// Drag presses at the first point and releases at the last.
func (c Client) Drag(ctx context.Context, p wire.DragParams) error {
	return c.Caller.Do(ctx, wire.Drag, p, nil)
}

// Scroll turns the wheel.
func (c Client) Scroll(ctx context.Context, p wire.ScrollParams) error {
	return c.Caller.Do(ctx, wire.Scroll, p, nil)
}

// Type puts in a text where the focus is.
func (c Client) Type(ctx context.Context, p wire.TypeParams) (wire.TypeResult, error) {
	return ask[wire.TypeResult](ctx, c, wire.Type, p)
}

// Paste puts in a text by way of the clipboard.
func (c Client) Paste(ctx context.Context, p wire.TypeParams) (wire.TypeResult, error) {
	return ask[wire.TypeResult](ctx, c, wire.Paste, p)
}

// Key taps keys together.
func (c Client) Key(ctx context.Context, p wire.KeyParams) error {
	return c.Caller.Do(ctx, wire.Key, p, nil)
}

// HoldKey holds keys down for a while.
func (c Client) HoldKey(ctx context.Context, p wire.HoldKeyParams) error {
	return c.Caller.Do(ctx, wire.HoldKey, p, nil)
}

// Press does the action of an element.
func (c Client) Press(ctx context.Context, p wire.PressParams) error {
	return c.Caller.Do(ctx, wire.Press, p, nil)
}

// SetValue gives an element a value.
func (c Client) SetValue(ctx context.Context, p wire.SetValueParams) error {
	return c.Caller.Do(ctx, wire.SetValue, p, nil)
}

// FocusWindow brings a window to the front.
func (c Client) FocusWindow(ctx context.Context, window string) error {
	return c.Caller.Do(ctx, wire.FocusWindow, wire.FocusWindowParams{Window: window}, nil)
}

// Pause stops what runs and lets go of all keys and buttons.
func (c Client) Pause(ctx context.Context) (wire.PauseResult, error) {
	return ask[wire.PauseResult](ctx, c, wire.Pause, nil)
}

// Resume lets acts through again.
func (c Client) Resume(ctx context.Context) error { return c.Caller.Do(ctx, wire.Resume, nil, nil) }

// Release lets go of all keys and buttons.
func (c Client) Release(ctx context.Context) (wire.PauseResult, error) {
	return ask[wire.PauseResult](ctx, c, wire.Release, nil)
}

// Bar shows, changes or hides the strip on the screen.
func (c Client) Bar(ctx context.Context, p wire.BarParams) error {
	return c.Caller.Do(ctx, wire.Bar, p, nil)
}

// Hotkey sets the chord that pauses; empty takes none.
func (c Client) Hotkey(ctx context.Context, chord string) error {
	return c.Caller.Do(ctx, wire.Hotkey, wire.HotkeyParams{Chord: chord}, nil)
}
