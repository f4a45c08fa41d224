package prose

import (
	"strings"
	"testing"

	"github.com/alecthomas/chroma/v2/lexers"
	"github.com/google/go-cmp/cmp"
)

func text1(s string) []Span { return []Span{{Text: s}} }

func TestParse(t *testing.T) {
	for name, tt := range map[string]struct {
		in   string
		want []Block
	}{
		"paragraphs":         {"one\ntwo\n\nthree", []Block{{Spans: text1("one two")}, {Spans: text1("three")}}},
		"heading":            {"## A & B", []Block{{Kind: Heading, Level: 2, Spans: text1("A & B")}}},
		"styles":             {"a **b _c_** ~~d~~ `e`", []Block{{Spans: []Span{{Text: "a "}, {Text: "b ", Bold: true}, {Text: "c", Bold: true, Italic: true}, {Text: " "}, {Text: "d", Strike: true}, {Text: " "}, {Text: "e", Mono: true}}}}},
		"link":               {"[the_page](https://example.org/a_b)", []Block{{Spans: []Span{{Text: "the_page", Link: "https://example.org/a_b"}}}}},
		"bare link":          {"see https://example.org.", []Block{{Spans: []Span{{Text: "see "}, {Text: "https://example.org", Link: "https://example.org"}, {Text: "."}}}}},
		"link that runs":     {"[x](file:///bin/sh) [y](javascript:alert(1))", []Block{{Spans: text1("x y")}}},
		"code":               {"```go\na\n\n  b\n```", []Block{{Kind: Code, Lang: "go", Text: "a\n\n  b"}}},
		"open code":          {"```\na", []Block{{Kind: Code, Text: "a"}}},
		"html is text":       {"<b>x</b>", []Block{{Spans: text1("<b>x</b>")}}},
		"html block is code": {"<div>\nx\n</div>", []Block{{Kind: Code, Text: "<div>\nx\n</div>"}}},
		"nested list": {"- a\n  1. b\n  2. c\n- d", []Block{
			{Depth: 1, Marker: "•", Spans: text1("a")},
			{Depth: 2, Marker: "1.", Spans: text1("b")},
			{Depth: 2, Marker: "2.", Spans: text1("c")},
			{Depth: 1, Marker: "•", Spans: text1("d")},
		}},
		"list from seven":      {"7. a\n8. b", []Block{{Depth: 1, Marker: "7.", Spans: text1("a")}, {Depth: 1, Marker: "8.", Spans: text1("b")}}},
		"item with code":       {"- a\n\n  ```\n  x\n  ```", []Block{{Depth: 1, Marker: "•", Spans: text1("a")}, {Kind: Code, Depth: 1, Text: "x"}}},
		"boxes":                {"- [x] **done**\n- [ ] open", []Block{{Depth: 1, Marker: "☑", Spans: []Span{{Text: "done", Bold: true}}}, {Depth: 1, Marker: "☐", Spans: text1("open")}}},
		"empty box":            {"- [ ] ", []Block{{Depth: 1, Marker: "☐"}}},
		"quote":                {"> a\n>> b", []Block{{Quote: 1, Spans: text1("a")}, {Quote: 2, Spans: text1("b")}}},
		"rule":                 {"a\n\n---", []Block{{Spans: text1("a")}, {Kind: Rule}}},
		"table":                {"|a|b|\n|-|-:|\n|1|**2**|\n|3|", []Block{{Kind: Grid, Table: &Table{Align: []Align{Left, Right}, Rows: [][][]Span{{text1("a"), text1("b")}, {text1("1"), {{Text: "2", Bold: true}}}, {text1("3"), nil}}}}}},
		"picture of a file":    {"![a](/tmp/x.png)", []Block{{Kind: Picture, Text: "/tmp/x.png", Spans: text1("a")}}},
		"picture from outside": {"![a](https://example.org/x.png)", []Block{{Spans: []Span{{Text: "a", Link: "https://example.org/x.png"}}}}},
		"entities":             {"a &lt; b &amp; c", []Block{{Spans: text1("a < b & c")}}},
		"escapes":              {`a\_b \*c\* \& \&amp; \d **\!** end\`, []Block{{Spans: []Span{{Text: `a_b *c* & &amp; \d `}, {Text: "!", Bold: true}, {Text: ` end\`}}}}},
		"escapes in code":      {"`a\\_b`", []Block{{Spans: []Span{{Text: `a\_b`, Mono: true}}}}},
		"escapes in a table":   {"|a\\|b|c\\_d|\n|-|-|", []Block{{Kind: Grid, Table: &Table{Align: []Align{Left, Left}, Rows: [][][]Span{{text1("a|b"), text1("c_d")}}}}}},
		"nothing":              {"", nil},
	} {
		t.Run(name, func(t *testing.T) {
			if d := cmp.Diff(tt.want, Parse(tt.in)); d != "" {
				t.Errorf("Parse(%q) (-want +got):\n%s", tt.in, d)
			}
		})
	}
}

func TestParseOfMuchTextIsPlain(t *testing.T) {
	s := strings.Repeat("*a* ", maxParsed)
	if got := Parse(s); len(got) != 1 || got[0].Kind != Code || got[0].Text != s {
		t.Errorf("got %d blocks, want the text as it is", len(got))
	}
}

func TestSplit(t *testing.T) {
	for name, tt := range map[string]struct {
		in   string
		want Cut
	}{
		"grows":             {"a\nb", Cut{Tail: "a\nb"}},
		"paragraph done":    {"a\n\nb", Cut{Done: "a\n\n", Tail: "b"}},
		"open fence":        {"a\n```go\nx\n\ny", Cut{Done: "a\n", Tail: "x\n\ny", Fence: true, Lang: "go"}},
		"fence just opened": {"```", Cut{Fence: true}},
		"closed fence":      {"```\nx\n```\ny", Cut{Done: "```\nx\n```\n", Tail: "y"}},
		"longer fence":      {"````\n```\nx", Cut{Tail: "```\nx", Fence: true}},
		"nothing":           {"", Cut{}},
	} {
		t.Run(name, func(t *testing.T) {
			if d := cmp.Diff(tt.want, Split(tt.in)); d != "" {
				t.Errorf("Split(%q) (-want +got):\n%s", tt.in, d)
			}
		})
	}
}

func TestDiff(t *testing.T) {
	run := func(s string, c, g Class) Line { return Line{Runs: []Run{{s, c}}, Ground: g} }
	for name, tt := range map[string]struct {
		in   string
		want []Line
	}{
		"one file": {
			"--- a/x\n+++ b/x\n@@ -1,2 +1,2 @@\n a\n-b\n+c\n", []Line{
				run(" a", Normal, Normal), run("-b", Normal, Removed), run("+c", Normal, Added),
			},
		},
		"a removed line of dashes": {
			"--- a/x\n+++ b/x\n@@ -1 +0,0 @@\n--- old\n", []Line{run("--- old", Normal, Removed)},
		},
		"two hunks": {
			"--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n@@ -9 +9 @@\n-c\n+d\n", []Line{
				run("@@ -1 +1 @@", Aside, Normal), run("-a", Normal, Removed), run("+b", Normal, Added),
				run("@@ -9 +9 @@", Aside, Normal), run("-c", Normal, Removed), run("+d", Normal, Added),
			},
		},
		"tabs": {"@@\n+\tx", []Line{run("@@", Aside, Normal), run("+   x", Normal, Added)}},
	} {
		t.Run(name, func(t *testing.T) {
			if d := cmp.Diff(tt.want, Diff(tt.in)); d != "" {
				t.Errorf("Diff(%q) (-want +got):\n%s", tt.in, d)
			}
		})
	}
	if two := Diff("--- a\n+++ a\n@@ -0,0 +1 @@\n+x\n--- b\n+++ b\n@@ -1 +1 @@\n"); len(two) != 7 || two[4].Ground != Normal {
		t.Errorf("two files: %d lines, want 7: the names stay: %+v", len(two), two)
	}
}

func TestHighlight(t *testing.T) {
	got := Highlight("func a() string { return \"x\" } // y\n\n1", "go")
	if len(got) != 3 {
		t.Fatalf("%d lines, want 3: %+v", len(got), got)
	}
	classes := map[Class]string{}
	for _, l := range got {
		for _, r := range l.Runs {
			classes[r.Class] += r.Text
		}
	}
	for class, want := range map[Class]string{Keyword: "funcstringreturn", String: `"x"`, Comment: "// y", Number: "1"} {
		if classes[class] != want {
			t.Errorf("class %d is %q, want %q", class, classes[class], want)
		}
	}
	if d := cmp.Diff(Plain("a\nb"), Highlight("a\nb", "no such language")); d != "" {
		t.Errorf("unknown language (-want +got):\n%s", d)
	}
}

// TestColouredLanguages holds that each language of the table has a lexer.
func TestColouredLanguages(t *testing.T) {
	for language, name := range coloured {
		if lexers.Get(name) == nil {
			t.Errorf("%s: no lexer %q", language, name)
		}
	}
}

func TestFold(t *testing.T) {
	in := []Line{{Runs: []Run{{"abcdef", Normal}, {"ghij", String}}, Ground: Added}}
	want := []Line{{Runs: []Run{{"abcdef", Normal}, {"gh", String}}, Ground: Added}, {Runs: []Run{{"ij", String}}, Ground: Added}}
	if d := cmp.Diff(want, Fold(in, 8)); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
	wide := Fold(Plain("漢字漢字漢字"), 9)
	if len(wide) != 2 || wide[0].Runs[0].Text != "漢字漢字" {
		t.Errorf("wide characters: %+v", wide)
	}
	if got := Fold(Plain(""), 80); len(got) != 1 {
		t.Errorf("an empty line takes %d lines, want 1", len(got))
	}
}

// join puts the text of lines together again.
func join(lines []Line) string {
	var b strings.Builder
	for _, l := range lines {
		for _, r := range l.Runs {
			b.WriteString(r.Text)
		}
	}
	return b.String()
}

func FuzzParse(f *testing.F) {
	for _, s := range []string{"a", "- [ ] **x**", "- [x]\n", "|a|\n|-|\n||||", "> - 1. ```", "![](/x)", "[a](b \"c\")", "<a", "***", "\x00&#0;", "1. a\n\n   - b\n\t- c"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		for _, b := range Parse(s) {
			if b.Depth > maxDepth || b.Quote > maxDepth {
				t.Errorf("Parse(%q): too deep: %+v", s, b)
			}
			if b.Kind == Grid {
				for _, row := range b.Table.Rows {
					if len(row) != len(b.Table.Align) {
						t.Errorf("Parse(%q): a row of %d cells in a table of %d columns", s, len(row), len(b.Table.Align))
					}
				}
			}
			for _, sp := range b.Spans {
				if sp.Link != "" && safeLink(sp.Link) == "" {
					t.Errorf("Parse(%q): link %q", s, sp.Link)
				}
			}
		}
	})
}

func FuzzSplit(f *testing.F) {
	for _, s := range []string{"a\n\nb", "```go\nx", "~~~\n```\n~~~\n", "    ```\n", "```\r\n\r\n"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		c := Split(s)
		if !strings.HasPrefix(s, c.Done) {
			t.Errorf("Split(%q): done %q is not its start", s, c.Done)
		}
		if !c.Fence && strings.TrimSpace(strings.TrimPrefix(s, c.Done)) != c.Tail {
			t.Errorf("Split(%q): something is lost: %+v", s, c)
		}
	})
}

func FuzzLines(f *testing.F) {
	f.Add("+a\n-b\n--- c", "go", 10)
	f.Add("func x() {\n\t\"é漢\"\x1b[0m", "diff", 1)
	f.Add("", "python", 8)
	f.Fuzz(func(t *testing.T, s, language string, columns int) {
		for _, lines := range [][]Line{Diff(s), Plain(s), Highlight(s, language)} {
			if got, want := join(Fold(lines, columns)), join(lines); got != want {
				t.Errorf("folding at %d changes the text: got %q, want %q", columns, got, want)
			}
		}
	})
}
