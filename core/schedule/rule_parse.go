package schedule

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
)

const ruleTry = `write one such as "FREQ=WEEKLY;INTERVAL=2;BYDAY=FR;BYHOUR=11;BYMINUTE=30"`

// parseRule reads a rule in capitals, with RRULE: and a DTSTART before it or
// without.
func parseRule(text string, anchor time.Time, zone *time.Location) (form, error) {
	r := rule{interval: 1, start: wallOf(anchor, zone)}
	for word := range strings.FieldsSeq(text) {
		name, value, found := strings.Cut(word, ":")
		switch {
		case !found || name == "RRULE":
			if !found {
				value = word
			}
			if err := r.parse(value); err != nil {
				return nil, err
			}
		case name == "DTSTART":
			t, utc, err := icalTime("DTSTART", value)
			if err != nil {
				return nil, err
			}
			if utc {
				t = wallOf(t, zone)
			}
			r.start = t
		default:
			return nil, wrong(fmt.Sprintf("%q is not read in a rule", name), ruleTry)
		}
	}
	return r.finish()
}

// finish fills in what the start says and looks whether it ever happens.
func (r rule) finish() (form, error) {
	if r.freq == "" {
		return nil, wrong("the rule has no FREQ", ruleTry)
	}
	ordinals := slices.ContainsFunc(r.byDay, func(w weekdayOf) bool { return w.nth != 0 })
	switch {
	case ordinals && (r.freq == "DAILY" || r.freq == "WEEKLY"):
		return nil, wrong("a weekday with a number, such as 1MO, counts in a month, and FREQ is "+r.freq, "write FREQ=MONTHLY")
	case r.freq == "WEEKLY" && len(r.byDate) > 0:
		return nil, wrong("BYMONTHDAY does not go with FREQ=WEEKLY", "write FREQ=MONTHLY or leave BYMONTHDAY out")
	case r.freq == "YEARLY" && ordinals && len(r.byMonth) == 0:
		return nil, wrong("the rule does not say of which month the numbered weekday is", "add BYMONTH, such as BYMONTH=3")
	}
	if len(r.byHour) == 0 {
		r.byHour = []int{r.start.Hour()}
		if len(r.byMinute) == 0 {
			r.byMinute = []int{r.start.Minute()}
		}
	}
	if len(r.byMinute) == 0 {
		r.byMinute = []int{0}
	}
	for _, list := range [][]int{r.byHour, r.byMinute, r.byMonth} {
		slices.Sort(list)
	}
	if _, ok := r.after(r.start.Add(-time.Minute)); !ok {
		return nil, wrong("the rule never happens: no day fits all of it", "look at BYMONTHDAY, BYMONTH and UNTIL")
	}
	return r, nil
}

// maxCount bounds COUNT; maxInterval bounds INTERVAL.
const (
	maxCount    = 10_000
	maxInterval = 1000
)

func (r *rule) parse(text string) error {
	seen := map[string]bool{}
	for part := range strings.SplitSeq(strings.TrimSuffix(text, ";"), ";") {
		name, value, ok := strings.Cut(part, "=")
		switch {
		case !ok || value == "":
			return wrong(fmt.Sprintf("%q in the rule is not NAME=VALUE", part), ruleTry)
		case seen[name]:
			return wrong(fmt.Sprintf("the rule says %s twice", name), "say it once")
		}
		seen[name] = true
		if err := r.set(name, value); err != nil {
			return err
		}
	}
	if r.count > 0 && seen["UNTIL"] {
		return wrong("the rule has both COUNT and UNTIL", "leave one out")
	}
	return nil
}

