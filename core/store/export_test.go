package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"testing"
)

// OpenWith opens with other migrations.
func OpenWith(ctx context.Context, opts Options, scripts fs.FS) (*Store, error) {
	return open(ctx, opts, scripts)
}

// Migrations are the ones of this version.
func Migrations() fs.FS { return migrations }

// Exec lets tests do what the package never does.
func (s *Store) Exec(tb testing.TB, query string) {
	tb.Helper()
	if _, err := s.writer.ExecContext(context.Background(), query); err != nil {
		tb.Fatal(err)
	}
}

// Value reads one number.
func (s *Store) Value(tb testing.TB, query string, args ...any) (n int64) {
	tb.Helper()
	if err := s.readers.QueryRowContext(context.Background(), query, args...).Scan(&n); err != nil {
		tb.Fatal(err)
	}
	return n
}

// Fill makes n sessions at once, each with so many messages.
func (s *Store) Fill(tb testing.TB, n, messages int) {
	tb.Helper()
	ctx := context.Background()
	err := s.write(ctx, false, func(tx *sql.Tx) error {
		card, err := tx.PrepareContext(ctx, "INSERT INTO sessions (id, title, workspace, pinned, messages, created, updated) VALUES (?,?,'',?,?,?,?)")
		if err != nil {
			return err
		}
		defer func() { _ = card.Close() }()
		message, err := tx.PrepareContext(ctx, "INSERT INTO messages (id, uid, turn, role, at, text, grams, parts) VALUES (?,?,'t','user',?,?,'',?)")
		if err != nil {
			return err
		}
		defer func() { _ = message.Close() }()
		for i := range n {
			res, err := card.ExecContext(ctx, NewID(), fmt.Sprint("session ", i), i%10_000 == 0, messages, i+1, i+1)
			if err != nil {
				return err
			}
			num, err := res.LastInsertId()
			if err != nil {
				return err
			}
			for m := range messages {
				text := fmt.Sprintf("the message %d of session %d is about word%d", m, i, i%1000)
				_, err := message.ExecContext(ctx, num<<32+int64(m)+1, NewID(), i, text, fmt.Appendf(nil, `[{"type":"text","data":{"text":%q}}]`, text))
				if err != nil {
					return err
				}
			}
		}
		return nil
	})
	if err != nil {
		tb.Fatal(err)
	}
}

// Cause is what an error does not say to people.
func Cause(err error) error {
	if f := (*fault)(nil); errors.As(err, &f) {
		return f.cause
	}
	return err
}

// FillMemories makes n memories at once; words makes the value of each.
func (s *Store) FillMemories(tb testing.TB, n int, words func(i int) (key, value string)) {
	tb.Helper()
	ctx := context.Background()
	const batch = 50_000
	for from := 0; from < n; from += batch {
		err := s.write(ctx, false, func(tx *sql.Tx) error {
			insert, err := tx.PrepareContext(ctx, insertMemories)
			if err != nil {
				return err
			}
			defer func() { _ = insert.Close() }()
			for i := from; i < min(n, from+batch); i++ {
				key, value := words(i)
				m := Memory{ID: NewID(), Scope: "owner", Category: "preference", Key: key, Value: value, Confidence: 0.9, State: MemoryActive, Action: "add", At: s.now(), Changed: s.now()}
				if _, err := insert.ExecContext(ctx, memoryValues(m)...); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			tb.Fatal(err)
		}
	}
}

// PlainMatch is the number of memories that a plain query of the index finds,
// ranked as SQLite does it.
func (s *Store) PlainMatch(tb testing.TB, text string, limit int) (n int) {
	tb.Helper()
	rows, err := s.readers.QueryContext(context.Background(), "SELECT key, value FROM memory_search WHERE memory_search MATCH ? ORDER BY rank LIMIT ?", strings.Join(matchWords(text), " "), limit)
	if err != nil {
		tb.Fatal(err)
	}
	list, err := collect(rows, func(r *sql.Rows) (x [2]string, err error) { return x, r.Scan(&x[0], &x[1]) })
	if err != nil {
		tb.Fatal(err)
	}
	return len(list)
}
