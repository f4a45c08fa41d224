package prose

import (
	"strconv"
	"strings"
	"time"
	"unicode"

	"github.com/alecthomas/chroma/v2"
	"github.com/alecthomas/chroma/v2/lexers"
)

// A Line is one line of text in a fixed pitch.
type Line struct {
	Runs   []Run
	Ground Class // of the whole line: Added, Removed or Normal
}

// A Run is a piece of a line in one style.
type Run struct {
	Text  string
	Class Class
}

// Class says what a run is. It is modest on purpose: a few tones tell enough.
type Class uint8

// The classes.
const (
	Normal Class = iota
	Keyword
	String
	Number
	Comment
	Aside // a diff's place, what is left out
	Added
	Removed
)

const (
	maxColoured = 64 << 10 // bytes; more code is shown in one tone
	tabWidth    = 4
)

// Plain makes lines of text.
func Plain(s string) []Line { return split(s, Normal) }

func split(s string, class Class) []Line {
	var out []Line
	for line := range strings.SplitSeq(strings.TrimSuffix(s, "\n"), "\n") {
		out = append(out, Line{Runs: []Run{{clean(line), class}}})
	}
	return out
}

// clean makes what has no shape of its own into what has: tabs into spaces,
// control characters into a mark.
func clean(s string) string {
	s = strings.TrimSuffix(s, "\r")
	if !strings.ContainsFunc(s, unicode.IsControl) {
		return s
	}
	var b strings.Builder
	col := 0
	for _, r := range s {
		switch {
		case r == '\t':
			n := tabWidth - col%tabWidth
			b.WriteString(strings.Repeat(" ", n))
			col += n
			continue
		case unicode.IsControl(r):
			r = '·'
		}
		b.WriteRune(r)
		col++
	}
	return b.String()
}

// coloured are the languages whose code is coloured, with the names that fences
// use. The lexers of the rest are there too, but some take seconds for a line
// that does not suit them.
var coloured = map[string]string{
	"bash": "bash", "sh": "bash", "shell": "bash", "zsh": "bash", "console": "bash",
	"c": "c", "h": "c", "cpp": "c++", "c++": "c++", "cs": "c#", "csharp": "c#", "css": "css",
	"go": "go", "golang": "go", "html": "html", "xml": "xml", "svg": "xml", "ini": "ini", "java": "java",
	"js": "javascript", "javascript": "javascript", "jsx": "javascript", "json": "json", "kotlin": "kotlin", "lua": "lua",
	"make": "makefile", "makefile": "makefile", "php": "php", "py": "python", "python": "python", "rb": "ruby", "ruby": "ruby",
	"rs": "rust", "rust": "rust", "sql": "sql", "swift": "swift", "toml": "toml", "ts": "typescript", "typescript": "typescript",
	"tsx": "typescript", "yaml": "yaml", "yml": "yaml", "dockerfile": "docker", "powershell": "powershell",
}

// colouring bounds the time that the colours of one block may take: what draws
// the window waits for them.
const colouring = 50 * time.Millisecond

// Highlight makes lines of code in a language; "" or an unknown one gives plain
// lines.
func Highlight(s, language string) []Line {
	language = strings.ToLower(language)
	if language == "diff" || language == "patch" {
		return Diff(s)
	}
	name, ok := coloured[language]
	if !ok || len(s) > maxColoured {
		return Plain(s)
	}
	it, err := chroma.Coalesce(lexers.Get(name)).Tokenise(nil, strings.TrimSuffix(s, "\n"))
	if err != nil {
		return Plain(s)
	}
	out := []Line{{}}
	end := time.Now().Add(colouring)
	for tok := it(); tok != chroma.EOF; tok = it() {
		if time.Now().After(end) {
			return Plain(s)
		}
		for i, part := range strings.Split(tok.Value, "\n") {
			if i > 0 {
				out = append(out, Line{})
			}
			if last := &out[len(out)-1]; part != "" {
				last.Runs = append(last.Runs, Run{clean(part), classOf(tok.Type)})
			}
		}
	}
	if n := len(out); n > 1 && len(out[n-1].Runs) == 0 {
		out = out[:n-1] // lexers end the text with a line break
	}
	return out
}

