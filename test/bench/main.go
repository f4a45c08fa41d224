// Bench measures what Hobkin promises to be fast and small, each number beside
// a baseline or a peer that is measured in the same run, and prints one table.
//
// Starts are measured here, in alternating runs; the rest is in the benchmarks
// of the packages, which it runs. It fails where something could not be
// measured, not where a number is over its limit: that depends on the machine.
// Words as arguments, such as browser, leave out the parts whose names have none
// of them.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	rows, err := measure(ctx, os.Args[1:])
	stop()
	fmt.Print(table(rows))
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench: not everything could be measured:", err)
		os.Exit(1)
	}
}

// measure makes all measurements. Those that fail do not keep the others.
func measure(ctx context.Context, only []string) (rows []row, err error) {
	bin, err := filepath.Abs("bin")
	if err != nil {
		return nil, err
	}
	for _, part := range []struct {
		name string
		do   func(context.Context, string) ([]row, error)
	}{
		{"starts of the command line", starts},
		{"registry, turn and store", inner},
		{"recall of a million memories", recall},
		{"searches and the proxy", peers},
		{"tools for other programs", mcpServers},
		{"the browser", browsers},
		{"the confinement of commands", confinement},
		{"computer use", computerUse},
		{"desktop, more than a minute", desktop},
	} {
		if len(only) > 0 && !slices.ContainsFunc(only, func(word string) bool { return strings.Contains(part.name, word) }) {
			continue
		}
		fmt.Fprintf(os.Stderr, "measuring: %s\n", part.name)
		got, perr := part.do(ctx, bin)
		rows, err = append(rows, got...), errors.Join(err, perr)
	}
	return rows, err
}
