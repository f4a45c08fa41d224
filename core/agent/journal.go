package agent

import (
	"context"

	"github.com/hobkin/hobkin/core/provider"
)

// A Journal keeps sessions. What a method has returned nil for survives a kill
// at the next instant.
type Journal interface {
	// AppendMessage adds one message to the session's history.
	AppendMessage(ctx context.Context, session, turn string, m provider.Message) error
	// Messages returns the history turn by turn: turns in the order of their
	// first message, and the messages of one turn together, oldest first. So a
	// message that was queued while another turn ran comes after that turn.
	// Damaged rows are left out and reported in warnings.
	Messages(ctx context.Context, session string) (history []provider.Message, warnings []string, err error)
	// AppendEvent stores e and returns it with the next number of its session.
	AppendEvent(ctx context.Context, e Event) (Event, error)
	// EventsFrom returns the stored events of a session with Seq >= from, at
	// most limit of them, oldest first.
	EventsFrom(ctx context.Context, session string, from int64, limit int) ([]Event, error)
}

// Compactions keep what stands for the beginning of long sessions, so that a
// turn costs the same however long its session is.
type Compactions interface {
	// SaveCompaction keeps what stands for all messages of the session up to now,
	// those of the given turn included: it was sent in their place. The turn is
	// the one under way, empty between turns.
	SaveCompaction(ctx context.Context, session, turn string, history []provider.Message) error
	// Recall returns what was saved last, and behind it the messages that it does
	// not stand for, as [Journal.Messages] does. With nothing saved it is the
	// whole history.
	Recall(ctx context.Context, session string) (history []provider.Message, warnings []string, err error)
	// Mark counts the messages that were ever appended to the session: it tells
	// whether someone else has written there.
	Mark(ctx context.Context, session string) (int64, error)
}
