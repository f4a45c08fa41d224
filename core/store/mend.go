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

// salvageTime bounds how long a start may take to read a damaged database. What
// was read until then is kept.
const salvageTime = time.Minute

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
	n := s.salvage(ctx, aside)
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

// A salvagedTable is brought over, row by row in an order that has an index.
type salvagedTable struct{ name, order string }

var salvaged = []salvagedTable{
	{"grants", "path"},
	{"sessions", "num"},
	{"messages", "id"},
	{"changes", "num"},
	{"approvals", "id"},
	{"outputs", "path"},
	{"usage", "num"},
	{"events", "session, seq"}, // after adopt: they need their session
	{"compactions", "session"},
	{"memories", "num"},
	{"memory_history", "num"},
	{"memory_sources", "id"},
	{"memory_passages", "num"}, // after their sources
	{"jobs", "num"},
	{"runs", "num"}, // after their jobs
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
	reading, cancel := context.WithTimeout(ctx, salvageTime)
	defer cancel()
	for _, t := range salvaged {
		if t.name == "events" {
			if err := s.adopt(ctx); err != nil {
				slog.WarnContext(ctx, "store: bringing over", "error", err)
			}
		}
		if err := s.bring(ctx, reading, old, t); err != nil {
			slog.WarnContext(ctx, "store: bringing over", "table", t.name, "error", err)
		}
	}
	if err := s.readers.QueryRowContext(ctx, "SELECT count(*) FROM sessions").Scan(&sessions); err != nil {
		slog.WarnContext(ctx, "store: bringing over", "error", err)
	}
	return sessions
}

// bring copies the rows of one table until there is no more time to read. Those
// that the schema refuses stay behind. An error means that nothing can be read
// or written.
func (s *Store) bring(ctx, reading context.Context, old *sql.DB, t salvagedTable) error {
	rows, err := old.QueryContext(reading, "SELECT name FROM pragma_table_info(?)", t.name)
	if err != nil {
		return err
	}
	columns, err := collect(rows, func(r *sql.Rows) (name string, err error) { return name, r.Scan(&name) })
	if err != nil || len(columns) == 0 {
		return err
	}
	list := strings.Join(columns, ", ")
	return s.transact(ctx, false, func(tx *sql.Tx) error {
		insert, err := tx.PrepareContext(ctx, "INSERT OR IGNORE INTO "+t.name+" ("+list+") VALUES (?"+strings.Repeat(", ?", len(columns)-1)+")")
		if err != nil {
			return err
		}
		defer func() { _ = insert.Close() }()
		for _, direction := range []string{"", " DESC"} {
			rows, err := old.QueryContext(reading, "SELECT "+list+" FROM "+t.name+" ORDER BY "+strings.ReplaceAll(t.order, ",", direction+",")+direction)
			if err != nil {
				continue // perhaps it can be read from the other end
			}
			if whole, err := bringRows(ctx, rows, insert, len(columns)); whole || err != nil {
				return err
			}
		}
		return nil
	})
}

// bringRows reports whether it came to the end of the rows.
func bringRows(ctx context.Context, rows *sql.Rows, insert *sql.Stmt, columns int) (whole bool, err error) {
	defer func() { _ = rows.Close() }()
	values, targets := make([]any, columns), make([]any, columns)
	for i := range values {
		targets[i] = &values[i]
	}
	for rows.Next() {
		if rows.Scan(targets...) != nil {
			return false, nil
		}
		if _, err := insert.ExecContext(ctx, values...); err != nil && !isConstraint(err) {
			return false, err
		}
	}
	return rows.Err() == nil, nil
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
