package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
)

// maxRecall bounds what is read of one output, in bytes: more is kept of no
// stream of a command and of no result.
const maxRecall = 16 << 20

// knownOutputs is how many calls are named where one is not found.
const knownOutputs = 10

// Output returns what [Store.SaveOutput] kept last of a call of a session.
// Where it kept nothing, or the file is gone, text is empty and calls names the
// newest calls of the session that have an output.
func (s *Store) Output(ctx context.Context, session, call string) (text string, calls []string, err error) {
	rows, err := s.readers.QueryContext(ctx, "SELECT path, call FROM outputs WHERE session = ? AND call <> '' ORDER BY at DESC, rowid DESC", session)
	if err != nil {
		return "", nil, fmt.Errorf("store: looking for an output: %w", s.reading(ctx, err))
	}
	type output struct{ path, call string }
	list, err := collect(rows, func(r *sql.Rows) (o output, err error) {
		err = r.Scan(&o.path, &o.call)
		return o, err
	})
	if err != nil {
		return "", nil, fmt.Errorf("store: looking for an output: %w", s.reading(ctx, err))
	}
	for _, o := range list {
		if o.call == call {
			text, err = s.readOutput(o.path)
			if err != nil || text != "" {
				return text, nil, err
			}
		}
		if o.call != call && len(calls) < knownOutputs && !slices.Contains(calls, o.call) {
			calls = append(calls, o.call)
		}
	}
	return "", calls, nil
}

// readOutput reads a file that a row of outputs names; nothing when it is gone.
func (s *Store) readOutput(rel string) (string, error) {
	root, err := os.OpenRoot(s.dir)
	if err != nil {
		return "", fmt.Errorf("store: reading an output: %w", err)
	}
	defer func() { _ = root.Close() }() // it was only read
	f, err := root.Open(filepath.FromSlash(rel))
	if errors.Is(err, os.ErrNotExist) {
		return "", nil
	}
	if err != nil {
		return "", fmt.Errorf("store: reading an output: %w", err)
	}
	defer func() { _ = f.Close() }() // it was only read
	b, err := io.ReadAll(io.LimitReader(f, maxRecall))
	if err != nil {
		return "", fmt.Errorf("store: reading an output: %w", err)
	}
	return string(b), nil
}
