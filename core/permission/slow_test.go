//go:build !windows

package permission

import (
	"strings"
	"testing"
	"time"

	"github.com/hobkin/hobkin/core/capability"
)

// TestHugeLines: however a line is built, reading it ends soon, and it asks.
func TestHugeLines(t *testing.T) {
	b := newBench(t)
	for name, line := range map[string]string{
		"nested loops":         strings.Repeat("for x in a b c d e f g h; do ", 12) + "rm $x" + strings.Repeat("; done", 12),
		"nested while":         strings.Repeat("while x; do ", 40) + "rm y" + strings.Repeat("; done", 40),
		"nested functions":     strings.Repeat("f() { ", 100) + "rm y" + strings.Repeat("; }", 100),
		"braces":               "rm " + strings.Repeat("{a,b}", 40),
		"a long sequence":      "rm {1..1000000000}",
		"nested substitutions": "echo " + strings.Repeat("$(echo ", 300) + "x" + strings.Repeat(")", 300),
		"nested quotes":        strings.Repeat(`sh -c "`, 50) + "x" + strings.Repeat(`"`, 50),
		"nested subshells":     strings.Repeat("(", 5000) + "x" + strings.Repeat(")", 5000),
		"many commands":        strings.Repeat("ls;", 5000),
		"many pipes":           strings.Repeat("echo x | ", 400) + "rm",
		"many keys":            "cat " + strings.Repeat("~/.ssh/../x ", 500),
		"many globs":           "rm -r " + strings.Repeat("/*/*/x* ", 500),
		"many lines":           strings.Repeat("rm -rf ./a/b/c\n", 1000),
		"doubling variables":   "a=xxxxxxxx;" + strings.Repeat("a=$a$a;", 60) + "rm $a",
		"doubling outputs":     strings.Repeat("$(echo `", 20) + strings.Repeat("`)", 20),
		"a here-document":      "cat <<E\n" + strings.Repeat("$(x)", 2000) + "\nE",
		"a word":               "ls " + strings.Repeat("x", 1<<20),
		"quotes in code":       "python3 -c '" + strings.Repeat(`"rm -rf x" `, 1000) + "'",
		"slashes":              "rm -rf " + strings.Repeat("../", 4000),
	} {
		began := time.Now()
		turn := b.turn
		turn.Mode = string(Auto)
		v := b.Decide(shellTool, capability.Call{Name: "shell", Turn: turn}, capability.Preview{Shell: line, Dir: b.ws})
		took := time.Since(began)
		t.Logf("%s: %d bytes, %v, %s", name, len(line), took.Round(time.Millisecond), outcome(v))
		if v.Action == Allow {
			t.Errorf("%s runs by itself", name)
		}
		if took > 30*time.Second { // well under one; with the race detector on a busy machine it can be ten
			t.Errorf("%s: took %v", name, took)
		}
	}
}

func BenchmarkDecide(bm *testing.B) {
	b := newBench(bm, Rule{Tool: "shell", Match: "npm test", Action: Allow})
	for bm.Loop() {
		if got := outcome(b.shell(Auto, "cd src && git log --oneline -5 | head -n 3 && cat a.go")); got != "auto" {
			bm.Fatal(got)
		}
	}
}
