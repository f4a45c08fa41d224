package main

import (
	"context"
	"errors"
	"strings"
)

// A wanted is a number of a benchmark that goes into the table.
type wanted struct {
	row

	bench, from string
	per         float64 // what the benchmark's value is divided by; 0 is 1
}

// fill gives the rows their numbers.
func fill(res results, list []wanted) (rows []row, err error) {
	for _, w := range list {
		v, gerr := res.get(w.bench, w.from)
		if gerr != nil {
			err = errors.Join(err, gerr)
			w.note = "not measured"
		}
		if w.per != 0 {
			v /= w.per
		}
		w.number = v
		rows = append(rows, w.row)
	}
	return rows, err
}

// inner measures what a turn costs beside model, tools and disk.
func inner(ctx context.Context, _ string) (rows []row, err error) {
	const nsop, allocs, micro, milli = "ns/op", "allocs/op", 1e3, 1e6
	for _, p := range []struct {
		pkg, pattern string
		list         []wanted
	}{
		{"./core/capability", "^Benchmark(Find|List1000|List10000|Search10000|SearchAfterReplace|Replace1000|Run)$", []wanted{
			{row{name: "Find, of 1,000 tools", unit: "ns", limit: noLimit}, "Find", nsop, 0},
			{row{name: "Find, allocations", unit: "allocs", limit: 0}, "Find", allocs, 0},
			{row{name: "List of 1,000 tools", unit: "µs", limit: noLimit}, "List1000", nsop, micro},
			{row{name: "List of 10,000 tools", unit: "ms", limit: 1}, "List10000", nsop, milli},
			{row{name: "search of 10,000 tools", unit: "ms", limit: 5}, "Search10000", nsop, milli},
			{row{name: "search right after 1,000 of 10,000 were swapped", unit: "ms", limit: 5}, "SearchAfterReplace", nsop, milli},
			{row{name: "swap of 1,000 of 10,000 beside 8 readers", unit: "ms", limit: noLimit}, "Replace1000", nsop, milli},
			{row{name: "a call's path, empty tool", unit: "µs", limit: noLimit}, "Run", nsop, micro},
		}},
		{"./core/agent", "^BenchmarkTurn$", []wanted{
			{row{name: "a turn, 2 steps, mock model", unit: "µs", limit: noLimit}, "Turn", nsop, micro},
		}},
		{"./core/store", "^BenchmarkAppend(Message|Event)$", []wanted{
			{row{name: "store: append a message", unit: "µs", limit: noLimit}, "AppendMessage", nsop, micro},
			{row{name: "store: append an event", unit: "µs", limit: noLimit}, "AppendEvent", nsop, micro},
		}},
		{"./core/webpage", "^BenchmarkRead$", []wanted{
			{row{name: "web page of 100 KB: article, as Markdown", unit: "ms", limit: noLimit}, "Read", nsop, milli},
		}},
		{"./core/netguard", "^BenchmarkCheck$", []wanted{
			{row{name: "net guard: judge an address", unit: "µs", limit: noLimit}, "Check/name", nsop, micro},
		}},
	} {
		res, terr := gotest(ctx, p.pkg, p.pattern, "-count", "3")
		got, ferr := fill(res, p.list)
		rows, err = append(rows, got...), errors.Join(err, terr, ferr)
	}
	long, lerr := longSessions(ctx)
	return append(rows, long...), errors.Join(err, lerr)
}

// longSessions measures a turn after 10 to 2,000 others, each with a result of
// 25 KB: it must not cost more.
func longSessions(ctx context.Context) ([]row, error) {
	res, err := gotest(ctx, "./core/agent", "^BenchmarkLongSession$/^turn$", "-benchtime", "100x", "-timeout", "20m")
	var list []wanted
	for _, n := range []string{"10", "100", "1000", "2000"} {
		list = append(list, wanted{row{name: "a turn after " + n + ", with its store", unit: "µs", limit: noLimit}, "LongSession/turn", "µs-after-" + n, 0},
			wanted{row{name: "a turn after " + n + ", beside the disk", unit: "µs", limit: noLimit}, "LongSession/turn", "µs-beside-disk-after-" + n, 0})
	}
	rows, ferr := fill(res, list)
	return rows, errors.Join(err, ferr)
}

// peers measures what has something to stand beside: searching and listing
// beside ripgrep and fd, on Go's own source tree and on one of 200,000 files,
// and the net guard's proxy
// beside the connections without it.
func peers(ctx context.Context, _ string) (rows []row, err error) {
	const ratio = "×peer"
	for _, p := range []struct{ pkg, pattern, name, skip string }{
		{"./core/search", "^Benchmark(Search|Walk|Big)$", "search: ", "Search/"},
		{"./core/tools/file", "^BenchmarkTools(Big)?$", "", "Tools/"},
		{"./core/netguard/proxy", "^BenchmarkProxy$", "proxy: ", "Proxy/"},
	} {
		res, terr := gotest(ctx, p.pkg, p.pattern, "-benchtime", "15x")
		err = errors.Join(err, terr)
		if terr == nil && len(res) == 0 {
			err = errors.Join(err, errors.New("nothing was measured in "+p.pkg+": rg and fdfind must be installed"))
		}
		for _, bench := range sorted(res) {
			v, gerr := res.get(bench, ratio)
			if gerr != nil {
				err = errors.Join(err, gerr)
				continue
			}
			r := row{name: p.name + strings.ReplaceAll(strings.TrimPrefix(bench, p.skip), "_", " "), unit: "×", peer: peerOf(bench), number: v, ratio: v, limit: noLimit}
			if ours, err := res.get(bench, "ms-ours"); err == nil {
				r.number, r.unit = ours, "ms"
				r.beside, _ = res.get(bench, "ms-peer") // both are reported or none
			}
			rows = append(rows, r)
		}
	}
	return rows, err
}

// peerOf names the program that a benchmark runs beside.
func peerOf(bench string) string {
	switch {
	case strings.Contains(bench, "beside_direct"):
		return "direct"
	case strings.Contains(bench, "fd"):
		return "fd"
	}
	return "rg"
}
