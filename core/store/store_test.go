package store_test

import (
	"context"
	"encoding/binary"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	"github.com/hobkin/hobkin/core/agent"
	"github.com/hobkin/hobkin/core/provider"
	"github.com/hobkin/hobkin/core/store"
	"github.com/hobkin/hobkin/core/undo"
)

func TestMain(m *testing.M) {
	if dir := os.Getenv("HOBKIN_TEST_WRITER"); dir != "" {
		writeUntilKilled(dir)
		return
	}
	goleak.VerifyTestMain(m)
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
	x, err := s.CreateSession(context.Background(), store.Session{Title: title, Workspace: "/w"})
	if err != nil {
		tb.Fatal(err)
	}
	return x
}

func say(text string) provider.Message {
	return provider.Message{Role: provider.RoleUser, Parts: []provider.Part{provider.Text{Text: text}}}
}

func TestMessagesAndEvents(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir)
	x := session(t, s, "t")
	want := []provider.Message{
		say("hello"),
		{Role: provider.RoleAssistant, Parts: []provider.Part{
			provider.Reasoning{Text: "hm", Signature: "sig", Provider: "anthropic"},
			provider.ToolCall{ID: "1", Name: "file_read", Args: `{"broken": `},
		}},
		{Role: provider.RoleTool, Parts: []provider.Part{provider.ToolResult{CallID: "1", Text: "x", Images: []provider.Image{{MIME: "image/png", Data: []byte{0, 1}}}}}},
	}
	for _, m := range want {
		if err := s.AppendMessage(t.Context(), x.ID, "turn", m); err != nil {
			t.Fatal(err)
		}
	}
	for i := range 3 {
		e, err := s.AppendEvent(t.Context(), agent.Event{Session: x.ID, Turn: "turn", At: time.Unix(1, 0).UTC(), Payload: agent.Notice{Text: strconv.Itoa(i)}})
		if err != nil || e.Seq != int64(i+1) {
			t.Fatalf("event %d got number %d, %v", i, e.Seq, err)
		}
	}
	_ = s.Close()
	s = open(t, dir)
	got, warnings, err := s.Messages(t.Context(), x.ID)
	if err != nil || len(warnings) > 0 {
		t.Fatal(err, warnings)
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("messages (-want +got):\n%s", d)
	}
	events, err := s.EventsFrom(t.Context(), x.ID, 2, 10)
	if err != nil || len(events) != 2 || events[0].Seq != 2 || events[0].Payload != (agent.Notice{Text: "1"}) {
		t.Errorf("EventsFrom(2) = %+v, %v", events, err)
	}
	if y, err := s.Session(t.Context(), x.ID[:8]); err != nil || y.Messages != 3 {
		t.Errorf("Session by its beginning = %+v, %v", y, err)
	}
	if err := s.AppendMessage(t.Context(), "no-such-session", "t", say("x")); err == nil {
		t.Error("a message of no session was taken")
	}
}

func TestListSearchDelete(t *testing.T) {
	s := open(t, t.TempDir())
	a, b := session(t, s, "Die Rechnungen"), session(t, s, "Urlaub")
	if err := s.AppendMessage(t.Context(), b.ID, "t", say("Wo ist die Übersicht der Grüße?")); err != nil {
		t.Fatal(err)
	}
	list := func(q store.Query) string {
		t.Helper()
		found, err := s.Sessions(t.Context(), q)
		if err != nil {
			t.Fatal(err)
		}
		var titles []string
		for _, x := range found {
			titles = append(titles, x.Title)
		}
		return strings.Join(titles, ",")
	}
	for q, want := range map[string]string{
		"":                "Urlaub,Die Rechnungen",
		"rechnung":        "Die Rechnungen",
		"ubersicht":       "Urlaub", // without its dots
		"Grüße wo":        "Urlaub",
		`" OR 1 --`:       "",
		"* ( NEAR ' \x00": "",
		"nothing-at-all":  "",
	} {
		if got := list(store.Query{Search: q}); got != want {
			t.Errorf("search %q = %s, want %s", q, got, want)
		}
	}
	pinned, title := true, "Neu"
	if _, err := s.UpdateSession(t.Context(), a.ID, store.Change{Pinned: &pinned, Title: &title}); err != nil {
		t.Fatal(err)
	}
	if got := list(store.Query{}); got != "Neu,Urlaub" {
		t.Errorf("the pinned one does not come first: %s", got)
	}
	if err := s.DeleteSession(t.Context(), b.ID); err != nil {
		t.Fatal(err)
	}
	if got := list(store.Query{}) + "/" + list(store.Query{Deleted: true}); got != "Neu/Urlaub" {
		t.Errorf("after a delete: %s", got)
	}
	if err := s.RestoreSession(t.Context(), b.ID); err != nil || list(store.Query{}) != "Neu,Urlaub" {
		t.Errorf("after a restore: %s, %v", list(store.Query{}), err)
	}
	_ = s.DeleteSession(t.Context(), b.ID)
	if n, err := s.PurgeDeleted(t.Context(), time.Now().Add(time.Hour)); n != 1 || err != nil {
		t.Errorf("purged %d, %v", n, err)
	}
	if err := s.RestoreSession(t.Context(), b.ID); !errors.Is(err, store.ErrNotFound) {
		t.Errorf("restoring what is purged: %v", err)
	}
}

