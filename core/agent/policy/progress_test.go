package policy

import (
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestProgress plays deeds: l looks at another thing each time, s at the same
// thing, e finds nothing, c changes, w waits, n is none of these. It compares
// after which of them something is said.
func TestProgress(t *testing.T) {
	for name, tt := range map[string]struct {
		deeds string
		want  []string
	}{
		"a few looks":               {strings.Repeat("l", 23), nil},
		"many looks":                {strings.Repeat("l", 47), []string{"24 Note: 24 looks"}},
		"very many looks":           {strings.Repeat("l", 100), []string{"24 Note: 24 looks", "48 Checkpoint: 48", "72 Checkpoint: 72", "96 Checkpoint: 96"}},
		"a change between":          {strings.Repeat("l", 23) + "c" + strings.Repeat("l", 23), nil},
		"others do not count":       {strings.Repeat("l", 23) + "nnnn" + "l", []string{"28 Note: 24 looks"}},
		"the same thing":            {"sssss" + "sssss", []string{`5 Note: you have looked at "same"`}},
		"the same, changed between": {"ssscsss", nil},
		"empty searches":            {"eee" + "eee", []string{"3 Note: 3 searches", "6 Note: 6 searches"}},
		"one found something":       {"eeleel", nil},
		"waits":                     {"wwww" + "www", []string{"4 Note: 4 of"}},
		"waits among others":        {"wnwnwnw", []string{"7 Note: 4 of"}},
		"waits far apart":           {"wnnwnnwnnwnnw", nil},
	} {
		var p Progress
		var got []string
		for i, c := range tt.deeds {
			d := map[rune]Deed{
				'l': {Tool: "file_read", Target: strconv.Itoa(i), Looks: true}, 's': {Tool: "file_read", Target: "same", Looks: true},
				'e': {Tool: "file_search", Target: strconv.Itoa(i), Looks: true, Empty: true}, 'c': {Tool: "file_edit", Changes: true}, 'w': {Waits: true}, 'n': {},
			}[c]
			if note := p.Judge(d); note != "" {
				got = append(got, fmt.Sprintf("%d %s", i+1, note))
			}
		}
		for i := range got {
			if i < len(tt.want) {
				got[i] = got[i][:min(len(got[i]), len(tt.want[i]))]
			}
		}
		if d := cmp.Diff(tt.want, got); d != "" {
			t.Errorf("%s (-want +got):\n%s", name, d)
		}
	}
}
