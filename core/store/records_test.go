package store_test

import (
	"encoding/binary"
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/hobkin/hobkin/core/store"
	"github.com/hobkin/hobkin/core/undo"
)

// bigChange has a pre-image of its own that is kept as a file.
func bigChange(path string, n uint64) undo.Change {
	return undo.Change{Session: "s", Call: "c", Path: path, Existed: true, Mode: 0o640, Before: binary.BigEndian.AppendUint64(make([]byte, 70<<10), n), After: "h"}
}

func TestUndoJournal(t *testing.T) {
	s := open(t, t.TempDir())
	small := undo.Change{Session: "s", Call: "c", Path: "/f0", Existed: true, Mode: 0o640, Before: []byte("small"), After: "h", At: time.Unix(5, 0).UTC()}
	for i, want := range []undo.Change{small, bigChange("/f1", 1), {Session: "s", Path: "/new", At: time.Unix(1, 0).UTC()}} {
		id, err := s.RecordChange(t.Context(), want)
		if err != nil {
			t.Fatal(err)
		}
		got, err := s.ChangeByID(t.Context(), id)
		want.ID = id
		if want.At.IsZero() {
			want.At = got.At
		}
		if err != nil || cmp.Diff(want, got, cmpopts.EquateEmpty()) != "" {
			t.Errorf("change %d came back otherwise, %v", i, err)
		}
	}
	last := func(session, path string) string {
		t.Helper()
		c, err := s.LastChange(t.Context(), session, path)
		if errors.Is(err, undo.ErrNone) {
			return "none"
		}
		if err != nil {
			t.Fatal(err)
		}
		return c.Path
	}
	if got := last("s", ""); got != "/new" {
		t.Errorf("the last change is of %s, though the clock went back", got)
	}
	c, err := s.LastChange(t.Context(), "", "/f1")
	if err != nil {
		t.Fatal(err)
	}
	if err := s.MarkUndone(t.Context(), c.ID); err != nil {
		t.Fatal(err)
	}
	for _, q := range [][3]string{{"s", "/f1", "none"}, {"", "/f0", "/f0"}, {"", "", "/new"}, {"other", "", "none"}} {
		if got := last(q[0], q[1]); got != q[2] {
			t.Errorf("last of %q, %q = %s, want %s", q[0], q[1], got, q[2])
		}
	}
	if err := s.MarkUndone(t.Context(), "nothing"); !errors.Is(err, undo.ErrNone) {
		t.Errorf("MarkUndone of nothing: %v", err)
	}
	list, err := s.Changes(t.Context(), "s", 2)
	if err != nil || len(list) != 2 || list[0].Path != "/new" || !list[1].Undone || list[1].Before != nil {
		t.Errorf("Changes = %+v, %v", list, err)
	}
	if all, err := s.Changes(t.Context(), "", 10); err != nil || len(all) != 3 {
		t.Errorf("all changes: %d, %v", len(all), err)
	}
}

// The same contents are kept once, and mended when their file was damaged. What
// is not what it was is never given back.
func TestPreImages(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir)
	id, err := s.RecordChange(t.Context(), bigChange("/a", 1))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.RecordChange(t.Context(), bigChange("/b", 1)); err != nil {
		t.Fatal(err)
	}
	files, _ := filepath.Glob(filepath.Join(dir, "undo", "*"))
	if len(files) != 1 {
		t.Fatalf("%d files", len(files))
	}
	if err := os.WriteFile(files[0], make([]byte, 70<<10+8), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := s.ChangeByID(t.Context(), id); err == nil || !strings.Contains(err.Error(), "lost or damaged") {
		t.Errorf("a damaged pre-image: %v", err)
	}
	if _, err := s.RecordChange(t.Context(), bigChange("/c", 1)); err != nil {
		t.Fatal(err)
	}
	if c, err := s.ChangeByID(t.Context(), id); err != nil || c.Before[len(c.Before)-1] != 1 {
		t.Errorf("after it was kept again: %v", err)
	}
	c := bigChange("/d", 2)
	c.ID = "mine"
	for range 2 {
		if id, err := s.RecordChange(t.Context(), c); err != nil || id != "mine" {
			t.Errorf("RecordChange = %s, %v", id, err)
		}
	}
	if list, _ := s.Changes(t.Context(), "", 10); len(list) != 4 {
		t.Errorf("%d changes", len(list))
	}
}

func TestOutputs(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir)
	x := session(t, s, "t")
	seen := map[string]bool{}
	for _, o := range [][3]string{{x.ID, "c1", "text"}, {x.ID, "c2", "text"}, {x.ID, "c1", "more"}, {"../../escape", "c", "text"}, {"", "c", "text"}} {
		p, err := s.SaveOutput(t.Context(), o[0], o[1], o[2])
		if err != nil {
			t.Fatal(err)
		}
		if again, err := s.SaveOutput(t.Context(), o[0], o[1], o[2]); err != nil || again != p {
			t.Errorf("saved again as %s, %v", again, err)
		}
		if b, err := os.ReadFile(p); err != nil || string(b) != o[2] {
			t.Errorf("%s holds %q, %v", p, b, err)
		}
		if rel, err := filepath.Rel(filepath.Join(dir, "sessions"), p); err != nil || !filepath.IsLocal(rel) || seen[p] {
			t.Errorf("output of %q lies at %s", o, p)
		}
		seen[p] = true
	}
	for name, want := range map[string]string{"Photo.PNG": ".png", "x.tar.gz": ".gz", "noext": "", "a.b/../c": "", "evil.p n g": "", "x.": ""} {
		p, err := s.SaveAttachment(t.Context(), x.ID, name, []byte(name))
		if err != nil || filepath.Ext(p) != want || !strings.HasPrefix(p, filepath.Join(dir, "sessions", x.ID, "attachments")) {
			t.Errorf("attachment %q lies at %s, %v", name, p, err)
		}
	}
	if n := s.Value(t, "SELECT count(*) FROM outputs"); n != 11 {
		t.Errorf("%d rows", n)
	}
}

