package store_test

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/hobkin/hobkin/core/agent"
	"github.com/hobkin/hobkin/core/store"
	"github.com/hobkin/hobkin/core/undo"
)

const page = 4096

// filled makes a database with some sessions of some messages and closes it.
func filled(t *testing.T, sessions, messages int) (dir, file string) {
	t.Helper()
	dir = t.TempDir()
	s := open(t, dir)
	s.Fill(t, sessions, messages)
	if err := s.AddGrant(t.Context(), "/granted", "test"); err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	return dir, filepath.Join(dir, "hobkin.db")
}

func rewrite(t *testing.T, file string, change func([]byte) []byte) {
	t.Helper()
	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, change(b), 0o600); err != nil {
		t.Fatal(err)
	}
}

// leaf finds the page of a row by its text.
func leaf(t *testing.T, b []byte, text string) []byte {
	t.Helper()
	i := bytes.Index(b, []byte(text))
	if i < 0 {
		t.Fatalf("no %q in the file", text)
	}
	return b[i/page*page : (i/page+1)*page]
}

func TestDamaged(t *testing.T) {
	_, template := filled(t, 100, 10)
	sound, err := os.ReadFile(template)
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		damage func(t *testing.T, b []byte) []byte
		saved  int // sessions that must be brought over at least, of 100
	}{
		"garbage":          {func(*testing.T, []byte) []byte { return []byte("this is no database, it is a poem about one") }, 0},
		"long garbage":     {func(*testing.T, []byte) []byte { return bytes.Repeat([]byte("no database "), 10_000) }, 0},
		"header":           {func(_ *testing.T, b []byte) []byte { copy(b, "xxxxxxxx"); return b }, 0},
		"cut in the head":  {func(_ *testing.T, b []byte) []byte { return b[:50] }, 0},
		"cut in half":      {func(_ *testing.T, b []byte) []byte { return b[:len(b)/2/page*page] }, 1},
		"cut in a page":    {func(_ *testing.T, b []byte) []byte { return b[:len(b)-page/2] }, 90},
		"zeros at the end": {func(_ *testing.T, b []byte) []byte { clear(b[len(b)-3*page:]); return b }, 90},
		"schema destroyed": {func(_ *testing.T, b []byte) []byte { clear(b[100:page]); return b }, 0},
		"page of messages": {func(t *testing.T, b []byte) []byte {
			t.Helper()
			clear(leaf(t, b, "the message 3 of session 50 is"))
			return b
		}, 100},
		"bytes in a page": {func(t *testing.T, b []byte) []byte {
			t.Helper()
			p := leaf(t, b, "the message 3 of session 50 is")
			for i := range 40 {
				p[i] ^= 0x5a
			}
			return b
		}, 100},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			file := filepath.Join(dir, "hobkin.db")
			was := c.damage(t, bytes.Clone(sound))
			if err := os.WriteFile(file, was, 0o600); err != nil {
				t.Fatal(err)
			}
			s := open(t, dir)
			aside, err := filepath.Glob(file + ".damaged-*[0-9]")
			if err != nil || len(aside) != 1 {
				t.Fatalf("put aside: %v, %v", aside, err)
			}
			if d := s.Degraded(); !strings.Contains(d, "The database was damaged. It was put aside as "+aside[0]+" and a new one was started.") {
				t.Errorf("Degraded = %q", d)
			}
			if kept, err := os.ReadFile(aside[0]); err != nil || !bytes.Equal(kept, was) {
				t.Errorf("what was put aside is not what was there: %d bytes of %d, %v", len(kept), len(was), err)
			}
			if n := int(s.Value(t, "SELECT count(*) FROM sessions")); n < c.saved {
				t.Errorf("%d sessions were brought over, want %d", n, c.saved)
			}
			session(t, s, "new one works")
			if err := s.Check(t.Context()); err != nil {
				t.Error(err)
			}
			_ = s.Close()
			if s = open(t, dir); s.Degraded() != "" {
				t.Errorf("at the next start: %s", s.Degraded())
			}
		})
	}
}

