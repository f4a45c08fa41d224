package schedule

import (
	"fmt"
	"math/bits"
	"strconv"
	"strings"
	"time"
)

// cron is a line of five fields. The bits of a field are its values.
type cron struct {
	minute, hour, day, month, weekday uint64

	either bool // both kinds of day are restricted, and one is enough
	text   [5]string
}

// field is how one of the five is read.
type field struct {
	name     string
	min, max int
	names    []string // of its values, from min on
}

var fields = [5]field{
	{"minute", 0, 59, nil},
	{"hour", 0, 23, nil},
	{"day of the month", 1, 31, nil},
	{"month", 1, 12, strings.Fields("jan feb mar apr may jun jul aug sep oct nov dec")},
	{"day of the week", 0, 7, strings.Fields("sun mon tue wed thu fri sat")},
}

// nicknames are the lines that have a name of their own, as cron programs know
// them.
var nicknames = map[string]string{
	"@yearly": "0 0 1 1 *", "@annually": "0 0 1 1 *", "@monthly": "0 0 1 * *", "@weekly": "0 0 * * 0",
	"@daily": "0 0 * * *", "@midnight": "0 0 * * *", "@hourly": "0 * * * *",
}

func parseCron(text string, days Days) (form, error) {
	line := strings.ToLower(text)
	if strings.HasPrefix(line, "@") {
		full, ok := nicknames[line]
		if !ok {
			return nil, wrong(fmt.Sprintf("%q is not known", text), "the names are @hourly, @daily, @weekly, @monthly and @yearly")
		}
		line = full
	}
	words := strings.Fields(line)
	if err := countFields(text, words); err != nil {
		return nil, err
	}
	var c cron
	for i, into := range []*uint64{&c.minute, &c.hour, &c.day, &c.month, &c.weekday} {
		set, err := fields[i].parse(words[i])
		if err != nil {
			return nil, err
		}
		*into, c.text[i] = set, words[i]
	}
	if c.weekday&(1<<7) != 0 { // Sunday is 0 and 7
		c.weekday = c.weekday&^(1<<7) | 1
	}
	star := strings.HasPrefix(words[2], "*") || strings.HasPrefix(words[4], "*")
	c.either = days != And && !star
	if _, ok := c.after(time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC).Add(-time.Minute)); !ok {
		return nil, wrong(fmt.Sprintf("%q never happens: no such month has a day %s", text, words[2]), "name a day that the month has")
	}
	return c, nil
}

// countFields refuses what has another number of fields than a cron line.
func countFields(text string, words []string) error {
	const example = `write five fields: minute, hour, day of the month, month, day of the week, such as "0 9 * * 1-5"`
	switch n := len(words); {
	case n == 5:
		return nil
	case n >= 6 && n <= 7 && strings.ContainsAny(words[0][:1], "*0123456789"):
		return wrong(fmt.Sprintf("%q has %d fields: cron lines with seconds or years, as Quartz writes them, are not read", text, n), example)
	case strings.ContainsAny(words[0][:1], "*0123456789"):
		return wrong(fmt.Sprintf("%q has %d fields and a cron line five", text, n), example)
	}
	return wrong(fmt.Sprintf("%q is not a schedule", text), forms)
}

// parse reads a field: values, names, ranges and steps, separated by commas.
func (f field) parse(text string) (set uint64, err error) {
	for part := range strings.SplitSeq(text, ",") {
		span, stepText, stepped := strings.Cut(part, "/")
		step := 1
		if stepped {
			if step, err = strconv.Atoi(stepText); err != nil || step < 1 || step > 1000 {
				return 0, f.wrong(text, fmt.Sprintf("the step %q is not a whole number above 0", stepText))
			}
		}
		low, high, err := f.span(text, span, stepped)
		if err != nil {
			return 0, err
		}
		for v := low; v <= high; v += step {
			set |= 1 << v
		}
	}
	return set, nil
}

