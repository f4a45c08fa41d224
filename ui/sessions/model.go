// Package sessions is the list of conversations at the side of the window.
//
// [Model] holds the list and what is being done to it, without a toolkit;
// [View] draws it. What the core is asked for goes through [Actions].
package sessions

import (
	"slices"
	"strings"
	"time"

	"github.com/hobkin/hobkin/core/control"
	"github.com/hobkin/hobkin/ui/say"
)

// A Model is the list of sessions. The zero Model is an empty list.
type Model struct {
	Items   []control.Session
	Open    string // id of the open session; empty is a new one
	Search  string
	Deleted *control.Session // the one that can be brought back
}

// Set takes in a list from the core. A session that was just deleted stays
// away, even if the list was made before.
func (m *Model) Set(list []control.Session) {
	m.Items = slices.Clone(list)
	if m.Deleted != nil {
		m.remove(m.Deleted.ID)
	}
}

// Put takes in one session as it is now, and where it belongs in the list.
func (m *Model) Put(s control.Session) {
	if m.Deleted != nil && m.Deleted.ID == s.ID {
		return
	}
	i := slices.IndexFunc(m.Items, func(x control.Session) bool { return x.ID == s.ID })
	if i < 0 {
		m.Items = append(m.Items, s)
	} else {
		s.Snippet = m.Items[i].Snippet
		m.Items[i] = s
	}
	m.sort()
}

// sort keeps the order of the core: pinned ones first, then the newest.
func (m *Model) sort() {
	slices.SortStableFunc(m.Items, func(a, b control.Session) int {
		switch {
		case a.Pinned != b.Pinned && a.Pinned:
			return -1
		case a.Pinned != b.Pinned:
			return 1
		}
		return b.Updated.Compare(a.Updated)
	})
}

func (m *Model) remove(id string) {
	m.Items = slices.DeleteFunc(m.Items, func(s control.Session) bool { return s.ID == id })
}

// Get returns a session of the list.
func (m *Model) Get(id string) (control.Session, bool) {
	for _, s := range m.Items {
		if s.ID == id {
			return s, true
		}
	}
	return control.Session{}, false
}

// Delete takes a session out of the list and keeps it to be brought back.
func (m *Model) Delete(id string) {
	s, ok := m.Get(id)
	if !ok {
		return
	}
	m.Deleted = &s
	m.remove(id)
	if m.Open == id {
		m.Open = ""
	}
}

// Restore puts the deleted session back and returns it.
func (m *Model) Restore() (control.Session, bool) {
	if m.Deleted == nil {
		return control.Session{}, false
	}
	s := *m.Deleted
	m.Deleted = nil
	m.Put(s)
	return s, true
}

// Forget ends the time in which a deleted session can be brought back.
func (m *Model) Forget(id string) {
	if m.Deleted != nil && m.Deleted.ID == id {
		m.Deleted = nil
	}
}

// Neighbour is the session before (-1) or after (+1) the open one.
func (m *Model) Neighbour(step int) (string, bool) {
	i := slices.IndexFunc(m.Items, func(s control.Session) bool { return s.ID == m.Open })
	switch {
	case i < 0 && step > 0:
		i = 0
	default:
		i += step
	}
	if i < 0 || i >= len(m.Items) {
		return "", false
	}
	return m.Items[i].ID, true
}

// Title is a session's name.
func Title(s control.Session) say.Phrase {
	if t := strings.TrimSpace(s.Title); t != "" {
		return say.Raw(t)
	}
	return say.P("New conversation")
}

// Line is what stands under the name: the state, and when something last
// happened; or where a search matched.
func Line(s control.Session, now time.Time) say.Phrase {
	if s.Snippet != "" {
		return say.Raw(strings.Join(strings.Fields(s.Snippet), " "))
	}
	when := When(s.Updated, now)
	switch s.State {
	case control.StateWaiting:
		return say.P("waiting for you")
	case control.StateWorking:
		return say.P("working")
	case control.StatePaused:
		return say.P("paused")
	case control.StateError:
		return say.P("could not go on · {{.When}}", "When", when)
	}
	if s.Messages == 0 {
		return when
	}
	return say.P("done · {{.When}}", "When", when)
}

// When shows a time as a list does: the hour today, then the day.
func When(t, now time.Time) say.Phrase {
	t, now = t.Local(), now.Local()
	switch days := daysBetween(t, now); {
	case t.IsZero() || t.Year() < 1971:
		return say.P("some time ago")
	case days <= 0 && now.Sub(t) < time.Minute:
		return say.P("just now")
	case days <= 0:
		return say.Raw(t.Format("15:04"))
	case days == 1:
		return say.P("yesterday")
	case days < 7:
		return say.P(t.Weekday().String())
	}
	return say.Raw(t.Format("2006-01-02"))
}

// daysBetween counts midnights.
func daysBetween(a, b time.Time) int {
	day := func(x time.Time) time.Time {
		y, m, d := x.Date()
		return time.Date(y, m, d, 12, 0, 0, 0, time.UTC) // days of the calendar, whatever the clock did
	}
	return int(day(b).Sub(day(a)).Hours() / 24)
}
