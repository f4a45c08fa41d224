// Package schedule says when something happens: in words, and as instants.
//
// A schedule has one of four forms: an interval ("every 30 minutes"), a cron
// line of five fields, one instant with its offset, or a recurrence rule of
// iCalendar (RFC 5545). All but the first two intervals are read on the wall
// clock of a zone:
//
//	text ─► form ─► next wall clock time ─► instant in the zone
//	                       ▲                     │ not after "after"?
//	                       └─────────────────────┘
//
// A time that does not exist because clocks go forward happens at the first
// instant after the gap. A time that occurs twice happens once, in the first
// pass. Only what runs every hour goes by what the clock shows each time. A
// local day that does not exist at all (Samoa, 30 December 2011) has no runs.
//
// The package imports nothing else of ours and starts nothing.
package schedule

import (
	"fmt"
	"strings"
	"time"
	_ "time/tzdata" // zones are known on every machine
)

// A Schedule is when something happens. Make one with [Parse]; the zero value
// never happens.
type Schedule struct {
	text string
	zone *time.Location
	form form
}

// form is one way to write a schedule.
type form interface {
	// next is the first instant after an instant.
	next(after time.Time, zone *time.Location) (time.Time, bool)
	// words is the meaning for people, without the zone.
	words(zone *time.Location) string
}

// Days says how day-of-month and day-of-week of a cron line go together when
// both are restricted.
type Days string

// The ways. Vixie is what cron programs do: either day will do.
const (
	Vixie Days = "vixie"
	And   Days = "and"
)

// Options are what the text does not say.
type Options struct {
	Zone   string    // IANA name; empty is the system's
	Anchor time.Time // intervals and rules count from here: when the schedule was made
	Days   Days      // empty is [Vixie]
}

// Parse reads a schedule. The error is an [*Error] that names what is wrong and
// what to write instead.
func Parse(text string, o Options) (Schedule, error) {
	zone, err := Zone(o.Zone)
	if err != nil {
		return Schedule{}, err
	}
	s := Schedule{text: strings.Join(strings.Fields(text), " "), zone: zone}
	if s.form, err = parse(s.text, o, zone); err != nil {
		return Schedule{}, err
	}
	return s, nil
}

// maxText bounds a schedule's text, in bytes.
const maxText = 1000

func parse(text string, o Options, zone *time.Location) (form, error) {
	lower := strings.ToLower(text)
	switch {
	case text == "":
		return nil, wrong("the schedule is empty", forms)
	case len(text) > maxText:
		return nil, wrong(fmt.Sprintf("the schedule has %d bytes; at most %d are read", len(text), maxText), forms)
	case strings.HasPrefix(lower, "every ") || lower == "every":
		return parseEvery(lower, o.Anchor, zone)
	case strings.Contains(lower, "freq=") || strings.HasPrefix(lower, "rrule") || strings.HasPrefix(lower, "dtstart"):
		return parseRule(strings.ToUpper(text), o.Anchor, zone)
	case looksLikeDate(text):
		return parseInstant(text, zone)
	}
	return parseCron(text, o.Days)
}

// Next returns the first instant after an instant; false when there is none,
// ever.
func (s Schedule) Next(after time.Time) (time.Time, bool) {
	if s.form == nil || after.Year() >= lastYear {
		return time.Time{}, false
	}
	t, ok := s.form.next(after, s.zone)
	return t.In(s.location()), ok
}

// lastYear is where looking ahead ends.
const lastYear = 9990

// Upcoming returns the next n instants, fewer when there are no more.
func (s Schedule) Upcoming(after time.Time, n int) []time.Time {
	var out []time.Time
	for range n {
		t, ok := s.Next(after)
		if !ok {
			break
		}
		out = append(out, t)
		after = t
	}
	return out
}

// Words says in English what the schedule means, such as "on weekdays at
// 09:00". The zone is not part of it.
func (s Schedule) Words() string {
	if s.form == nil {
		return "never"
	}
	return s.form.words(s.location())
}

// Once reports whether the schedule is one instant.
func (s Schedule) Once() bool { _, once := s.form.(instant); return once }

// Period is the time from an instant of the schedule to the next one; 0 when
// there is no next one.
func (s Schedule) Period(at time.Time) time.Duration {
	next, ok := s.Next(at)
	if !ok {
		return 0
	}
	return next.Sub(at)
}

// String is the text that the schedule was read from, its spaces tidied.
func (s Schedule) String() string { return s.text }

// Zone is the IANA name of the zone the schedule is read in.
func (s Schedule) Zone() string { return s.location().String() }

func (s Schedule) location() *time.Location {
	if s.zone == nil {
		return time.UTC
	}
	return s.zone
}

// An Error says what is wrong with a schedule, for people.
type Error struct {
	What string // a sentence without its full stop
	Try  string // what to write instead
	Zone bool   // the zone is what is wrong
}

// Error is what is wrong and what to do.
func (e *Error) Error() string { return e.What + "; " + e.Try }

func wrong(what, try string) *Error { return &Error{What: what, Try: try} }

// forms tells of all that can be written.
const forms = `write "every 30 minutes", a cron line such as "0 9 * * 1-5", an instant such as 2026-12-24T18:00:00+01:00, or a rule such as "FREQ=WEEKLY;INTERVAL=2;BYDAY=FR;BYHOUR=11"`
