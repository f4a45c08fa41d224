package store

import (
	"context"
	"database/sql"
	"fmt"
	"testing"
)

// Exec lets tests do what the package never does.
func (s *Store) Exec(tb testing.TB, query string) {
	tb.Helper()
	if _, err := s.writer.ExecContext(context.Background(), query); err != nil {
		tb.Fatal(err)
	}
}

// Fill makes n sessions at once.
func (s *Store) Fill(tb testing.TB, n int) {
	tb.Helper()
	ctx := context.Background()
	err := s.write(ctx, false, func(tx *sql.Tx) error {
		for i := range n {
			if _, err := tx.ExecContext(ctx, "INSERT INTO sessions (id, title, workspace, created, updated) VALUES (?,?,'',?,?)", NewID(), fmt.Sprint("session ", i), i, i); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		tb.Fatal(err)
	}
}
