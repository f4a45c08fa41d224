package main

import (
	"context"
	"errors"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
)

// sorted lists the names of benchmarks.
func sorted(r results) []string { return slices.Sorted(maps.Keys(r)) }

// The promises of the desktop program.
const (
	trayLimit   = 300 // ms
	hiddenLimit = 45  // MB, no window
	windowLimit = 250 // MB, with the chat open, drawn without a graphics card
)

// desktop measures the tray program on a virtual display. The measuring is in
// desktop_test.go, as the display belongs to a test.
func desktop(ctx context.Context, bin string) ([]row, error) {
	if _, err := os.Stat(filepath.Join(bin, "hobkin-desktop")); errors.Is(err, fs.ErrNotExist) {
		return []row{{name: "hobkin-desktop", note: "not built"}}, nil
	}
	res, err := gotest(ctx, "./test/bench", "^Benchmark(Start|Idle)$", "-benchtime", "1x", "-timeout", "10m")
	rows, ferr := fill(res, []wanted{
		{row{name: "hobkin-desktop: start to tray", unit: "ms", limit: trayLimit}, "Start", "ms-tray", 0},
		{row{name: "hobkin-desktop: start to window", unit: "ms", limit: noLimit}, "Start", "ms-window", 0},
		{row{name: "hidden: resident memory (RSS)", unit: "MB", limit: hiddenLimit}, "Idle", "MB-RSS-hidden", 0},
		{row{name: "hidden: its share (PSS)", unit: "MB", limit: noLimit}, "Idle", "MB-PSS-hidden", 0},
		{row{name: "hidden: processor, 30 s idle", unit: "ticks of 10 ms", limit: 1}, "Idle", "ticks-hidden", 0},
		{row{name: "with window: resident memory (RSS)", unit: "MB", limit: windowLimit}, "Idle", "MB-RSS-window", 0},
		{row{name: "with window: its share (PSS)", unit: "MB", limit: noLimit}, "Idle", "MB-PSS-window", 0},
		{row{name: "with window: processor, 30 s idle", unit: "ticks of 10 ms", limit: noLimit}, "Idle", "ticks-window", 0},
	})
	return rows, errors.Join(err, ferr)
}
