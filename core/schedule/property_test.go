package schedule_test

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/adhocore/gronx"

	"github.com/hobkin/hobkin/core/schedule"
)

// zones are all zones of the system's database; where there is none, some.
func zones(tb testing.TB) []string {
	tb.Helper()
	var out []string
	const root = "/usr/share/zoneinfo"
	_ = filepath.WalkDir(root, func(path string, d os.DirEntry, err error) error {
		name, _ := filepath.Rel(root, path)
		if err != nil || d.IsDir() && (name == "posix" || name == "right") {
			return filepath.SkipDir
		}
		if _, err := time.LoadLocation(name); err == nil && !d.IsDir() && strings.ToUpper(name[:1]) == name[:1] {
			out = append(out, name)
		}
		return nil
	})
	if len(out) == 0 {
		out = slices.Clone(odd)
	}
	return out
}

// odd are the zones whose clocks did something that is easily got wrong.
var odd = strings.Fields(`Australia/Lord_Howe Pacific/Apia Africa/Casablanca Africa/El_Aaiun Asia/Beirut America/Nuuk America/Scoresbysund
	Antarctica/Casey Antarctica/Troll Antarctica/Vostok Asia/Gaza Africa/Cairo America/Santiago Pacific/Easter Asia/Pyongyang America/Caracas Pacific/Fakaofo
	Europe/Dublin America/Havana Asia/Tehran Europe/Volgograd Pacific/Norfolk America/Asuncion America/Sao_Paulo Asia/Kathmandu America/New_York Europe/Berlin UTC`)

// TestEveryZone goes through ten years of zones: instants only go forward, and
// a daily job comes once on each day that the zone has. A sample is looked at,
// and with HOBKIN_ZONES=all every zone.
func TestEveryZone(t *testing.T) {
	list := zones(t)
	all := len(list)
	clocks := []string{"0 0", "15 2", "30 1", "30 2", "59 23"}
	if os.Getenv("HOBKIN_ZONES") != "all" {
		for _, l := range [][]string{list, odd[3:]} {
			rand.Shuffle(len(l), func(i, j int) { l[i], l[j] = l[j], l[i] })
		}
		list = slices.Concat(odd[:12], list[:min(6, len(list))])
		clocks = clocks[:3]
	}
	days, lines := 0, 0
	for _, zone := range list {
		for _, years := range []int{2010, 2020} {
			if years == 2010 && zone != "Pacific/Apia" && zone != "Pacific/Fakaofo" && os.Getenv("HOBKIN_ZONES") != "all" {
				continue
			}
			for _, clock := range clocks {
				days += daily(t, zone, clock, years)
				lines++
			}
		}
	}
	t.Logf("%d of %d zones, %d daily lines, %d runs", len(list), all, lines, days)
}

// daily checks one daily line over ten years and returns how many runs it had.
func daily(t *testing.T, zone, clock string, year int) (runs int) {
	t.Helper()
	s := parse(t, clock+" * * *", zone)
	loc, err := time.LoadLocation(zone)
	if err != nil {
		t.Fatal(err)
	}
	at := time.Date(year, 1, 1, 0, 0, 0, 0, loc).Add(-time.Minute)
	end := time.Date(year+10, 1, 1, 0, 0, 0, 0, loc)
	day := at.AddDate(0, 0, 1)
	for {
		next, ok := s.Next(at)
		if !ok || !next.After(at) {
			t.Errorf("%s: %s after %v is %v, %v", zone, clock, at, next, ok)
			return runs
		}
		if !next.Before(end) {
			return runs
		}
		want := time.Date(day.Year(), day.Month(), day.Day(), 0, 0, 0, 0, time.UTC)
		got := nominal(next.In(loc), clock)
		for got.After(want) && !hasDay(want, loc) {
			want = want.AddDate(0, 0, 1)
		}
		if !got.Equal(want) {
			t.Errorf("%s: %s has its run of %v at %v", zone, clock, want.Format(time.DateOnly), next)
			return runs
		}
		day = want.AddDate(0, 0, 1)
		at = next
		runs++
	}
}

