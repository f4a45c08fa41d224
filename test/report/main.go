// Report reads the JSON of go test and prints what a person wants to know:
// what failed and how, what was skipped and why, and one line a package. It
// fails where CI is true and a test was skipped.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"
)

type event struct {
	Action, Package, Test, Output, ImportPath string
	Elapsed                                   float64
}

// A tally counts the tests of a run.
type tally struct{ passed, failed, skipped int }

func main() {
	t, err := report(os.Stdin, os.Stdout)
	if err != nil {
		fmt.Fprintln(os.Stderr, "report:", err)
		os.Exit(1)
	}
	fmt.Printf("tests: %d passed, %d failed, %d skipped\n", t.passed, t.failed, t.skipped)
	if t.failed > 0 || (t.skipped > 0 && os.Getenv("CI") == "true") {
		os.Exit(1)
	}
}

func report(r io.Reader, w io.Writer) (t tally, err error) {
	output := map[string]*strings.Builder{}
	sc := bufio.NewReader(r)
	for {
		line, err := sc.ReadBytes('\n')
		if len(line) > 0 {
			one(line, output, &t, w)
		}
		if err == io.EOF {
			return t, nil
		}
		if err != nil {
			return t, err
		}
	}
}

// one takes in one line; a line that is no event, such as a build error, is
// printed as it is.
func one(line []byte, output map[string]*strings.Builder, t *tally, w io.Writer) {
	var e event
	if json.Unmarshal(line, &e) != nil {
		fmt.Fprintf(w, "%s", line)
		return
	}
	key := e.Package + " " + e.Test
	switch {
	case e.Action == "build-output":
		fmt.Fprint(w, e.Output)
	case e.Action == "output":
		if output[key] == nil {
			output[key] = &strings.Builder{}
		}
		output[key].WriteString(e.Output)
		if e.Test == "" && noteworthy(e.Output) || strings.Contains(e.Output, "PASSED ") {
			fmt.Fprint(w, e.Output)
		}
	case e.Action == "fail":
		if e.Test != "" {
			t.failed++
		} else if t.failed == 0 {
			t.failed++ // a package that failed outside its tests
		}
		fmt.Fprintf(w, "FAIL %s\n%s\n", key, text(output[key]))
	case e.Test == "":
	case e.Action == "pass":
		t.passed++
	case e.Action == "skip":
		t.skipped++
		fmt.Fprintf(w, "SKIP %s\n%s", key, text(output[key]))
	}
}

func noteworthy(line string) bool {
	return strings.HasPrefix(line, "ok ") || strings.HasPrefix(line, "FAIL") || strings.HasPrefix(line, "panic")
}

func text(b *strings.Builder) string {
	if b == nil {
		return ""
	}
	return b.String()
}
