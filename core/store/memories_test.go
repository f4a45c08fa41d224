package store_test

import (
	"context"
	"errors"
	"strconv"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/hobkin/hobkin/core/store"
)

var owner = []store.MemoryPlace{{Scope: "owner"}}

func remember(tb testing.TB, s *store.Store, key, value string, change ...func(*store.Memory)) store.Memory {
	tb.Helper()
	m := store.Memory{Scope: "owner", Category: "preference", Key: key, Value: value, Confidence: 0.9, State: store.MemoryActive, Action: "add", Source: "a test"}
	for _, c := range change {
		c(&m)
	}
	m, err := s.AddMemory(context.Background(), m, "test")
	if err != nil {
		tb.Fatal(err)
	}
	return m
}

func held(action, target string) func(*store.Memory) {
	return func(m *store.Memory) {
		m.State, m.Action, m.Target, m.Reason = store.MemoryHeld, action, target, "a page said so"
	}
}

// values are what counts, by key.
func values(tb testing.TB, s *store.Store) map[string]string {
	tb.Helper()
	list, err := s.Memories(context.Background(), store.MemoryQuery{State: store.MemoryActive})
	if err != nil {
		tb.Fatal(err)
	}
	out := map[string]string{}
	for _, m := range list {
		out[m.Key] = m.Value
	}
	return out
}

func found(tb testing.TB, s *store.Store, text string, places ...store.MemoryPlace) string {
	tb.Helper()
	if len(places) == 0 {
		places = owner
	}
	hits, err := s.SearchMemories(context.Background(), text, places, 10)
	if err != nil {
		tb.Fatalf("%q: %v", text, err)
	}
	var keys []string
	for _, h := range hits {
		keys = append(keys, h.Key)
	}
	return strings.Join(keys, " ")
}

// TestMemoryVersions: nothing is rewritten, and every change can be gone back on.
func TestMemoryVersions(t *testing.T) {
	s := open(t, t.TempDir())
	first := remember(t, s, "editor", "uses Vim")
	second := remember(t, s, "editor", "uses Emacs")
	if second.Target != first.ID {
		t.Errorf("the second took the place of %q, not of the first", second.Target)
	}
	check := func(want string) {
		t.Helper()
		if got := values(t, s)["editor"]; got != want {
			t.Errorf("it remembers %q, not %q", got, want)
		}
		if err := s.Check(t.Context()); err != nil {
			t.Error(err)
		}
	}
	check("uses Emacs")
	act := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	act(s.ActivateMemory(t.Context(), first.ID, "restored", "test"))
	check("uses Vim")
	act(s.RetireMemory(t.Context(), first.ID, store.MemoryArchived, "test"))
	act(s.RetireMemory(t.Context(), first.ID, store.MemoryArchived, "test")) // once more changes nothing
	check("")
	act(s.ActivateMemory(t.Context(), second.ID, "restored", "test"))
	check("uses Emacs")
	if err := s.RetireMemory(t.Context(), "nosuch", store.MemoryArchived, "test"); !errors.Is(err, store.ErrNotFound) {
		t.Errorf("an unknown one: %v", err)
	}
	versions, err := s.MemoryVersions(t.Context(), second.ID)
	if err != nil || len(versions) != 2 || versions[0].ID != first.ID || versions[0].State != store.MemoryReplaced && versions[0].State != store.MemoryArchived {
		t.Errorf("the versions are %+v, %v", versions, err)
	}
	history, err := s.MemoryHistory(t.Context(), first.ID)
	var actions []string
	for _, e := range history {
		actions = append(actions, e.Action)
	}
	if got := strings.Join(actions, " "); err != nil || got != "added replaced restored archived" {
		t.Errorf("the history is %q, %v", got, err)
	}
	if m, err := s.Memory(t.Context(), strings.ToUpper(first.ID[:25])); err != nil || m.ID != first.ID {
		t.Errorf("by its beginning: %v, %v", m.ID, err)
	}
}

// TestMemoryHeld: what waits neither counts nor is found until it is agreed to.
func TestMemoryHeld(t *testing.T) {
	s := open(t, t.TempDir())
	old := remember(t, s, "greeting", "Good morning")
	wait := remember(t, s, "salutation", "Dear owner", held("replace", old.ID))
	if got := values(t, s); len(got) != 1 || found(t, s, "owner") != "" {
		t.Errorf("what is held counts: %v, %q", got, found(t, s, "owner"))
	}
	if n, err := s.CountMemories(t.Context(), store.MemoryHeld); n != 1 || err != nil {
		t.Errorf("%d wait, %v", n, err)
	}
	if err := s.ActivateMemory(t.Context(), wait.ID, "approved", "owner"); err != nil {
		t.Fatal(err)
	}
	if got := values(t, s); len(got) != 1 || got["salutation"] != "Dear owner" || found(t, s, "morning") != "" {
		t.Errorf("after the approval: %v, %q", got, found(t, s, "morning"))
	}
}

