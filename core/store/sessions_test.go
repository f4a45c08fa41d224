package store_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/hobkin/hobkin/core/store"
)

func titles(t *testing.T, s *store.Store, q store.Query) string {
	t.Helper()
	found, err := s.Sessions(t.Context(), q)
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, x := range found {
		out = append(out, x.Title)
	}
	return strings.Join(out, ",")
}

func TestCreateAndRead(t *testing.T) {
	dir := t.TempDir()
	now := time.Date(2026, 3, 1, 12, 0, 0, 123456789, time.UTC)
	s, err := store.Open(t.Context(), store.Options{Dir: dir, Now: func() time.Time { return now }})
	if err != nil {
		t.Fatal(err)
	}
	x, err := s.CreateSession(t.Context(), store.NewSession{Title: "t", Workspace: "/w", Mode: "plan", Model: "a/b", Channel: "cli", Pinned: true})
	if err != nil {
		t.Fatal(err)
	}
	_ = s.Close()
	s = open(t, dir)
	for _, id := range []string{x.ID, x.ID[:20], strings.ToUpper(x.ID[:20])} {
		if got, err := s.Session(t.Context(), id); err != nil || cmp.Diff(x, got) != "" {
			t.Errorf("Session(%s) = %v\n%s", id, err, cmp.Diff(x, got))
		}
	}
	if _, err := s.Session(t.Context(), x.ID[:5]); !errors.Is(err, store.ErrNotFound) {
		t.Errorf("five characters of an id: %v", err)
	}
	for _, id := range []string{"chat-one-a", "chat-one-b"} {
		if _, err := s.CreateSession(t.Context(), store.NewSession{ID: id}); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := s.Session(t.Context(), "chat-one"); !errors.Is(err, store.ErrAmbiguous) {
		t.Errorf("the beginning of two ids: %v", err)
	}
	for _, id := range []string{"../x", "a/b", "a b", "..", strings.Repeat("x", 65), "é"} {
		if _, err := s.CreateSession(t.Context(), store.NewSession{ID: id}); err == nil {
			t.Errorf("%q was taken for an id", id)
		}
	}
	if _, err := s.Session(t.Context(), "nobody' OR 1=1 --"); !errors.Is(err, store.ErrNotFound) {
		t.Errorf("a strange id: %v", err)
	}
}

func TestListAndChange(t *testing.T) {
	s := open(t, t.TempDir())
	a, b, c := session(t, s, "a"), session(t, s, "b"), session(t, s, "c")
	if got := titles(t, s, store.Query{}); got != "c,b,a" {
		t.Errorf("the newest first: %s", got)
	}
	if err := s.AppendMessage(t.Context(), a.ID, "t", say("x")); err != nil {
		t.Fatal(err)
	}
	pinned, title, mode := true, "B", "plan"
	x, err := s.UpdateSession(t.Context(), b.ID, store.Change{Pinned: &pinned, Title: &title, Mode: &mode})
	if err != nil || x.Title != "B" || x.Mode != "plan" || !x.Pinned || x.Workspace != "/w" || !x.Updated.Equal(b.Updated) {
		t.Errorf("changed: %+v, %v", x, err)
	}
	if got := titles(t, s, store.Query{}); got != "B,a,c" {
		t.Errorf("pinned, then the last used: %s", got)
	}
	if got := titles(t, s, store.Query{Limit: 1, Offset: 1}); got != "a" {
		t.Errorf("the second: %s", got)
	}
	if _, err := s.UpdateSession(t.Context(), "nobody", store.Change{Title: &title}); !errors.Is(err, store.ErrNotFound) {
		t.Errorf("changing no session: %v", err)
	}
	if err := s.DeleteSession(t.Context(), c.ID); err != nil {
		t.Fatal(err)
	}
	got := titles(t, s, store.Query{}) + " " + titles(t, s, store.Query{Deleted: true}) + " " + titles(t, s, store.Query{IncludeDeleted: true})
	if got != "B,a c B,a,c" {
		t.Errorf("after a delete: %s", got)
	}
	if err := s.RestoreSession(t.Context(), c.ID); err != nil || titles(t, s, store.Query{}) != "B,a,c" {
		t.Errorf("after a restore: %s, %v", titles(t, s, store.Query{}), err)
	}
}

func TestSearch(t *testing.T) {
	s := open(t, t.TempDir())
	for title, text := range map[string]string{
		"Die Rechnungen": "alles bezahlt",
		"Urlaub":         "Wo ist die Übersicht der Grüße?",
		"天气":             "今天天气怎么样，我们去公园吧。Call it ABC年报告",
		"Code":           "func main() { println(\"x_y z\") }",
	} {
		x := session(t, s, title)
		if err := s.AppendMessage(t.Context(), x.ID, "t", say(text)); err != nil {
			t.Fatal(err)
		}
	}
	for q, want := range map[string]string{
		"rechnung":         "Die Rechnungen",
		"ubersicht":        "Urlaub", // without its dots
		"Grüße wo":         "Urlaub",
		"bezahlt":          "Die Rechnungen",
		"println x_y":      "Code",
		"天气":               "天气",
		"公园":               "天气", // in the middle of a sentence without spaces
		"园":                "天气",
		"报告":               "天气",
		"abc 报":            "天气",
		"天园":               "",
		`" OR 1 --`:        "",
		"* ( NEAR ' \x00":  "",
		"?!":               "",
		"nothing-at-all":   "",
		"title:Urlaub":     "",
		"NOT Urlaub":       "",
		"\xff\xfe urlaub ": "Urlaub",
	} {
		if got := titles(t, s, store.Query{Search: q}); got != want {
			t.Errorf("search %q = %s, want %s", q, got, want)
		}
	}
	found, err := s.Sessions(t.Context(), store.Query{Search: "urlaub"})
	if err != nil || len(found) != 1 || found[0].Snippet != "[Urlaub]" {
		t.Errorf("snippet of a title %+v, %v", found, err)
	}
	title := "Ferien"
	if _, err := s.UpdateSession(t.Context(), found[0].ID, store.Change{Title: &title}); err != nil {
		t.Fatal(err)
	}
	if got := titles(t, s, store.Query{Search: "urlaub"}) + titles(t, s, store.Query{Search: "ferien"}); got != "Ferien" {
		t.Errorf("after a new title: %s", got)
	}
}

func TestSnippet(t *testing.T) {
	s := open(t, t.TempDir())
	far := strings.Repeat("some words of no weight ", 40)
	for text, searches := range map[string]map[string]string{
		"Wo ist die Übersicht der Grüße?": {
			"ubersicht":  "Wo ist die [Übersicht] der Grüße?",
			"GRÜßE über": "Wo ist die [Übersicht] der [Grüße]?",
			"wo ist":     "[Wo] [ist] die Übersicht der Grüße?",
		},
		"今天天气怎么样，我们去公园吧": {"公园": "今天天气怎么样，我们去[公园]吧"},
		far + "needle\n\tand\n more " + far: {
			"needle": "…some words of no weight [needle] and more some words of no weight some words of no weight …",
		},
		strings.Repeat("長", 200) + "針" + strings.Repeat("長", 200): {
			"針": "…" + strings.Repeat("長", 30) + "[針]" + strings.Repeat("長", 59) + "…",
		},
	} {
		x := session(t, s, "t")
		if err := s.AppendMessage(t.Context(), x.ID, "t", say(text)); err != nil {
			t.Fatal(err)
		}
		for q, want := range searches {
			found, err := s.Sessions(t.Context(), store.Query{Search: q})
			if err != nil || len(found) != 1 || found[0].Snippet != want {
				t.Errorf("search %q: %+v, %v\nwant %s", q, found, err, want)
			}
		}
	}
}

// The search index can be made again, and is when it is damaged.
func TestSearchMendsItsIndex(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir)
	x := session(t, s, "t")
	if err := s.AppendMessage(t.Context(), x.ID, "t", say("needle")); err != nil {
		t.Fatal(err)
	}
	s.Exec(t, "UPDATE message_search_data SET block = x'0011' WHERE id > 1000")
	if got := titles(t, s, store.Query{Search: "needle"}); got != "t" {
		t.Errorf("found %q", got)
	}
	s.Exec(t, "UPDATE message_search_data SET block = x'0011' WHERE id > 1000")
	_ = s.Close()
	s = open(t, dir)
	if s.Degraded() != "" {
		t.Error("because of its index the database was taken for damaged: " + s.Degraded())
	}
	if got := titles(t, s, store.Query{Search: "needle"}); got != "t" {
		t.Errorf("after a start found %q", got)
	}
	s.Exec(t, "UPDATE message_search_data SET block = x'0011'")
	if err := s.AppendMessage(t.Context(), x.ID, "t", say("another")); err != nil {
		t.Errorf("writing over a damaged index: %v", err)
	}
	if got := titles(t, s, store.Query{Search: "another"}) + titles(t, s, store.Query{Search: "needle"}); got != "tt" || s.Degraded() != "" {
		t.Errorf("after writing found %q, %s", got, s.Degraded())
	}
	if got := texts(t, s, x.ID); got != "needle another" {
		t.Errorf("messages %q", got)
	}
}

