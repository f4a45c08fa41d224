package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/hobkin/hobkin/core/agent"
	"github.com/hobkin/hobkin/core/provider"
)

var _ agent.Journal = (*Store)(nil)

// AppendMessage implements [agent.Journal].
func (s *Store) AppendMessage(ctx context.Context, session, turn string, m provider.Message) error {
	parts, err := provider.MarshalParts(m.Parts)
	if err != nil {
		return fmt.Errorf("store: %w", err)
	}
	at := micros(s.now())
	err = s.write(ctx, true, func(tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx,
			"INSERT INTO messages (session, n, turn, role, parts, at) SELECT ?, coalesce(max(n), 0) + 1, ?, ?, ?, ? FROM messages WHERE session = ?",
			session, turn, string(m.Role), parts, at, session)
		if err != nil {
			return err
		}
		if err := one(tx.ExecContext(ctx, "UPDATE sessions SET messages = messages + 1, updated = ? WHERE id = ?", at, session)); err != nil {
			return err
		}
		if text := words(m); text != "" {
			return index(ctx, tx, session, text)
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("store: appending a message: %w", err)
	}
	return nil
}

// words is the text of a message that a person or the model wrote.
func words(m provider.Message) string {
	var out []string
	for _, p := range m.Parts {
		if t, ok := p.(provider.Text); ok {
			out = append(out, t.Text)
		}
	}
	return strings.Join(out, "\n")
}

// Messages implements [agent.Journal].
func (s *Store) Messages(ctx context.Context, session string) (history []provider.Message, warnings []string, err error) {
	rows, err := s.readers.QueryContext(ctx, "SELECT n, role, parts FROM messages WHERE session = ? ORDER BY n", session)
	if err != nil {
		return nil, nil, fmt.Errorf("store: messages: %w", explain(err))
	}
	defer func() { _ = rows.Close() }()
	for rows.Next() {
		var n int64
		var role string
		var raw []byte
		if err := rows.Scan(&n, &role, &raw); err != nil {
			return nil, nil, fmt.Errorf("store: messages: %w", explain(err))
		}
		parts, err := provider.UnmarshalParts(raw)
		if err != nil {
			warnings = append(warnings, fmt.Sprintf("message %d is damaged and left out: %v", n, err))
			continue
		}
		history = append(history, provider.Message{Role: provider.Role(role), Parts: parts})
	}
	if err := rows.Err(); err != nil {
		if !isDamaged(err) {
			return nil, nil, fmt.Errorf("store: messages: %w", explain(err))
		}
		warnings = append(warnings, "the rest of the messages cannot be read: the database is damaged there")
	}
	return history, warnings, nil
}

// AppendEvent implements [agent.Journal].
func (s *Store) AppendEvent(ctx context.Context, e agent.Event) (agent.Event, error) {
	e.Seq = 0
	raw, err := json.Marshal(e)
	if err != nil {
		return e, fmt.Errorf("store: %w", err)
	}
	err = s.write(ctx, false, func(tx *sql.Tx) error {
		return tx.QueryRowContext(ctx,
			"INSERT INTO events (session, seq, event) SELECT ?, coalesce(max(seq), 0) + 1, ? FROM events WHERE session = ? RETURNING seq",
			e.Session, raw, e.Session).Scan(&e.Seq)
	})
	if err != nil {
		return e, fmt.Errorf("store: appending an event: %w", err)
	}
	return e, nil
}

// EventsFrom implements [agent.Journal]. An event that cannot be read comes as
// a [agent.Notice] in its place, so that no number is missing.
func (s *Store) EventsFrom(ctx context.Context, session string, from int64, limit int) ([]agent.Event, error) {
	rows, err := s.readers.QueryContext(ctx, "SELECT seq, event FROM events WHERE session = ? AND seq >= ? ORDER BY seq LIMIT ?", session, from, limit)
	if err != nil {
		return nil, fmt.Errorf("store: events: %w", explain(err))
	}
	list, err := collect(rows, func(r *sql.Rows) (agent.Event, error) {
		var seq int64
		var raw []byte
		if err := r.Scan(&seq, &raw); err != nil {
			return agent.Event{}, err
		}
		var e agent.Event
		if err := json.Unmarshal(raw, &e); err != nil {
			e = agent.Event{Session: session, Payload: agent.Notice{Text: "An entry here is damaged and cannot be shown."}}
		}
		e.Seq = seq
		return e, nil
	})
	if err != nil {
		return nil, fmt.Errorf("store: events: %w", explain(err))
	}
	return list, nil
}
