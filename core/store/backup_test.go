package store_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/hobkin/hobkin/core/store"
)

// cared opens with care and a clock, and waits for the work to be done.
func cared(t *testing.T, dir string, now time.Time, done func(*store.Store) bool) *store.Store {
	t.Helper()
	s, err := store.Open(t.Context(), store.Options{Dir: dir, Care: true, Now: func() time.Time { return now }})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	until(t, func() bool { return done(s) })
	return s
}

func TestBackupAndRestore(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir)
	x := session(t, s, "precious")
	if err := s.AppendMessage(t.Context(), x.ID, "t", say("word")); err != nil {
		t.Fatal(err)
	}
	_ = s.Close()
	s = cared(t, dir, time.Now(), func(s *store.Store) bool { return len(s.Backups()) == 1 })
	backup := s.Backups()[0]
	_ = s.Close()
	file := filepath.Join(dir, "hobkin.db")
	if err := os.WriteFile(file, []byte("ruined beyond all recognition"), 0o600); err != nil {
		t.Fatal(err)
	}
	s = open(t, dir)
	if !strings.Contains(s.Degraded(), "The backup "+filepath.Base(backup)+" is sound and can be restored.") {
		t.Errorf("Degraded = %q", s.Degraded())
	}
	_ = s.Close()
	aside, err := store.RestoreBackup(t.Context(), dir, filepath.Base(backup))
	if err != nil || !strings.HasPrefix(aside, file+".replaced-") {
		t.Fatal(aside, err)
	}
	s = open(t, dir)
	if got := titles(t, s, store.Query{Search: "word"}); got != "precious" || s.Degraded() != "" {
		t.Errorf("after the restore: %s %s", got, s.Degraded())
	}
	if err := s.Check(t.Context()); err != nil {
		t.Error(err)
	}
	if tmp, _ := filepath.Glob(filepath.Join(dir, "*.tmp")); len(tmp) > 0 {
		t.Errorf("left over: %v", tmp)
	}
}

