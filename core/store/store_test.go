package store_test

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/hobkin/hobkin/core/provider"
	"github.com/hobkin/hobkin/core/store"
)

// roleEnv makes the test program play another process: see the roles.
const roleEnv = "HOBKIN_TEST_ROLE"

func TestMain(m *testing.M) {
	if role, dir, ok := strings.Cut(os.Getenv(roleEnv), ":"); ok {
		roles[role](dir)
		return
	}
	slog.SetDefault(slog.New(slog.NewTextHandler(io.Discard, nil))) // damage is logged, and made here on purpose
	goleak.VerifyTestMain(m)
}

var roles = map[string]func(dir string){
	"until killed": writeUntilKilled,
	"writer":       writeBeside,
	"no rights":    openWithoutRights,
	"disk full":    fillTheDisk,
}

func open(tb testing.TB, dir string) *store.Store {
	tb.Helper()
	s, err := store.Open(context.Background(), store.Options{Dir: dir})
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { _ = s.Close() })
	return s
}

func session(tb testing.TB, s *store.Store, title string) store.Session {
	tb.Helper()
	x, err := s.CreateSession(context.Background(), store.NewSession{Title: title, Workspace: "/w"})
	if err != nil {
		tb.Fatal(err)
	}
	return x
}

func say(text string) provider.Message {
	return provider.Message{Role: provider.RoleUser, Parts: []provider.Part{provider.Text{Text: text}}}
}

func until(t *testing.T, ok func() bool) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for !ok() {
		select {
		case <-ctx.Done():
			t.Fatal("it did not come")
		case <-tick.C:
		}
	}
}

func TestNewID(t *testing.T) {
	seen := map[string]bool{}
	for range 1000 {
		id := store.NewID()
		if len(id) != 26 || strings.Trim(id, "0123456789abcdefghjkmnpqrstvwxyz") != "" {
			t.Fatalf("id %q", id)
		}
		if seen[id] {
			t.Fatalf("id %q came twice", id)
		}
		seen[id] = true
	}
	early := store.NewID()
	ctx, cancel := context.WithTimeout(t.Context(), 3*time.Millisecond)
	defer cancel()
	<-ctx.Done()
	if late := store.NewID(); late <= early {
		t.Errorf("the later id %s sorts before %s", late, early)
	}
}

func TestOpenNeedsAnAbsolutePath(t *testing.T) {
	if _, err := store.Open(t.Context(), store.Options{Dir: "data"}); err == nil || !strings.Contains(err.Error(), "not an absolute path") {
		t.Errorf("Open = %v", err)
	}
}

// A folder's name may hold anything that a system allows.
func TestOpenInAStrangeFolder(t *testing.T) {
	for _, name := range []string{"two words", "what?", "100%", "a%20b", "#1", "Grüße", "a&b=c", "[x]*"} {
		dir := filepath.Join(t.TempDir(), name)
		s, err := store.Open(t.Context(), store.Options{Dir: dir})
		if err != nil {
			t.Errorf("%q: %v", name, err)
			continue
		}
		session(t, s, "x")
		_ = s.Close()
		if _, err := os.Stat(filepath.Join(dir, "hobkin.db")); err != nil {
			t.Errorf("%q: %v", name, err)
		}
	}
}

// Many open a new folder at once: one makes the database, none fails.
func TestOpenAtOnce(t *testing.T) {
	dir := t.TempDir()
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			s, err := store.Open(context.Background(), store.Options{Dir: dir})
			if err != nil {
				t.Error(err)
				return
			}
			if _, err := s.CreateSession(context.Background(), store.NewSession{Title: "x"}); err != nil {
				t.Error(err)
			}
			if err := s.Close(); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	if list, err := open(t, dir).Sessions(t.Context(), store.Query{}); err != nil || len(list) != 8 {
		t.Errorf("%d sessions, %v", len(list), err)
	}
}

func TestFilesArePrivate(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "data")
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "hobkin.db"), nil, 0o644); err != nil { // left by another program
		t.Fatal(err)
	}
	s, err := store.Open(t.Context(), store.Options{Dir: dir, Care: true})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = s.Close() }()
	x := session(t, s, "t")
	if _, err := s.SaveOutput(t.Context(), x.ID, "c", "out"); err != nil {
		t.Fatal(err)
	}
	if _, err := s.RecordChange(t.Context(), bigChange("/f", 1)); err != nil {
		t.Fatal(err)
	}
	until(t, func() bool { return len(s.Backups()) == 1 })
	seen := 0
	err = filepath.Walk(dir, func(path string, fi os.FileInfo, err error) error {
		if err != nil {
			return err
		}
		seen++
		if want := map[bool]os.FileMode{true: 0o700, false: 0o600}[fi.IsDir()]; fi.Mode().Perm() != want {
			t.Errorf("%s has mode %v, want %v", path, fi.Mode().Perm(), want)
		}
		return nil
	})
	if err != nil || seen < 10 {
		t.Errorf("%d files, %v", seen, err)
	}
}

// A call whose context has ended says just that, and the store goes on.
func TestCancelled(t *testing.T) {
	s := open(t, t.TempDir())
	x := session(t, s, "t")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := s.AppendMessage(ctx, x.ID, "t", say("x")); !errors.Is(err, context.Canceled) {
		t.Errorf("AppendMessage = %v", err)
	}
	if _, err := s.Sessions(ctx, store.Query{}); !errors.Is(err, context.Canceled) {
		t.Errorf("Sessions = %v", err)
	}
	if err := s.AppendMessage(t.Context(), x.ID, "t", say("x")); err != nil {
		t.Errorf("afterwards: %v", err)
	}
}