// What is brought over is whole: cards, messages, events, grants, the search.
func TestBroughtOver(t *testing.T) {
	dir, file := filled(t, 100, 10)
	s := open(t, dir)
	x := session(t, s, "mine")
	for _, text := range []string{"alpha", "beta"} {
		if err := s.AppendMessage(t.Context(), x.ID, "t", say(text)); err != nil {
			t.Fatal(err)
		}
		if _, err := s.AppendEvent(t.Context(), agent.Event{Session: x.ID, Payload: agent.Notice{Text: text}}); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := s.RecordChange(t.Context(), bigChange("/f", 1)); err != nil {
		t.Fatal(err)
	}
	_ = s.Close()
	rewrite(t, file, func(b []byte) []byte { clear(leaf(t, b, "the message 3 of session 50 is")); return b })
	s = open(t, dir)
	if !strings.Contains(s.Degraded(), "101 sessions could be brought over") {
		t.Errorf("Degraded = %q", s.Degraded())
	}
	if got := texts(t, s, x.ID); got != "alpha beta" {
		t.Errorf("messages %q", got)
	}
	if e, err := s.EventsFrom(t.Context(), x.ID, 1, 10); err != nil || len(e) != 2 || e[1].Payload != (agent.Notice{Text: "beta"}) {
		t.Errorf("events %+v, %v", e, err)
	}
	if got := titles(t, s, store.Query{Search: "beta"}); got != "mine" {
		t.Errorf("search found %q", got)
	}
	if g, err := s.Grants(t.Context()); err != nil || len(g) != 1 {
		t.Errorf("grants %v, %v", g, err)
	}
	if c, err := s.LastChange(t.Context(), "", ""); err != nil || c.Path != "/f" {
		t.Errorf("last change %s, %v", c.Path, err)
	}
	if n := s.Value(t, "SELECT count(*) FROM messages"); n < 900 || n >= 1002 {
		t.Errorf("%d messages", n)
	}
	if y, err := s.Session(t.Context(), x.ID); err != nil || y.Messages != 2 {
		t.Errorf("the session counts %d, %v", y.Messages, err)
	}
}

// Messages whose session is lost come back under a new one.
func TestAdopted(t *testing.T) {
	dir, file := filled(t, 400, 2)
	rewrite(t, file, func(b []byte) []byte {
		at := regexp.MustCompile("session 200[^ ]").FindIndex(b) // in the title, not in a message
		clear(b[at[0]/page*page : (at[0]/page+1)*page])
		return b
	})
	s := open(t, dir)
	if n := s.Value(t, "SELECT count(*) FROM sessions WHERE title = 'Recovered conversation'"); n == 0 || n > 100 {
		t.Errorf("%d sessions were recovered", n)
	}
	if n := s.Value(t, "SELECT count(*) FROM sessions"); n != 400 {
		t.Errorf("%d sessions, want 400", n)
	}
	if n := s.Value(t, "SELECT count(*) FROM messages"); n != 800 {
		t.Errorf("%d messages, want 800", n)
	}
}

// A damaged page that is met while working hides nothing but itself, is said,
// and is mended at the next start.
func TestDamageMetWhileWorking(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir)
	s.Fill(t, 300, 4)
	for i := range 25 { // makes it too large to be checked while it opens
		if _, err := s.RecordChange(t.Context(), undo.Change{Path: strconv.Itoa(i), Before: make([]byte, 60<<10)}); err != nil {
			t.Fatal(err)
		}
	}
	x := session(t, s, "long")
	for i := range 300 {
		if err := s.AppendMessage(t.Context(), x.ID, "", say(fmt.Sprintf("needle %d.", i))); err != nil {
			t.Fatal(err)
		}
		if _, err := s.AppendEvent(t.Context(), agent.Event{Session: x.ID, Payload: agent.Notice{Text: fmt.Sprintf("event %d.", i)}}); err != nil {
			t.Fatal(err)
		}
	}
	_ = s.Close()
	file := filepath.Join(dir, "hobkin.db")
	rewrite(t, file, func(b []byte) []byte {
		clear(leaf(t, b, "needle 150."))
		clear(leaf(t, b, "event 150."))
		return b
	})
	s = open(t, dir)
	if s.Degraded() != "" {
		t.Fatal(s.Degraded())
	}
	history, warnings, err := s.Messages(t.Context(), x.ID)
	if err != nil || len(history) < 200 || len(history) >= 300 || len(warnings) != 1 {
		t.Errorf("%d messages, %q, %v", len(history), warnings, err)
	}
	first, last := fmt.Sprint(history[0].Parts), fmt.Sprint(history[len(history)-1].Parts)
	if first != "[{needle 0.}]" || last != "[{needle 299.}]" {
		t.Errorf("from %s to %s", first, last)
	}
	var events []agent.Event
	for len(events) < 300 { // as a watcher does
		part, err := s.EventsFrom(t.Context(), x.ID, int64(len(events)+1), 70)
		if err != nil || len(part) == 0 {
			t.Fatalf("after %d events: %d, %v", len(events), len(part), err)
		}
		events = append(events, part...)
	}
	bad := 0
	for i, e := range events {
		if e.Seq != int64(i+1) {
			t.Fatalf("event %d has number %d", i, e.Seq)
		}
		if e.Payload != (agent.Notice{Text: fmt.Sprintf("event %d.", i)}) {
			bad++
		}
	}
	if bad == 0 || bad > 100 {
		t.Errorf("%d events are shown as damaged", bad)
	}
	if !strings.Contains(s.Degraded(), "damaged in part") {
		t.Errorf("Degraded = %q", s.Degraded())
	}
	if err := s.Check(t.Context()); !errors.Is(err, store.ErrDamaged) {
		t.Errorf("Check = %v", err)
	}
	_ = s.Close()
	s = open(t, dir)
	if !strings.Contains(s.Degraded(), "301 sessions could be brought over") {
		t.Errorf("at the next start: %q", s.Degraded())
	}
	if n := s.Value(t, "SELECT count(*) FROM messages"); n < 1_400 {
		t.Errorf("%d messages were brought over", n)
	}
}

