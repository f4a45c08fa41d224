package store

import (
	"cmp"
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/hobkin/hobkin/core/agent"
	"github.com/hobkin/hobkin/core/provider"
)

var _ agent.Journal = (*Store)(nil)

// AppendMessage implements [agent.Journal].
func (s *Store) AppendMessage(ctx context.Context, session, turn string, m provider.Message) error {
	return s.AppendMessageOnce(ctx, session, turn, NewID(), m)
}

// AppendMessageOnce appends a message under an id of its own: with one that is
// there already it does nothing, so that it is safe to repeat after a failure.
func (s *Store) AppendMessageOnce(ctx context.Context, session, turn, id string, m provider.Message) error {
	parts, err := provider.MarshalParts(m.Parts)
	if err != nil {
		return fmt.Errorf("store: %w", err)
	}
	text, at := words(m), micros(s.now())
	err = s.write(ctx, true, func(tx *sql.Tx) error {
		num, err := sessionNum(ctx, tx, session)
		if err != nil {
			return err
		}
		res, err := tx.ExecContext(ctx,
			"INSERT INTO messages (id, uid, turn, role, at, text, grams, parts) "+
				"SELECT 1 + coalesce((SELECT max(id) FROM messages WHERE id BETWEEN ?1 AND ?2), ?1), ?3, ?4, ?5, ?6, ?7, ?8, ?9 "+
				"WHERE true ON CONFLICT (uid) DO NOTHING",
			num<<32, num<<32+maxMessages, id, turn, string(m.Role), at, text, grams(text), parts)
		if err != nil {
			return err
		}
		if n, err := res.RowsAffected(); err != nil || n == 0 {
			return err
		}
		_, err = tx.ExecContext(ctx, "UPDATE sessions SET messages = messages + 1, updated = ? WHERE num = ?", at, num)
		return err
	})
	if err != nil {
		return fmt.Errorf("store: appending a message: %w", err)
	}
	return nil
}

// maxMessages is how many numbers a session has for its messages.
const maxMessages = 1<<32 - 1

func sessionNum(ctx context.Context, tx *sql.Tx, id string) (num int64, err error) {
	err = tx.QueryRowContext(ctx, "SELECT num FROM sessions WHERE id = ?", id).Scan(&num)
	return num, err
}

// words is the text of a message that a person or the model wrote, as far as
// searches look at it.
func words(m provider.Message) string {
	var out []string
	for _, p := range m.Parts {
		if t, ok := p.(provider.Text); ok {
			out = append(out, t.Text)
		}
	}
	return clip(strings.Join(out, "\n"))
}

// A stored is a row of messages.
type stored struct {
	id         int64
	turn, role string
	parts      []byte
}

// Messages implements [agent.Journal].
func (s *Store) Messages(ctx context.Context, session string) (history []provider.Message, warnings []string, err error) {
	rows, warnings, err := s.rowsFrom(ctx, session, 0)
	if err != nil {
		return nil, nil, err
	}
	history, more := decoded(rows)
	return history, append(warnings, more...), nil
}

// rowsFrom reads the messages of a session from one on (messages.id), turn by
// turn.
func (s *Store) rowsFrom(ctx context.Context, session string, from int64) (rows []stored, warnings []string, err error) {
	rows, lost, err := bothEnds(func(order string) (*sql.Rows, error) {
		return s.readers.QueryContext(ctx,
			"SELECT m.id, m.turn, m.role, m.parts FROM sessions s JOIN messages m ON m.id BETWEEN max(s.num << 32, ?) AND (s.num << 32) + 4294967295 WHERE s.id = ? ORDER BY m.id "+order, from, session)
	}, func(r *sql.Rows) (m stored, err error) {
		return m, r.Scan(&m.id, &m.turn, &m.role, &m.parts)
	}, func(m stored) int64 { return m.id })
	if err != nil {
		return nil, nil, fmt.Errorf("store: messages: %w", s.reading(ctx, err))
	}
	if lost != nil {
		_ = s.explain(lost) // notes it
		warnings = append(warnings, "Some messages cannot be read: the database is damaged there.")
	}
	byTurn(rows)
	return rows, warnings, nil
}

