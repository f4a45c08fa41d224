package file

import (
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/hobkin/hobkin/core/capability"
	"github.com/hobkin/hobkin/core/sandbox"
	"github.com/hobkin/hobkin/core/search/searchtest"
)

// source is a policy that lets a benchmark read one folder, wherever it is.
type source struct{ dir string }

func (s source) Place(turn capability.Turn, path string, use sandbox.Use) (*sandbox.Place, error) {
	policy, err := sandbox.New(sandbox.Config{Mode: sandbox.Strict, Home: filepath.Dir(s.dir), Workspace: s.dir})
	if err != nil {
		return nil, err
	}
	return policy.Place(turn, path, use)
}

func (source) Regular(capability.Turn, string) (*os.File, fs.FileInfo, bool) { return nil, nil, false }
func (source) Hidden(string) bool                                            { return false }

// BenchmarkTools measures whole calls on the Go source tree beside ripgrep and
// fd, in turns. The ratio is ours to theirs; below 1 is faster.
func BenchmarkTools(b *testing.B) {
	out, err := exec.CommandContext(b.Context(), "go", "env", "GOROOT").Output()
	if err != nil {
		b.Skip("no Go tree: ", err)
	}
	dir, err := filepath.EvalSymlinks(filepath.Join(strings.TrimSpace(string(out)), "src"))
	if err != nil {
		b.Skip("no Go tree: ", err)
	}
	toolsBeside(b, dir, map[string]besideCase{
		"content_search files":  {"content_search", `{"pattern": "func TestMain", "output": "files", "max_results": 1000}`, []string{"rg", "--hidden", "-l", "func TestMain", "."}},
		"content_search regexp": {"content_search", `{"pattern": "func \\(\\w+ \\*\\w+\\) Close\\(", "output": "files", "max_results": 1000}`, []string{"rg", "--hidden", "-l", `func \(\w+ \*\w+\) Close\(`, "."}},
		"content_search absent": {"content_search", `{"pattern": "zzyzx_is_not_there"}`, []string{"rg", "--hidden", "-n", "zzyzx_is_not_there", "."}},
		"glob_search fd":        {"glob_search", `{"pattern": "**/*.go"}`, []string{"fdfind", "--hidden", "-e", "go"}},
		"glob_search rg":        {"glob_search", `{"pattern": "**/*.go"}`, []string{"rg", "--hidden", "--files", "-g", "*.go"}},
	})
}

// BenchmarkToolsBig measures them on a made tree of 200,000 files.
func BenchmarkToolsBig(b *testing.B) {
	if testing.Short() {
		b.Skip("makes 200,000 files")
	}
	dir, err := filepath.EvalSymlinks(searchtest.BigTree(b))
	if err != nil {
		b.Fatal(err)
	}
	toolsBeside(b, dir, map[string]besideCase{
		"content_search": {"content_search", `{"pattern": "the needle", "output": "files", "max_results": 1000}`, []string{"rg", "--hidden", "-l", "the needle", "."}},
		"glob_search fd": {"glob_search", `{"pattern": "**/*.txt"}`, []string{"fdfind", "--hidden", "-e", "txt"}},
		"glob_search rg": {"glob_search", `{"pattern": "**/*.txt"}`, []string{"rg", "--hidden", "--files", "-g", "*.txt"}},
	})
}

// A besideCase is a call of a tool and a program that does the same.
type besideCase struct {
	tool, args string
	peer       []string
}

func toolsBeside(b *testing.B, dir string, cases map[string]besideCase) {
	b.Helper()
	w := newBench(b)
	w.dir, w.host.Paths = dir, source{dir}
	for name, bm := range cases {
		b.Run(name, func(b *testing.B) {
			bin, err := exec.LookPath(bm.peer[0])
			if err != nil {
				b.Skip(bm.peer[0] + " is not installed")
			}
			var ratios []float64
			w.ok(bm.tool, bm.args) // for the page cache
			for b.Loop() {
				start := time.Now()
				w.ok(bm.tool, bm.args)
				ours := time.Since(start)
				cmd := exec.CommandContext(b.Context(), bin, bm.peer[1:]...)
				cmd.Dir = dir
				start = time.Now()
				if err := cmd.Run(); cmd.ProcessState.ExitCode() > 1 { // 1 is no match
					b.Fatal(bm.peer, err)
				}
				ratios = append(ratios, ours.Seconds()/time.Since(start).Seconds())
			}
			slices.Sort(ratios)
			b.ReportMetric(ratios[len(ratios)/2], "×peer")
		})
	}
}