// A backup that is not sound is neither offered nor restored.
func TestUnsoundBackup(t *testing.T) {
	dir, file := filled(t, 50, 10)
	good, bad := file+".backup-20260101-000000", file+".backup-20260102-000000"
	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(good, b, 0o600); err != nil {
		t.Fatal(err)
	}
	clear(leaf(t, b, "the message 3 of session 20 is"))
	if err := os.WriteFile(bad, b, 0o600); err != nil {
		t.Fatal(err)
	}
	before, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	empty := filepath.Join(t.TempDir(), "empty")
	if err := os.WriteFile(empty, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, backup := range []string{bad, os.Args[0], empty, "nothing"} {
		if aside, err := store.RestoreBackup(t.Context(), dir, backup); err == nil || aside != "" {
			t.Errorf("%s was restored, %s", backup, aside)
		}
	}
	if after, err := os.ReadFile(file); err != nil || !slices.Equal(before, after) {
		t.Errorf("the database was changed, %v", err)
	}
	rewrite(t, file, func(b []byte) []byte { clear(b[:page]); return b })
	if d := open(t, dir).Degraded(); !strings.Contains(d, "The backup "+filepath.Base(good)+" is sound") {
		t.Errorf("Degraded = %q", d)
	}
}

func TestBackupsRotate(t *testing.T) {
	dir := t.TempDir()
	start := time.Now().Add(-10 * 24 * time.Hour)
	_ = open(t, dir).Close()
	for day := range 5 {
		now := start.Add(time.Duration(day) * 25 * time.Hour)
		want := filepath.Join(dir, "hobkin.db.backup-"+now.UTC().Format("20060102-150405"))
		s := cared(t, dir, now, func(s *store.Store) bool { b := s.Backups(); return len(b) > 0 && b[0] == want && len(b) <= 3 })
		_ = s.Close()
		if err := os.Chtimes(want, now, now); err != nil {
			t.Fatal(err)
		}
		s = cared(t, dir, now.Add(23*time.Hour), func(*store.Store) bool { return true })
		_ = s.Close() // waits for the care
		if b := s.Backups(); len(b) != min(day+1, 3) || b[0] != want {
			t.Errorf("day %d: %v", day, b)
		}
	}
}

// The last backup from before the damage stays while the damaged file lies here.
func TestBackupBeforeDamageStays(t *testing.T) {
	dir := t.TempDir()
	_ = open(t, dir).Close()
	file := filepath.Join(dir, "hobkin.db")
	old, older := file+".backup-20260102-000000", file+".backup-20260101-000000"
	for _, name := range []string{old, older, file + ".damaged-20260103-000000.000"} {
		if err := os.WriteFile(name, nil, 0o600); err != nil {
			t.Fatal(err)
		}
		long := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
		if err := os.Chtimes(name, long, long); err != nil {
			t.Fatal(err)
		}
	}
	for day := range 4 {
		now := time.Date(2026, 2, 1+day, 0, 0, 0, 0, time.UTC)
		want := file + ".backup-" + now.Format("20060102-150405")
		s := cared(t, dir, now, func(s *store.Store) bool { return s.Backups()[0] == want })
		_ = s.Close()
		if err := os.Chtimes(want, now, now); err != nil {
			t.Fatal(err)
		}
	}
	b := open(t, dir).Backups()
	if len(b) != 4 || !slices.Contains(b, old) || slices.Contains(b, older) {
		t.Errorf("backups %v", b)
	}
}

// Care removes what killed processes left, purges, and leaves all else.
func TestCareClears(t *testing.T) {
	dir := t.TempDir()
	long := time.Now().Add(-100 * 24 * time.Hour)
	s, err := store.Open(t.Context(), store.Options{Dir: dir, Now: func() time.Time { return long }})
	if err != nil {
		t.Fatal(err)
	}
	x := session(t, s, "deleted long ago")
	if err := s.DeleteSession(t.Context(), x.ID); err != nil {
		t.Fatal(err)
	}
	_ = s.Close()
	for name, at := range map[string]time.Time{"hobkin.db.backup-1.tmp": long, "undo/abc.tmp": long, "fresh.tmp": time.Now(), "mine.txt": long} {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, nil, 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(path, at, at); err != nil {
			t.Fatal(err)
		}
	}
	s = cared(t, dir, time.Now(), func(s *store.Store) bool {
		_, err := s.Session(t.Context(), x.ID)
		return errors.Is(err, store.ErrNotFound)
	})
	_ = s.Close()
	for name, want := range map[string]bool{"hobkin.db.backup-1.tmp": false, "undo/abc.tmp": false, "fresh.tmp": true, "mine.txt": true, "README.txt": true} {
		if _, err := os.Stat(filepath.Join(dir, name)); (err == nil) != want {
			t.Errorf("%s is there: %v, want %v", name, err == nil, want)
		}
	}
}

func TestRefusesANewerDatabase(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir)
	s.Exec(t, "PRAGMA user_version = 99")
	_ = s.Close()
	file := filepath.Join(dir, "hobkin.db")
	before, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := store.Open(t.Context(), store.Options{Dir: dir, Care: true}); !errors.Is(err, store.ErrNewer) {
		t.Errorf("Open = %v, want ErrNewer", err)
	}
	after, err := os.ReadFile(file)
	if err != nil || !slices.Equal(before, after) {
		t.Errorf("the newer database was changed, %v", err)
	}
	if b, _ := filepath.Glob(file + "*"); len(b) != 1 {
		t.Errorf("files %v", b)
	}
}

