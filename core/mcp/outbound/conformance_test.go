package outbound

import (
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/hobkin/hobkin/test/suite"
)

// upstream are the checks that fail because of mcp-go itself. When one is mended
// this list is wrong, and the test says so.
var upstream = map[string][]string{}

// TestConformance lets the protocol's own conformance suite judge our client:
// the suite starts this test program anew for each scenario.
func TestConformance(t *testing.T) {
	program := suite.NPM(t, "@modelcontextprotocol/conformance", "dist/index.js")
	node := suite.Node(t)
	for _, revision := range []string{"2025-11-25", "2026-07-28"} {
		t.Run(revision, func(t *testing.T) {
			ctx, cancel := context.WithTimeout(t.Context(), 4*time.Minute)
			defer cancel()
			dir := resultsDir(t, revision)
			cmd := exec.CommandContext(ctx, node, program, "client", "--command", os.Args[0], "--requirements", revision, "-o", dir)
			cmd.Env = append(os.Environ(), "HOME="+t.TempDir(), "NO_COLOR=1", faultMode+"=suite", "GOCOVERDIR="+t.TempDir(), "GORACE=atexit_sleep_ms=0")
			cmd.Dir = t.TempDir()
			out, _ := cmd.CombinedOutput() // its exit code counts the failures that are known, too
			scored := required(t, program, revision)
			passed, failed, warned := results(t, dir, scored)
			t.Logf("%s: %d scenarios, %d checks passed, %d failed, warnings %q", revision, len(scored), passed, len(failed), warned)
			if !slices.Equal(failed, upstream[revision]) {
				t.Errorf("the checks that fail are %q, want %q\n%s", failed, upstream[revision], string(out[max(0, len(out)-4000):]))
			}
			if len(warned) > 0 {
				t.Errorf("warnings: %q", warned)
			}
		})
	}
}

// required are the scenarios of a client that a revision is judged by.
func required(t *testing.T, program, revision string) []string {
	t.Helper()
	raw, err := os.ReadFile(filepath.Join(filepath.Dir(program), "..", "requirements", revision+".yaml"))
	if err != nil {
		t.Fatal(err)
	}
	_, list, _ := strings.Cut(string(raw), "\nclient:\n")
	var out []string
	for line := range strings.Lines(list) {
		name, ok := strings.CutPrefix(line, "  - ")
		if !ok {
			break
		}
		out = append(out, strings.TrimSpace(name))
	}
	if len(out) < 15 {
		t.Fatalf("only %d scenarios are required", len(out))
	}
	return out
}

// results reads what the suite found in the scenarios that count. One without
// a result has failed.
func results(t *testing.T, dir string, scored []string) (passed int, failed, warned []string) {
	t.Helper()
	for _, name := range scored {
		files, err := filepath.Glob(filepath.Join(dir, name+"-2*", "checks.json"))
		if err != nil || len(files) == 0 {
			failed = append(failed, name+" was not run")
			continue
		}
		for _, file := range files {
			raw, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			var checks []struct{ ID, Status string }
			if err := json.Unmarshal(raw, &checks); err != nil {
				t.Fatalf("%s: %v", file, err)
			}
			if len(checks) == 0 {
				failed = append(failed, name+" checked nothing")
			}
			for _, c := range checks {
				switch c.Status {
				case "SUCCESS":
					passed++
				case "FAILURE":
					failed = append(failed, name+": "+c.ID)
				case "WARNING":
					warned = append(warned, name+": "+c.ID)
				}
			}
		}
	}
	slices.Sort(failed)
	return passed, failed, warned
}

// resultsDir is where the suite writes its results: to be kept when a folder is
// named.
func resultsDir(t *testing.T, revision string) string {
	t.Helper()
	if dir := os.Getenv("HOBKIN_CONFORMANCE"); dir != "" {
		return filepath.Join(dir, revision)
	}
	return t.TempDir()
}
