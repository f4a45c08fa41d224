package schedule_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/hobkin/hobkin/core/schedule"
)

// anchor is a Monday.
var anchor = time.Date(2026, 11, 30, 12, 59, 0, 0, time.UTC)

func parse(tb testing.TB, text, zone string) schedule.Schedule {
	tb.Helper()
	s, err := schedule.Parse(text, schedule.Options{Zone: zone, Anchor: anchor})
	if err != nil {
		tb.Fatalf("%s: %v", text, err)
	}
	return s
}

func TestMeaning(t *testing.T) {
	for text, want := range map[string]struct{ words, next string }{
		"every 30 minutes": {"every 30 minutes", "2026-11-30T14:29 14:59 15:29"},
		"every hour":       {"every hour", "2026-11-30T14:59 15:59 16:59"},
		"every 2 days":     {"every 2 days at 13:59", "2026-12-02T13:59 2026-12-04T13:59 2026-12-06T13:59"},
		"every week":       {"every week on Monday at 13:59", "2026-12-07T13:59 2026-12-14T13:59 2026-12-21T13:59"},
		"0 9 * * 1-5":      {"at 09:00 on weekdays", "2026-12-01T09:00 2026-12-02T09:00 2026-12-03T09:00"},
		"0 9 * * MON-FRI":  {"at 09:00 on weekdays", "2026-12-01T09:00 2026-12-02T09:00 2026-12-03T09:00"},
		"0 8 * * fri-sun":  {"at 08:00 on Sundays, Fridays and Saturdays", "2026-12-04T08:00 2026-12-05T08:00 2026-12-06T08:00"},
		"*/15 * * * *":     {"every 15 minutes", "2026-11-30T14:00 14:15 14:30"},
		"0 */6 * * *":      {"at 00:00, 06:00, 12:00 and 18:00 every day", "2026-11-30T18:00 2026-12-01T00:00 06:00"},
		"30 */2 * * *":     {"every 2 hours at minute 30 every day", "2026-11-30T14:30 16:30 18:30"},
		"5 * * * *":        {"at minute 5 of every hour", "2026-11-30T14:05 15:05 16:05"},
		"@daily":           {"at 00:00 every day", "2026-12-01T00:00 2026-12-02T00:00 2026-12-03T00:00"},
		"0 9 1,15 * *":     {"at 09:00 on day 1 and 15 of the month", "2026-12-01T09:00 2026-12-15T09:00 2027-01-01T09:00"},
		"0 9 13 * fri":     {"at 09:00 on day 13 of the month or on Fridays, whichever comes", "2026-12-04T09:00 2026-12-11T09:00 2026-12-13T09:00"},
		"0 9 29 2 *":       {"at 09:00 on day 29 of the month in February", "2028-02-29T09:00 2032-02-29T09:00 2036-02-29T09:00"},

		"2026-12-24T18:00:00+01:00": {"once, on Thursday, 24 December 2026 at 18:00", "2026-12-24T18:00"},
		"2026-12-24 17:00Z":         {"once, on Thursday, 24 December 2026 at 18:00", "2026-12-24T18:00"},

		"FREQ=WEEKLY;INTERVAL=2;BYDAY=FR;BYHOUR=11;BYMINUTE=30":         {"every other week on Friday at 11:30", "2026-12-04T11:30 2026-12-18T11:30 2027-01-01T11:30"},
		"RRULE:FREQ=MONTHLY;BYDAY=-1FR;BYHOUR=9":                        {"every month on the last Friday at 09:00", "2026-12-25T09:00 2027-01-29T09:00 2027-02-26T09:00"},
		"freq=monthly;bymonthday=-1;byhour=9":                           {"every month on day last at 09:00", "2026-12-31T09:00 2027-01-31T09:00 2027-02-28T09:00"},
		"DTSTART:20261204T113000 RRULE:FREQ=WEEKLY;INTERVAL=2;BYDAY=FR": {"every other week on Friday at 11:30", "2026-12-04T11:30 2026-12-18T11:30 2027-01-01T11:30"},
		"FREQ=DAILY;COUNT=2;BYHOUR=8":                                   {"every day at 08:00 2 times from 30 November 2026 on", "2026-12-01T08:00 2026-12-02T08:00"},
		"FREQ=DAILY;UNTIL=20261202;BYHOUR=8":                            {"every day at 08:00 until 2 December 2026", "2026-12-01T08:00 2026-12-02T08:00"},
		"FREQ=YEARLY;BYMONTH=3;BYDAY=1MO;BYHOUR=7":                      {"every year in March on the 1st Monday at 07:00", "2027-03-01T07:00 2028-03-06T07:00 2029-03-05T07:00"},
		"FREQ=YEARLY":                         {"every year on day 30 of November at 13:59", "2027-11-30T13:59 2028-11-30T13:59 2029-11-30T13:59"},
		"FREQ=MONTHLY;BYMONTHDAY=13;BYDAY=FR": {"every month on day 13 if that is on Friday at 13:59", "2027-08-13T13:59 2028-10-13T13:59 2029-04-13T13:59"},
		"FREQ=WEEKLY;BYDAY=MO,WE;BYHOUR=9,17;UNTIL=20261202T080000Z": {"every week on Monday and Wednesday at 09:00 and 17:00 until 2 December 2026 09:00", "2026-11-30T17:00 2026-12-02T09:00"},
	} {
		s := parse(t, text, "Europe/Berlin")
		if got := s.Words(); got != want.words {
			t.Errorf("%s means %q, want %q", text, got, want.words)
		}
		var got []string
		day := ""
		for _, at := range s.Upcoming(anchor.Add(time.Second), 3) {
			layout := "2006-01-02T15:04"
			if at.Format(time.DateOnly) == day {
				layout = "15:04"
			}
			day = at.Format(time.DateOnly)
			got = append(got, at.Format(layout))
		}
		if got := strings.Join(got, " "); got != want.next {
			t.Errorf("%s is next at %s, want %s", text, got, want.next)
		}
	}
}

