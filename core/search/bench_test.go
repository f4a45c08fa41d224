package search

import (
	"cmp"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/hobkin/hobkin/core/search/searchtest"
)

// goTree is the source tree that the peers are measured on: that of Go.
func goTree(b *testing.B) string {
	b.Helper()
	out, err := exec.CommandContext(b.Context(), "go", "env", "GOROOT").Output()
	if err != nil {
		b.Skip("no Go tree: ", err)
	}
	return filepath.Join(strings.TrimSpace(string(out)), "src")
}

// beside runs ours and a peer's program in turns, and reports the median of
// the ratios of their wall times. Below 1 is faster than the peer.
func beside(b *testing.B, dir string, ours func(), peer string, args ...string) {
	b.Helper()
	bin, err := exec.LookPath(peer)
	if err != nil {
		b.Skip(peer + " is not installed")
	}
	var ratios, mine, theirs []float64
	ours() // once each for the page cache
	for b.Loop() {
		start := time.Now()
		ours()
		us := time.Since(start)
		cmd := exec.CommandContext(b.Context(), bin, args...)
		cmd.Dir = dir
		start = time.Now()
		err := cmd.Run()
		them := time.Since(start)
		if code := cmd.ProcessState.ExitCode(); code > 1 || code < 0 { // 1 is no match
			b.Fatalf("%s %q: %v", peer, args, err)
		}
		ratios = append(ratios, us.Seconds()/them.Seconds())
		mine, theirs = append(mine, us.Seconds()*1e3), append(theirs, them.Seconds()*1e3)
	}
	b.ReportMetric(median(ratios), "×peer")
	b.ReportMetric(median(mine), "ms-ours")
	b.ReportMetric(median(theirs), "ms-peer")
}

func median[T cmp.Ordered](v []T) T {
	slices.Sort(v)
	return v[len(v)/2]
}

// BenchmarkSearch measures whole searches of the Go tree beside ripgrep.
func BenchmarkSearch(b *testing.B) {
	dir := goTree(b)
	for name, bm := range map[string]struct {
		query Query
		flags []string
	}{
		"literal":      {Query{Text: "func TestMain"}, nil},
		"common":       {Query{Text: "return nil, err"}, nil},
		"absent":       {Query{Text: "zzyzx_is_not_there"}, nil},
		"fold":         {Query{Text: "todo\\(", Fold: true}, []string{"-i"}},
		"alternatives": {Query{Text: "Unmarshal|Marshal|Decode"}, nil},
		"regexp":       {Query{Text: `func \(\w+ \*\w+\) Close\(`}, nil},
		"no literal":   {Query{Text: `[A-Z]\w+[0-9]{3}\b`}, nil},
		"words":        {Query{Text: `\b\w+Error\b`}, nil},
	} {
		b.Run(name, func(b *testing.B) {
			p, err := Compile(bm.query)
			if err != nil {
				b.Fatal(err)
			}
			args := append(bm.flags, "--hidden", "--count", "--regexp", bm.query.Text, ".")
			beside(b, dir, func() {
				s := Search{Pattern: p, Want: Count}
				if _, err := s.Run(b.Context(), &Walker{Root: openRoot(b, dir), Abs: dir}); err != nil {
					b.Fatal(err)
				}
			}, "rg", args...)
		})
	}
}

// walkAll lists every file, with its time when stat is set.
func walkAll(b *testing.B, dir string, stat bool) {
	b.Helper()
	root, err := os.OpenRoot(dir)
	if err != nil {
		b.Fatal(err)
	}
	defer root.Close()
	var n atomic.Int64
	w := Walker{Root: root, Abs: dir}
	_, err = w.Walk(context.Background(), func(_ int, e *Entry) error {
		if e.Kind == Regular {
			n.Add(1)
			if stat {
				_, err := e.Info()
				return err
			}
		}
		return nil
	})
	if err != nil || n.Load() == 0 {
		b.Fatalf("%d files, %v", n.Load(), err)
	}
}

// BenchmarkWalk measures listing the Go tree beside rg --files and fd.
func BenchmarkWalk(b *testing.B) {
	dir := goTree(b)
	b.Run("rg files", func(b *testing.B) {
		beside(b, dir, func() { walkAll(b, dir, false) }, "rg", "--files", "--hidden")
	})
	b.Run("fd", func(b *testing.B) {
		beside(b, dir, func() { walkAll(b, dir, false) }, "fdfind", "--hidden", "--type", "f")
	})
	b.Run("with times beside rg files", func(b *testing.B) {
		beside(b, dir, func() { walkAll(b, dir, true) }, "rg", "--files", "--hidden")
	})
}

// BenchmarkBig lists and searches a made tree of 200,000 files beside the peers.
func BenchmarkBig(b *testing.B) {
	if testing.Short() {
		b.Skip("makes 200,000 files")
	}
	dir := searchtest.BigTree(b)
	b.Run("list beside rg files", func(b *testing.B) {
		beside(b, dir, func() { walkAll(b, dir, false) }, "rg", "--files", "--hidden")
	})
	b.Run("list beside fd", func(b *testing.B) {
		beside(b, dir, func() { walkAll(b, dir, false) }, "fdfind", "--hidden", "--type", "f")
	})
	for name, text := range map[string]string{"search": "the needle", "search regexp": `the \w+dle$`} {
		b.Run(name+" beside rg", func(b *testing.B) {
			p, err := Compile(Query{Text: text})
			if err != nil {
				b.Fatal(err)
			}
			beside(b, dir, func() {
				s := Search{Pattern: p, Want: Count}
				found, err := s.Run(b.Context(), &Walker{Root: openRoot(b, dir), Abs: dir})
				if err != nil || len(found.Files) != 400 {
					b.Fatalf("%d files, %v", len(found.Files), err)
				}
			}, "rg", "--hidden", "--count", "--regexp", text, ".")
		})
	}
}
