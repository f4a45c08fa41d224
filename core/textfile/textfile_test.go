package textfile

import (
	"bytes"
	"strings"
	"testing"
	"unicode/utf8"
)

func TestDetect(t *testing.T) {
	for name, tt := range map[string]struct {
		in   string
		want *Encoding
	}{
		"empty":                  {"", UTF8},
		"ASCII":                  {"hello\n", UTF8},
		"UTF-8":                  {"größe 世界 😀\n", UTF8},
		"UTF-8 with mark":        {"\xef\xbb\xbfhello\n", UTF8BOM},
		"UTF-8, a few bad bytes": {"äöüß äöüß\n\xff\n", UTF8},
		"UTF-16LE":               {as(UTF16LE, "hello\n"), UTF16LE},
		"UTF-16BE":               {as(UTF16BE, "hello\n"), UTF16BE},
		"only a mark":            {"\xff\xfe", UTF16LE},
		"UTF-32":                 {"\xff\xfe\x00\x00a\x00\x00\x00", nil},
		"German":                 {as(CP1252, deutsch), CP1252},
		"French":                 {as(CP1252, "L’été dernier, à Nîmes, j’ai créé une œuvre.\n"), CP1252},
		"Spanish":                {as(CP1252, "¿Qué? ¡Mañana!\n"), CP1252},
		"capitals":               {as(CP1252, "ÄRGER ÜBER ÖL\n"), CP1252},
		"apostrophes only":       {as(CP1252, "I don’t think it’s right; we’re late\n"), CP1252},
		"one accent":             {as(CP1252, "caf\u00e9"), CP1252},
		"Chinese":                {as(GBK, zhongwen), GBK},
		"two characters":         {as(GBK, "a = \"中文\"\n"), GBK},
		"Chinese in code":        {as(GBK, "func main() { // 这是主函数\n\tx := 1 // 变量定义\n}\n"), GBK},
		"with four-byte codes":   {as(GB18030, zhongwen+"😀😀"), GB18030},
		"Japanese":               {as(ShiftJIS, nihongo), ShiftJIS},
		"Japanese in code":       {as(ShiftJIS, "int x; // 変数を宣言する\nreturn 0; // 終了します\n"), ShiftJIS},
		"C1 controls":            {"caf\xe9 \x81\n", Latin1},
		"late accent":            {strings.Repeat("x\n", 100_000) + "caf\xe9\n", CP1252},
		"NUL":                    {"abc\x00def", nil},
		"ELF":                    {"\x7fELF\x02\x01\x01\x00", nil},
		"random bytes":           {"\x93\x01\x05\xfe\x1c\x02\xaa\x03\x19\x07\x88\x04", nil},
		"colours of a terminal":  {"\x1b[31mred\x1b[0m\n", UTF8},
	} {
		t.Run(name, func(t *testing.T) {
			got := Detect([]byte(tt.in))
			if got != tt.want {
				t.Errorf("got %v, want %v", nameOf(got), nameOf(tt.want))
			}
		})
	}
}

func nameOf(e *Encoding) string {
	if e == nil {
		return "binary"
	}
	return e.Name
}

// A prefix may end in the middle of a character.
func TestDetectPrefix(t *testing.T) {
	whole := []byte("ab größe 世界 😀")
	for n := range len(whole) + 1 {
		if got := DetectPrefix(whole[:n]); got != UTF8 {
			t.Errorf("first %d bytes: got %s, want UTF-8", n, nameOf(got))
		}
	}
}

