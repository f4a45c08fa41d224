package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"strings"
	"time"
)

// salvageTime bounds how long a start may take to read a damaged database.
const salvageTime = 30 * time.Second

// mend puts a damaged database aside, starts a new one and brings over what can
// still be read.
func (s *Store) mend(ctx context.Context) error {
	if err := s.lock.alone(ctx); err != nil {
		return err
	}
	err := s.connect(ctx) // another process may have mended it meanwhile
	if isDamaged(err) {
		err = s.replace(ctx)
	}
	if err != nil {
		return errors.Join(err, s.lock.release())
	}
	return errors.Join(s.lock.release(), s.lock.share(ctx))
}

func (s *Store) replace(ctx context.Context) error {
	aside, err := s.putAside("damaged")
	if err != nil {
		return err
	}
	if err := ignoreMissing(os.Remove(s.suspect())); err != nil {
		return err
	}
	if err := s.create(ctx); err != nil {
		return err
	}
	if err := s.connect(ctx); err != nil {
		return err
	}
	limited, cancel := context.WithTimeout(ctx, salvageTime)
	defer cancel()
	n := s.salvage(limited, aside)
	s.degrade("The database was damaged. It was put aside as " + aside + " and a new one was started." + broughtOver(n) + s.backupHint(ctx))
	slog.ErrorContext(ctx, "store: "+s.Degraded())
	return nil
}

func broughtOver(sessions int) string {
	switch sessions {
	case 0:
		return " Nothing could be read from the damaged one."
	case 1:
		return " One session could be brought over."
	}
	return fmt.Sprintf(" %d sessions could be brought over.", sessions)
}

// salvaged are the tables that are brought over, with what orders their rows.
var salvaged = []struct{ table, order string }{
	{"grants", "path"},
	{"sessions", "num"},
	{"messages", "id"},
	{"changes", "num"},
	{"approvals", "id"},
	{"outputs", "path"},
	{"usage", "num"},
	{"events", "session, seq"}, // last: they need their session
}

// salvage reads every table of a damaged database as far as it goes, from both
// ends, and returns how many sessions the new one has then.
func (s *Store) salvage(ctx context.Context, damaged string) (sessions int) {
	// writable_schema has SQLite read a file that was cut off; nothing is written.
	old, err := sql.Open("sqlite", fileURL(damaged, "_pragma=query_only(1)", "_pragma=cell_size_check(1)", "_pragma=writable_schema(1)"))
	if err != nil {
		return 0
	}
	defer func() { _ = old.Close() }()
	if err := readSchema(ctx, old); err != nil {
		slog.WarnContext(ctx, "store: bringing over", "error", err)
		return 0
	}
	for _, t := range salvaged {
		if t.table == "events" {
			if err := s.adopt(ctx); err != nil {
				slog.WarnContext(ctx, "store: bringing over", "error", err)
			}
		}
		if err := s.bring(ctx, old, t.table, t.order); err != nil {
			slog.WarnContext(ctx, "store: bringing over", "table", t.table, "error", err)
		}
	}
	if err := s.readers.QueryRowContext(ctx, "SELECT count(*) FROM sessions").Scan(&sessions); err != nil {
		slog.WarnContext(ctx, "store: bringing over", "error", err)
	}
	return sessions
}

// bring copies the rows of one table. Those that the schema refuses stay behind.
func (s *Store) bring(ctx context.Context, old *sql.DB, table, order string) error {
	rows, err := old.QueryContext(ctx, "SELECT name FROM pragma_table_info(?)", table)
	if err != nil {
		return err
	}
	columns, err := collect(rows, func(r *sql.Rows) (name string, err error) { return name, r.Scan(&name) })
	if err != nil || len(columns) == 0 {
		return err
	}
	insert := "INSERT OR IGNORE INTO " + table + " (" + strings.Join(columns, ", ") + ") VALUES (?" + strings.Repeat(", ?", len(columns)-1) + ")"
	return s.transact(ctx, false, func(tx *sql.Tx) error {
		for _, direction := range []string{"", " DESC"} {
			rows, err := old.QueryContext(ctx, "SELECT "+strings.Join(columns, ", ")+" FROM "+table+" ORDER BY "+strings.ReplaceAll(order, ",", direction+",")+direction)
			if err == nil {
				err = bringRows(ctx, tx, rows, insert)
			}
			if !isDamaged(err) {
				return err
			}
		}
		return nil
	})
}

func bringRows(ctx context.Context, tx *sql.Tx, rows *sql.Rows, insert string) error {
	defer func() { _ = rows.Close() }()
	columns, err := rows.Columns()
	if err != nil {
		return err
	}
	values, targets := make([]any, len(columns)), make([]any, len(columns))
	for i := range values {
		targets[i] = &values[i]
	}
	for rows.Next() {
		if err := rows.Scan(targets...); err != nil {
			return err
		}
		if _, err := tx.ExecContext(ctx, insert, values...); err != nil && !isConstraint(err) {
			return err
		}
	}
	return rows.Err()
}

// adopt makes sessions for messages whose own could not be read, and counts.
func (s *Store) adopt(ctx context.Context) error {
	return s.transact(ctx, true, func(tx *sql.Tx) error {
		rows, err := tx.QueryContext(ctx, "SELECT DISTINCT id >> 32 FROM messages WHERE id >> 32 NOT IN (SELECT num FROM sessions)")
		if err != nil {
			return err
		}
		lost, err := collect(rows, func(r *sql.Rows) (num int64, err error) { return num, r.Scan(&num) })
		if err != nil {
			return err
		}
		now := micros(s.now())
		for _, num := range lost {
			_, err := tx.ExecContext(ctx, "INSERT INTO sessions (num, id, title, workspace, created, updated) VALUES (?, ?, 'Recovered conversation', '', ?, ?)", num, NewID(), now, now)
			if err != nil {
				return err
			}
		}
		_, err = tx.ExecContext(ctx, "UPDATE sessions SET messages = (SELECT count(*) FROM messages WHERE id BETWEEN num << 32 AND (num << 32) + 4294967295)")
		return err
	})
}
