package store_test

import (
	"os"
	"slices"
	"testing"
)

func TestOutputIsReadBack(t *testing.T) {
	s := open(t, t.TempDir())
	x, y := session(t, s, "x"), session(t, s, "y")
	paths := map[string]string{}
	for _, o := range [][3]string{{x.ID, "c1", "old"}, {x.ID, "c2", "two"}, {y.ID, "c9", "of another session"}, {x.ID, "c1", "new"}, {x.ID, "c3", "gone"}} {
		p, err := s.SaveOutput(t.Context(), o[0], o[1], o[2])
		if err != nil {
			t.Fatal(err)
		}
		paths[o[1]] = p
	}
	if _, err := s.SaveAttachment(t.Context(), x.ID, "a.txt", []byte("attached")); err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(paths["c3"]); err != nil {
		t.Fatal(err)
	}
	for name, tt := range map[string]struct {
		session, call, text string
		calls               []string
	}{
		"the newest of a call":    {x.ID, "c1", "new", nil},
		"another call":            {x.ID, "c2", "two", nil},
		"of another session":      {x.ID, "c9", "", []string{"c3", "c1", "c2"}},
		"the file is gone":        {x.ID, "c3", "", []string{"c1", "c2"}},
		"no call":                 {x.ID, "", "", []string{"c3", "c1", "c2"}},
		"a session without any":   {"nothing", "c1", "", nil},
		"a call that is a path":   {x.ID, "../../x", "", []string{"c3", "c1", "c2"}},
		"a call that is a quote":  {x.ID, "' OR 1=1 --", "", []string{"c3", "c1", "c2"}},
		"its own other session's": {y.ID, "c9", "of another session", nil},
	} {
		text, calls, err := s.Output(t.Context(), tt.session, tt.call)
		if err != nil || text != tt.text || !slices.Equal(calls, tt.calls) {
			t.Errorf("%s: %q, %v, %v; want %q, %v", name, text, calls, err, tt.text, tt.calls)
		}
	}
}
