package main

import (
	"context"
	"runtime"
)

// confinement measures what it costs to have the kernel hold a command: the
// shortest there is, from its start to its end.
func confinement(ctx context.Context, _ string) ([]row, error) {
	if runtime.GOOS != "linux" {
		return []row{{name: "a confined command", note: "measured on Linux alone"}}, nil
	}
	const perMS = 1e6 // nanoseconds
	res, err := gotest(ctx, "./core/sandbox/confine", "^BenchmarkTrue$", "-benchtime", "100x", "-count", "3")
	if err != nil {
		return nil, err
	}
	bare, err := res.get("True/none", "ns/op")
	if err != nil {
		return nil, err
	}
	list := []wanted{
		{row{name: "confined by bubblewrap: true", unit: "ms", peer: "unconfined", beside: bare / perMS, limit: noLimit}, "True/bubblewrap", "ns/op", perMS},
		{row{name: "confined by Landlock: true", unit: "ms", peer: "unconfined", beside: bare / perMS, limit: noLimit}, "True/Landlock", "ns/op", perMS},
	}
	return fill(res, list)
}
