package main

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestParse(t *testing.T) {
	const out = `goos: linux
BenchmarkFind-2           	 1000	        27.31 ns/op	       0 B/op	       0 allocs/op
BenchmarkFind-2           	 1000	        29 ns/op	       0 B/op	       0 allocs/op
BenchmarkSearch/no_literal-2 	 3	  5 ns/op	  0.9 ×peer
BenchmarkWalk/a-b 	 3	  5 ns/op
BenchmarkBroken-2
PASS
`
	want := results{
		"Find":              {"ns/op": {27.31, 29}, "B/op": {0, 0}, "allocs/op": {0, 0}},
		"Search/no_literal": {"ns/op": {5}, "×peer": {0.9}},
		"Walk/a-b":          {"ns/op": {5}},
	}
	if diff := cmp.Diff(want, parse(out)); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	if _, err := parse(out).get("Find", "ms"); err == nil {
		t.Error("a unit that was not reported is no error")
	}
}

func FuzzParse(f *testing.F) {
	f.Add("BenchmarkFind-2 1000 27.31 ns/op 0 B/op")
	f.Add("Benchmark- 1 NaN")
	f.Add("Benchmark 1 1e999 x y")
	f.Fuzz(func(t *testing.T, out string) {
		for name, units := range parse(out) {
			for unit := range units {
				if _, err := parse(out).get(name, unit); err != nil {
					t.Errorf("%s %s: %v", name, unit, err)
				}
			}
		}
	})
}

func TestTable(t *testing.T) {
	got := table([]row{
		{name: "within", number: 1.5, unit: "ms", peer: "git", beside: 3, limit: 2},
		{name: "beyond", number: 250, unit: "ms", limit: 150},
		{name: "none allowed", number: 1, unit: "allocs", limit: 0},
		{name: "informs", number: 0.123, unit: "ms", peer: "rg", ratio: 0.5, limit: noLimit},
		{name: "desktop", note: "not built", limit: noLimit},
	})
	const want = `what          number     unit    beside  its number  ratio  limit  
within        1.50       ms      git     3           0.50×  2      ok
beyond        250        ms                                 150    OVER
none allowed  1          allocs                             0      OVER
informs       0.12       ms      rg                  0.50×         
desktop       not built                                            
`
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}
