package schedule

import (
	"fmt"
	"math/bits"
	"strconv"
	"strings"
	"time"
)

// words says what the line means, such as "at 09:00 and 17:00 on weekdays".
func (c cron) words(*time.Location) string {
	parts := []string{c.clockWords(), c.dayWords()}
	if bits.OnesCount64(c.month) < 12 {
		parts = append(parts, "in "+listed(c.month, func(v int) string { return time.Month(v).String() }))
	}
	return strings.Join(strings.Fields(strings.Join(parts, " ")), " ")
}

// maxClocks is how many times of day are named one by one.
const maxClocks = 6

func (c cron) clockWords() string {
	hours, minutes := bits.OnesCount64(c.hour), bits.OnesCount64(c.minute)
	switch {
	case hours == 24 && minutes == 60:
		return "every minute"
	case hours == 24:
		if step, ok := evenly(c.minute, 60); ok && minutes > 1 {
			return fmt.Sprintf("every %d minutes", step)
		}
		return "at minute " + listed(c.minute, number) + " of every hour"
	case hours*minutes <= maxClocks:
		var times []string
		for _, h := range values(c.hour) {
			for _, m := range values(c.minute) {
				times = append(times, fmt.Sprintf("%02d:%02d", h, m))
			}
		}
		return "at " + joined(times)
	}
	hour := listed(c.hour, number)
	if step, ok := evenly(c.hour, 24); ok && hours > 1 {
		hour = fmt.Sprintf("every %d hours from 0", step)
		if minutes == 1 {
			return fmt.Sprintf("every %d hours at minute %s", step, listed(c.minute, number))
		}
	}
	if minutes == 60 {
		return "every minute of the hours " + hour
	}
	if step, ok := evenly(c.minute, 60); ok && minutes > 1 {
		return fmt.Sprintf("every %d minutes in the hours %s", step, hour)
	}
	return "at minute " + listed(c.minute, number) + " of the hours " + hour
}

func (c cron) dayWords() string {
	anyDay, anyWeekday := bits.OnesCount64(c.day) == 31, bits.OnesCount64(c.weekday) == 7
	inMonth := "on day " + listed(c.day, number) + " of the month"
	inWeek := weekdayWords(c.weekday)
	switch {
	case anyDay && anyWeekday && bits.OnesCount64(c.hour) == 24:
		return ""
	case anyDay && anyWeekday:
		return "every day"
	case anyDay:
		return inWeek
	case anyWeekday:
		return inMonth
	case c.either:
		return inMonth + " or " + inWeek + ", whichever comes"
	}
	return inMonth + " if that is " + strings.TrimPrefix(inWeek, "on ")
}

func weekdayWords(set uint64) string {
	switch set {
	case 0b0111110:
		return "on weekdays"
	case 0b1000001:
		return "on weekends"
	}
	return "on " + listed(set, func(v int) string { return time.Weekday(v).String() + "s" })
}

func number(v int) string { return strconv.Itoa(v) }

func values(set uint64) (out []int) {
	for ; set != 0; set &= set - 1 {
		out = append(out, bits.TrailingZeros64(set))
	}
	return out
}

// evenly reports whether a set is every n-th value from 0 on, all around.
func evenly(set uint64, size int) (step int, ok bool) {
	n := bits.OnesCount64(set)
	if n == 0 || size%n != 0 {
		return 0, false
	}
	step = size / n
	for v := 0; v < size; v += step {
		if set&(1<<v) == 0 {
			return 0, false
		}
	}
	return step, true
}

// listed names values, runs of three and more as a range.
func listed(set uint64, name func(int) string) string {
	var out []string
	vs := values(set)
	for i := 0; i < len(vs); {
		j := i
		for j+1 < len(vs) && vs[j+1] == vs[j]+1 {
			j++
		}
		if j-i >= 2 {
			out = append(out, name(vs[i])+"–"+name(vs[j]))
		} else {
			for _, v := range vs[i : j+1] {
				out = append(out, name(v))
			}
		}
		i = j + 1
	}
	return joined(out)
}

// joined is "a, b and c".
func joined(list []string) string {
	if len(list) < 2 {
		return strings.Join(list, "")
	}
	return strings.Join(list[:len(list)-1], ", ") + " and " + list[len(list)-1]
}
