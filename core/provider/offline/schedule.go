package offline

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
)

// A clock is a time of day.
type clock struct{ hour, minute int }

// morning is when something happens on a day with no time.
var morning = clock{9, 0}

var dayNames = []string{"sunday", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday"}

// weekday reads monday, mondays or mon.
func weekday(word string) (int, bool) {
	word = strings.TrimSuffix(strings.Trim(word, ","), "s")
	for i, name := range dayNames {
		if word == name || word == name[:3] || word+"s" == name[:4] && i == 2 {
			return i, true
		}
	}
	return 0, false
}

// timeOfDay reads 9, 9:30, 9am, 9 pm, 18.30, 9 o'clock, noon.
func timeOfDay(words []string) (clock, bool) {
	if len(words) == 0 || len(words) > 2 {
		return clock{}, false
	}
	if c, ok := map[string]clock{"noon": {12, 0}, "midday": {12, 0}, "midnight": {0, 0}}[words[0]]; ok && len(words) == 1 {
		return c, true
	}
	text, half, ok := halfOfDay(words)
	c, fits := hourAndMinute(strings.ReplaceAll(text, ".", ":"))
	switch {
	case !ok, !fits, half != "" && (c.hour < 1 || c.hour > 12):
		return clock{}, false
	case half != "":
		c.hour %= 12
	}
	if half == "pm" {
		c.hour += 12
	}
	return c, true
}

// halfOfDay splits "9pm" and "9 p.m.", and drops o'clock.
func halfOfDay(words []string) (text, half string, ok bool) {
	text = words[0]
	for _, h := range []string{"am", "pm"} {
		if t, found := strings.CutSuffix(text, h); found {
			text, half = t, h
		}
	}
	if len(words) == 1 {
		return text, half, true
	}
	switch w := strings.ReplaceAll(words[1], ".", ""); w {
	case "am", "pm":
		return text, w, half == ""
	case "o'clock", "uhr":
		return text, half, true
	}
	return "", "", false
}

func hourAndMinute(text string) (clock, bool) {
	h, m, _ := strings.Cut(text, ":")
	hour, err := strconv.Atoi(h)
	minute := 0
	if err == nil && m != "" {
		minute, err = strconv.Atoi(m)
	}
	return clock{hour, minute}, err == nil && hour >= 0 && hour <= 23 && minute >= 0 && minute <= 59
}

// atTime splits "… at 9:30" and reads its end; without one it is the morning.
func atTime(words []string) (rest []string, c clock, given, ok bool) {
	i := slices.Index(words, "at")
	if i < 0 {
		return words, morning, false, true
	}
	c, ok = timeOfDay(words[i+1:])
	return words[:i], c, true, ok
}

func (c clock) cron(days string) string { return fmt.Sprintf("%d %d * * %s", c.minute, c.hour, days) }

// partsOfDay are times that people name without a number.
var partsOfDay = map[string]clock{"morning": {9, 0}, "noon": {12, 0}, "afternoon": {15, 0}, "evening": {18, 0}, "night": {21, 0}}

// everySo reads what stands behind every: "10 minutes", "weekday at 9",
// "monday and friday at 18:30", "other friday", "month on the 1st". It becomes
// an interval, a cron line or, where weeks or days are left out, a rule.
func everySo(text string) (string, bool) {
	words := strings.Fields(strings.ReplaceAll(text, ",", " "))
	words, at, given, ok := atTime(words)
	if !ok || len(words) == 0 {
		return "", false
	}
	if s, ok := interval(words); ok && !given {
		return s, true
	}
	if rule, ok := everyOther(words, at); ok {
		return rule, true
	}
	if c, ok := partsOfDay[words[0]]; ok && len(words) == 1 {
		if given {
			c = at
		}
		return c.cron("*"), true
	}
	switch words[0] {
	case "day":
		return at.cron("*"), len(words) == 1
	case "weekday", "workday":
		return at.cron("1-5"), len(words) == 1
	case "weekend":
		return at.cron("0,6"), len(words) == 1
	case "month":
		return monthly(words[1:], at)
	case "week":
		words = words[1:]
		if len(words) == 0 {
			return at.cron("1"), true
		}
	}
	days, ok := dayList(words)
	return at.cron(days), ok
}

// interval reads "10 minutes", "hour", "other day".
func interval(words []string) (string, bool) {
	var n int
	switch v, err := strconv.Atoi(words[0]); {
	case err == nil && v > 0:
		n, words = v, words[1:]
	case words[0] == "other" || words[0] == "second":
		n, words = 2, words[1:]
	case words[0] == "hour" && len(words) == 1:
		return "0 * * * *", true
	case words[0] == "minute" && len(words) == 1:
		return "* * * * *", true
	default:
		return "", false
	}
	if len(words) != 1 {
		return "", false
	}
	unit := strings.TrimSuffix(strings.TrimSuffix(words[0], "s"), "ute") + "s"
	full, ok := map[string]string{"mins": "minutes", "hours": "hours", "hs": "hours", "days": "days", "weeks": "weeks"}[unit]
	return fmt.Sprintf("every %d %s", n, full), ok
}

// everyOther reads "other friday", "second day" and "2 weeks on monday".
func everyOther(words []string, at clock) (string, bool) {
	n, err := strconv.Atoi(words[0])
	if words[0] == "other" || words[0] == "second" {
		n, err = 2, nil
	}
	if err != nil || n < 2 || n > 52 || len(words) < 2 {
		return "", false
	}
	hour := fmt.Sprintf(";BYHOUR=%d;BYMINUTE=%d", at.hour, at.minute)
	words = words[1:]
	if len(words) == 1 && strings.TrimSuffix(words[0], "s") == "day" {
		return fmt.Sprintf("FREQ=DAILY;INTERVAL=%d", n) + hour, true
	}
	if strings.TrimSuffix(words[0], "s") == "week" {
		words = words[1:]
	}
	days, ok := dayList(words)
	names := strings.Split(days, ",")
	for i, d := range names {
		if ok {
			names[i] = []string{"SU", "MO", "TU", "WE", "TH", "FR", "SA"}[d[0]-'0']
		}
	}
	return fmt.Sprintf("FREQ=WEEKLY;INTERVAL=%d;BYDAY=%s", n, strings.Join(names, ",")) + hour, ok
}

func monthly(words []string, at clock) (string, bool) {
	words = slices.DeleteFunc(slices.Clone(words), func(w string) bool { return w == "on" || w == "the" })
	day := 1
	if len(words) > 1 {
		return "", false
	}
	if len(words) == 1 {
		n, err := strconv.Atoi(strings.TrimRight(words[0], "stndrh."))
		if err != nil || n < 1 || n > 31 {
			return "", false
		}
		day = n
	}
	return fmt.Sprintf("%d %d %d * *", at.minute, at.hour, day), true
}

// dayList reads "monday", "mon and fri", "on tuesday".
func dayList(words []string) (string, bool) {
	var days []string
	for _, w := range words {
		if w == "and" || w == "on" {
			continue
		}
		d, ok := weekday(w)
		if !ok {
			return "", false
		}
		days = append(days, strconv.Itoa(d))
	}
	slices.Sort(days)
	return strings.Join(slices.Compact(days), ","), len(days) > 0
}

// onceAt reads one instant after now: "in 20 minutes", "tomorrow at 8", "at
// 18:30", "on friday", "on 2026-05-01 at 10". It becomes an ISO time.
func onceAt(text string, now time.Time) (string, bool) {
	words := strings.Fields(strings.ReplaceAll(text, ",", " "))
	if len(words) == 0 {
		return "", false
	}
	if words[0] == "in" {
		return fromNow(words[1:], now)
	}
	words, at, given, ok := atTime(words)
	if !ok {
		return "", false
	}
	day, at, ok := dayOf(words, at, given, now)
	if !ok {
		return "", false
	}
	y, m, d := day.Date()
	t := time.Date(y, m, d, at.hour, at.minute, 0, 0, now.Location())
	if len(words) == 0 && !t.After(now) { // "at 8", when 8 is past
		t = time.Date(y, m, d+1, at.hour, at.minute, 0, 0, now.Location())
	}
	return t.Format(time.RFC3339), t.After(now)
}

// fromNow reads "20 minutes", "an hour", "half an hour".
func fromNow(words []string, now time.Time) (string, bool) {
	if slices.Equal(words, []string{"half", "an", "hour"}) {
		words = []string{"30", "minutes"}
	}
	if len(words) != 2 {
		return "", false
	}
	n, err := strconv.Atoi(words[0])
	if words[0] == "a" || words[0] == "an" || words[0] == "one" {
		n, err = 1, nil
	}
	if err != nil || n < 1 || n > 100_000 {
		return "", false
	}
	var t time.Time
	switch strings.TrimSuffix(words[1], "s") {
	case "minute", "min":
		t = now.Add(time.Duration(n) * time.Minute)
	case "hour", "h":
		t = now.Add(time.Duration(n) * time.Hour)
	case "day":
		t = now.AddDate(0, 0, n)
	case "week":
		t = now.AddDate(0, 0, 7*n)
	case "month":
		t = now.AddDate(0, n, 0)
	default:
		return "", false
	}
	return t.Truncate(time.Minute).Format(time.RFC3339), true
}

// dayOf reads the day, and the part of it that may stand in the place of a
// time.
func dayOf(words []string, at clock, given bool, now time.Time) (time.Time, clock, bool) {
	for len(words) > 1 && (words[0] == "on" || words[0] == "next" || words[0] == "this") {
		words = words[1:]
	}
	if len(words) == 0 {
		return now, at, given
	}
	last := words[len(words)-1]
	if c, ok := partsOfDay[last]; ok { // this evening, tomorrow morning
		if !given {
			at, given = c, true
		}
		words = words[:len(words)-1]
	}
	switch len(words) {
	case 0:
		return now, at, true
	case 1:
		return aDay(words[0], at, given, now)
	}
	return now, at, false
}

// aDay reads a day that is named by one word.
func aDay(word string, at clock, given bool, now time.Time) (time.Time, clock, bool) {
	switch word {
	case "today":
		return now, at, given
	case "tonight":
		if !given {
			at = partsOfDay["night"]
		}
		return now, at, true
	case "tomorrow":
		return now.AddDate(0, 0, 1), at, true
	}
	if t, err := time.ParseInLocation(time.DateOnly, word, now.Location()); err == nil {
		return t, at, true
	}
	d, ok := weekday(word)
	ahead := (d - int(now.Weekday()) + 7) % 7
	if ahead == 0 {
		ahead = 7
	}
	return now.AddDate(0, 0, ahead), at, ok
}
