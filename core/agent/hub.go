package agent

import (
	"context"
	"iter"
	"sync"
	"time"
)

// A Hub carries the events of all sessions from who publishes them to who
// watches. Set Journal before the first use; the rest needs nothing.
//
//	publisher → journal (gives the number) → stream of the session → watchers
//
// The events of a session reach every watcher in one order. A watcher that is
// slow misses events and is told how many; it never holds up a publisher.
type Hub struct {
	Journal Journal

	mu      sync.Mutex
	streams map[string]*stream
	all     watchers
}

// stream is one session's part of the hub.
type stream struct {
	mu   sync.Mutex // held from numbering to handing on, which keeps the order
	last int64      // number of the last durable event; unknown before the first
	subs watchers
}

const unknown int64 = -1

func (h *Hub) stream(session string) *stream {
	h.mu.Lock()
	defer h.mu.Unlock()
	s := h.streams[session]
	if s == nil {
		if h.streams == nil {
			h.streams = map[string]*stream{}
		}
		s = &stream{last: unknown}
		h.streams[session] = s
	}
	return s
}

// Publish stores a durable payload, numbers it, and hands it to the watchers;
// any other payload is handed on only. What could not be stored is not handed
// on, and the error is the journal's.
func (h *Hub) Publish(ctx context.Context, session, turn string, p Payload) (Event, error) {
	e := Event{Session: session, Turn: turn, At: now(), Payload: p}
	s := h.stream(session)
	s.mu.Lock()
	defer s.mu.Unlock()
	if Durable(p) {
		stored, err := h.Journal.AppendEvent(ctx, e)
		if err != nil {
			return Event{}, err
		}
		e, s.last = stored, stored.Seq
	}
	h.hand(s, e)
	return e, nil
}

// tell hands on an event that could not be stored and that no watcher should
// wait for in vain: the end of a turn.
func (h *Hub) tell(session, turn string, p Payload) {
	s := h.stream(session)
	s.mu.Lock()
	defer s.mu.Unlock()
	h.hand(s, Event{Session: session, Turn: turn, At: now(), Payload: p})
}

func (h *Hub) hand(s *stream, e Event) {
	it := item{e, s.last}
	s.subs.push(it)
	h.all.push(it)
}

// now is the time of an event, as precise as its JSON form keeps it anywhere.
func now() time.Time { return time.Now().UTC().Truncate(time.Microsecond) }

// replayPage is how many stored events are read at once.
const replayPage = 256

// Watch yields the events of a session with numbers from `from` on: the stored
// ones first, then those that happen, without gap or repeat. From 0 means only
// what happens from now on. An empty session means all sessions, from now on.
//
// It yields until ctx ends, the loop is left, or the journal cannot be read;
// that error comes last. A watcher that lags behind gets one [Lagged] with the
// number of events it missed; a watch from the last number seen brings the
// durable ones back.
func (h *Hub) Watch(ctx context.Context, session string, from int64) iter.Seq2[Event, error] {
	if session != "" && from > 0 {
		return func(yield func(Event, error) bool) {
			h.replay(ctx, session, from, yield)
		}
	}
	subs := &h.all
	if session != "" {
		subs = &h.stream(session).subs
	}
	sub, stop := subs.join()               // now, so that nothing is missed until the first pull
	unhook := context.AfterFunc(ctx, stop) // also when no one ever pulls
	return func(yield func(Event, error) bool) {
		defer stop()
		defer unhook()
		sub.live(ctx, session, 0, yield)
	}
}

// replay reads the journal to its end before it joins the live stream, so that
// a long history does not overflow the watcher's buffer, and once more after,
// so that nothing falls between.
func (h *Hub) replay(ctx context.Context, session string, next int64, yield func(Event, error) bool) {
	next, ok := h.stored(ctx, session, next, yield)
	if !ok {
		return
	}
	sub, stop := h.stream(session).subs.join()
	defer stop()
	if next, ok = h.stored(ctx, session, next, yield); ok {
		sub.live(ctx, session, next, yield)
	}
}

// stored yields what the journal has from next on and returns the number after
// it. Pages may be short where rows are damaged: only an empty one is the end.
func (h *Hub) stored(ctx context.Context, session string, next int64, yield func(Event, error) bool) (int64, bool) {
	for {
		page, err := h.Journal.EventsFrom(ctx, session, next, replayPage)
		switch {
		case ctx.Err() != nil:
			return next, false
		case err != nil:
			yield(Event{}, err)
			return next, false
		case len(page) == 0:
			return next, true
		}
		for _, e := range page {
			if !yield(e, nil) {
				return next, false
			}
			next = e.Seq + 1
		}
	}
}
