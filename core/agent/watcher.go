package agent

import (
	"context"
	"sync"
)

// lagBuffer is how many events a watcher may be behind.
const lagBuffer = 4096

// watchers are those who watch one stream.
type watchers struct {
	mu  sync.Mutex
	set map[*watcher]struct{}
}

// join adds a watcher. The function it returns takes it out again, and may be
// called twice.
func (ws *watchers) join() (*watcher, func()) {
	w := &watcher{wake: make(chan struct{}, 1)}
	ws.mu.Lock()
	defer ws.mu.Unlock()
	if ws.set == nil {
		ws.set = map[*watcher]struct{}{}
	}
	ws.set[w] = struct{}{}
	return w, func() {
		ws.mu.Lock()
		defer ws.mu.Unlock()
		delete(ws.set, w)
	}
}

func (ws *watchers) push(it item) {
	ws.mu.Lock()
	defer ws.mu.Unlock()
	for w := range ws.set {
		w.push(it)
	}
}

// item is an event on its way, with the number of the last durable event of
// its session at that time: so a watcher knows where an event without a number
// belongs.
type item struct {
	Event
	after int64
}

// A watcher holds what one reader has not read yet.
type watcher struct {
	mu     sync.Mutex
	queue  []item
	missed int           // since the queue was full; nothing is queued until the reader knows
	wake   chan struct{} // has a value when there may be something to read
}

func (w *watcher) push(it item) {
	w.mu.Lock()
	if w.missed > 0 || len(w.queue) >= lagBuffer {
		w.missed++
	} else {
		w.queue = append(w.queue, it)
	}
	w.mu.Unlock()
	select {
	case w.wake <- struct{}{}:
	default: // it is awake already
	}
}

// take returns all that waits, and how many came after that and were lost.
func (w *watcher) take() (waiting []item, missed int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	waiting, missed = w.queue, w.missed
	w.queue, w.missed = nil, 0
	return waiting, missed
}

// live yields what comes until ctx ends or the reader leaves. Events before
// number next are known already; so are those without a number that happened
// before an event that is known.
func (w *watcher) live(ctx context.Context, session string, next int64, yield func(Event, error) bool) {
	for {
		waiting, missed := w.take()
		for _, it := range waiting {
			if ctx.Err() != nil {
				return
			}
			if !it.known(next) && !yield(it.Event, nil) {
				return
			}
		}
		if missed > 0 && !yield(Event{Session: session, At: now(), Payload: Lagged{missed}}, nil) {
			return
		}
		select {
		case <-ctx.Done():
			return
		case <-w.wake:
		}
	}
}

func (it item) known(next int64) bool {
	if it.Seq != 0 {
		return it.Seq < next
	}
	return it.after != unknown && it.after < next-1
}