func TestApprovals(t *testing.T) {
	s := open(t, t.TempDir())
	at := time.Unix(7, 0).UTC()
	asked := store.Approval{ID: "1", Session: "s", Turn: "t", Call: "c", Tool: "shell", Args: `{"command":"ls"}`, Fingerprint: "f", Reason: "it runs a command", At: at}
	answered := asked
	answered.Decision, answered.By, answered.At = "once", "window", at.Add(time.Second)
	late := answered
	late.Decision = "deny"
	swapped := asked
	swapped.ID, swapped.At = "2", at.Add(time.Minute)
	other := swapped
	other.Fingerprint, other.Decision = "g", "always"
	for _, a := range []store.Approval{asked, answered, late, swapped, other} {
		if err := s.RecordApproval(t.Context(), a); err != nil {
			t.Fatal(err)
		}
	}
	got, err := s.Approvals(t.Context(), "s")
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff([]store.Approval{answered, swapped}, got); d != "" {
		t.Errorf("approvals (-want +got):\n%s", d)
	}
}

func TestGrants(t *testing.T) {
	s := open(t, t.TempDir())
	for _, g := range [][2]string{{"/b", "window"}, {"/a", "cli"}, {"/b", "later"}} {
		if err := s.AddGrant(t.Context(), g[0], g[1]); err != nil {
			t.Fatal(err)
		}
	}
	got, err := s.Grants(t.Context())
	if err != nil || len(got) != 2 || got[0].Path != "/a" || got[1].Source != "window" || got[0].At.IsZero() {
		t.Errorf("Grants = %+v, %v", got, err)
	}
	if err := s.RemoveGrant(t.Context(), "/a"); err != nil {
		t.Error(err)
	}
	if err := s.RemoveGrant(t.Context(), "/a"); !errors.Is(err, store.ErrNotFound) {
		t.Errorf("removing it again: %v", err)
	}
}

func TestUsage(t *testing.T) {
	s := open(t, t.TempDir())
	berlin, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		t.Skip("no time zones here: ", err)
	}
	day := time.Date(2026, 3, 29, 12, 0, 0, 0, berlin) // 23 hours long
	for i, at := range []time.Time{
		time.Date(2026, 3, 28, 23, 59, 59, 0, berlin),
		time.Date(2026, 3, 29, 0, 0, 0, 0, berlin),
		time.Date(2026, 3, 29, 23, 59, 59, 0, berlin),
		time.Date(2026, 3, 30, 0, 0, 0, 0, berlin),
	} {
		u := store.Usage{Session: "s" + strconv.Itoa(i%2), Turn: "t", Provider: "p", Model: "m", Input: 1 << i, Output: 10, Cached: 1, CostUSD: 0.5, At: at}
		if err := s.RecordUsage(t.Context(), u); err != nil {
			t.Fatal(err)
		}
	}
	days, err := s.UsageByDay(t.Context(), day, 3)
	if err != nil || len(days) != 3 || days[0].Input != 0 || days[1].Input != 1 || days[2].Input != 6 || days[2].CostUSD != 1 {
		t.Errorf("UsageByDay = %+v, %v", days, err)
	}
	for name, c := range map[string]struct {
		q    store.UsageQuery
		want int
	}{
		"all":       {store.UsageQuery{}, 15},
		"a session": {store.UsageQuery{Session: "s1"}, 10},
		"a turn":    {store.UsageQuery{Session: "s0", Turn: "t"}, 5},
		"nothing":   {store.UsageQuery{Session: "s0", Turn: "u"}, 0},
	} {
		if got, err := s.Used(t.Context(), c.q); err != nil || got.Input != c.want {
			t.Errorf("%s: %+v, %v, want %d", name, got, err, c.want)
		}
	}
	if got, err := s.UsageSince(t.Context(), day); err != nil || got.Input != 12 {
		t.Errorf("UsageSince = %+v, %v", got, err)
	}
}

func TestSaveMedia(t *testing.T) {
	s := open(t, t.TempDir())
	x := session(t, s, "t")
	path, err := s.SaveMedia(t.Context(), x.ID, "call", "picture.png", []byte("pixels"))
	if err != nil {
		t.Fatal(err)
	}
	again, err := s.SaveMedia(t.Context(), x.ID, "call", "picture.png", []byte("pixels"))
	if err != nil || again != path {
		t.Errorf("saved twice: %q and %q, %v", path, again, err)
	}
	got, err := os.ReadFile(path)
	if err != nil || string(got) != "pixels" || filepath.Ext(path) != ".png" || filepath.Base(filepath.Dir(path)) != "media" {
		t.Errorf("got %q at %s, %v", got, path, err)
	}
}
