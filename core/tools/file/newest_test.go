package file

import (
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"
	"time"
)

// What is kept of many files is what sorting all of them would put first.
func TestNewest(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 9))
	for _, most := range []int{0, 1, 7, 100, 500} {
		parts := []newest{{most: most}, {most: most}, {most: most}}
		var all []globbed
		for i := range 300 {
			g := globbed{path: strconv.Itoa(i), time: time.Unix(rng.Int64N(40), 0)}
			all = append(all, g)
			parts[rng.IntN(2)].add(g)
		}
		slices.SortFunc(all, globbed.before)
		if got := joined(parts); !slices.Equal([]globbed(got.files), all[:min(most, 300)]) || got.total != 300 {
			t.Errorf("of the newest %d: %d in another order, %d counted", most, len(got.files), got.total)
		}
	}
}