// Whatever bytes are wrong, the database opens and takes what is new.
func TestAnyBytesWrong(t *testing.T) {
	dir, file := filled(t, 80, 8)
	sound, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	noticed := 0
	for seed := range uint64(60) {
		r := rand.New(rand.NewPCG(seed, 1))
		b := bytes.Clone(sound)
		at, n := r.IntN(len(b)), 1<<r.IntN(13)
		for i := at; i < min(at+n, len(b)); i++ {
			b[i] = byte(r.Uint32())
		}
		if err := os.WriteFile(file, b, 0o600); err != nil {
			t.Fatal(err)
		}
		s, err := store.Open(t.Context(), store.Options{Dir: dir})
		if errors.Is(err, store.ErrNewer) { // the version was hit
			continue
		}
		if err != nil {
			t.Fatalf("seed %d, %d bytes at %d: %v", seed, n, at, err)
		}
		if s.Degraded() != "" {
			noticed++
		}
		session(t, s, "new")
		if _, err := s.Sessions(t.Context(), store.Query{Search: "message"}); err != nil && !errors.Is(err, store.ErrDamaged) {
			t.Errorf("seed %d: %v", seed, err)
		}
		_ = s.Close()
	}
	if noticed < 10 {
		t.Errorf("damage was noticed %d times of 60", noticed)
	}
}

// Several processes that find the damage at once put it aside once.
func TestMendedOnce(t *testing.T) {
	dir, file := filled(t, 10, 5)
	rewrite(t, file, func(b []byte) []byte { copy(b, "xxxxxxxx"); return b })
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			s, err := store.Open(t.Context(), store.Options{Dir: dir})
			if err != nil {
				t.Error(err)
				return
			}
			session(t, s, "x")
			_ = s.Close()
		})
	}
	all.Wait()
	if aside, _ := filepath.Glob(file + ".damaged-*[0-9]"); len(aside) != 1 {
		t.Errorf("put aside: %v", aside)
	}
	if got := titles(t, open(t, dir), store.Query{}); got != "x,x,x,x" {
		t.Errorf("sessions %s", got)
	}
}

// A database that another process works with is never renamed under it.
func TestNotReplacedWhileInUse(t *testing.T) {
	if testing.Short() {
		t.Skip("waits some seconds for the other process")
	}
	dir, file := filled(t, 10, 5)
	s := open(t, dir)
	session(t, s, "at work")
	rewrite(t, file, func(b []byte) []byte { copy(b, "xxxxxxxx"); return b })
	var both sync.WaitGroup
	both.Go(func() {
		if _, err := store.Open(t.Context(), store.Options{Dir: dir}); !errors.Is(err, store.ErrInUse) {
			t.Errorf("Open = %v, want ErrInUse", err)
		}
	})
	both.Go(func() {
		if _, err := store.RestoreBackup(t.Context(), dir, file); !errors.Is(err, store.ErrInUse) {
			t.Errorf("RestoreBackup = %v, want ErrInUse", err)
		}
	})
	both.Wait()
	if aside, _ := filepath.Glob(file + ".*[0-9]"); len(aside) != 0 {
		t.Errorf("put aside: %v", aside)
	}
}
