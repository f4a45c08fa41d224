package schedule

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// rule is a recurrence rule of RFC 5545, section 3.3.10, in the parts that
// calendars write most: FREQ from DAILY to YEARLY, INTERVAL, BYDAY, BYMONTHDAY,
// BYMONTH, BYHOUR, BYMINUTE, COUNT and UNTIL. Weeks begin on Monday.
type rule struct {
	freq     string
	interval int
	byDay    []weekdayOf
	byDate   []int // of the month; negative from its end
	byMonth  []int
	byHour   []int
	byMinute []int
	count    int       // 0 is without end
	until    time.Time // on the wall clock; zero is without end
	untilAt  time.Time // as an instant; zero is without end
	start    time.Time // on the wall clock: what it counts from
}

// weekdayOf is a weekday; with nth the nth of the month, negative from its end.
type weekdayOf struct {
	nth int
	day time.Weekday
}

// maxPeriods bounds how many days, weeks, months or years are looked through
// for one time: a hundred years of days.
const maxPeriods = 36_600

func (r rule) next(after time.Time, zone *time.Location) (time.Time, bool) {
	t, ok := fixed(r, after, zone)
	if !ok || !r.untilAt.IsZero() && t.After(r.untilAt) {
		return time.Time{}, false
	}
	return t, true
}

// after implements [walls].
func (r rule) after(wall time.Time) (time.Time, bool) {
	first, left := 0, r.count
	if left == 0 {
		first = max(0, r.periodOf(wall)-1)
	}
	for i := first; i < first+maxPeriods; i++ {
		period := r.period(i)
		if period.Year() > lastYear {
			break
		}
		for _, day := range r.days(period) {
			for _, t := range r.times(day) {
				switch {
				case t.Before(r.start):
					continue
				case !r.until.IsZero() && t.After(r.until):
					return time.Time{}, false
				case t.After(wall):
					return t, true
				}
				if r.count > 0 {
					if left--; left == 0 {
						return time.Time{}, false
					}
				}
			}
		}
	}
	return time.Time{}, false
}

// period is the first day of the i-th day, week, month or year that counts.
func (r rule) period(i int) time.Time {
	y, m, d := r.start.Date()
	n := i * r.interval
	switch r.freq {
	case "DAILY":
		return date(y, m, d+n)
	case "WEEKLY":
		monday := (int(r.start.Weekday()) + 6) % 7
		return date(y, m, d-monday+7*n)
	case "MONTHLY":
		return date(y, m+time.Month(n), 1)
	}
	return date(y+n, 1, 1)
}

// periodOf is the number of the period that a time lies in, about.
func (r rule) periodOf(wall time.Time) int {
	days := int(floorDiv(wall.Unix()-r.start.Unix(), daySeconds))
	months := (wall.Year()-r.start.Year())*12 + int(wall.Month()-r.start.Month())
	switch r.freq {
	case "DAILY":
		return days / r.interval
	case "WEEKLY":
		return days / (7 * r.interval)
	case "MONTHLY":
		return months / r.interval
	}
	return (wall.Year() - r.start.Year()) / r.interval
}

func date(y int, m time.Month, d int) time.Time { return time.Date(y, m, d, 0, 0, 0, 0, time.UTC) }

// days are the days of a period on which it happens, in order.
func (r rule) days(period time.Time) []time.Time {
	switch r.freq {
	case "DAILY":
		if r.inMonth(period) && r.fits(period) {
			return []time.Time{period}
		}
		return nil
	case "WEEKLY":
		return r.pick(period, period.AddDate(0, 0, 7))
	case "MONTHLY":
		return r.pick(period, period.AddDate(0, 1, 0))
	}
	var out []time.Time
	for m := range 12 {
		month := period.AddDate(0, m, 0)
		out = append(out, r.pick(month, month.AddDate(0, 1, 0))...)
	}
	return out
}

// pick lists the days from one to before another that fit.
func (r rule) pick(day, end time.Time) (out []time.Time) {
	for ; day.Before(end); day = day.AddDate(0, 0, 1) {
		if r.inMonth(day) && r.fits(day) {
			out = append(out, day)
		}
	}
	return out
}

func (r rule) inMonth(day time.Time) bool {
	if len(r.byMonth) == 0 {
		return r.freq != "YEARLY" || day.Month() == r.start.Month()
	}
	return slices.Contains(r.byMonth, int(day.Month()))
}