func FuzzSearch(f *testing.F) {
	s := open(f, f.TempDir())
	f.Add(`a"b*`)
	f.Add("col:x AND NOT ^y")
	f.Fuzz(func(t *testing.T, q string) {
		if _, err := s.Sessions(t.Context(), store.Query{Search: q}); err != nil {
			t.Errorf("search %q: %v", q, err)
		}
	})
}

func TestUndoJournal(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir)
	big := []byte(strings.Repeat("x", 200<<10))
	for i, before := range [][]byte{[]byte("small"), big} {
		id, err := s.RecordChange(t.Context(), undo.Change{Session: "s", Call: "c", Path: "/f" + strconv.Itoa(i), Existed: true, Mode: 0o640, Before: before, After: "h"})
		if err != nil {
			t.Fatal(err)
		}
		c, err := s.ChangeByID(t.Context(), id)
		if err != nil || string(c.Before) != string(before) || c.Mode != 0o640 || !c.Existed {
			t.Errorf("change %d came back with %d bytes, %v", i, len(c.Before), err)
		}
	}
	last, err := s.LastChange(t.Context(), "s", "")
	if err != nil || last.Path != "/f1" {
		t.Fatalf("last = %s, %v", last.Path, err)
	}
	if err := s.MarkUndone(t.Context(), last.ID); err != nil {
		t.Fatal(err)
	}
	if last, _ = s.LastChange(t.Context(), "s", ""); last.Path != "/f0" {
		t.Errorf("after one was undone the last is %s", last.Path)
	}
	if _, err := s.LastChange(t.Context(), "other", ""); !errors.Is(err, undo.ErrNone) {
		t.Errorf("another session: %v", err)
	}
}

func TestFilesArePrivate(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "data")
	s := open(t, dir)
	x := session(t, s, "t")
	if _, err := s.SaveOutput(t.Context(), x.ID, "c", "out"); err != nil {
		t.Fatal(err)
	}
	p, err := s.SaveOutput(t.Context(), "../../escape", "c", "out")
	if err != nil || !strings.HasPrefix(p, dir+string(filepath.Separator)+"sessions") {
		t.Errorf("an output of a strange session went to %s, %v", p, err)
	}
	err = filepath.Walk(dir, func(path string, fi os.FileInfo, err error) error {
		if err == nil && fi.Mode().Perm()&0o077 != 0 {
			t.Errorf("%s has mode %v", path, fi.Mode().Perm())
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
}

func TestDamaged(t *testing.T) {
	for name, damage := range map[string]func([]byte) []byte{
		"garbage":          func([]byte) []byte { return []byte("this is no database, it is a poem about one") },
		"header":           func(b []byte) []byte { copy(b, "xxxxxxxx"); return b },
		"cut in the head":  func(b []byte) []byte { return b[:50] },
		"schema destroyed": func(b []byte) []byte { clear(b[100:4096]); return b },
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			s := open(t, dir)
			session(t, s, "kept")
			_ = s.Close()
			path := filepath.Join(dir, "hobkin.db")
			b, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, damage(b), 0o600); err != nil {
				t.Fatal(err)
			}
			s = open(t, dir)
			if d := s.Degraded(); !strings.Contains(d, "was damaged and was put aside as "+path+".damaged-") {
				t.Errorf("Degraded = %q", d)
			}
			session(t, s, "new one works")
			aside, _ := filepath.Glob(path + ".damaged-*")
			if len(aside) != 1 {
				t.Errorf("put aside: %v", aside)
			}
		})
	}
}

