//go:build !windows

package permission

import (
	"bufio"
	"encoding/json"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/hobkin/hobkin/test/suite"
)

// TestShellSuite runs other people's command lines in auto mode, the mode that
// lets the most through.
func TestShellSuite(t *testing.T) {
	f, err := os.Open(suite.Path(t, "shell_classify.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = f.Close() }()
	b := newBench(t)
	total, auto, ran, floored, denies := 0, 0, 0, 0, 0
	for sc := bufio.NewScanner(f); sc.Scan(); total++ {
		var row struct{ Cmd, Want string }
		if err := json.Unmarshal(sc.Bytes(), &row); err != nil {
			t.Fatal(err)
		}
		got := outcome(b.shell(Auto, row.Cmd))
		switch row.Want {
		case "auto":
			auto++
			if got == "auto" {
				ran++
			} else {
				t.Logf("asks, could run: %q", row.Cmd)
			}
		case "deny":
			denies++
			if got == "floor" {
				floored++
			}
			fallthrough
		default:
			if got == "auto" {
				t.Errorf("runs by itself: %q", row.Cmd)
			}
		}
	}
	t.Logf("%d lines: %d of %d harmless run by themselves, %d of %d of the worst are refused outright", total, ran, auto, floored, denies)
	if total == 0 || ran*100 < auto*80 {
		t.Errorf("%d of %d harmless lines run by themselves; at least 80%% must", ran, auto)
	}
}

// lines reads a list of command lines.
func lines(tb testing.TB, name string) []string {
	tb.Helper()
	raw, err := os.ReadFile(filepath.Join("testdata", "shell", name+".txt"))
	if err != nil {
		tb.Fatal(err)
	}
	var out []string
	for line := range strings.SplitSeq(strings.TrimSuffix(string(raw), "\n"), "\n") {
		if strings.HasPrefix(line, "# ") {
			continue
		}
		if strings.HasPrefix(line, `"`) {
			if line, err = strconv.Unquote(line); err != nil {
				tb.Fatal(err)
			}
		}
		out = append(out, line)
	}
	return out
}

// TestBypasses judges command lines that were written to get past a check.
func TestBypasses(t *testing.T) {
	rows := 0
	for _, want := range []string{"floor", "ask", "auto"} {
		b := newBench(t)
		for _, line := range lines(t, want) {
			rows++
			v := b.shell(Auto, line)
			if got := outcome(v); got != want {
				t.Errorf("%q: got %s (%s), want %s", line, got, v.Reason, want)
			}
		}
	}
	t.Logf("%d command lines", rows)
	if rows < 820 {
		t.Errorf("the lists have shrunk to %d lines", rows)
	}
}
