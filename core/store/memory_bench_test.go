package store_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/hobkin/hobkin/core/store"
)

// spoken makes texts whose words are as unevenly common as those of a language:
// of 50,000 words the commonest are in every few memories.
type spoken struct {
	rnd  *rand.Rand
	zipf *rand.Zipf
}

func newSpoken(seed uint64) *spoken {
	r := rand.New(rand.NewPCG(seed, 1))
	return &spoken{r, rand.NewZipf(r, 1.07, 8, 50_000)}
}

func (s *spoken) word() string {
	n := s.zipf.Uint64()
	var b strings.Builder
	for n += 20; n > 0; n /= 20 {
		b.WriteByte("bcdfghjklmnpqrstvwxz"[n%20])
		b.WriteByte("aeiou"[n%5])
	}
	return b.String()
}

func (s *spoken) text(words int) string {
	out := make([]string, words)
	for i := range out {
		out[i] = s.word()
	}
	return strings.Join(out, " ")
}

// BenchmarkMemoryRecall is the search among a million memories beside the plain
// query of the same index, both with the same questions: two or three words of a
// memory, each tenth of them the commonest there are.
func BenchmarkMemoryRecall(b *testing.B) {
	n := 1_000_000
	if few, err := strconv.Atoi(os.Getenv("HOBKIN_MEMORIES")); err == nil {
		n = few
	}
	dir := os.Getenv("HOBKIN_MEMORIES_IN") // a folder that is kept, to measure again
	if dir == "" {
		dir = b.TempDir()
	}
	s := open(b, dir)
	say := newSpoken(1)
	have := int(s.Value(b, "SELECT count(*) FROM memories"))
	s.FillMemories(b, n-have, func(i int) (string, string) { return fmt.Sprintf("%s-%d", say.word(), i), say.text(4 + i%20) })
	place := []store.MemoryPlace{{Scope: "owner"}}
	questions := make([]string, 1000)
	for i := range questions {
		questions[i] = say.text(2 + i%2)
		if i%10 == 0 {
			questions[i] = newSpoken(uint64(i)).text(1)
		}
	}
	for name, ask := range map[string]func(string) int{
		"recall": func(q string) int {
			hits, err := s.SearchMemories(b.Context(), q, place, 30) // what recall asks for, to rank it
			if err != nil {
				b.Fatal(err)
			}
			return len(hits)
		},
		"plain": func(q string) int { return s.PlainMatch(b, q, 10) },
	} {
		b.Run(name, func(b *testing.B) {
			var times []time.Duration
			found := 0
			for b.Loop() {
				start := time.Now()
				if ask(questions[len(times)%len(questions)]) > 0 {
					found++
				}
				times = append(times, time.Since(start))
			}
			slices.Sort(times)
			b.ReportMetric(float64(times[len(times)*99/100].Microseconds())/1000, "p99-ms")
			b.ReportMetric(float64(times[len(times)/2].Microseconds())/1000, "p50-ms")
			b.ReportMetric(100*float64(found)/float64(len(times)), "%found")
		})
	}
}
