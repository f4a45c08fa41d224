package file

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hobkin/hobkin/core/capability"
)

// The rules of folders above the searched one hold, up to the top of the
// repository.
func TestRulesAbove(t *testing.T) {
	b := newBench(t)
	for name, data := range map[string]string{
		".gitignore":           "*.log\n/sub/secret\n",
		".git/info/exclude":    "*.tmp\n",
		"sub/.gitignore":       "!keep.log\n",
		"sub/deep/a.log":       "needle\n",
		"sub/deep/keep.log":    "needle\n",
		"sub/deep/b.tmp":       "needle\n",
		"sub/deep/c.txt":       "needle\n",
		"sub/secret/d.txt":     "needle\n",
		"inner/.git/HEAD":      "",
		"inner/deep/a.log":     "needle\n",
		"inner/deep/.gitkeep":  "",
		"sub/deep/x/y/keep.me": "needle\n",
	} {
		if err := os.MkdirAll(filepath.Dir(b.path(name)), 0o755); err != nil {
			t.Fatal(err)
		}
		b.put(name, data)
	}
	for path, want := range map[string]string{
		"sub/deep":   "sub/deep/c.txt\nsub/deep/keep.log\nsub/deep/x/y/keep.me\n",
		"sub/deep/x": "sub/deep/x/y/keep.me\n",
		"inner/deep": "inner/deep/a.log\n",
		"sub":        "sub/deep/c.txt\nsub/deep/keep.log\nsub/deep/x/y/keep.me\n",
	} {
		got := b.ok("content_search", fmt.Sprintf(`{"pattern": "needle", "output": "files", "path": %q}`, path)).Text
		if got != want {
			t.Errorf("%s: got %q, want %q", path, got, want)
		}
	}
}

// What the policy protects does not turn up, in no listing and no search.
func TestHiddenIsPassedBy(t *testing.T) {
	b := newBench(t)
	b.host.Paths = hiding{b.host.Paths, b.path(".ssh")}
	if err := os.Mkdir(b.path(".ssh"), 0o700); err != nil {
		t.Fatal(err)
	}
	b.put(".ssh/id", "needle\n")
	b.put("a", "needle\n")
	for tool, args := range map[string]string{
		"list_dir":       `{"path": ".", "depth": 3}`,
		"glob_search":    `{"pattern": "**/*"}`,
		"content_search": `{"pattern": "needle"}`,
	} {
		if text := b.ok(tool, args).Text; contains(text, ".ssh") || !contains(text, "a") {
			t.Errorf("%s shows %q", tool, text)
		}
	}
}

// hiding is a policy that hides one more path.
type hiding struct {
	Paths
	path string
}

func (h hiding) Hidden(abs string) bool { return abs == h.path || h.Paths.Hidden(abs) }

// A search that takes too long gives what it has and says so; one that is
// stopped ends.
func TestSearchEnds(t *testing.T) {
	b := newBench(t)
	for i := range 300 {
		b.put(fmt.Sprintf("f%03d", i), strings.Repeat("some text\n", 2000))
	}
	b.host.Limits.SearchTime = 1 // a nanosecond
	if r := b.ok("content_search", `{"pattern": "text"}`); !contains(r.Text, "not complete") {
		t.Errorf("got %q", r.Text)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for tool, args := range map[string]string{
		"content_search": `{"pattern": "text"}`,
		"glob_search":    `{"pattern": "**"}`,
		"list_dir":       `{"path": "."}`,
	} {
		if o := b.call(ctx, tool, args); !errors.Is(o.Err, capability.Cancelled) {
			t.Errorf("%s: got %v, want cancelled", tool, o.Err)
		}
	}
}

func TestListMany(t *testing.T) {
	b := newBench(t)
	for i := range 1050 {
		b.put(fmt.Sprintf("f%04d", i), "")
	}
	r := b.ok("list_dir", `{"path": "."}`)
	if n := strings.Count(r.Text, "\n"); n != 1002 || !strings.HasSuffix(r.Text, "(50 entries more; list a folder below, or use glob_search)\n") || r.Summary != "1,050 entries" {
		t.Errorf("%d lines, summary %q, end %q", n, r.Summary, r.Text[len(r.Text)-100:])
	}
}

func TestCommaList(t *testing.T) {
	for in, want := range map[string]string{
		"":                  "[]",
		"*.go":              "[*.go]",
		"*.{ts,tsx}, *.js,": "[*.{ts,tsx} *.js]",
	} {
		if got := fmt.Sprint(commaList(in)); got != want {
			t.Errorf("commaList(%q) = %s, want %s", in, got, want)
		}
	}
}

// The ignore file of the person counts in repositories, and so do .ignore files
// of folders above; asked for, ignored files are found.
func TestPersonalIgnoreFile(t *testing.T) {
	b := newBench(t)
	b.host.Ignore = filepath.Join(t.TempDir(), "ignore")
	b.must(os.WriteFile(b.host.Ignore, []byte("*.swp\n/deep/top\n"), 0o600))
	b.must(os.MkdirAll(b.path(".git"), 0o700))
	b.must(os.MkdirAll(b.path("deep/d"), 0o700))
	b.put(".ignore", "*.min.js\n")
	for _, name := range []string{"deep/a.swp", "deep/top", "deep/d/top", "deep/d/x.min.js", "deep/d/x.js"} {
		b.put(name, "needle\n")
	}
	for _, path := range []string{".", "deep", "deep/d"} {
		r := b.ok("content_search", `{"pattern": "needle", "output": "files", "path": "`+path+`"}`)
		if want := "deep/d/top\ndeep/d/x.js\n"; r.Text != want {
			t.Errorf("in %s: got %q, want %q", path, r.Text, want)
		}
	}
	if got := b.ok("glob_search", `{"pattern": "**/*.swp", "include_ignored": true}`).Summary; got != "1 found" {
		t.Errorf("with ignored ones: %s", got)
	}
}