// Either day will do, or both must fit, as the setting says.
func TestDays(t *testing.T) {
	s, err := schedule.Parse("0 9 13 * 5", schedule.Options{Zone: "UTC", Days: schedule.And})
	if err != nil {
		t.Fatal(err)
	}
	next, _ := s.Next(anchor)
	if want := time.Date(2027, 8, 13, 9, 0, 0, 0, time.UTC); !next.Equal(want) {
		t.Errorf("Friday the 13th is %v, want %v", next, want)
	}
	if want := "at 09:00 on day 13 of the month if that is Fridays"; s.Words() != want {
		t.Errorf("it means %q, want %q", s.Words(), want)
	}
}

func TestWrong(t *testing.T) {
	for text, want := range map[string][]string{
		"":                                    {"empty"},
		"whenever":                            {`"whenever" is not a schedule`},
		"0 9 * *":                             {"4 fields", "five"},
		"0 0 9 * * 1-5":                       {"6 fields", "Quartz", "0 9 * * 1-5"},
		"0 0 9 ? * MON-FRI 2026":              {"7 fields", "Quartz"},
		"0 9 L * *":                           {"day of the month", "another dialect"},
		"0 9 ? * 1":                           {"another dialect"},
		"0 9 * * 1#2":                         {"day of the week", "another dialect"},
		"60 * * * *":                          {"minute", "60 is not from 0 to 59"},
		"0 25 * * *":                          {"hour", "0 to 23"},
		"0 9 30 2 *":                          {"never happens", "30"},
		"0 9 31 4,6,9,11 *":                   {"never happens"},
		"0 9 0 * *":                           {"0 is not from 1 to 31"},
		"5-1 * * * *":                         {"backwards"},
		"*/0 * * * *":                         {"step"},
		"1,,2 * * * *":                        {"minute"},
		"0 9 * foo *":                         {"month", "foo", "jan"},
		"@reboot":                             {"@reboot", "@daily"},
		"every 0 minutes":                     {`"0"`, "10000"},
		"every -5 minutes":                    {`"-5"`},
		"every fortnight":                     {"fortnight", "unit"},
		"every 5 minutes or so":               {"not an interval"},
		"2026-02-30T09:00:00Z":                {"no such day"},
		"2026-12-24T18:00:00":                 {"does not say which zone", "2026-12-24T18:00:00+01:00"},
		"2026-12-24":                          {"does not say which zone"},
		"2026-13-01T00:00:00Z":                {"no such day"},
		"2026-12-24T25:00:00Z":                {"no such day"},
		"2026-99":                             {"no instant"},
		"FREQ=HOURLY":                         {"HOURLY", "every 30 minutes"},
		"FREQ=WEEKLY;BYDAY=XX":                {"XX"},
		"FREQ=WEEKLY;BYDAY=1MO":               {"FREQ=MONTHLY"},
		"FREQ=MONTHLY;BYDAY=9MO":              {"9MO"},
		"FREQ=DAILY;COUNT=0":                  {"COUNT=0"},
		"FREQ=DAILY;COUNT=1;UNTIL=2":          {"UNTIL"},
		"FREQ=DAILY;BYSETPOS=1":               {"BYSETPOS is not read"},
		"FREQ=DAILY;FREQ=DAILY":               {"twice"},
		"FREQ=DAILY;INTERVAL":                 {"NAME=VALUE"},
		"RRULE:INTERVAL=2":                    {"no FREQ"},
		"FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=30": {"never happens"},
		"FREQ=DAILY;UNTIL=20200101":           {"never happens"},
		strings.Repeat("9", 2000):             {"2000 bytes"},
	} {
		_, err := schedule.Parse(text, schedule.Options{Zone: "Europe/Berlin", Anchor: anchor})
		var e *schedule.Error
		if !errors.As(err, &e) || e.Try == "" {
			t.Errorf("%q: %v is no error that says what to do", text, err)
			continue
		}
		for _, w := range want {
			if !strings.Contains(err.Error(), w) {
				t.Errorf("%q: %v, which does not say %q", text, err, w)
			}
		}
	}
	_, err := schedule.Parse("@daily", schedule.Options{Zone: "Mars/Olympus"})
	var e *schedule.Error
	if !errors.As(err, &e) || !e.Zone || !strings.Contains(e.Error(), "Mars/Olympus") {
		t.Errorf("an unknown zone: %v", err)
	}
}

