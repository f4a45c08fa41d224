// Package suite finds other people's test data, which lies beside the project
// and is never copied into it.
package suite

import (
	"os"
	"path/filepath"
	"testing"
)

// Path returns the path of a file or folder of the suites. Where they are
// missing, as in a user's clone, the test is skipped; on CI it fails.
func Path(tb testing.TB, name string) string {
	tb.Helper()
	dir := os.Getenv("HOBKIN_SUITES")
	if dir == "" {
		dir = filepath.Join(filepath.Dir(Root(tb)), "shared", "suites")
	}
	p := filepath.Join(dir, name)
	if _, err := os.Stat(p); err != nil {
		if os.Getenv("CI") == "true" {
			tb.Fatalf("the test suites are missing: %v", err)
		}
		tb.Skipf("the test suites are not here (set HOBKIN_SUITES): %v", err)
	}
	return p
}

// Root returns the folder that holds go.mod.
func Root(tb testing.TB) string {
	tb.Helper()
	dir, err := os.Getwd()
	if err != nil {
		tb.Fatal(err)
	}
	for {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return dir
		}
		up := filepath.Dir(dir)
		if up == dir {
			tb.Fatal("no go.mod above the test")
		}
		dir = up
	}
}
