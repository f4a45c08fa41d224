package robot

import (
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/hobkin/hobkin/computeruse/wire"
)

func TestParseChord(t *testing.T) {
	for text, want := range map[string]chord{
		"ctrl+shift+T": {keys: []string{"ctrl", "shift", "t"}},
		"Page_Up":      {keys: []string{"pageup"}},
		"cmd+Return":   {keys: []string{"cmd", "enter"}},
		"F12":          {keys: []string{"f12"}},
		"ctrl++":       {keys: []string{"ctrl", "+"}},
		"shift":        {keys: []string{"shift"}},
		"a":            {text: "a"}, // as text, so that a foreign layout does not make another letter of it
		"ß":            {text: "ß"},
		"/":            {text: "/"},
	} {
		got, err := parseChord(text)
		if err != nil || !slices.Equal(got.keys, want.keys) || got.text != want.text {
			t.Errorf("parseChord(%q) = %+v, %v, want %+v", text, got, err, want)
		}
	}
	for _, bad := range []string{"", "ctrl+nokey", "a+b", "F99", "+ctrl"} {
		if got, err := parseChord(bad); !errors.As(err, new(*wire.Error)) {
			t.Errorf("parseChord(%q) = %+v, %v", bad, got, err)
		}
	}
}

func FuzzParseChord(f *testing.F) {
	for _, s := range []string{"ctrl+a", "++", "\xff", "F1", " + "} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		c, err := parseChord(s)
		if err == nil && c.text == "" && len(c.keys) == 0 {
			t.Errorf("parseChord(%q) is nothing, and no error", s)
		}
	})
}

// TestIdle: input at the time of an act of ours is ours, other input a person's.
func TestIdle(t *testing.T) {
	now := time.Now()
	last := now.Add(-time.Hour) // of any input, as the system tells it
	i := &idle{since: func() (time.Duration, bool) { return time.Since(last), true }}
	i.look(time.Now())
	if got := i.Person(); got.IdleMS < 3_590_000 || got.Exact {
		t.Errorf("at first %+v", got)
	}
	i.ours()
	last = time.Now()
	if i.look(time.Now()) {
		t.Error("an act of ours was taken for a person's")
	}
	last = time.Now().Add(ownEcho + time.Millisecond)
	if !i.look(last.Add(time.Millisecond)) {
		t.Error("a person's input was not seen")
	}
}
