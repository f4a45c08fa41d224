package schedule_test

import (
	"bufio"
	"encoding/json"
	"os"
	"slices"
	"testing"
	"time"

	"github.com/hobkin/hobkin/core/schedule"
	"github.com/hobkin/hobkin/test/suite"
)

// TestSuiteCron compares with a suite of cron lines. It differs where hours are
// named and a clock change lies in them: there the suite's program leaves out
// what is in the gap and runs twice what comes twice, and we run both once.
func TestSuiteCron(t *testing.T) {
	f, err := os.Open(suite.Path(t, "cron_next.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = f.Close() }()
	var rows, same int
	var differ []string
	for lines := bufio.NewScanner(f); lines.Scan(); rows++ {
		var row struct {
			Expr, TZ string
			From     int64
			Next     []int64
		}
		if err := json.Unmarshal(lines.Bytes(), &row); err != nil {
			t.Fatal(err)
		}
		s := parse(t, row.Expr, row.TZ)
		var got []int64
		for _, at := range s.Upcoming(time.Unix(row.From, 0), len(row.Next)) {
			got = append(got, at.Unix())
		}
		if slices.Equal(got, row.Next) {
			same++
			continue
		}
		differ = append(differ, row.Expr+" "+row.TZ)
		if changes(row.TZ, row.From, max(row.Next[len(row.Next)-1], got[len(got)-1])) == 0 {
			t.Errorf("%s in %s from %d: %v, want %v, and no clock change lies there", row.Expr, row.TZ, row.From, got, row.Next)
		}
	}
	slices.Sort(differ)
	t.Logf("%d of %d rows are the same; by our rule for clock changes differ: %q", same, rows, differ)
	if want := []string{}; !slices.Equal(differ, want) {
		t.Errorf("these differ: %q, want %q", differ, want)
	}
}

// changes counts the clock changes of a zone between two instants.
func changes(zone string, from, to int64) (n int) {
	loc, err := schedule.Zone(zone)
	if err != nil {
		return 0
	}
	for at := time.Unix(from, 0).In(loc); ; n++ {
		_, end := at.ZoneBounds()
		if end.IsZero() || end.Unix() > to {
			return n
		}
		at = end
	}
}