func TestNearest(t *testing.T) {
	const code = "package a\n\nfunc f() {\n\tif x {\n\t\treturn “yes”\n\t}\n}\n"
	for name, tt := range map[string]struct {
		text, want string
		line       int
		found, why string // why is a part of the first reason
	}{
		"tabs":              {code, "    if x {\n        return “yes”", 4, "\tif x {\n\t\treturn “yes”", "tabs in the file, spaces"},
		"spaces":            {"  a\n  bcd\n", "\ta\n\tbcd", 1, "  a\n  bcd", "spaces in the file, tabs"},
		"one tab":           {"a\n\tb\n", "    b", 2, "\tb", "tabs in the file, spaces"},
		"trailing":          {"one  \ntwo\n", "one\ntwo", 1, "one  \ntwo", "end of a line"},
		"quotes":            {code, "return \"yes\"", 5, "return “yes”", "quote style"},
		"dashes":            {"a – b\n", "a - b", 1, "a – b", "dash style"},
		"case":              {"Hello World\n", "hello world", 1, "Hello World", "upper and lower"},
		"normal form":       {"cafe\u0301 au lait\n", "café au", 1, "cafe\u0301 au", "normal form"},
		"zero width":        {"foo\u200bbar\n", "foobar", 1, "foo\u200bbar", "invisible"},
		"no-break space":    {"a\u00a0b\n", "a b", 1, "a\u00a0b", "white space"},
		"spacing":           {"f(a, b)\n", "f(a,b)", 1, "f(a, b)", "white space"},
		"line breaks":       {"one two\nthree\n", "one\ntwo three", 1, "one two\nthree", "line breaks"},
		"line numbers":      {"a\nb\nc\n", "     2\tb\n     3\tc", 2, "b\nc", "line numbers"},
		"escapes in yours":  {"a\n\tb\n", `a\n\tb`, 1, "a\n\tb", "escape sequences such as"},
		"escapes in file":   {`x = "a\nb"` + "\n", "a\nb", 1, `a\nb`, "real characters in your text"},
		"quotes and case":   {"Say ‘Hello’ now\n", "say 'hello' now", 1, "Say ‘Hello’ now", "quote style"},
		"one word differs":  {"alpha\nthe quick brown fox jumps\nomega\n", "the quick brown dog jumps", 2, "the quick brown fox jumps", "line 2 differs"},
		"one line of three": {"a\nfirst line here\nsecond line here\nthird line here\n", "first line here\nsecond lime here\nthird line here", 2, "first line here\nsecond line here\nthird line here", "line 3 differs"},
	} {
		t.Run(name, func(t *testing.T) {
			got, ok := Nearest(tt.text, tt.want)
			if !ok || got.Line != tt.line || got.Text != tt.found || len(got.Why) == 0 || !strings.Contains(got.Why[0], tt.why) {
				t.Errorf("got %+v %v, want line %d, %q, %q", got, ok, tt.line, tt.found, tt.why)
			}
		})
	}
	if got, ok := Nearest("nothing alike\n", "zzz qqq"); ok {
		t.Errorf("found %+v, want nothing", got)
	}
}

func TestEnding(t *testing.T) {
	for text, want := range map[string]struct {
		ending string
		mixed  bool
	}{
		"":              {"", false},
		"a":             {"", false},
		"a\n":           {"\n", false},
		"a\r\n":         {"\r\n", false},
		"a\r\nb\n":      {"\r\n", true},
		"a\nb\nc\r\n":   {"\n", true},
		"a\rb\r":        {"\r", false},
		"a\rb\n":        {"\n", false},
		"50%\r100%\r\n": {"\r\n", false},
	} {
		if got, mixed := Ending(text); got != want.ending || mixed != want.mixed {
			t.Errorf("Ending(%q) = %q, %v, want %q, %v", text, got, mixed, want.ending, want.mixed)
		}
	}
}

// FuzzRoundTrip: text that an encoding can write reads back the same, and any
// bytes decode to valid UTF-8 with each step moving on.
func FuzzRoundTrip(f *testing.F) {
	f.Add([]byte("größe"), "größe")
	f.Add([]byte(as(GBK, zhongwen)), zhongwen)
	f.Add([]byte(as(ShiftJIS, nihongo)), nihongo)
	f.Add([]byte("\x81\x30\x81\x30\xff"), "😀\u00a5")
	f.Fuzz(func(t *testing.T, raw []byte, text string) {
		for _, e := range []*Encoding{UTF8, UTF16LE, UTF16BE, CP1252, Latin1, GBK, GB18030, ShiftJIS} {
			if got := e.DecodeString(raw); !utf8.ValidString(got) {
				t.Errorf("%s decodes %q to %q", e.Name, raw, got)
			}
			b, _, ok := e.Encode(text)
			if ok && utf8.ValidString(text) && e.DecodeString(b) != text {
				t.Errorf("%s: %q reads back as %q", e.Name, text, e.DecodeString(b))
			}
		}
		if e := Detect(raw); e != nil && !bytes.HasPrefix(raw, e.BOM) {
			t.Errorf("%s is told for %q, which lacks its mark", e.Name, raw)
		}
	})
}

// FuzzNearest looks for anything in anything: no panic, and the place it
// names is in the text.
func FuzzNearest(f *testing.F) {
	f.Add("a\tb\nc", "a b")
	f.Add("e\u0301\u0301x", "éx")
	f.Add("\xff\xfe", "\xff")
	f.Fuzz(func(t *testing.T, text, want string) {
		n, ok := Nearest(text, want)
		if ok && (n.Line < 1 || n.Line > strings.Count(text, "\n")+1 && n.Line > strings.Count(text, "\r")+1) {
			t.Errorf("line %d of %q", n.Line, text)
		}
	})
}
