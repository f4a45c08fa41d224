package sessions

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/hobkin/hobkin/core/control"
	"github.com/hobkin/hobkin/ui/say"
)

var noon = time.Date(2026, 3, 11, 12, 0, 0, 0, time.Local) // a Wednesday

func list() []control.Session {
	return []control.Session{
		{ID: "p", Title: "Pinned", Pinned: true, Updated: noon.Add(-48 * time.Hour)},
		{ID: "a", Title: "A", Updated: noon},
		{ID: "b", Title: "B", Updated: noon.Add(-time.Hour)},
	}
}

func ids(m *Model) (out []string) {
	for _, s := range m.Items {
		out = append(out, s.ID)
	}
	return out
}

func TestOrder(t *testing.T) {
	later := noon.Add(time.Hour)
	for name, tt := range map[string]struct {
		do   func(*Model)
		want []string
	}{
		"as listed":               {func(*Model) {}, []string{"p", "a", "b"}},
		"something new happens":   {func(m *Model) { m.Put(control.Session{ID: "b", Updated: later}) }, []string{"p", "b", "a"}},
		"a new session":           {func(m *Model) { m.Put(control.Session{ID: "n", Updated: later}) }, []string{"p", "n", "a", "b"}},
		"pinned":                  {func(m *Model) { m.Put(control.Session{ID: "b", Pinned: true, Updated: noon}) }, []string{"b", "p", "a"}},
		"deleted":                 {func(m *Model) { m.Delete("a") }, []string{"p", "b"}},
		"an old list comes after": {func(m *Model) { m.Delete("a"); m.Set(list()) }, []string{"p", "b"}},
		"a late event comes":      {func(m *Model) { m.Delete("a"); m.Put(control.Session{ID: "a", Updated: later}) }, []string{"p", "b"}},
		"brought back":            {func(m *Model) { m.Delete("a"); m.Restore() }, []string{"p", "a", "b"}},
		"too late to bring back":  {func(m *Model) { m.Delete("a"); m.Forget("a"); m.Restore() }, []string{"p", "b"}},
		"another is forgotten":    {func(m *Model) { m.Delete("a"); m.Forget("b"); m.Restore() }, []string{"p", "a", "b"}},
		"delete of none":          {func(m *Model) { m.Delete("x") }, []string{"p", "a", "b"}},
	} {
		t.Run(name, func(t *testing.T) {
			var m Model
			m.Set(list())
			tt.do(&m)
			if d := cmp.Diff(tt.want, ids(&m)); d != "" {
				t.Errorf("(-want +got):\n%s", d)
			}
		})
	}
}

func TestDeletingTheOpenOneStartsANewOne(t *testing.T) {
	m := Model{Open: "a"}
	m.Set(list())
	m.Delete("a")
	if m.Open != "" {
		t.Errorf("open = %q, want a new one", m.Open)
	}
}

func TestNeighbour(t *testing.T) {
	m := Model{}
	m.Set(list())
	for name, tt := range map[string]struct {
		open string
		step int
		want string
	}{
		"next": {"p", 1, "a"}, "previous": {"a", -1, "p"}, "before the first": {"p", -1, ""},
		"after the last": {"b", 1, ""}, "from a new one": {"", 1, "p"},
	} {
		m.Open = tt.open
		if got, _ := m.Neighbour(tt.step); got != tt.want {
			t.Errorf("%s: got %q, want %q", name, got, tt.want)
		}
	}
}

func TestLine(t *testing.T) {
	for name, tt := range map[string]struct {
		s    control.Session
		want say.Phrase
	}{
		"waiting": {control.Session{State: control.StateWaiting, Updated: noon}, say.P("waiting for you")},
		"working": {control.Session{State: control.StateWorking}, say.P("working")},
		"done":    {control.Session{State: control.StateReady, Messages: 2, Updated: noon.Add(-2 * time.Hour)}, say.P("done · {{.When}}", "When", say.Raw("10:00"))},
		"empty":   {control.Session{Updated: noon.Add(-30 * time.Second)}, say.P("just now")},
		"match":   {control.Session{Snippet: "one\n two", State: control.StateWaiting}, say.Raw("one two")},
		"failed":  {control.Session{State: control.StateError, Updated: noon.AddDate(0, 0, -1)}, say.P("could not go on · {{.When}}", "When", say.P("yesterday"))},
	} {
		if d := cmp.Diff(tt.want, Line(tt.s, noon)); d != "" {
			t.Errorf("%s (-want +got):\n%s", name, d)
		}
	}
}

func TestWhen(t *testing.T) {
	for name, tt := range map[string]struct {
		t    time.Time
		want say.Phrase
	}{
		"now":                 {noon, say.P("just now")},
		"a clock that is off": {noon.Add(time.Hour), say.P("just now")},
		"this morning":        {noon.Add(-3 * time.Hour), say.Raw("09:00")},
		"last night":          {noon.Add(-13 * time.Hour), say.P("yesterday")},
		"last Thursday":       {noon.AddDate(0, 0, -6), say.P("Thursday")},
		"a week ago":          {noon.AddDate(0, 0, -7), say.Raw("2026-03-04")},
		"never":               {time.Time{}, say.P("some time ago")},
	} {
		if d := cmp.Diff(tt.want, When(tt.t, noon)); d != "" {
			t.Errorf("%s (-want +got):\n%s", name, d)
		}
	}
}

func TestTitle(t *testing.T) {
	if got := Title(control.Session{Title: " \n"}); got.Key != "New conversation" {
		t.Errorf("got %q", got.Key)
	}
}
