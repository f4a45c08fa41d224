package robot

import (
	"context"
	"sync"
	"time"

	"github.com/hobkin/hobkin/computeruse/native"
	"github.com/hobkin/hobkin/computeruse/wire"
)

// An idle tells a person's input by the idle time of the system, from which
// the agent's own acts are taken off: what came at the time of one of those
// is taken for it.
type idle struct {
	since func() (time.Duration, bool) // the system's idle time; false: it does not tell

	mu    sync.Mutex
	acted time.Time // our last act
	last  time.Time // a person's last input
}

// ownEcho is how long after an act of ours the system may still count it.
const ownEcho = 150 * time.Millisecond

func (i *idle) known() bool {
	_, ok := i.since()
	return ok
}

// ours notes an act of the agent.
func (i *idle) ours() {
	i.look(time.Now())
	i.mu.Lock()
	defer i.mu.Unlock()
	i.acted = time.Now()
}

// look reads the idle time and reports whether a person did something since
// the last time.
func (i *idle) look(now time.Time) bool {
	d, ok := i.since()
	if !ok {
		return false
	}
	at := now.Add(-d)
	i.mu.Lock()
	defer i.mu.Unlock()
	if at.Before(i.acted.Add(ownEcho)) || !at.After(i.last) {
		return false
	}
	i.last = at
	return true
}

// Person implements native.Watcher.
func (i *idle) Person() wire.PersonResult {
	now := time.Now()
	i.look(now)
	i.mu.Lock()
	defer i.mu.Unlock()
	return wire.PersonResult{Known: true, IdleMS: int(now.Sub(i.last).Milliseconds())}
}

// Hotkey implements native.Watcher.
func (i *idle) Hotkey(_ context.Context, chord string) error {
	if chord == "" {
		return nil
	}
	return &wire.Error{Code: wire.Unsupported, Message: "Hobkin sets no hotkey on this system", Fix: "pause with /pause, or from the tray"}
}

const lookEvery = 250 * time.Millisecond

// Watch implements native.Watcher.
func (i *idle) Watch(ctx context.Context, tell func(native.Happening)) error {
	for native.Pause(ctx, lookEvery) == nil {
		if i.look(time.Now()) {
			tell(native.PersonActs)
		}
	}
	return nil
}
