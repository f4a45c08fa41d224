package doctext

import (
	"math"
	"strconv"
	"strings"
	"time"
)

// A numberFormat says what the number of a cell stands for.
type numberFormat uint8

const (
	general numberFormat = iota
	percent
	dateOnly
	dateTime
	timeOfDay
	duration // hours that go beyond a day
)

// builtIn is a format that workbooks know by its number (ECMA-376, 18.8.30).
func builtIn(id string) numberFormat {
	n, err := strconv.Atoi(id)
	switch {
	case err != nil:
		return general
	case n == 9 || n == 10:
		return percent
	case n >= 14 && n <= 17, n >= 27 && n <= 31, n == 36, n >= 50 && n <= 58:
		return dateOnly
	case n == 22:
		return dateTime
	case n >= 18 && n <= 21, n >= 32 && n <= 35, n == 45, n == 47:
		return timeOfDay
	case n == 46:
		return duration
	}
	return general
}

// formatOf judges a format by its code, of which only the part for positive
// numbers counts.
func formatOf(code string) numberFormat {
	s, hours := formatLetters(code)
	day, clock := strings.ContainsAny(s, "yde"), strings.ContainsAny(s, "hs")
	switch {
	case hours:
		return duration
	case strings.HasPrefix(s, "general"):
		return general
	case strings.ContainsAny(s, "0#@") && strings.Contains(s, "%"):
		return percent
	case strings.ContainsAny(s, "0#@") && !clock: // beside h and s they are fractions of seconds
		return general
	case day && clock:
		return dateTime
	case clock:
		return timeOfDay
	case day, strings.Contains(s, "m"):
		return dateOnly
	}
	return general
}

// formatLetters is a format in small letters, without quoted text, colours and
// conditions. hours: it counts hours, minutes or seconds beyond a day.
func formatLetters(code string) (letters string, hours bool) {
	var b strings.Builder
	for i := 0; i < len(code); i++ {
		switch c := code[i]; c {
		case ';':
			return b.String(), hours
		case '"':
			end := strings.IndexByte(code[i+1:], '"')
			if end < 0 {
				return b.String(), hours
			}
			i += end + 1
		case '\\', '_', '*':
			i++ // the next character is taken to the letter
		case '[':
			end := max(strings.IndexByte(code[i:], ']'), 0)
			switch strings.ToLower(strings.Trim(code[i:i+end], "[")) {
			case "h", "hh", "m", "mm", "s", "ss":
				hours = true
			}
			i += end
		default:
			b.WriteByte(c | 0x20)
		}
	}
	return b.String(), hours
}

// text is a value as a person would write it; a value that is no number, or
// lies outside of what dates can be, stays as it is.
func (f numberFormat) text(value string, era1904 bool) string {
	v, err := strconv.ParseFloat(value, 64)
	if err != nil || math.IsNaN(v) || math.IsInf(v, 0) {
		return value
	}
	const year9999 = 2_958_466 // days
	switch {
	case f == general:
		return plainNumber(value, v)
	case f == percent:
		return strconv.FormatFloat(round(v*100), 'f', -1, 64) + "%"
	case v < 0 || v >= year9999:
		return value
	case f == duration:
		s := int64(math.Round(v * 86400))
		return strconv.FormatInt(s/3600, 10) + time.Unix(s%3600, 0).UTC().Format(":04:05")
	}
	at := moment(v, era1904)
	switch {
	case f == timeOfDay && v < 1:
		return at.Format("15:04:05")
	case f == dateOnly && v == math.Trunc(v):
		return at.Format(time.DateOnly)
	}
	return at.Format(time.DateTime)
}

// plainNumber mends how spreadsheets store numbers: 0.1 is 0.10000000000000001.
func plainNumber(value string, v float64) string {
	const digits = 16
	if len(value) < digits || math.Abs(v) > 1e15 {
		return value
	}
	return strconv.FormatFloat(round(v), 'f', -1, 64)
}

// round drops what is beyond 15 digits, as spreadsheets do.
func round(v float64) float64 {
	r, err := strconv.ParseFloat(strconv.FormatFloat(v, 'g', 15, 64), 64)
	if err != nil {
		return v
	}
	return r
}

// moment is the time that a number of days stands for. Day 60 of the older era
// is a 29 February 1900 that never was: what comes before it is a day later
// than the count from 30 December 1899.
func moment(days float64, era1904 bool) time.Time {
	start := time.Date(1899, 12, 30, 0, 0, 0, 0, time.UTC)
	switch {
	case era1904:
		start = time.Date(1904, 1, 1, 0, 0, 0, 0, time.UTC)
	case days < 60:
		start = start.AddDate(0, 0, 1)
	}
	seconds := math.Round(days * 86400)
	return start.Add(time.Duration(seconds) * time.Second)
}