func (r *rule) set(name, value string) (err error) {
	switch name {
	case "FREQ":
		if !slices.Contains([]string{"DAILY", "WEEKLY", "MONTHLY", "YEARLY"}, value) {
			return wrong(fmt.Sprintf("FREQ=%s is not read", value), `write DAILY, WEEKLY, MONTHLY or YEARLY; for minutes and hours "every 30 minutes"`)
		}
		r.freq = value
	case "INTERVAL":
		r.interval, err = ruleNumber(name, value, 1, maxInterval)
	case "COUNT":
		r.count, err = ruleNumber(name, value, 1, maxCount)
	case "BYHOUR":
		r.byHour, err = ruleNumbers(name, value, 0, 23)
	case "BYMINUTE":
		r.byMinute, err = ruleNumbers(name, value, 0, 59)
	case "BYMONTH":
		r.byMonth, err = ruleNumbers(name, value, 1, 12)
	case "BYMONTHDAY":
		r.byDate, err = ruleNumbers(name, value, -31, 31)
		if slices.Contains(r.byDate, 0) {
			err = wrong("BYMONTHDAY=0 is no day", "count from 1, or from -1 for the last")
		}
	case "BYDAY":
		r.byDay, err = ruleDays(value)
	case "UNTIL":
		err = r.setUntil(value)
	case "WKST", "BYSECOND":
		if value != "MO" && value != "0" {
			err = wrong(name+"="+value+" is not read", "leave it out: weeks begin on Monday, and runs on the minute")
		}
	default:
		err = wrong(name+" is not read in a rule", "use FREQ, INTERVAL, BYDAY, BYMONTHDAY, BYMONTH, BYHOUR, BYMINUTE, COUNT and UNTIL")
	}
	return err
}

func (r *rule) setUntil(value string) error {
	t, utc, err := icalTime("UNTIL", value)
	switch {
	case err != nil:
		return err
	case utc:
		r.untilAt = t
	case len(value) == len("20060102"):
		r.until = t.AddDate(0, 0, 1).Add(-time.Minute) // the day is meant whole
	default:
		r.until = t
	}
	return nil
}

// icalTime reads 20261224, 20261224T180000 or, in UTC, 20261224T180000Z.
func icalTime(name, value string) (t time.Time, utc bool, err error) {
	plain, utc := strings.CutSuffix(value, "Z")
	for _, layout := range []string{"20060102T150405", "20060102T1504", "20060102"} {
		if t, err := time.Parse(layout, plain); err == nil && t.Year() > 1900 && t.Year() < lastYear {
			return t.Truncate(time.Minute), utc, nil
		}
	}
	return time.Time{}, false, wrong(fmt.Sprintf("%s=%s is not a time", name, value), "write it such as 20261224T180000")
}

func ruleNumber(name, value string, low, high int) (int, error) {
	n, err := strconv.Atoi(value)
	if err != nil || n < low || n > high {
		return 0, wrong(fmt.Sprintf("%s=%s is not a whole number from %d to %d", name, value, low, high), ruleTry)
	}
	return n, nil
}

func ruleNumbers(name, value string, low, high int) (out []int, err error) {
	for one := range strings.SplitSeq(value, ",") {
		n, err := ruleNumber(name, one, low, high)
		if err != nil {
			return nil, err
		}
		if !slices.Contains(out, n) {
			out = append(out, n)
		}
	}
	return out, nil
}

// ruleDays reads MO,WE or 1MO,-1FR.
func ruleDays(value string) (out []weekdayOf, err error) {
	names := []string{"SU", "MO", "TU", "WE", "TH", "FR", "SA"}
	for one := range strings.SplitSeq(value, ",") {
		if len(one) < 2 {
			return nil, wrong(fmt.Sprintf("BYDAY=%s has no weekday in %q", value, one), "the weekdays are MO, TU, WE, TH, FR, SA and SU")
		}
		w := weekdayOf{day: time.Weekday(slices.Index(names, one[len(one)-2:]))}
		if w.day < 0 {
			return nil, wrong(fmt.Sprintf("%q in BYDAY is no weekday", one), "the weekdays are MO, TU, WE, TH, FR, SA and SU")
		}
		if nth := one[:len(one)-2]; nth != "" {
			if w.nth, err = strconv.Atoi(nth); err != nil || w.nth == 0 || w.nth < -5 || w.nth > 5 {
				return nil, wrong(fmt.Sprintf("%q in BYDAY: a month has no such weekday", one), "count from 1 to 5, or from -1 to -5 from the end")
			}
		}
		out = append(out, w)
	}
	return out, nil
}
