package suite

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// Conformance is the program of the protocol's own conformance suite.
func Conformance(tb testing.TB) string {
	tb.Helper()
	return NPM(tb, "@modelcontextprotocol/conformance", "dist/index.js")
}

// ConformanceDir is where that suite writes its results: to be kept when
// HOBKIN_CONFORMANCE names a folder.
func ConformanceDir(tb testing.TB, revision string) string {
	tb.Helper()
	if dir := os.Getenv("HOBKIN_CONFORMANCE"); dir != "" {
		return filepath.Join(dir, revision)
	}
	return tb.TempDir()
}

// ConformanceRequired are the scenarios that a revision judges a role by:
// "client" or "server". Fewer than least fail the test.
func ConformanceRequired(tb testing.TB, role, revision string, least int) []string {
	tb.Helper()
	raw, err := os.ReadFile(filepath.Join(filepath.Dir(Conformance(tb)), "..", "requirements", revision+".yaml"))
	if err != nil {
		tb.Fatal(err)
	}
	_, list, _ := strings.Cut(string(raw), "\n"+role+":\n")
	var out []string
	for line := range strings.Lines(list) {
		name, ok := strings.CutPrefix(line, "  - ")
		if !ok {
			break
		}
		out = append(out, strings.TrimSpace(name))
	}
	if len(out) < least {
		tb.Fatalf("only %d scenarios are required", len(out))
	}
	return out
}

// A ConformanceResult is what the suite found in the scenarios that count, the
// checks as "scenario: check", sorted.
type ConformanceResult struct {
	Passed         int
	Failed, Warned []string
}

// ConformanceResults reads what the suite found in the scenarios that count.
// One that was not run, or checked nothing, has failed. The files of a scenario
// are those that the pattern of its name matches below dir.
func ConformanceResults(tb testing.TB, dir string, scored []string, pattern func(name string) string) (r ConformanceResult) {
	tb.Helper()
	for _, name := range scored {
		files, err := filepath.Glob(filepath.Join(dir, pattern(name)))
		if err != nil || len(files) == 0 {
			r.Failed = append(r.Failed, name+" was not run")
		}
		for _, file := range files {
			r.read(tb, name, file)
		}
	}
	slices.Sort(r.Failed)
	return r
}

func (r *ConformanceResult) read(tb testing.TB, name, file string) {
	tb.Helper()
	raw, err := os.ReadFile(file)
	if err != nil {
		tb.Fatal(err)
	}
	var checks []struct{ ID, Status string }
	if err := json.Unmarshal(raw, &checks); err != nil {
		tb.Fatalf("%s: %v", file, err)
	}
	if len(checks) == 0 {
		r.Failed = append(r.Failed, name+" checked nothing")
	}
	for _, c := range checks {
		switch c.Status {
		case "SUCCESS":
			r.Passed++
		case "FAILURE":
			r.Failed = append(r.Failed, name+": "+c.ID)
		case "WARNING":
			r.Warned = append(r.Warned, name+": "+c.ID)
		}
	}
}