func FuzzSearch(f *testing.F) {
	s := open(f, f.TempDir())
	x, err := s.CreateSession(f.Context(), store.NewSession{Title: "col:x and 今天 ^y"})
	if err != nil {
		f.Fatal(err)
	}
	if err := s.AppendMessage(f.Context(), x.ID, "t", say(`a"b* NEAR(c d) 天气`)); err != nil {
		f.Fatal(err)
	}
	for _, q := range []string{`a"b*`, "col:x AND NOT ^y", "今天a", "'", "\x00", "{a b}: c", "\u0301", "-", "NEAR(a b, 3)", strings.Repeat("x ", 500), "𝟘 ༀ ᠀"} {
		f.Add(q)
	}
	f.Fuzz(func(t *testing.T, q string) {
		if _, err := s.Sessions(t.Context(), store.Query{Search: q}); err != nil {
			t.Errorf("search %q: %v", q, err)
		}
		if y, err := s.CreateSession(t.Context(), store.NewSession{Title: q}); err != nil {
			t.Errorf("title %q: %v", q, err)
		} else if err := s.DeleteSession(t.Context(), y.ID); err != nil {
			t.Error(err)
		}
	})
}

func TestPurge(t *testing.T) {
	dir := t.TempDir()
	now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	s, err := store.Open(t.Context(), store.Options{Dir: dir, Now: func() time.Time { return now }})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = s.Close() }()
	gone, kept := session(t, s, "gone"), session(t, s, "kept")
	var out []string
	for i, x := range []store.Session{gone, kept, {}} {
		p, err := s.SaveOutput(t.Context(), x.ID, "call", "text")
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, p)
		for _, n := range []uint64{7, uint64(100 + i)} { // 7 is shared by all
			c := bigChange("/f", n)
			c.Session = x.ID
			if _, err := s.RecordChange(t.Context(), c); err != nil {
				t.Fatal(err)
			}
		}
		if x.ID == "" {
			continue
		}
		if err := s.AppendMessage(t.Context(), x.ID, "t", say("needle in "+x.Title)); err != nil {
			t.Fatal(err)
		}
		if err := s.RecordApproval(t.Context(), store.Approval{ID: x.Title, Session: x.ID, Decision: "once"}); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.DeleteSession(t.Context(), gone.ID); err != nil {
		t.Fatal(err)
	}
	if n, err := s.PurgeDeleted(t.Context(), now); n != 0 || err != nil {
		t.Errorf("purged %d at once, %v", n, err)
	}
	if n, err := s.PurgeDeleted(t.Context(), now.Add(time.Hour)); n != 1 || err != nil {
		t.Errorf("purged %d, %v", n, err)
	}
	if err := s.RestoreSession(t.Context(), gone.ID); !errors.Is(err, store.ErrNotFound) {
		t.Errorf("restoring what is purged: %v", err)
	}
	for i, want := range []bool{false, true, false} {
		if _, err := os.Stat(out[i]); (err == nil) != want {
			t.Errorf("output %d is there: %v, want %v", i, err == nil, want)
		}
	}
	files, err := filepath.Glob(filepath.Join(dir, "undo", "*"))
	if err != nil || len(files) != 3 { // 7, 101 and 102
		t.Errorf("%d pre-images, %v", len(files), err)
	}
	for query, want := range map[string]int64{
		"SELECT count(*) FROM messages":                                             1,
		"SELECT count(*) FROM message_search WHERE message_search MATCH 'needle'":   1,
		"SELECT count(*) FROM approvals":                                            1,
		"SELECT count(*) FROM changes WHERE session <> ''":                          2,
		"SELECT count(*) FROM title_search WHERE title_search MATCH 'gone OR kept'": 1,
	} {
		if got := s.Value(t, query); got != want {
			t.Errorf("%s = %d, want %d", query, got, want)
		}
	}
	if err := s.Check(t.Context()); err != nil {
		t.Error(err)
	}
}
