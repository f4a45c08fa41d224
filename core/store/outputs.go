package store

import (
	"context"
	"database/sql"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// sessionDir is where the files of a session lie. Files of no session lie
// together.
func (s *Store) sessionDir(session string) string {
	name := session
	switch {
	case session == "":
		name = "no.session" // no id has a dot
	case !isName(session):
		name = hashOf([]byte(session))
	}
	return filepath.Join(s.dir, "sessions", name)
}

// SaveOutput keeps a whole output of a call beside its session and returns the
// absolute path of the file. The same output of the same call is kept once.
func (s *Store) SaveOutput(ctx context.Context, session, call, text string) (path string, err error) {
	path = filepath.Join(s.sessionDir(session), "outputs", hashOf([]byte(call + "\x00" + text))[:16]+".txt")
	if err := s.saveFile(ctx, session, call, path, []byte(text)); err != nil {
		return "", fmt.Errorf("store: saving an output: %w", err)
	}
	return path, nil
}

// SaveAttachment keeps a file that came with a message and returns the absolute
// path of the copy. Its name is the hash of the contents; only the ending of
// the given name is kept.
func (s *Store) SaveAttachment(ctx context.Context, session, name string, data []byte) (path string, err error) {
	path = filepath.Join(s.sessionDir(session), "attachments", hashOf(data)[:32]+ending(name))
	if err := s.saveFile(ctx, session, "", path, data); err != nil {
		return "", fmt.Errorf("store: saving an attachment: %w", err)
	}
	return path, nil
}

// ending returns the ending of a file's name when it is a plain one.
func ending(name string) string {
	ext := strings.ToLower(filepath.Ext(name))
	if len(ext) > 10 || !isName(strings.TrimPrefix(ext, ".")) {
		return ""
	}
	return ext
}

// saveFile writes the file before its row, so that no row is without a file.
func (s *Store) saveFile(ctx context.Context, session, call, path string, data []byte) error {
	if err := keepFile(path, data); err != nil {
		return s.explain(err)
	}
	rel, err := filepath.Rel(s.dir, path)
	if err != nil {
		return err
	}
	return s.write(ctx, false, func(tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx, "INSERT INTO outputs (path, session, call, bytes, at) VALUES (?,?,?,?,?) ON CONFLICT (path) DO NOTHING",
			filepath.ToSlash(rel), session, call, len(data), micros(s.now()))
		return err
	})
}

// SaveMedia keeps a picture, or another file that a call made, beside its
// session and returns the absolute path. Its name is the hash of the contents;
// only the ending of the given name is kept.
func (s *Store) SaveMedia(ctx context.Context, session, call, name string, data []byte) (path string, err error) {
	path = filepath.Join(s.sessionDir(session), "media", hashOf(data)[:32]+ending(name))
	if err := s.saveFile(ctx, session, call, path, data); err != nil {
		return "", fmt.Errorf("store: saving media: %w", err)
	}
	return path, nil
}

// Downloads makes the folder beside a session where files lie that it has
// downloaded, and returns its absolute path. It goes with the session.
func (s *Store) Downloads(session string) (dir string, err error) {
	dir = filepath.Join(s.sessionDir(session), "downloads")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", fmt.Errorf("store: making a folder: %w", s.explain(err))
	}
	return dir, nil
}