func classOf(t chroma.TokenType) Class {
	switch {
	case t.InCategory(chroma.Keyword), t == chroma.NameTag:
		return Keyword
	case t.InCategory(chroma.Comment):
		return Comment
	case t.InSubCategory(chroma.LiteralString):
		return String
	case t.InSubCategory(chroma.LiteralNumber):
		return Number
	}
	return Normal
}

// Diff makes lines of a unified diff. The signs stay: colour alone tells
// nothing. The name of the file is left out where there is but one, which the
// card around it names; so is the place of a single hunk.
func Diff(s string) []Line {
	var out []Line
	one := strings.Count("\n"+s, "\n+++ ") == 1
	single := one && strings.Count("\n"+s, "\n@@") == 1
	var left hunk // lines within it may begin with --- and +++ too
	for line := range strings.SplitSeq(strings.TrimSuffix(s, "\n"), "\n") {
		l := Line{Runs: []Run{{clean(line), Normal}}}
		switch {
		case strings.HasPrefix(line, "@@"):
			left = hunkOf(line)
			if single {
				continue
			}
			l.Runs[0].Class = Aside
		case left.over() && (strings.HasPrefix(line, "--- ") || strings.HasPrefix(line, "+++ ") || strings.HasPrefix(line, "diff ")):
			if one {
				continue
			}
			l.Runs[0].Class = Aside
		case strings.HasPrefix(line, "+"):
			left.after--
			l.Ground = Added
		case strings.HasPrefix(line, "-"):
			left.before--
			l.Ground = Removed
		case strings.HasPrefix(line, `\`):
			l.Runs[0].Class = Aside
		default:
			left.before, left.after = left.before-1, left.after-1
		}
		out = append(out, l)
	}
	return out
}

// A hunk counts the lines of a diff's hunk that are still to come.
type hunk struct{ before, after int }

func (h hunk) over() bool { return h.before <= 0 && h.after <= 0 }

// hunkOf reads "@@ -1,2 +3,4 @@". A count that is not there is one.
func hunkOf(line string) hunk {
	count := func(field, sign string) int {
		_, n, ok := strings.Cut(strings.TrimPrefix(field, sign), ",")
		if v, err := strconv.Atoi(n); ok && err == nil {
			return v
		}
		return 1
	}
	fields := strings.Fields(line)
	if len(fields) < 3 { // not a place in a file
		return hunk{}
	}
	return hunk{count(fields[1], "-"), count(fields[2], "+")}
}

// Fold breaks lines that are longer than a number of characters, so that
// nothing is cut and nothing needs to be moved sideways.
func Fold(lines []Line, columns int) []Line {
	columns = max(columns, 8)
	var out []Line
	for _, l := range lines {
		out = append(out, fold(l, columns)...)
	}
	return out
}

func fold(l Line, columns int) []Line {
	out := []Line{{Ground: l.Ground}}
	col := 0
	for _, r := range l.Runs {
		rest := r.Text
		for rest != "" {
			if col >= columns {
				out = append(out, Line{Ground: l.Ground})
				col = 0
			}
			part, n := take(rest, columns-col)
			if part == "" { // a wide character at the edge
				col = columns
				continue
			}
			last := &out[len(out)-1]
			last.Runs = append(last.Runs, Run{part, r.Class})
			rest, col = rest[len(part):], col+n
		}
	}
	return out
}

// take returns the start of s that is at most n columns wide, and its width.
func take(s string, n int) (string, int) {
	col := 0
	for i, r := range s {
		w := runeWidth(r)
		if col+w > n {
			return s[:i], col
		}
		col += w
	}
	return s, col
}

// runeWidth is how many columns a character takes.
func runeWidth(r rune) int {
	switch {
	case unicode.Is(unicode.Mn, r):
		return 0
	case r >= 0x1100 && unicode.In(r, unicode.Han, unicode.Hangul, unicode.Hiragana, unicode.Katakana), r >= 0xff01 && r <= 0xff60, r >= 0x1f300:
		return 2
	}
	return 1
}
