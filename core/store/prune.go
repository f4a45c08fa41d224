package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"
)

// Dropped says what was let go of the undo journal, and why.
type Dropped struct {
	At      time.Time `json:"at"`      // the last time
	Changes int       `json:"changes"` // then
	Bytes   int64     `json:"bytes"`   // of what files held before
	Until   time.Time `json:"until"`   // changes up to this one are gone
	Reason  string    `json:"reason"`  // "older than 90 days", "over 1024 MB"
}

// PruneChanges lets go of the oldest changes of the undo journal: those before
// a time, and those that make what is kept larger than most bytes. It returns
// what it dropped; [Store.LastDropped] remembers it.
func (s *Store) PruneChanges(ctx context.Context, age time.Duration, most int64) (Dropped, error) {
	d := Dropped{At: s.now()}
	err := s.write(ctx, true, func(tx *sql.Tx) error {
		rows, err := s.sizes(ctx, tx)
		if err != nil {
			return err
		}
		cut := d.choose(rows, d.At.Add(-age), most)
		if cut == 0 {
			return nil
		}
		d.Reason = fmt.Sprintf("older than %d days", int(age.Hours()/24))
		if d.Bytes > 0 && d.Until.After(d.At.Add(-age)) {
			d.Reason = fmt.Sprintf("over %d MB", most>>20)
		}
		gone, err := tx.QueryContext(ctx, "DELETE FROM changes WHERE num <= ? RETURNING kept", cut)
		if err != nil {
			return err
		}
		kept, err := collect(gone, func(r *sql.Rows) (hash string, err error) { return hash, r.Scan(&hash) })
		if err != nil {
			return err
		}
		return s.dropKept(ctx, tx, kept)
	})
	if err != nil {
		return Dropped{}, fmt.Errorf("store: bounding the undo journal: %w", err)
	}
	if d.Changes == 0 {
		return d, s.stampPruned()
	}
	text, err := json.Marshal(d)
	if err == nil {
		err = errors.Join(replaceFile(s.droppedPath(), append(text, '\n')), s.stampPruned())
	}
	if err != nil {
		return d, fmt.Errorf("store: noting what was dropped: %w", err)
	}
	return d, nil
}

// sized is a change and what keeping it takes.
type sized struct {
	num, bytes int64
	at         time.Time
}

// sizes lists all changes, the newest first. Contents that several share are
// counted for the newest.
func (s *Store) sizes(ctx context.Context, tx *sql.Tx) ([]sized, error) {
	rows, err := tx.QueryContext(ctx, "SELECT num, at, coalesce(length(before), 0), kept FROM changes ORDER BY num DESC")
	if err != nil {
		return nil, err
	}
	seen := map[string]bool{"": true}
	return collect(rows, func(r *sql.Rows) (one sized, err error) {
		var at int64
		var kept string
		if err := r.Scan(&one.num, &at, &one.bytes, &kept); err != nil {
			return one, err
		}
		one.at = fromMicros(at)
		if !seen[kept] {
			seen[kept] = true
			if info, err := os.Stat(s.keptPath(kept)); err == nil {
				one.bytes += info.Size()
			}
		}
		return one, nil
	})
}

// choose counts what goes, and returns the number of the newest of it; 0 when
// nothing does.
func (d *Dropped) choose(newestFirst []sized, before time.Time, most int64) (cut int64) {
	var total int64
	for _, one := range newestFirst {
		total += one.bytes
		if cut == 0 && total <= most && !one.at.Before(before) {
			continue
		}
		if cut == 0 {
			cut, d.Until = one.num, one.at
		}
		d.Changes++
		d.Bytes += one.bytes
	}
	return cut
}

func (s *Store) droppedPath() string { return filepath.Join(s.dir, "undo", "dropped.json") }

func (s *Store) prunedPath() string { return filepath.Join(s.dir, "undo", "pruned") }

// stampPruned notes that the journal was looked through.
func (s *Store) stampPruned() error { return replaceFile(s.prunedPath(), nil) }

// PrunedAt is when the undo journal was last looked through; the zero time when
// it never was.
func (s *Store) PrunedAt() time.Time {
	info, err := os.Stat(s.prunedPath())
	if err != nil {
		return time.Time{}
	}
	return info.ModTime()
}

// LastDropped is what was let go of last; its Changes are 0 when nothing was.
func (s *Store) LastDropped() (d Dropped, err error) {
	text, err := os.ReadFile(s.droppedPath())
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return Dropped{}, nil
	case err == nil:
		err = json.Unmarshal(text, &d)
	}
	if err != nil {
		return Dropped{}, fmt.Errorf("store: reading what was dropped: %w", err)
	}
	return d, nil
}
