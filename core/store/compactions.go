package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/hobkin/hobkin/core/agent"
	"github.com/hobkin/hobkin/core/provider"
)

var _ agent.Compactions = (*Store)(nil)

// A compaction is a row of compactions.
type compaction struct {
	turn        string
	first, last int64
	history     []provider.Message
}

// wireMessage is a message as a compaction keeps it.
type wireMessage struct {
	Role  provider.Role   `json:"role"`
	Parts json.RawMessage `json:"parts"`
}

// SaveCompaction implements [agent.Compactions]. Only the last compaction of a
// session is kept: it stands for those before it.
func (s *Store) SaveCompaction(ctx context.Context, session, turn string, history []provider.Message) error {
	wire := make([]wireMessage, len(history))
	for i, m := range history {
		parts, err := provider.MarshalParts(m.Parts)
		if err != nil {
			return fmt.Errorf("store: %w", err)
		}
		wire[i] = wireMessage{m.Role, parts}
	}
	raw, err := json.Marshal(wire)
	if err != nil {
		return fmt.Errorf("store: %w", err)
	}
	err = s.write(ctx, true, func(tx *sql.Tx) error {
		num, err := sessionNum(ctx, tx, session)
		if err != nil {
			return err
		}
		first, last, err := bounds(ctx, tx, num, turn)
		if err != nil {
			return err
		}
		_, err = tx.ExecContext(ctx, "INSERT OR REPLACE INTO compactions (session, turn, first, last, at, messages) VALUES (?,?,?,?,?,?)",
			num, turn, first, last, micros(s.now()), raw)
		return err
	})
	if err != nil {
		return fmt.Errorf("store: keeping a compaction: %w", err)
	}
	return nil
}

// bounds returns the first and the last message of a turn so far; without a
// turn, twice the last of all.
func bounds(ctx context.Context, tx *sql.Tx, num int64, turn string) (first, last int64, err error) {
	if turn == "" {
		err = tx.QueryRowContext(ctx, "SELECT coalesce(max(id), ?1) FROM messages WHERE id BETWEEN ?1 AND ?2", num<<32, num<<32+maxMessages).Scan(&last)
		return last, last, err
	}
	err = tx.QueryRowContext(ctx, "SELECT coalesce(min(id), 0), coalesce(max(id), 0) FROM messages WHERE turn = ? AND id BETWEEN ? AND ?",
		turn, num<<32, num<<32+maxMessages).Scan(&first, &last)
	if err == nil && first == 0 {
		err = fmt.Errorf("no message of the turn %q", turn)
	}
	return first, last, err
}

// Mark implements [agent.Compactions].
func (s *Store) Mark(ctx context.Context, session string) (last int64, err error) {
	err = s.readers.QueryRowContext(ctx,
		"SELECT coalesce((SELECT max(id) FROM messages WHERE id BETWEEN num << 32 AND (num << 32) + 4294967295), 0) FROM sessions WHERE id = ?", session).Scan(&last)
	if errors.Is(err, sql.ErrNoRows) {
		return 0, nil
	}
	if err != nil {
		return 0, fmt.Errorf("store: messages: %w", s.reading(ctx, err))
	}
	return last & maxMessages, nil
}

// Recall implements [agent.Compactions]. A compaction that cannot be read is as
// if it were not there.
func (s *Store) Recall(ctx context.Context, session string) (history []provider.Message, warnings []string, err error) {
	c, err := s.compaction(ctx, session)
	switch {
	case errors.Is(err, sql.ErrNoRows):
		return s.Messages(ctx, session)
	case err != nil:
		_ = s.explain(err) // notes it
		return s.Messages(ctx, session)
	}
	rows, warnings, err := s.rowsFrom(ctx, session, c.first)
	if err != nil {
		return nil, nil, err
	}
	rows, err = s.notCovered(ctx, rows, c)
	if err != nil {
		return nil, nil, fmt.Errorf("store: messages: %w", s.reading(ctx, err))
	}
	rest, more := decoded(rows)
	return append(c.history, rest...), append(warnings, more...), nil
}

func (s *Store) compaction(ctx context.Context, session string) (c compaction, err error) {
	var raw []byte
	err = s.readers.QueryRowContext(ctx, "SELECT turn, first, last, messages FROM compactions WHERE session = (SELECT num FROM sessions WHERE id = ?)", session).
		Scan(&c.turn, &c.first, &c.last, &raw)
	if err != nil {
		return c, err
	}
	var wire []wireMessage
	if err := json.Unmarshal(raw, &wire); err != nil {
		return c, err
	}
	for _, m := range wire {
		parts, err := provider.UnmarshalParts(m.Parts)
		if err != nil {
			return c, err
		}
		c.history = append(c.history, provider.Message{Role: m.Role, Parts: parts})
	}
	return c, nil
}

// notCovered leaves the rows that c does not stand for: what its turn has had
// since, and the turns that came after it. A turn before it may have gone on
// behind its first message, which had been queued.
func (s *Store) notCovered(ctx context.Context, rows []stored, c compaction) ([]stored, error) {
	began := map[string]int64{}
	var out []stored
	for _, m := range rows {
		if m.turn == c.turn || m.turn == "" {
			if m.id > c.last {
				out = append(out, m)
			}
			continue
		}
		first, ok := began[m.turn]
		if !ok {
			num := m.id >> 32
			err := s.readers.QueryRowContext(ctx, "SELECT min(id) FROM messages WHERE turn = ? AND id BETWEEN ? AND ?", m.turn, num<<32, num<<32+maxMessages).Scan(&first)
			if err != nil {
				return nil, err
			}
			began[m.turn] = first
		}
		if first > c.first {
			out = append(out, m)
		}
	}
	return out, nil
}
