package search

import (
	"cmp"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"
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
		_ = cmd.Run() // no match is an exit code too
		them := time.Since(start)
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

// BenchmarkWalkBig lists a made tree of 200,000 files, ignore files and all.
func BenchmarkWalkBig(b *testing.B) {
	if testing.Short() {
		b.Skip("makes 200,000 files")
	}
	dir := b.TempDir()
	for i := range 2000 {
		sub := filepath.Join(dir, strconv.Itoa(i%40), strconv.Itoa(i))
		if err := os.MkdirAll(sub, 0o755); err != nil {
			b.Fatal(err)
		}
		for j := range 100 {
			if err := os.WriteFile(filepath.Join(sub, strconv.Itoa(j)+".txt"), nil, 0o600); err != nil {
				b.Fatal(err)
			}
		}
	}
	if err := os.WriteFile(filepath.Join(dir, ".gitignore"), []byte("*.o\n/build/\n!keep\n**/tmp/\n"), 0o600); err != nil {
		b.Fatal(err)
	}
	b.Run("rg files", func(b *testing.B) {
		beside(b, dir, func() { walkAll(b, dir, false) }, "rg", "--files", "--hidden", "--no-require-git")
	})
	b.Run("fd", func(b *testing.B) {
		beside(b, dir, func() { walkAll(b, dir, false) }, "fdfind", "--hidden", "--type", "f", "--no-ignore-vcs")
	})
}
