package main

import (
	"bytes"
	"context"
	"fmt"
	"os/exec"
	"strconv"
	"strings"
)

// results are what benchmarks reported: by name, by unit, a value for each run.
type results map[string]map[string][]float64

// gotest runs the benchmarks of a package that match pattern.
func gotest(ctx context.Context, pkg, pattern string, flags ...string) (results, error) {
	args := append([]string{"test", "-run", "^$", "-bench", pattern, "-benchmem"}, flags...)
	cmd := exec.CommandContext(ctx, "go", append(args, pkg)...)
	var errs bytes.Buffer
	cmd.Stderr = &errs
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("the benchmarks of %s: %w\n%s%s", pkg, err, out, errs.String())
	}
	return parse(string(out)), nil
}

// parse reads what go test prints: a name, a count, then values and units. The
// number of processors is cut off the name.
func parse(out string) results {
	res := results{}
	for line := range strings.Lines(out) {
		f := strings.Fields(line)
		if len(f) < 4 || !strings.HasPrefix(f[0], "Benchmark") {
			continue
		}
		name := strings.TrimPrefix(f[0], "Benchmark")
		if i := strings.LastIndexByte(name, '-'); i > 0 {
			if _, err := strconv.Atoi(name[i+1:]); err == nil {
				name = name[:i]
			}
		}
		if res[name] == nil {
			res[name] = map[string][]float64{}
		}
		for i := 2; i+1 < len(f); i += 2 {
			if v, err := strconv.ParseFloat(f[i], 64); err == nil {
				res[name][f[i+1]] = append(res[name][f[i+1]], v)
			}
		}
	}
	return res
}

// get is the median of what a benchmark reported in a unit.
func (r results) get(name, unit string) (float64, error) {
	v := r[name][unit]
	if len(v) == 0 {
		return 0, fmt.Errorf("the benchmark %s did not report %s", name, unit)
	}
	return median(v), nil
}
