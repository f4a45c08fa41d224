package outbound

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
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
	program := suite.Conformance(t)
	node := suite.Node(t)
	for _, revision := range []string{"2025-11-25", "2026-07-28"} {
		t.Run(revision, func(t *testing.T) {
			ctx, cancel := context.WithTimeout(t.Context(), 4*time.Minute)
			defer cancel()
			dir := suite.ConformanceDir(t, revision)
			cmd := exec.CommandContext(ctx, node, program, "client", "--command", os.Args[0], "--requirements", revision, "-o", dir)
			cmd.Env = append(os.Environ(), "HOME="+t.TempDir(), "NO_COLOR=1", faultMode+"=suite", "GOCOVERDIR="+t.TempDir(), "GORACE=atexit_sleep_ms=0")
			cmd.Dir = t.TempDir()
			out, _ := cmd.CombinedOutput() // its exit code counts the failures that are known, too
			scored := suite.ConformanceRequired(t, "client", revision, 15)
			got := suite.ConformanceResults(t, dir, scored, func(name string) string {
				return filepath.Join(name+"-2*", "checks.json")
			})
			t.Logf("%s: %d scenarios, %d checks passed, %d failed, warnings %q", revision, len(scored), got.Passed, len(got.Failed), got.Warned)
			if !slices.Equal(got.Failed, upstream[revision]) {
				t.Errorf("the checks that fail are %q, want %q\n%s", got.Failed, upstream[revision], string(out[max(0, len(out)-4000):]))
			}
			if len(got.Warned) > 0 {
				t.Errorf("warnings: %q", got.Warned)
			}
		})
	}
}
