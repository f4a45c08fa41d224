package x11

import (
	"context"
	"errors"
	"sync"

	"github.com/hobkin/hobkin/computeruse/native"
	"github.com/hobkin/hobkin/computeruse/wire"
)

// A Backend is an X display with all that can be done on it.
type Backend struct {
	screen   *Screen
	input    *input
	keyboard *Keyboard
	windows  *Windows
	watcher  *Watcher
	clip     *clipboard
	missing  []wire.Capability
}

// Open connects to a display such as :0. An error is a [wire.Error].
func Open(ctx context.Context, display string) (*Backend, error) {
	b := &Backend{}
	if err := b.open(ctx, display); err != nil {
		b.Close()
		return nil, err
	}
	return b, nil
}

func (b *Backend) open(ctx context.Context, display string) (err error) {
	if b.screen, err = newScreen(ctx, display); err != nil {
		return err
	}
	if b.windows, err = newWindows(ctx, display); err != nil {
		return err
	}
	b.input, err = newInput(ctx, display)
	if err != nil && !b.lacks(err, wire.CanPointer, wire.CanKeys, wire.CanText) {
		return err
	}
	if b.input != nil {
		if b.clip, err = newClipboard(ctx, display); err != nil {
			return err
		}
		b.keyboard = &Keyboard{input: b.input, clip: b.clip, active: b.windows.terminal}
	}
	b.watcher, err = newWatcher(ctx, display, b.screen)
	if err != nil && !b.lacks(err, wire.CanPerson, wire.CanHotkey) {
		return err
	}
	return nil
}

// lacks notes why something does not work; false when nothing does.
func (b *Backend) lacks(err error, names ...string) bool {
	e := &wire.Error{Message: err.Error()}
	if errors.As(err, &e) && e.Code == wire.NoDisplay {
		return false
	}
	for _, n := range names {
		b.missing = append(b.missing, wire.Capability{Name: n, Reason: e.Message, Fix: e.Fix})
	}
	return true
}

// Parts are what the server needs.
func (b *Backend) Parts() native.Parts {
	p := native.Parts{DisplayServer: "x11", Backend: "x11", Screen: b.screen, Windows: b.windows, Missing: b.missing}
	if b.input != nil {
		p.Pointer, p.Held, p.Keyboard = b.input, b.input, b.keyboard
	}
	if b.watcher != nil {
		p.Watcher = b.watcher
	}
	return p
}

// Window is the one that lives as long as the helper may press something; 0
// where it cannot. It is what [Guard] waits for.
func (b *Backend) Window() uint32 {
	if b.input == nil {
		return 0
	}
	return uint32(b.input.own)
}

// Close lets go of everything and ends the connections.
func (b *Backend) Close() {
	var ends sync.WaitGroup
	if b.watcher != nil {
		ends.Go(b.watcher.close)
	}
	if b.clip != nil {
		ends.Go(b.clip.close)
	}
	if b.input != nil {
		ends.Go(b.input.close)
	}
	if b.windows != nil {
		ends.Go(b.windows.c.close)
	}
	if b.screen != nil {
		ends.Go(b.screen.close)
	}
	ends.Wait()
}