// A row that cannot be read does not hide the others.
func TestDamagedRow(t *testing.T) {
	s := open(t, t.TempDir())
	x := session(t, s, "t")
	for _, text := range []string{"one", "two", "three"} {
		if err := s.AppendMessage(t.Context(), x.ID, "t", say(text)); err != nil {
			t.Fatal(err)
		}
		if _, err := s.AppendEvent(t.Context(), agent.Event{Session: x.ID, Payload: agent.Notice{Text: text}}); err != nil {
			t.Fatal(err)
		}
	}
	s.Exec(t, "UPDATE messages SET parts = CAST('[{' AS BLOB) WHERE n = 2")
	s.Exec(t, "UPDATE events SET event = CAST('{\"type\":\"of the future\"}' AS BLOB) WHERE seq = 2")
	got, warnings, err := s.Messages(t.Context(), x.ID)
	if err != nil || len(got) != 2 || len(warnings) != 1 || !strings.Contains(warnings[0], "message 2 is damaged") {
		t.Errorf("%d messages, warnings %q, %v", len(got), warnings, err)
	}
	events, err := s.EventsFrom(t.Context(), x.ID, 1, 10)
	if err != nil || len(events) != 3 || events[2].Seq != 3 {
		t.Errorf("%d events, %v", len(events), err)
	}
}

func TestRefusesANewerDatabase(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir)
	s.Exec(t, "PRAGMA user_version = 99")
	_ = s.Close()
	if _, err := store.Open(t.Context(), store.Options{Dir: dir}); !errors.Is(err, store.ErrNewer) {
		t.Errorf("Open = %v, want ErrNewer", err)
	}
}

func TestDiskFull(t *testing.T) {
	s := open(t, t.TempDir())
	x := session(t, s, "t")
	s.Exec(t, "PRAGMA max_page_count = 60")
	var err error
	for range 100 {
		if err = s.AppendMessage(t.Context(), x.ID, "t", say(strings.Repeat("word ", 1000))); err != nil {
			break
		}
	}
	if !errors.Is(err, store.ErrDiskFull) {
		t.Errorf("error %v, want ErrDiskFull", err)
	}
	if _, _, err := s.Messages(t.Context(), x.ID); err != nil {
		t.Errorf("what was there can no longer be read: %v", err)
	}
}