func TestMemorySearch(t *testing.T) {
	s := open(t, t.TempDir())
	remember(t, s, "dentist", "my dentist is Dr. Kim")
	remember(t, s, "door-code", "the code of the door of the dentists is on paper")
	remember(t, s, "wetter", "今天天气很好")
	remember(t, s, "café", "Café au lait")
	remember(t, s, "other", "the dentist of another session", func(m *store.Memory) { m.Scope, m.Subject = "session", "s1" })
	for text, want := range map[string]string{
		"dentist": "door-code dentist", "what do you know about my dentist": "dentist door-code", "Kim": "dentist", "天气": "wetter", "cafe": "café",
		"dentists nosuchword": "door-code dentist", "zzzz": "", "": "", `"`: "", "door-cod": "door-code", "AND OR NOT NEAR(": "", "key:dentist": "door-code dentist", "den*": "door-code dentist",
	} {
		if got := found(t, s, text); got != want {
			t.Errorf("%q finds %q, not %q", text, got, want)
		}
	}
	if got := found(t, s, "dentist", store.MemoryPlace{Scope: "session", Subject: "s1"}); got != "other" {
		t.Errorf("of the session: %q", got)
	}
	s.Exec(t, "DELETE FROM memory_search_data") // a broken index is made again
	if got := found(t, s, "Kim"); got != "dentist" {
		t.Errorf("after the index was broken: %q", got)
	}
}

// TestMemorySearchAmongMany: one among thousands is found by its rare word, also
// beside the commonest, and a word of very many brings the newest, not all.
func TestMemorySearchAmongMany(t *testing.T) {
	s := open(t, t.TempDir())
	say := newSpoken(1)
	common := say.text(1)
	s.FillMemories(t, 5000, func(i int) (string, string) { return "many-" + strconv.Itoa(i), common + " " + say.text(8) })
	remember(t, s, "needle", common+" xylophone")
	for text, want := range map[string]string{"xylophone": "needle", common + " xylophones": "needle", "the xylophone of " + common: "needle"} {
		if got, _, _ := strings.Cut(found(t, s, text), " "); got != want {
			t.Errorf("%q finds %q first, not %q", text, got, want)
		}
	}
	if got := strings.Fields(found(t, s, common)); len(got) != 10 || got[0] != "needle" || got[1] != "many-4999" {
		t.Errorf("the commonest word finds %q", got)
	}
	if err := s.Check(t.Context()); err != nil {
		t.Error(err)
	}
}

func TestMemorySources(t *testing.T) {
	s := open(t, t.TempDir())
	put := func(passages ...string) store.MemorySource {
		t.Helper()
		x, err := s.PutMemorySource(t.Context(), store.MemorySource{Path: "/notes.md", Bytes: 7, Modified: time.Unix(1, 0)}, passages)
		if err != nil {
			t.Fatal(err)
		}
		return x
	}
	first := put("about apples", "about pears")
	if again := put("about plums"); again.ID != first.ID || again.Added != first.Added {
		t.Errorf("read again it is another source: %+v, %+v", first, again)
	}
	list, err := s.MemorySources(t.Context())
	if err != nil || len(list) != 1 || list[0].Passages != 1 {
		t.Errorf("%+v, %v", list, err)
	}
	for text, want := range map[string]int{"pears": 0, "plum": 1, `") OR`: 0} {
		if got, err := s.SearchPassages(t.Context(), text, 5); err != nil || len(got) != want {
			t.Errorf("%q: %+v, %v", text, got, err)
		}
	}
	if err := s.RemoveMemorySource(t.Context(), "/notes.md"); err != nil {
		t.Fatal(err)
	}
	if err := s.RemoveMemorySource(t.Context(), "/notes.md"); !errors.Is(err, store.ErrNotFound) {
		t.Errorf("removed twice: %v", err)
	}
	if got, err := s.SearchPassages(t.Context(), "plum", 5); err != nil || len(got) != 0 {
		t.Errorf("a removed source is found: %+v, %v", got, err)
	}
	if err := s.Check(t.Context()); err != nil {
		t.Error(err)
	}
}

// FuzzSearchMemories: any text is a safe question, and a memory is found by all
// of its own words.
func FuzzSearchMemories(f *testing.F) {
	for _, seed := range []string{"dentist", `"a" OR b*`, "天气", "\x00\xff", "a'); DROP TABLE memories; --", "NEAR(a b, 2)", "{key} : x", "^a", "é́"} {
		f.Add(seed)
	}
	s := open(f, f.TempDir())
	f.Fuzz(func(t *testing.T, text string) {
		if _, err := s.SearchMemories(t.Context(), text, owner, 5); err != nil {
			t.Fatalf("%q: %v", text, err)
		}
		if _, err := s.SearchPassages(t.Context(), text, 5); err != nil {
			t.Fatalf("%q: %v", text, err)
		}
		if _, err := s.Sessions(t.Context(), store.Query{Search: text}); err != nil {
			t.Fatalf("%q: %v", text, err)
		}
		if !utf8.ValidString(text) || strings.Contains(text, "\x00") {
			return
		}
		m := remember(t, s, "fuzz", text)
		if got, err := s.Memory(t.Context(), m.ID); err != nil || got.Value != text {
			t.Fatalf("%q came back as %q, %v", text, got.Value, err)
		}
	})
}