// decoded reads rows. Those that cannot be read are left out and told.
func decoded(rows []stored) (history []provider.Message, warnings []string) {
	for _, m := range rows {
		parts, err := provider.UnmarshalParts(m.parts)
		if err != nil {
			warnings = append(warnings, fmt.Sprintf("Message %d is damaged and left out: %v", m.id&maxMessages, err))
			continue
		}
		history = append(history, provider.Message{Role: provider.Role(m.role), Parts: parts})
	}
	return history, warnings
}

// byTurn brings the messages of a turn together, at the place of its first.
// Messages of no turn stay by themselves.
func byTurn(rows []stored) {
	first := map[string]int64{}
	for _, m := range rows {
		if _, ok := first[m.turn]; !ok && m.turn != "" {
			first[m.turn] = m.id
		}
	}
	place := func(m stored) int64 {
		if m.turn == "" {
			return m.id
		}
		return first[m.turn]
	}
	slices.SortStableFunc(rows, func(a, b stored) int { return cmp.Compare(place(a), place(b)) })
}

// AppendEvent implements [agent.Journal].
func (s *Store) AppendEvent(ctx context.Context, e agent.Event) (agent.Event, error) {
	e.Seq = 0
	raw, err := json.Marshal(e)
	if err != nil {
		return e, fmt.Errorf("store: %w", err)
	}
	var seq int64
	err = s.write(ctx, false, func(tx *sql.Tx) error {
		return tx.QueryRowContext(ctx,
			"INSERT INTO events (session, seq, event) SELECT num, 1 + coalesce((SELECT max(seq) FROM events WHERE session = num), 0), ? FROM sessions WHERE id = ? RETURNING seq",
			raw, e.Session).Scan(&seq)
	})
	if err != nil {
		return e, fmt.Errorf("store: appending an event: %w", err)
	}
	e.Seq = seq
	return e, nil
}

// maxPage bounds one answer of [Store.EventsFrom].
const maxPage = 10_000

// EventsFrom implements [agent.Journal]. An event that cannot be read comes as
// a [agent.Notice] in its place, so that no number is missing. It gives 10,000
// events at most.
func (s *Store) EventsFrom(ctx context.Context, session string, from int64, limit int) ([]agent.Event, error) {
	from, limit = max(from, 1), min(limit, maxPage)
	list, lost, err := bothEnds(func(order string) (*sql.Rows, error) {
		count := limit
		if order != "" {
			count = -1 // from the other end the wanted ones come last
		}
		return s.readers.QueryContext(ctx,
			"SELECT seq, event FROM events WHERE session = (SELECT num FROM sessions WHERE id = ?) AND seq >= ? ORDER BY seq "+order+" LIMIT ?", session, from, count)
	}, func(r *sql.Rows) (e agent.Event, err error) {
		var seq int64
		var raw []byte
		if err := r.Scan(&seq, &raw); err != nil {
			return e, err
		}
		if json.Unmarshal(raw, &e) != nil {
			e = damaged(session)
		}
		e.Seq = seq
		return e, nil
	}, func(e agent.Event) int64 { return e.Seq })
	if err != nil {
		return nil, fmt.Errorf("store: events: %w", s.reading(ctx, err))
	}
	if lost != nil {
		_ = s.explain(lost) // notes it
		list = fillGaps(list, session, from)
	}
	return list[:min(limit, len(list))], nil
}

func damaged(session string) agent.Event {
	return agent.Event{Session: session, Payload: agent.Notice{Text: "An entry here is damaged and cannot be shown."}}
}

func fillGaps(list []agent.Event, session string, from int64) []agent.Event {
	var out []agent.Event
	for _, e := range list {
		for ; from < e.Seq && len(out) < maxPage; from++ {
			gap := damaged(session)
			gap.Seq = from
			out = append(out, gap)
		}
		out = append(out, e)
		from = e.Seq + 1
	}
	return out
}