func TestNumbersHaveNoGap(t *testing.T) {
	dir := t.TempDir()
	a, b := open(t, dir), open(t, dir) // two processes would do the same
	x := session(t, a, "t")
	const each = 40
	var wg sync.WaitGroup
	for i := range 4 {
		s := []*store.Store{a, b}[i%2]
		wg.Go(func() {
			for range each {
				if _, err := s.AppendEvent(context.Background(), agent.Event{Session: x.ID, Payload: agent.Notice{}}); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	events, err := a.EventsFrom(t.Context(), x.ID, 1, 1000)
	if err != nil || len(events) != 4*each {
		t.Fatalf("%d events, %v", len(events), err)
	}
	for i, e := range events {
		if e.Seq != int64(i+1) {
			t.Fatalf("event %d has number %d", i, e.Seq)
		}
	}
}

func TestBackup(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir)
	session(t, s, "precious")
	_ = s.Close()
	s, err := store.Open(t.Context(), store.Options{Dir: dir, Care: true})
	if err != nil {
		t.Fatal(err)
	}
	until(t, func() bool { return len(s.Backups()) == 1 })
	backup := s.Backups()[0]
	_ = s.Close()
	if err := os.WriteFile(filepath.Join(dir, "hobkin.db"), []byte("ruined beyond all recognition"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := store.RestoreBackup(t.Context(), dir, backup); err != nil {
		t.Fatal(err)
	}
	s = open(t, dir)
	if list, err := s.Sessions(t.Context(), store.Query{}); err != nil || len(list) != 1 || list[0].Title != "precious" {
		t.Errorf("after the restore: %v, %v", list, err)
	}
	if _, err := store.RestoreBackup(t.Context(), t.TempDir(), os.Args[0]); err == nil {
		t.Error("something that is no database was restored")
	}
}

func until(t *testing.T, ok func() bool) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for !ok() {
		select {
		case <-ctx.Done():
			t.Fatal("it did not come")
		case <-tick.C:
		}
	}
}

// writeUntilKilled appends messages, events and undo records and says each time
// that one is acknowledged.
func writeUntilKilled(dir string) {
	ctx := context.Background()
	s, err := store.Open(ctx, store.Options{Dir: dir})
	if err != nil {
		panic(err)
	}
	x, err := s.CreateSession(ctx, store.Session{ID: "the-session", Title: "t"})
	if err != nil && !strings.Contains(err.Error(), "UNIQUE") {
		panic(err)
	}
	_ = x
	for i := 0; ; i++ {
		if err := s.AppendMessage(ctx, "the-session", "t", say("m")); err != nil {
			panic(err)
		}
		_, _ = os.Stdout.Write([]byte{'m'})
		if _, err := s.AppendEvent(ctx, agent.Event{Session: "the-session", Payload: agent.Notice{}}); err != nil {
			panic(err)
		}
		_, _ = os.Stdout.Write([]byte{'e'})
		if _, err := s.RecordChange(ctx, undo.Change{Session: "the-session", Path: "/f", Before: binary.BigEndian.AppendUint64(make([]byte, 70<<10), uint64(i))}); err != nil {
			panic(err)
		}
		_, _ = os.Stdout.Write([]byte{'u'})
	}
}

// TestKill kills a writing process at many instants: what it acknowledged must
// be there.
func TestKill(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	acked := map[byte]int{}
	for round := range 30 {
		ctx, cancel := context.WithTimeout(t.Context(), time.Duration(60+round*7)*time.Millisecond) // kills with SIGKILL
		cmd := exec.CommandContext(ctx, self)
		cmd.Env = append(os.Environ(), "HOBKIN_TEST_WRITER="+dir)
		out, _ := cmd.Output()
		cancel()
		for _, b := range out {
			acked[b]++
		}
	}
	s := open(t, dir)
	if s.Degraded() != "" {
		t.Fatal(s.Degraded())
	}
	if err := s.Check(t.Context()); err != nil {
		t.Fatal(err)
	}
	messages, warnings, err := s.Messages(t.Context(), "the-session")
	if err != nil || len(warnings) > 0 {
		t.Fatal(err, warnings)
	}
	events, err := s.EventsFrom(t.Context(), "the-session", 1, 1<<30)
	if err != nil {
		t.Fatal(err)
	}
	changes, err := s.Changes(t.Context(), "the-session", 1<<30)
	if err != nil {
		t.Fatal(err)
	}
	if len(messages) < acked['m'] || len(events) < acked['e'] || len(changes) < acked['u'] {
		t.Errorf("acknowledged %d, %d, %d; found %d, %d, %d", acked['m'], acked['e'], acked['u'], len(messages), len(events), len(changes))
	}
	for _, c := range changes[:min(len(changes), 50)] {
		if full, err := s.ChangeByID(t.Context(), c.ID); err != nil || len(full.Before) != 70<<10+8 {
			t.Errorf("change %s: %d bytes, %v", c.ID, len(full.Before), err)
		}
	}
	if acked['m'] == 0 {
		t.Error("nothing was written; the test shows nothing")
	}
	t.Logf("acknowledged %d messages, %d events, %d changes over 30 kills", acked['m'], acked['e'], acked['u'])
}

func BenchmarkAppendMessage(b *testing.B) {
	s := open(b, b.TempDir())
	x := session(b, s, "t")
	for b.Loop() {
		if err := s.AppendMessage(b.Context(), x.ID, "t", say("a message of some words")); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkAppendEvent(b *testing.B) {
	s := open(b, b.TempDir())
	x := session(b, s, "t")
	for b.Loop() {
		if _, err := s.AppendEvent(b.Context(), agent.Event{Session: x.ID, Payload: agent.Notice{Text: "x"}}); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkOpen(b *testing.B) {
	dir := b.TempDir()
	_ = open(b, dir).Close()
	for b.Loop() {
		s, err := store.Open(b.Context(), store.Options{Dir: dir})
		if err != nil {
			b.Fatal(err)
		}
		_ = s.Close()
	}
}

func BenchmarkList50000(b *testing.B) {
	s := open(b, b.TempDir())
	s.Fill(b, 50_000)
	for b.Loop() {
		if list, err := s.Sessions(b.Context(), store.Query{Limit: 50}); err != nil || len(list) != 50 {
			b.Fatal(len(list), err)
		}
	}
}