func (f field) span(text, span string, stepped bool) (low, high int, err error) {
	if span == "*" {
		if f.max == 7 {
			return 0, 6, nil
		}
		return f.min, f.max, nil
	}
	from, to, ranged := strings.Cut(span, "-")
	if low, err = f.value(text, from); err != nil {
		return 0, 0, err
	}
	switch {
	case ranged:
		if high, err = f.value(text, to); err != nil {
			return 0, 0, err
		}
		if high == 0 && f.max == 7 && low > 0 { // fri-sun
			high = 7
		}
	case stepped: // 5/10 is from 5 on
		high = f.max
	default:
		high = low
	}
	if high < low {
		return 0, 0, f.wrong(text, fmt.Sprintf("the range %q runs backwards", span))
	}
	return low, high, nil
}

func (f field) value(text, word string) (int, error) {
	for i, name := range f.names {
		if word == name || len(word) > 3 && strings.HasPrefix(fullName(f, i), word) && word == fullName(f, i) {
			return f.min + i, nil
		}
	}
	n, err := strconv.Atoi(word)
	switch {
	case err != nil && (strings.ContainsAny(word, "?lw#") || word == ""):
		return 0, f.wrong(text, fmt.Sprintf("%q is of another dialect: ?, L, W and # are not read", word))
	case err != nil:
		return 0, f.wrong(text, fmt.Sprintf("%q is not a value", word))
	case n < f.min || n > f.max || word[0] == '+' || word[0] == '-':
		return 0, f.wrong(text, fmt.Sprintf("%s is not from %d to %d", word, f.min, f.max))
	}
	return n, nil
}

// fullName is the whole name of a value, in small letters.
func fullName(f field, i int) string {
	if f.max == 12 {
		return strings.ToLower(time.Month(i + 1).String())
	}
	return strings.ToLower(time.Weekday(i).String())
}

func (f field) wrong(text, why string) error {
	try := fmt.Sprintf("write *, or values from %d to %d with commas, ranges and steps, such as %d-%d/2", f.min, f.max, f.min+1, f.min+5)
	if f.names != nil {
		try += " or names such as " + f.names[0]
	}
	return wrong(fmt.Sprintf("the field %q (%s) is not understood: %s", text, f.name, why), try)
}

// everyHour reports whether the line restricts no hour: then it goes by what
// the clock shows, also when an hour comes twice.
func (c cron) everyHour() bool { return bits.OnesCount64(c.hour) == 24 }

func (c cron) next(after time.Time, zone *time.Location) (time.Time, bool) {
	if c.everyHour() {
		return shown(c, after, zone)
	}
	return fixed(c, after, zone)
}

// maxDays is how far a day is looked for: 29 February on a certain weekday can
// be 40 years away, where a century without a leap day lies between.
const maxDays = 41 * 366

// after implements [walls].
func (c cron) after(wall time.Time) (time.Time, bool) {
	wall = wall.Add(time.Minute)
	day := time.Date(wall.Year(), wall.Month(), wall.Day(), 0, 0, 0, 0, time.UTC)
	from := wall.Hour()*60 + wall.Minute()
	for range maxDays {
		if c.month&(1<<day.Month()) == 0 {
			day, from = time.Date(day.Year(), day.Month()+1, 1, 0, 0, 0, 0, time.UTC), 0
			continue
		}
		if c.onDay(day) {
			if m, ok := c.clock(from); ok {
				return day.Add(time.Duration(m) * time.Minute), true
			}
		}
		day, from = day.AddDate(0, 0, 1), 0
	}
	return time.Time{}, false
}

func (c cron) onDay(day time.Time) bool {
	inMonth, inWeek := c.day&(1<<day.Day()) != 0, c.weekday&(1<<day.Weekday()) != 0
	if c.either {
		return inMonth || inWeek
	}
	return inMonth && inWeek
}

// clock is the first time of day from a minute of the day on.
func (c cron) clock(from int) (int, bool) {
	hour, minute := from/60, from%60
	if c.hour&(1<<hour) != 0 {
		if m := c.minute >> minute; m != 0 {
			return hour*60 + minute + bits.TrailingZeros64(m), true
		}
	}
	rest := c.hour >> (hour + 1)
	if rest == 0 {
		return 0, false
	}
	return (hour+1+bits.TrailingZeros64(rest))*60 + bits.TrailingZeros64(c.minute), true
}
