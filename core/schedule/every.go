package schedule

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// every is an interval. Minutes and hours count real time from the anchor;
// days and weeks keep the time of day of the anchor.
type every struct {
	n      int
	unit   string // minute, hour, day or week
	anchor time.Time
	start  time.Time // the anchor on the wall clock
}

// maxEvery bounds an interval, in its units.
const maxEvery = 10_000

func parseEvery(text string, anchor time.Time, zone *time.Location) (form, error) {
	words := strings.Fields(text)[1:]
	e := every{n: 1, anchor: anchor.Truncate(time.Minute)}
	e.start = wallOf(e.anchor, zone)
	const try = `write "every N minutes", hours, days or weeks, such as "every 30 minutes"; for times of day a cron line such as "0 9 * * 1-5"`
	if len(words) == 2 {
		n, err := strconv.Atoi(words[0])
		if err != nil || n < 1 || n > maxEvery {
			return nil, wrong(fmt.Sprintf("%q is not a whole number from 1 to %d", words[0], maxEvery), try)
		}
		e.n, words = n, words[1:]
	}
	if len(words) != 1 {
		return nil, wrong(fmt.Sprintf("%q is not an interval", text), try)
	}
	switch e.unit = strings.TrimSuffix(words[0], "s"); e.unit {
	case "minute", "hour", "day", "week":
		return e, nil
	case "min":
		e.unit = "minute"
		return e, nil
	}
	return nil, wrong(fmt.Sprintf("%q is not a unit of an interval", words[0]), try)
}

func (e every) next(after time.Time, zone *time.Location) (time.Time, bool) {
	step := map[string]time.Duration{"minute": time.Minute, "hour": time.Hour}[e.unit] * time.Duration(e.n)
	if step == 0 {
		return fixed(e, after, zone)
	}
	k := after.Unix() - e.anchor.Unix()
	s := int64(step / time.Second)
	k = floorDiv(k, s) + 1
	return time.Unix(e.anchor.Unix()+max(k, 1)*s, 0), true
}

// after implements [walls] for days and weeks. The anchor itself is not one of
// the times: it is when the schedule was made.
func (e every) after(wall time.Time) (time.Time, bool) {
	days := int64(e.n)
	if e.unit == "week" {
		days *= 7
	}
	k := floorDiv(wall.Unix()-e.start.Unix(), days*daySeconds) + 1
	t := e.start.AddDate(0, 0, int(max(k, 1)*days))
	return t, t.Year() < lastYear
}

const daySeconds = 24 * 60 * 60

func floorDiv(a, b int64) int64 {
	q := a / b
	if a%b < 0 {
		q--
	}
	return q
}

func (e every) words(*time.Location) string {
	at := ""
	if e.unit == "day" || e.unit == "week" {
		at = " at " + e.start.Format("15:04")
	}
	if e.unit == "week" {
		at = " on " + e.start.Weekday().String() + at
	}
	if e.n == 1 {
		return "every " + e.unit + at
	}
	return fmt.Sprintf("every %d %ss%s", e.n, e.unit, at)
}

// instant is one point in time.
type instant struct{ at time.Time }

// looksLikeDate reports whether a text begins as a date does: 2026-12-24.
func looksLikeDate(text string) bool {
	if len(text) < 7 || text[4] != '-' {
		return false
	}
	_, err := strconv.Atoi(text[:4])
	return err == nil
}

func parseInstant(text string, zone *time.Location) (form, error) {
	text = strings.Replace(strings.ToUpper(text), " ", "T", 1)
	for _, layout := range []string{time.RFC3339, "2006-01-02T15:04Z07:00"} {
		if t, err := time.Parse(layout, text); err == nil {
			return instant{t}, nil
		}
	}
	for _, layout := range []string{"2006-01-02T15:04:05", "2006-01-02T15:04", time.DateOnly} {
		if t, err := time.Parse(layout, text); err == nil {
			at, _ := instantOf(t, zone)
			return nil, wrong(fmt.Sprintf("%q does not say which zone its time is of", text), fmt.Sprintf("write %s for %s", at.In(zone).Format(time.RFC3339), zone))
		}
	}
	_, err := time.Parse(time.RFC3339, text)
	why := "it is not an ISO 8601 time"
	if strings.Contains(fmt.Sprint(err), "out of range") {
		why = "there is no such day or time"
	}
	return nil, wrong(fmt.Sprintf("%q is no instant: %s", text, why), "write one such as 2026-12-24T18:00:00+01:00")
}

func (i instant) next(after time.Time, _ *time.Location) (time.Time, bool) {
	return i.at, i.at.After(after)
}

func (i instant) words(zone *time.Location) string {
	return "once, on " + i.at.In(zone).Format("Monday, 2 January 2006 at 15:04")
}