func TestSystemZone(t *testing.T) {
	t.Setenv("TZ", "Asia/Kathmandu")
	s := parse(t, "@daily", "")
	if s.Zone() != "Asia/Kathmandu" {
		t.Errorf("the system's zone is %s", s.Zone())
	}
}

// What changes of the clock do, case by case.
func TestClockChanges(t *testing.T) {
	for name, c := range map[string]struct{ expr, zone, after, want string }{
		"a time in the gap is at its end":    {"30 2 * * *", "Europe/Berlin", "2026-03-28T12:00:00Z", "2026-03-29T03:00:00+02:00 2026-03-30T02:30:00+02:00"},
		"a time that comes twice is once":    {"30 2 * * *", "Europe/Berlin", "2026-10-24T12:00:00Z", "2026-10-25T02:30:00+02:00 2026-10-26T02:30:00+01:00"},
		"asked between the two":              {"30 2 * * *", "Europe/Berlin", "2026-10-25T01:00:00Z", "2026-10-26T02:30:00+01:00 2026-10-27T02:30:00+01:00"},
		"several in the gap are one":         {"*/20 2 * * *", "Europe/Berlin", "2026-03-28T12:00:00Z", "2026-03-29T03:00:00+02:00 2026-03-30T02:00:00+02:00"},
		"hourly goes on through both passes": {"30 * * * *", "Europe/Berlin", "2026-10-25T00:00:00Z", "2026-10-25T02:30:00+02:00 2026-10-25T02:30:00+01:00"},
		"hourly has no run in the gap":       {"30 * * * *", "Europe/Berlin", "2026-03-29T00:00:00Z", "2026-03-29T01:30:00+01:00 2026-03-29T03:30:00+02:00"},
		"half an hour, gap":                  {"15 2 * * *", "Australia/Lord_Howe", "2026-10-02T20:00:00Z", "2026-10-04T02:30:00+11:00 2026-10-05T02:15:00+11:00"},
		"half an hour, twice":                {"45 1 * * *", "Australia/Lord_Howe", "2026-04-03T20:00:00Z", "2026-04-05T01:45:00+11:00 2026-04-06T01:45:00+10:30"},
		"Samoa had no 30 December 2011":      {"0 9 * * *", "Pacific/Apia", "2011-12-29T00:00:00Z", "2011-12-29T09:00:00-10:00 2011-12-31T09:00:00+14:00"},
		"Samoa, a rule":                      {"FREQ=DAILY;BYHOUR=9", "Pacific/Apia", "2011-12-29T20:00:00Z", "2011-12-31T09:00:00+14:00 2012-01-01T09:00:00+14:00"},
		"Casablanca, before Ramadan":         {"30 2 * * *", "Africa/Casablanca", "2026-02-14T12:00:00Z", "2026-02-15T02:30:00+01:00 2026-02-16T02:30:00Z"},
		"Casablanca, after Ramadan":          {"30 2 * * *", "Africa/Casablanca", "2026-03-21T12:00:00Z", "2026-03-22T03:00:00+01:00 2026-03-23T02:30:00+01:00"},
		"midnight in the gap":                {"0 0 * * *", "Asia/Beirut", "2026-03-28T12:00:00Z", "2026-03-29T01:00:00+03:00 2026-03-30T00:00:00+03:00"},
	} {
		opts := schedule.Options{Zone: c.zone, Anchor: time.Date(2011, 1, 1, 0, 0, 0, 0, time.UTC)}
		s, err := schedule.Parse(c.expr, opts)
		if err != nil {
			t.Fatal(err)
		}
		after, err := time.Parse(time.RFC3339, c.after)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, at := range s.Upcoming(after, 2) {
			got = append(got, at.Format(time.RFC3339))
		}
		if got := strings.Join(got, " "); got != c.want {
			t.Errorf("%s: %s in %s comes at %s, want %s", name, c.expr, c.zone, got, c.want)
		}
	}
}
