package search

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"regexp/syntax"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	"github.com/hobkin/hobkin/core/textfile"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// tree makes a folder of files; a name that ends in / is a folder.
func tree(t testing.TB, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, data := range files {
		at := filepath.Join(dir, filepath.FromSlash(name))
		made := filepath.Dir(at)
		if strings.HasSuffix(name, "/") {
			made = at
		}
		if err := os.MkdirAll(made, 0o755); err != nil {
			t.Fatal(err)
		}
		if made == at {
			continue
		}
		if err := os.WriteFile(at, []byte(data), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func openRoot(t testing.TB, dir string) *os.Root {
	t.Helper()
	root, err := os.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { root.Close() })
	return root
}

func run(t testing.TB, dir string, q Query, s Search) *Found {
	t.Helper()
	p, err := Compile(q)
	if err != nil {
		t.Fatal(err)
	}
	s.Pattern = p
	found, err := s.Run(t.Context(), &Walker{Root: openRoot(t, dir), Abs: dir})
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// flatHits writes hits as path:line:text.
func flatHits(f *Found) (out []string) {
	for _, file := range f.Files {
		for _, h := range file.Hits {
			out = append(out, fmt.Sprintf("%s:%d:%s", file.Path, h.Line, h.Text))
		}
	}
	return out
}

func TestFind(t *testing.T) {
	long := strings.Repeat("x", 100_000)
	for name, tt := range map[string]struct {
		files map[string]string
		query Query
		want  []string
	}{
		"literal":              {map[string]string{"a": "one\ntwo\nthree\n"}, Query{Text: "t"}, []string{"a:2:two", "a:3:three"}},
		"order":                {map[string]string{"b": "x\n", "a/z": "x\n", "a.b": "x\n", "a/b/c": "x\n"}, Query{Text: "x"}, []string{"a/b/c:1:x", "a/z:1:x", "a.b:1:x", "b:1:x"}},
		"no final newline":     {map[string]string{"a": "one\ntwo"}, Query{Text: "two$"}, []string{"a:2:two"}},
		"anchors are of lines": {map[string]string{"a": "ab\nb\n"}, Query{Text: "^b$"}, []string{"a:2:b"}},
		"CRLF":                 {map[string]string{"a": "ab\r\nb\r\n"}, Query{Text: "b$"}, []string{"a:1:ab", "a:2:b"}},
		"empty lines":          {map[string]string{"a": "x\n\ny\n\n"}, Query{Text: "^$"}, []string{"a:2:", "a:4:"}},
		"empty file":           {map[string]string{"a": ""}, Query{Text: ".*"}, nil},
		"fold":                 {map[string]string{"a": "Foo\nfOO\nbar\n"}, Query{Text: "foo", Fold: true}, []string{"a:1:Foo", "a:2:fOO"}},
		"fold beyond ASCII":    {map[string]string{"a": "\u212Aelvin\n"}, Query{Text: "kelvin", Fold: true}, []string{"a:1:\u212Aelvin"}},
		"literal signs":        {map[string]string{"a": "a.b\naxb\n"}, Query{Text: "a.b", Literal: true}, []string{"a:1:a.b"}},
		"words":                {map[string]string{"a": "food\nfoo bar\n"}, Query{Text: `\bfoo\b`}, []string{"a:2:foo bar"}},
		"alternatives":         {map[string]string{"a": "cat\ndog\ncow\n"}, Query{Text: "cat|dog"}, []string{"a:1:cat", "a:2:dog"}},
		"no match over lines":  {map[string]string{"a": "foo\nbar\n"}, Query{Text: `foo\s+bar`}, nil},
		"newline in a pattern": {map[string]string{"a": "foo\nbar\n"}, Query{Text: "foo\nbar", Literal: true}, nil},
		"over lines":           {map[string]string{"a": "x\nfoo\nbar\n"}, Query{Text: `foo\s+bar`, Multiline: true}, []string{"a:2:foo\nbar"}},
		"binary":               {map[string]string{"a": "foo\x00\n", "b": "foo\n"}, Query{Text: "foo"}, []string{"b:1:foo"}},
		"UTF-8 mark":           {map[string]string{"a": "\xef\xbb\xbffoo\n"}, Query{Text: "^foo"}, []string{"a:1:foo"}},
		"UTF-16":               {map[string]string{"a": utf16Of("foo\r\ngröße\r\n")}, Query{Text: "größe$"}, []string{"a:2:größe"}},
		"cp1252, ASCII":        {map[string]string{"a": "gr\xfc\xdfe foo\n"}, Query{Text: "foo"}, []string{"a:1:grüße foo"}},
		"cp1252, letters":      {map[string]string{"a": "gr\xfc\xdfe foo\n"}, Query{Text: "grüße"}, []string{"a:1:grüße foo"}},
		"bad bytes":            {map[string]string{"a": "ä\nö\nü\nä\na\xffb\n"}, Query{Text: "a.b"}, []string{"a:5:a\uFFFDb"}},
		"long line":            {map[string]string{"a": "1\n" + long + "needle" + long + "\n3 needle\n"}, Query{Text: "needle"}, []string{"a:2:…" + strings.Repeat("x", 75) + "needle" + strings.Repeat("x", 219) + "…", "a:3:3 needle"}},
		"dot files count":      {map[string]string{".a": "x\n", ".git/b": "x\n"}, Query{Text: "x"}, []string{".a:1:x"}},
	} {
		t.Run(name, func(t *testing.T) {
			got := flatHits(run(t, tree(t, tt.files), tt.query, Search{}))
			if d := cmp.Diff(tt.want, got); d != "" {
				t.Error(d)
			}
		})
	}
}

func utf16Of(text string) string {
	b, _, _ := textfile.UTF16LE.Encode(text)
	return string(textfile.UTF16LE.BOM) + string(b)
}

func TestFindLimits(t *testing.T) {
	files := map[string]string{}
	for i := range 200 {
		files[fmt.Sprintf("d%02d/f%d", i/10, i%10)] = "x\nx\nx\n"
	}
	dir := tree(t, files)
	for name, tt := range map[string]struct {
		want  Want
		max   int
		files int
		more  bool
	}{
		"lines":        {Lines, 100, 34, true},
		"lines, all":   {Lines, 600, 200, false},
		"files":        {Files, 7, 7, true},
		"count":        {Count, 3, 3, true},
		"count, all":   {Count, 0, 200, false},
		"lines, one":   {Lines, 1, 1, true},
		"files, exact": {Files, 200, 200, false},
	} {
		t.Run(name, func(t *testing.T) {
			first := run(t, dir, Query{Text: "x"}, Search{Want: tt.want, Max: tt.max})
			if len(first.Files) != tt.files || first.More != tt.more {
				t.Errorf("%d files, more=%v, want %d, %v", len(first.Files), first.More, tt.files, tt.more)
			}
			again := run(t, dir, Query{Text: "x"}, Search{Want: tt.want, Max: tt.max})
			if d := cmp.Diff(flatHits(first), flatHits(again)); d != "" {
				t.Errorf("another run found something else: %s", d)
			}
			if !slices.IsSortedFunc(first.Files, func(a, b FileHits) int { return comparePaths(a.Path, b.Path) }) {
				t.Error("not in order")
			}
		})
	}
}

func TestFindContext(t *testing.T) {
	dir := tree(t, map[string]string{"a": "1\n2\nx\n4\n5\n", "b": "x\n", "c": "\nx", "d": "1\r\nx\r\n3\r\n"})
	found := run(t, dir, Query{Text: "x"}, Search{Context: 2})
	got := map[string][2][]string{}
	for _, f := range found.Files {
		got[f.Path] = [2][]string{f.Hits[0].Before, f.Hits[0].After}
	}
	want := map[string][2][]string{
		"a": {{"1", "2"}, {"4", "5"}},
		"b": {nil, nil},
		"c": {{""}, nil},
		"d": {{"1"}, {"3"}},
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
}

// TestAgainstRegexp compares with package regexp on every line, over made-up
// files and patterns.
func TestAgainstRegexp(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	pick := func(from ...string) string { return from[rng.IntN(len(from))] }
	for range 400 {
		var text, pattern strings.Builder
		for range rng.IntN(60) {
			text.WriteString(pick("a", "b", "ab", "ba", " ", "\n", "\n", "\r\n", "ä", "世", "\xff", "\x80", "K", "\u212A", "."))
		}
		for range 1 + rng.IntN(4) {
			pattern.WriteString(pick("a", "b", "ab", ".", "[^a]", "a*", "(ab|b)", `\b`, "^", "$", "ä", `\w`, `\W+`, "k", "b{2}", "(a|世)?", `\pL`, "[b-k]"))
		}
		q := Query{Text: pattern.String(), Fold: rng.IntN(2) == 0}
		p, err := Compile(q)
		if err != nil {
			t.Fatal(err)
		}
		if p.foreign {
			continue // those files are decoded first
		}
		var want []int
		for i, line := range slices.Collect(bytes.Lines([]byte(text.String()))) {
			line = bytes.TrimSuffix(bytes.TrimSuffix(line, []byte{'\n'}), []byte{'\r'})
			if p.re.Match(line) {
				want = append(want, i+1)
			}
		}
		var got []int
		sc := (&Search{Pattern: p}).scanner()
		hits, err := sc.file(t.Context(), strings.NewReader(text.String()))
		if err != nil {
			t.Fatal(err)
		}
		for _, h := range hits.Hits {
			got = append(got, h.Line)
		}
		if !slices.Equal(got, want) {
			t.Errorf("pattern %q (fold %v) in %q: lines %v, want %v", q.Text, q.Fold, text.String(), got, want)
		}
	}
}

// FuzzAutomaton: what package regexp matches in a line, the automaton lets pass.
func FuzzAutomaton(f *testing.F) {
	f.Add("a.b", "a\x80b")
	f.Add(`(?i)k|ſ`, "\u212A")
	f.Add(`\b(x|yy)+$`, "xyy")
	f.Add(`[^a]\pL`, "\xe4\xb8b世")
	f.Fuzz(func(t *testing.T, pattern, line string) {
		if strings.ContainsAny(line, "\n") || len(pattern) > 200 {
			return
		}
		re, err := regexp.Compile("(?m:" + pattern + ")")
		if err != nil {
			return
		}
		tree, err := syntax.Parse("(?m:"+pattern+")", syntax.Perl)
		if err != nil {
			return
		}
		prog, err := syntax.Compile(tree.Simplify())
		if err != nil || len(prog.Inst) > 2000 {
			return
		}
		if line != "" && re.MatchString(line) && newAutomaton(prog).scan([]byte(line)) < 0 {
			t.Errorf("%q matches %q, the automaton says no", pattern, line)
		}
	})
}

// Lines that no window holds, and lines that lie across windows.
func TestHugeLines(t *testing.T) {
	for name, before := range map[string]int{"in the window": 100, "across windows": windowSize - 3, "far in": 3 * windowSize, "beyond the longest line": maxLine + 5, "across pieces": maxLine - 3} {
		t.Run(name, func(t *testing.T) {
			data := "first\n" + strings.Repeat("y", before) + "needle" + strings.Repeat("z", windowSize) + "\nlast needle\n"
			got := run(t, tree(t, map[string]string{"a": data}), Query{Text: "needle"}, Search{}).Files
			if len(got) != 1 || len(got[0].Hits) != 2 || got[0].Hits[0].Line != 2 || got[0].Hits[1].Line != 3 {
				t.Errorf("got %+v, want hits in lines 2 and 3", got)
			}
		})
	}
}

// TestBoundedMemory searches a gigabyte (an eighth with the race detector), of which the disk holds only holes
// and two lines.
func TestBoundedMemory(t *testing.T) {
	if testing.Short() {
		t.Skip("reads a gigabyte")
	}
	dir := t.TempDir()
	f, err := os.Create(filepath.Join(dir, "big"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	const size = sizes << 27
	if _, err := f.WriteString(strings.Repeat("text\n", 4000)); err != nil {
		t.Fatal(err)
	}
	if _, err := f.WriteAt([]byte("\nneedle\n"), size-8); err != nil {
		t.Fatal(err)
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	got := flatHits(run(t, dir, Query{Text: "needle"}, Search{}))
	runtime.ReadMemStats(&after)
	if want := []string{"big:4002:needle"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	if mb := (after.TotalAlloc - before.TotalAlloc) >> 20; mb > 64 {
		t.Errorf("%d MB were allocated", mb)
	}
}

func TestCancel(t *testing.T) {
	files := map[string]string{}
	for i := range 500 {
		files[fmt.Sprintf("d%d/f", i)] = strings.Repeat("x\n", 1000)
	}
	dir := tree(t, files)
	ctx, cancel := context.WithCancel(t.Context())
	p, _ := Compile(Query{Text: "x"})
	s := Search{Pattern: p, Accept: func(string) bool {
		cancel() // in the middle of the walk
		return true
	}}
	found, err := s.Run(ctx, &Walker{Root: openRoot(t, dir), Abs: dir})
	if !errors.Is(err, context.Canceled) || len(found.Files) == 500 {
		t.Errorf("%d files and error %v after the search was stopped", len(found.Files), err)
	}
}
