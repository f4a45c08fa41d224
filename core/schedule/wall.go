package schedule

import "time"

// A wall clock time is kept as a [time.Time] in UTC: its date and clock are
// what the clock on the wall shows, and arithmetic knows no zone.

// wallOf is what the wall clock shows at an instant, to the minute.
func wallOf(t time.Time, zone *time.Location) time.Time {
	t = t.In(zone)
	return time.Date(t.Year(), t.Month(), t.Day(), t.Hour(), t.Minute(), 0, 0, time.UTC)
}

// widest is more than clocks were ever moved by at once.
const widest = 26 * time.Hour

// instantOf is when the wall clock of a zone shows a time: the first such
// instant where it does twice, the first after the gap where it never does. It
// is false when the whole day does not exist there.
func instantOf(wall time.Time, zone *time.Location) (time.Time, bool) {
	from := wall.Add(-widest)
	for at := from; ; {
		_, end := at.In(zone).ZoneBounds()
		_, offset := at.In(zone).Zone()
		t := wall.Add(-time.Duration(offset) * time.Second)
		switch {
		case t.Before(at) && at != from: // the clock was moved past it when this stretch began
			return at, sameDay(wall, at.In(zone)) || sameDay(wall, at.Add(-1).In(zone))
		case end.IsZero() || t.Before(end):
			return t, true
		}
		at = end
	}
}

func sameDay(a, b time.Time) bool {
	ay, am, ad := a.Date()
	by, bm, bd := b.Date()
	return ay == by && am == bm && ad == bd
}

// walls are times on the wall clock, in order.
type walls interface {
	// after is the first one after a time; false when there is none.
	after(wall time.Time) (time.Time, bool)
}

// maxTries bounds how many wall clock times are tried for one instant: all the
// minutes of a day that is lived twice, and more.
const maxTries = 4000

// fixed is the next instant of times that are fixed on the wall clock.
func fixed(w walls, after time.Time, zone *time.Location) (time.Time, bool) {
	wall := wallOf(after, zone)
	for range maxTries {
		next, ok := w.after(wall)
		if !ok {
			return time.Time{}, false
		}
		if t, exists := instantOf(next, zone); exists && t.After(after) {
			return t, true
		}
		wall = next
	}
	return time.Time{}, false
}

// shown is the next instant at which the clock shows one of the times, in each
// of two passes, and never in a gap.
func shown(w walls, after time.Time, zone *time.Location) (time.Time, bool) {
	at := after
	for range maxTries {
		wall, ok := w.after(wallOf(at, zone))
		if !ok {
			return time.Time{}, false
		}
		_, offset := at.In(zone).Zone()
		_, end := at.In(zone).ZoneBounds()
		t := wall.Add(-time.Duration(offset) * time.Second)
		if end.IsZero() || t.Before(end) {
			if t.After(after) {
				return t, true
			}
			at = at.Add(time.Minute) // offsets of long ago had seconds
			continue
		}
		// The clock is moved before that: look on from there.
		if first, ok := w.after(wallOf(end, zone).Add(-time.Minute)); ok && first.Equal(wallOf(end, zone)) {
			return end, true
		}
		at = end
	}
	return time.Time{}, false
}
