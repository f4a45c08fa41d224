package store_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/hobkin/hobkin/core/undo"
)

// The journal stays within its bounds: the oldest changes go, with the files
// that only they needed, and what went is remembered.
func TestPruneChanges(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir)
	day := 24 * time.Hour
	big := []byte(strings.Repeat("shared contents\n", 10_000)) // 160 KB, a file of its own
	var ids []string
	for i, c := range []undo.Change{
		{At: time.Now().Add(-100 * day), Before: []byte("old")},
		{At: time.Now().Add(-3 * day), Before: append([]byte("only here"), big...)},
		{At: time.Now().Add(-2 * day), Before: big},
		{At: time.Now().Add(-1 * day), Before: big},
		{At: time.Now(), Before: []byte("new")},
	} {
		c.Session, c.Path, c.Existed, c.After = "s", fmt.Sprintf("/f%d", i), true, "x"
		id, err := s.RecordChange(t.Context(), c)
		if err != nil {
			t.Fatal(err)
		}
		ids = append(ids, id)
	}
	if d, err := s.LastDropped(); err != nil || d.Changes != 0 || !s.PrunedAt().IsZero() {
		t.Errorf("before: %+v, %v", d, err)
	}
	for _, step := range []struct {
		age     time.Duration
		most    int64
		dropped int
		reason  string
		files   int // large contents that are left
	}{
		{365 * day, 1 << 30, 0, "", 2},
		{90 * day, 1 << 30, 1, "older than 90 days", 2},
		{90 * day, 200 << 10, 1, "over 0 MB", 1}, // the one that shares nothing
		{90 * day, 200 << 10, 0, "", 1},
		{36 * time.Hour, 1 << 30, 1, "older than 1 days", 1}, // the newer needs the contents still
		{12 * time.Hour, 1 << 30, 1, "older than 0 days", 0},
	} {
		d, err := s.PruneChanges(t.Context(), step.age, step.most)
		if err != nil || d.Changes != step.dropped || d.Reason != step.reason {
			t.Errorf("%+v: dropped %+v, %v", step, d, err)
		}
		if left, _ := filepath.Glob(filepath.Join(dir, "undo", strings.Repeat("?", 64))); len(left) != step.files {
			t.Errorf("%+v: %d files are left", step, len(left))
		}
	}
	for i, id := range ids {
		_, err := s.ChangeByID(t.Context(), id)
		if gone := errors.Is(err, undo.ErrNone); gone != (i < 4) {
			t.Errorf("change %d: %v", i, err)
		}
	}
	if d, err := s.LastDropped(); err != nil || d.Changes != 1 || d.Bytes < 160_000 {
		t.Errorf("remembered is %+v, %v", d, err)
	}
	if time.Since(s.PrunedAt()) > time.Minute {
		t.Errorf("it was looked through at %v", s.PrunedAt())
	}
	if err := os.WriteFile(filepath.Join(dir, "undo", "dropped.json"), []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := s.LastDropped(); err == nil {
		t.Error("a damaged note was taken")
	}
}
