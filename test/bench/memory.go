package main

import (
	"context"
	"errors"
)

// recall measures the search among a million memories beside the plain query of
// the same index. Making them takes some minutes.
func recall(ctx context.Context, _ string) ([]row, error) {
	res, err := gotest(ctx, "./core/store", "^BenchmarkMemoryRecall$", "-benchtime", "1000x", "-timeout", "30m")
	rows, ferr := fill(res, []wanted{
		{row{name: "recall of 1,000,000 memories, 99th percentile", unit: "ms", limit: 20}, "MemoryRecall/recall", "p99-ms", 0},
		{row{name: "recall of 1,000,000 memories, median", unit: "ms", limit: noLimit}, "MemoryRecall/recall", "p50-ms", 0},
	})
	for i, unit := range []string{"p99-ms", "p50-ms"} {
		if plain, perr := res.get("MemoryRecall/plain", unit); perr == nil {
			rows[i].peer, rows[i].beside = "plain FTS5 query", plain
		}
	}
	return rows, errors.Join(err, ferr)
}
