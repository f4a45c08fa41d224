package computeruse

import (
	"context"
	"fmt"
	"log/slog"
	"sync"

	"github.com/hobkin/hobkin/computeruse/helper"
	"github.com/hobkin/hobkin/computeruse/wire"
)

// Words are what the strip on the screen says.
type Words struct {
	Using   string // "Hobkin is using %s", with the program
	Waiting string // for a person's hands to rest
	Paused  string
	Pause   string // on the button
}

func (s *Session) words() Words {
	if s.o.Words != nil {
		return s.o.Words()
	}
	return Words{Using: "Hobkin is using %s", Waiting: "Hobkin waits for you", Paused: "Hobkin is paused", Pause: "Pause"}
}

// A bar keeps the strip on the screen in step with the state. What it shows is
// sent by one goroutine at a time, which ends when there is nothing to send.
type bar struct {
	desk helper.Client

	mu      sync.Mutex
	want    wire.BarParams
	shown   wire.BarParams
	sending bool
	closed  bool
	idle    sync.WaitGroup
}

// follow shows a state.
func (b *bar) follow(st State, cfg Config, w Words) {
	b.set(shows(st, cfg, w), false)
}

// again shows a state to a helper that shows nothing yet.
func (b *bar) again(st State, cfg Config, w Words) {
	b.set(shows(st, cfg, w), true)
}

// shows is what the strip says of a state; nothing while no one holds the mouse.
func shows(st State, cfg Config, w Words) wire.BarParams {
	name := st.Program
	if name == "" {
		name = "…"
	}
	switch {
	case cfg.NoBar, st.Session == "":
		return wire.BarParams{}
	case st.Paused:
		return wire.BarParams{Text: w.Paused, Tone: "paused"}
	case st.Waiting:
		return wire.BarParams{Text: w.Waiting, Button: w.Pause, Tone: "waiting"}
	}
	return wire.BarParams{Text: fmt.Sprintf(w.Using, name), Button: w.Pause, Tone: "working"}
}

func (b *bar) set(want wire.BarParams, anew bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if anew {
		b.shown = wire.BarParams{}
	}
	b.want = want
	if b.sending || b.closed || b.want == b.shown {
		return
	}
	b.sending = true
	b.idle.Go(b.send) // ends when all is shown; close waits for it
}

// send shows what is wanted until nothing more is.
func (b *bar) send() {
	for {
		b.mu.Lock()
		want := b.want
		if want == b.shown || b.closed {
			b.sending = false
			b.mu.Unlock()
			return
		}
		b.shown = want
		b.mu.Unlock()
		ctx, cancel := context.WithTimeout(context.Background(), quickTime)
		if err := b.desk.Bar(ctx, want); err != nil {
			slog.Debug("computeruse: the strip on the screen", "error", err)
		}
		cancel()
	}
}

func (b *bar) close() {
	b.mu.Lock()
	b.closed = true
	b.mu.Unlock()
	b.idle.Wait()
}