// fits reports whether the day of the month and of the week are those wanted;
// where neither is said they are those of the start.
func (r rule) fits(day time.Time) bool {
	if len(r.byDate) == 0 && len(r.byDay) == 0 {
		switch r.freq {
		case "DAILY":
			return true
		case "WEEKLY":
			return day.Weekday() == r.start.Weekday()
		}
		return day.Day() == r.start.Day()
	}
	last := date(day.Year(), day.Month()+1, 0).Day()
	if len(r.byDate) > 0 && !slices.Contains(r.byDate, day.Day()) && !slices.Contains(r.byDate, day.Day()-last-1) {
		return false
	}
	return len(r.byDay) == 0 || slices.ContainsFunc(r.byDay, func(w weekdayOf) bool {
		nth, back := (day.Day()-1)/7+1, -((last-day.Day())/7 + 1)
		return w.day == day.Weekday() && (w.nth == 0 || w.nth == nth || w.nth == back)
	})
}

// times are the times of a day, in order.
func (r rule) times(day time.Time) (out []time.Time) {
	for _, h := range r.byHour {
		for _, m := range r.byMinute {
			out = append(out, day.Add(time.Duration(h*60+m)*time.Minute))
		}
	}
	return out
}

func (r rule) words(zone *time.Location) string {
	unit := map[string]string{"DAILY": "day", "WEEKLY": "week", "MONTHLY": "month", "YEARLY": "year"}[r.freq]
	text := "every " + unit
	switch {
	case r.interval == 2:
		text = "every other " + unit
	case r.interval > 2:
		text = fmt.Sprintf("every %d %ss", r.interval, unit)
	}
	var parts []string
	if len(r.byMonth) > 0 {
		parts = append(parts, "in "+joined(each(r.byMonth, func(m int) string { return time.Month(m).String() })))
	}
	parts = append(parts, r.dayWords())
	var times []string
	for _, t := range r.times(date(2000, 1, 1)) {
		times = append(times, t.Format("15:04"))
	}
	parts = append(parts, "at "+joined(times))
	if r.count > 0 {
		parts = append(parts, fmt.Sprintf("%d times from %s on", r.count, r.start.Format("2 January 2006")))
	}
	switch {
	case !r.untilAt.IsZero():
		parts = append(parts, "until "+r.untilAt.In(zone).Format("2 January 2006 15:04"))
	case !r.until.IsZero():
		parts = append(parts, "until "+r.until.Format("2 January 2006"))
	}
	return strings.Join(strings.Fields(text+" "+strings.Join(parts, " ")), " ")
}

func (r rule) dayWords() string {
	var parts []string
	if len(r.byDate) > 0 {
		parts = append(parts, "on day "+joined(each(r.byDate, func(d int) string {
			if d < 0 {
				return ordinal(d)
			}
			return number(d)
		})))
	}
	if len(r.byDay) > 0 {
		parts = append(parts, "on "+joined(each(r.byDay, func(w weekdayOf) string {
			if w.nth == 0 {
				return w.day.String()
			}
			return "the " + ordinal(w.nth) + " " + w.day.String()
		})))
	}
	if len(parts) == 0 {
		switch r.freq {
		case "WEEKLY":
			return "on " + r.start.Weekday().String()
		case "MONTHLY":
			return fmt.Sprintf("on day %d", r.start.Day())
		case "YEARLY":
			return fmt.Sprintf("on day %d of %s", r.start.Day(), r.start.Month())
		}
	}
	return strings.Join(parts, " if that is ")
}

// ordinal is 1st, 2nd, last or 2nd to last.
func ordinal(n int) string {
	if n == -1 {
		return "last"
	}
	if n < 0 {
		return ordinal(-n) + " to last"
	}
	return fmt.Sprintf("%d%s", n, map[int]string{1: "st", 2: "nd", 3: "rd", 21: "st", 22: "nd", 23: "rd", 31: "st"}[n]+map[bool]string{true: "th"}[!slices.Contains([]int{1, 2, 3, 21, 22, 23, 31}, n)])
}

func each[T any](list []T, name func(T) string) []string {
	out := make([]string, len(list))
	for i, v := range list {
		out[i] = name(v)
	}
	return out
}
