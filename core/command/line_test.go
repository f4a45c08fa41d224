package command

import (
	"slices"
	"strings"
	"testing"
	"unicode"

	"github.com/google/go-cmp/cmp"
)

func TestParse(t *testing.T) {
	for text, want := range map[string]struct {
		name, rest, plain string
	}{
		"/help":                        {name: "help"},
		"  /Mode  plan \n":             {name: "mode", rest: "plan"},
		"/review main.go\nand more":    {name: "review", rest: "main.go\nand more"},
		"/":                            {},
		"/ ":                           {},
		"/mcp:docs:summary a=1":        {name: "mcp:docs:summary", rest: "a=1"},
		"/überblick":                   {name: "überblick"},
		"//help":                       {plain: "/help"},
		" ///x":                        {plain: "//x"},
		"//":                           {plain: "/"},
		"hello /help":                  {plain: "hello /help"},
		"/usr/bin is full":             {plain: "/usr/bin is full"},
		"/etc/hosts":                   {plain: "/etc/hosts"},
		"/-x":                          {plain: "/-x"},
		"/*.go what are these?":        {plain: "/*.go what are these?"},
		"/a\xff":                       {plain: "/a\xff"},
		"":                             {plain: ""},
		"/" + strings.Repeat("a", 201): {plain: "/" + strings.Repeat("a", 201)},
	} {
		l, plain, ok := Parse(text)
		isCommand := want.plain == "" && text != ""
		if l.Name != want.name || l.Rest != want.rest || plain != want.plain || ok != isCommand {
			t.Errorf("Parse(%q) = %+v, %q, %v; want %+v", text, l, plain, ok, want)
		}
	}
}

func TestWords(t *testing.T) {
	for text, want := range map[string][]string{
		"":                nil,
		"  \n ":           nil,
		"a b\tc\nd":       {"a", "b", "c", "d"},
		`"a b" c`:         {"a b", "c"},
		`'a "b" c' d`:     {`a "b" c`, "d"},
		`"say \"hi\" \\"`: {`say "hi" \`},
		`a\ b c`:          {"a b", "c"},
		`"" x`:            {"", "x"},
		"don't stop":      {"don't", "stop"},
		`5" nails`:        {`5"`, "nails"},
		`"not closed`:     {`"not`, "closed"},
		`'it''s`:          {`'it''s`},
		`key="a b"`:       {`key="a`, `b"`},
		`C:\dir\file.txt`: {`C:\dir\file.txt`},
		"a\u00a0b":        {"a", "b"},
	} {
		if d := cmp.Diff(want, Words(text)); d != "" {
			t.Errorf("Words(%q) (-want +got):\n%s", text, d)
		}
	}
}

func TestFill(t *testing.T) {
	for name, tt := range map[string]struct{ body, args, want string }{
		"all":                       {"Look at $ARGUMENTS.", "a  b", "Look at a  b."},
		"words":                     {"$1 and $2", `"x y" z`, "x y and z"},
		"one that is missing":       {"<$1><$2>", "a", "<a><>"},
		"no blank":                  {"Do it.", "quickly", "Do it.\n\nquickly"},
		"no blank, nothing given":   {"Do it.", "", "Do it."},
		"amounts":                   {"$100 or $5000 $0 $x $", "a", "$100 or $5000 $0 $x $\n\na"},
		"a longer word":             {"$ARGUMENTSX $1st", "a", "$ARGUMENTSX $1st\n\na"},
		"the twelfth":               {"$12", "a b c d e f g h i j k l", "l"},
		"no blank within arguments": {"$1|$ARGUMENTS", "$2 b", "$2|$2 b"},
		"a plain dollar":            {`cost \$1, not $1`, "a", "cost $1, not a"},
		"a backslash otherwise":     {`a\b $1`, "x", `a\b x`},
		"only plain dollars":        {`\$1`, "x", "$1\n\nx"},
	} {
		if got := Fill(tt.body, tt.args); got != tt.want {
			t.Errorf("%s: Fill(%q, %q) = %q, want %q", name, tt.body, tt.args, got, tt.want)
		}
	}
}

func FuzzParse(f *testing.F) {
	for _, s := range []string{"/help", "//x", "/a b", "/ ", "/usr/bin", "\xff/", `/x "a b" 'c`} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		l, plain, ok := Parse(text)
		switch {
		case ok && (plain != "" || l.Name != "" && !ValidName(l.Name) || l.Text != strings.TrimSpace(text)):
			t.Errorf("Parse(%q) = %+v, %q", text, l, plain)
		case !ok && plain != text && "/"+plain != strings.TrimSpace(text):
			t.Errorf("Parse(%q) changes the message to %q", text, plain)
		}
		for _, w := range Words(text) {
			if len(w) > len(text) {
				t.Errorf("Words(%q) makes %q", text, w)
			}
		}
		if again := Words(strings.Join(strings.Fields(text), " ")); !strings.ContainsAny(text, "\"'\\") && !slices.Equal(again, strings.FieldsFunc(text, unicode.IsSpace)) {
			t.Errorf("Words(%q) = %q", text, again)
		}
	})
}

func FuzzFill(f *testing.F) {
	f.Add("$1 $ARGUMENTS", `a "b c"`)
	f.Add(`\$1 $100`, "")
	f.Fuzz(func(t *testing.T, body, args string) {
		got := Fill(body, args)
		if !strings.Contains(body, "$") && !strings.HasPrefix(got, body) {
			t.Errorf("Fill(%q, %q) = %q: a text without blanks changed", body, args, got)
		}
		if args == "" && len(got) > len(body) {
			t.Errorf("Fill(%q, nothing) = %q", body, got)
		}
	})
}