// next are the migrations with one more.
func next(t *testing.T, script string) fs.FS {
	t.Helper()
	all := fstest.MapFS{}
	names, err := fs.Glob(store.Migrations(), "migrations/*.sql")
	if err != nil {
		t.Fatal(err)
	}
	for _, n := range names {
		b, err := fs.ReadFile(store.Migrations(), n)
		if err != nil {
			t.Fatal(err)
		}
		all[n] = &fstest.MapFile{Data: b}
	}
	all["migrations/9999.sql"] = &fstest.MapFile{Data: []byte(script)}
	return all
}

func TestMigration(t *testing.T) {
	dir, file := filled(t, 20, 3)
	opts := store.Options{Dir: dir}
	if _, err := store.OpenWith(t.Context(), opts, next(t, "ALTER TABLE grants ADD COLUMN note TEXT; SELECT * FROM no_such_table;")); err == nil || !strings.Contains(err.Error(), "9999.sql") {
		t.Fatalf("a migration that fails: %v", err)
	}
	s := open(t, dir) // the old program still works: the step was undone whole
	if n := s.Value(t, "SELECT count(*) FROM pragma_table_info('grants') WHERE name = 'note'"); n != 0 {
		t.Error("half of a migration stayed")
	}
	_ = s.Close()
	s, err := store.OpenWith(t.Context(), opts, next(t, "ALTER TABLE grants ADD COLUMN note TEXT NOT NULL DEFAULT 'moved';"))
	if err != nil {
		t.Fatal(err)
	}
	if n := s.Value(t, "SELECT count(*) FROM grants WHERE note = 'moved'"); n != 1 {
		t.Error("the migration did not run")
	}
	if got := titles(t, s, store.Query{Search: "session 7"}); got != "session 7" {
		t.Errorf("after the migration found %q", got)
	}
	_ = s.Close()
	if _, err := store.Open(t.Context(), opts); !errors.Is(err, store.ErrNewer) {
		t.Errorf("the old program afterwards: %v", err)
	}
	copies, _ := filepath.Glob(file + ".before-*")
	if len(copies) != 1 {
		t.Fatalf("copies %v", copies)
	}
	if _, err := store.RestoreBackup(t.Context(), dir, copies[0]); err != nil { // the way back
		t.Fatal(err)
	}
	if got := titles(t, open(t, dir), store.Query{Search: "session 7"}); got != "session 7" {
		t.Errorf("after going back found %q", got)
	}
}

// The first released schema, as it was, with data in it: it must open for ever.
func TestMigratesVersion1(t *testing.T) {
	script, err := os.ReadFile("testdata/version1.sql")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	s, err := store.OpenWith(t.Context(), store.Options{Dir: dir}, fstest.MapFS{"migrations/0001.sql": {Data: script}})
	if err != nil {
		t.Fatal(err)
	}
	_ = s.Close()
	s = open(t, dir)
	if got := titles(t, s, store.Query{Search: "invoices"}); got != "First conversation" {
		t.Errorf("found %q", got)
	}
	if got := texts(t, s, "first"); got != "please sort the invoices" {
		t.Errorf("messages %q", got)
	}
	if e, err := s.EventsFrom(t.Context(), "first", 1, 10); err != nil || len(e) != 1 {
		t.Errorf("events %v, %v", e, err)
	}
	if c, err := s.LastChange(t.Context(), "first", ""); err != nil || string(c.Before) != "old" {
		t.Errorf("change %+v, %v", c, err)
	}
	if g, err := s.Grants(t.Context()); err != nil || len(g) != 1 {
		t.Errorf("grants %v, %v", g, err)
	}
	if err := s.SaveCompaction(t.Context(), "first", "", nil); err != nil {
		t.Error(err)
	}
	if a, err := s.Approvals(t.Context(), "first"); err != nil || len(a) != 1 {
		t.Errorf("approvals %v, %v", a, err)
	}
	if err := s.AppendMessage(t.Context(), "first", "2", say("more")); err != nil {
		t.Error(err)
	}
	if err := s.Check(t.Context()); err != nil {
		t.Error(err)
	}
}