// hasDay reports whether a zone has any minute of a day. It looks at each
// quarter of an hour around, so it knows nothing of how the code does it.
func hasDay(day time.Time, loc *time.Location) bool {
	for q := -26 * 4; q < 50*4; q++ {
		if sameDate(day.Add(time.Duration(q)*15*time.Minute).In(loc), day) {
			return true
		}
	}
	return false
}

func sameDate(a, b time.Time) bool { return a.Format(time.DateOnly) == b.Format(time.DateOnly) }

// nominal is the day that a run belongs to: its own where the clock shows the
// time that was asked for; else a gap ends with it, and the time lies in that.
func nominal(at time.Time, clock string) time.Time {
	wall := func(t time.Time) time.Time {
		return time.Date(t.Year(), t.Month(), t.Day(), t.Hour(), t.Minute(), 0, 0, time.UTC)
	}
	asked, _ := time.Parse("4 15", clock)
	low, high := wall(at.Add(-time.Second)), wall(at)
	for d := range 3 {
		day := time.Date(low.Year(), low.Month(), low.Day()+d, 0, 0, 0, 0, time.UTC)
		t := day.Add(time.Duration(asked.Hour()*60+asked.Minute()) * time.Minute)
		if t.After(low) && !t.After(high) && (t.Equal(high) || sameDate(day, low) || sameDate(day, high)) {
			return day
		}
	}
	return time.Time{}
}

// TestPeer compares with an independent reader of cron lines, in UTC.
func TestPeer(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2))
	compared := 0
	for range 1500 {
		line := randomLine(rnd)
		s, err := schedule.Parse(line, schedule.Options{Zone: "UTC"})
		if err != nil {
			continue // a day that no month has
		}
		after := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC).Add(time.Duration(rnd.IntN(525_600)) * time.Minute)
		want, err := gronx.NextTickAfter(line, after, false)
		if err != nil {
			continue // it gives up after 500 steps
		}
		compared++
		if got, _ := s.Next(after); !got.Equal(want) {
			t.Errorf("%s after %v is %v, the peer says %v", line, after, got, want)
		}
	}
	t.Logf("%d lines are as the peer reads them", compared)
}

func randomLine(r *rand.Rand) string {
	pick := func(list ...string) string { return list[r.IntN(len(list))] }
	return strings.Join([]string{
		pick("*", "0", "*/7", "3,33", "10-20", "5-50/9", "59"),
		pick("*", "0", "9", "*/5", "8-17", "22,23", "1-20/3"),
		pick("*", "*", "1", "15", "31", "10-20", "*/10", "29,30"),
		pick("*", "*", "2", "jan", "6-9", "*/5", "4,11"),
		pick("*", "*", "0", "mon-fri", "6", "1,3", "5"),
	}, " ")
}

func FuzzSchedule(f *testing.F) {
	for _, s := range []string{"every 3 days", "*/5 9-17 * * mon", "@daily", "2026-12-24T18:00:00Z", "FREQ=MONTHLY;BYDAY=-1FR;COUNT=3", "DTSTART:20260101T000000 RRULE:FREQ=YEARLY;BYMONTHDAY=-1", "0 0 29 2 1"} {
		f.Add(s, "Africa/Casablanca", int64(1_700_000_000))
	}
	f.Fuzz(func(t *testing.T, text, zone string, at int64) {
		after := time.Unix(at%(1<<36), 0)
		s, err := schedule.Parse(text, schedule.Options{Zone: zone, Anchor: after})
		if err != nil {
			if len(err.Error()) > 20_000 {
				t.Errorf("an error of %d bytes", len(err.Error()))
			}
			return
		}
		if s.Words() == "" {
			t.Errorf("%q means nothing in words", text)
		}
		for range 4 {
			next, ok := s.Next(after)
			if !ok {
				return
			}
			if !next.After(after) {
				t.Fatalf("%q in %q: after %v comes %v", text, zone, after, next)
			}
			if again, ok := s.Next(next.Add(-time.Second)); !s.Once() && (!ok || again.After(next)) {
				t.Fatalf("%q in %q: just before %v the next is %v, %v", text, zone, next, again, ok)
			}
			after = next
		}
	})
}

func BenchmarkNext(b *testing.B) {
	s := parse(b, "0 9 * * 1-5", "Europe/Berlin")
	at := anchor
	for b.Loop() {
		at, _ = s.Next(at)
	}
}
