package textfile

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

// as encodes text in e, mark included.
func as(e *Encoding, text string) string {
	b, bad, ok := e.Encode(text)
	if !ok {
		panic("no bytes for " + string(bad))
	}
	return string(e.BOM) + string(b)
}

func one(old, now string) []Edit { return []Edit{{Old: old, New: now}} }
func all(old, now string) []Edit { return []Edit{{Old: old, New: now, All: true}} }

const (
	zhongwen = "第一行：你好，世界。\n第二行：谢谢你们的帮助。\n"
	nihongo  = "これは一行目です。\n二行目のテキストです。\n"
	deutsch  = "Schöne Grüße aus Köln\nfür 5 €\n"
)

// TestApply is the table of edits: what a file holds, what is asked, and what
// it holds afterwards, byte for byte.
func TestApply(t *testing.T) {
	for name, tt := range map[string]struct {
		in    string
		edits []Edit
		want  string
		err   error
		n     int // places; 0 means 1
	}{
		// plain
		"one word":                 {in: "foo bar\n", edits: one("foo", "baz"), want: "baz bar\n"},
		"several lines":            {in: "a\nb\nc\n", edits: one("a\nb", "x"), want: "x\nc\n"},
		"insert by repeating":      {in: "a\nc\n", edits: one("a\n", "a\nb\n"), want: "a\nb\nc\n"},
		"delete a line":            {in: "a\nb\nc\n", edits: one("b\n", ""), want: "a\nc\n"},
		"delete everything":        {in: "abc", edits: one("abc", ""), want: ""},
		"whole file":               {in: "abc\n", edits: one("abc\n", "xyz"), want: "xyz"},
		"regexp signs are text":    {in: "a.b*c\n", edits: one(".b*", "$1"), want: "a$1c\n"},
		"percent and backslash":    {in: "a%d\\n\n", edits: one(`%d\n`, `%s\t`), want: "a%s\\t\n"},
		"at the very start":        {in: "abc", edits: one("a", "x"), want: "xbc"},
		"at the very end":          {in: "abc", edits: one("c", "x"), want: "abx"},
		"new holds old":            {in: "foo\n", edits: one("foo", "foofoo"), want: "foofoo\n"},
		"very long line":           {in: strings.Repeat("x", 200_000) + "foo\n", edits: one("foo", "bar"), want: strings.Repeat("x", 200_000) + "bar\n"},
		"NUL beyond the first 8 K": {in: strings.Repeat("x", 9000) + "\x00foo", edits: one("foo", "bar"), want: strings.Repeat("x", 9000) + "\x00bar"},

		// uniqueness
		"twice":                        {in: "a b a\n", edits: one("a", "x"), err: ErrNotUnique},
		"twice, made unique by more":   {in: "a b a c\n", edits: one("a c", "x c"), want: "a b x c\n"},
		"overlapping counts":           {in: "aaa\n", edits: one("aa", "b"), err: ErrNotUnique},
		"overlapping, all":             {in: "aaaa\n", edits: all("aa", "b"), want: "bb\n", n: 2},
		"overlapping, all, odd":        {in: "aaa\n", edits: all("aa", "b"), want: "ba\n"},
		"all":                          {in: "a b a\n", edits: all("a", "xx"), want: "xx b xx\n", n: 2},
		"all of one":                   {in: "a b\n", edits: all("a", "x"), want: "x b\n"},
		"all of none":                  {in: "a b\n", edits: all("z", "x"), err: ErrNotFound},
		"twice, endings differ":        {in: "a\r\nb\na\nb\n", edits: one("a\nb", "x"), err: ErrNotUnique},
		"all, endings differ":          {in: "a\r\nb\na\nb\n", edits: all("a\nb", "x\ny"), want: "x\r\ny\nx\ny\n", n: 2},
		"same old and new":             {in: "a\n", edits: one("a", "a"), err: ErrSame},
		"same but for the ending":      {in: "a\r\nb\r\n", edits: one("a\nb", "a\r\nb"), err: ErrSame},
		"edits that cancel out":        {in: "a\n", edits: []Edit{{Old: "a", New: "b"}, {Old: "b", New: "a"}}, err: ErrSame},
		"empty old":                    {in: "a\n", edits: one("", "x"), err: ErrEmpty},
		"empty file":                   {in: "", edits: one("", "x\n"), want: "x\n"},
		"empty file with mark":         {in: "\xef\xbb\xbf", edits: one("", "x\n"), want: "\xef\xbb\xbfx\n"},
		"empty file, something wanted": {in: "", edits: one("a", "x\n"), err: ErrNotFound},
		"not there":                    {in: "abc\n", edits: one("abd", "x"), err: ErrNotFound},
		"case counts":                  {in: "Foo\n", edits: one("foo", "x"), err: ErrNotFound},

		// several edits
		"two edits":             {in: "a b\n", edits: []Edit{{Old: "a", New: "x"}, {Old: "b", New: "y"}}, want: "x y\n", n: 2},
		"second sees the first": {in: "a\n", edits: []Edit{{Old: "a", New: "b"}, {Old: "b", New: "c"}}, want: "c\n", n: 2},
		"overlapping edits":     {in: "abc\n", edits: []Edit{{Old: "ab", New: "x"}, {Old: "bc", New: "y"}}, err: ErrNotFound},
		"all or nothing":        {in: "a b\n", edits: []Edit{{Old: "a", New: "x"}, {Old: "z", New: "y"}}, err: ErrNotFound},
		"none":                  {in: "a\n", edits: nil, want: "a\n", n: -1},

		// line endings
		"CRLF kept":                 {in: "a\r\nb\r\nc\r\n", edits: one("a\nb", "x\ny"), want: "x\r\ny\r\nc\r\n"},
		"CRLF in old too":           {in: "a\r\nb\r\n", edits: one("a\r\nb", "x\r\ny"), want: "x\r\ny\r\n"},
		"CRLF in old, LF file":      {in: "a\nb\n", edits: one("a\r\nb", "x\r\ny"), want: "x\ny\n"},
		"CRLF in new only":          {in: "a\r\nb\r\n", edits: one("a", "x\r\ny"), want: "x\r\ny\r\nb\r\n"},
		"new lines in a CRLF file":  {in: "a\r\nb\r\n", edits: one("b", "b\nc"), want: "a\r\nb\r\nc\r\n"},
		"ending to the letter":      {in: "a\r\nb\r\n", edits: one("a\r\n", "a\n"), want: "a\nb\r\n"},
		"mixed: LF stays LF":        {in: "a\r\nb\nc\r\nd\r\n", edits: one("b\nc", "B\nC"), want: "a\r\nB\nC\r\nd\r\n"},
		"mixed: across both":        {in: "a\r\nb\nc\r\n", edits: one("a\nb\nc", "a\nX\nc"), want: "a\r\nX\nc\r\n"},
		"mixed: new gets most":      {in: "a\r\nb\r\nc\nd\r\n", edits: one("c", "c1\nc2"), want: "a\r\nb\r\nc1\r\nc2\nd\r\n"},
		"old Mac endings":           {in: "a\rb\rc\r", edits: one("a\nb", "x\ny"), want: "x\ry\rc\r"},
		"return inside a line":      {in: "a\rb\nc\n", edits: one("c", "x\ny"), want: "a\rb\nx\ny\n"},
		"double return":             {in: "a\r\r\nb\r\r\n", edits: one("b", "x"), want: "a\r\r\nx\r\r\n"},
		"no final newline stays":    {in: "a\nb", edits: one("b", "x"), want: "a\nx"},
		"no final newline, CRLF":    {in: "a\r\nb", edits: one("b", "x\ny"), want: "a\r\nx\r\ny"},
		"final newline stays":       {in: "a\nb\n", edits: one("b", "x"), want: "a\nx\n"},
		"one line, new with CRLF":   {in: "a", edits: one("a", "x\r\ny"), want: "x\r\ny"},
		"blank lines":               {in: "a\n\n\nb\n", edits: one("\n\n\n", "\n"), want: "a\nb\n"},
		"blank CRLF lines":          {in: "a\r\n\r\nb\r\n", edits: one("a\n\nb", "a\nb"), want: "a\r\nb\r\n"},
		"spaces at line ends count": {in: "a  \nb\n", edits: one("a\nb", "x"), err: ErrNotFound},
		"tabs are not spaces":       {in: "\tif x {\n", edits: one("    if x {", "y"), err: ErrNotFound},

		// characters
		"emoji":                   {in: "a 😀 b\n", edits: one("😀", "🚀"), want: "a 🚀 b\n"},
		"emoji that share bytes":  {in: "x😀y\n", edits: one("😀", "😁"), want: "x😁y\n"},
		"family emoji":            {in: "👨‍👩‍👧 x\n", edits: one("👨‍👩‍👧", "👪"), want: "👪 x\n"},
		"CJK":                     {in: zhongwen, edits: one("世界", "朋友"), want: strings.Replace(zhongwen, "世界", "朋友", 1)},
		"combining mark":          {in: "cafe\u0301\n", edits: one("cafe\u0301", "tea"), want: "tea\n"},
		"composed for decomposed": {in: "cafe\u0301\n", edits: one("caf\u00e9", "tea"), err: ErrNotFound},
		"curly quotes":            {in: "“hi”\n", edits: one("“hi”", "\"hi\""), want: "\"hi\"\n"},
		"straight for curly":      {in: "“hi”\n", edits: one("\"hi\"", "x"), err: ErrNotFound},
		"no-break space":          {in: "a\u00a0b\n", edits: one("a b", "x"), err: ErrNotFound},
		"right to left":           {in: "שלום עולם\n", edits: one("עולם", "חבר"), want: "שלום חבר\n"},

		// encodings
		"UTF-8 mark stays":           {in: "\xef\xbb\xbfa\n", edits: one("a", "x"), want: "\xef\xbb\xbfx\n"},
		"UTF-8 mark, whole file":     {in: "\xef\xbb\xbfa\n", edits: one("a\n", "ü\n"), want: "\xef\xbb\xbfü\n"},
		"UTF-16LE":                   {in: as(UTF16LE, "ab\r\ncd\r\n"), edits: one("ab\ncd", "x\n😀"), want: as(UTF16LE, "x\r\n😀\r\n")},
		"UTF-16BE":                   {in: as(UTF16BE, "größe 😀\n"), edits: one("größe 😀", "klein"), want: as(UTF16BE, "klein\n")},
		"UTF-16LE, odd byte at end":  {in: as(UTF16LE, "ab\n") + "x", edits: one("a", "c"), want: as(UTF16LE, "cb\n") + "x"},
		"UTF-16LE, half a pair":      {in: as(UTF16LE, "ab") + "\x00\xd8" + "c\x00", edits: one("a", "x"), want: as(UTF16LE, "xb") + "\x00\xd8" + "c\x00"},
		"cp1252":                     {in: as(CP1252, deutsch), edits: one("Köln", "Düren"), want: as(CP1252, strings.Replace(deutsch, "Köln", "Düren", 1))},
		"cp1252 takes the euro":      {in: as(CP1252, deutsch), edits: one("für", "€"), want: as(CP1252, strings.Replace(deutsch, "für", "€", 1))},
		"cp1252 takes no Greek":      {in: as(CP1252, deutsch), edits: one("für", "λ"), err: ErrUnencodable},
		"cp1252 takes no emoji":      {in: as(CP1252, deutsch), edits: one("für", "😀"), err: ErrUnencodable},
		"cp1252 curly quotes":        {in: as(CP1252, "“It’s”\nit’s don’t\n"), edits: one("It’s", "Isn’t"), want: as(CP1252, "“Isn’t”\nit’s don’t\n")},
		"cp1252, CRLF":               {in: as(CP1252, "ä\r\nö\r\n"), edits: one("ä\nö", "Ä\nÖ\nÜ"), want: as(CP1252, "Ä\r\nÖ\r\nÜ\r\n")},
		"Latin-1 with C1":            {in: "caf\xe9 \x81 ol\xe9\n", edits: one("olé", "ole"), want: "caf\xe9 \x81 ole\n"},
		"GBK":                        {in: as(GBK, zhongwen), edits: one("世界", "朋友"), want: as(GBK, strings.Replace(zhongwen, "世界", "朋友", 1))},
		"GBK: trail byte is no text": {in: as(GBK, "包含乗的文字，你好\n乗|x\n"), edits: one("|", "-"), want: as(GBK, "包含乗的文字，你好\n乗-x\n")},
		"GBK takes no emoji":         {in: as(GBK, zhongwen), edits: one("世界", "😀"), err: ErrUnencodable},
		"GB18030":                    {in: as(GB18030, zhongwen+"表情😀\n"), edits: one("😀", "🚀好"), want: as(GB18030, zhongwen+"表情🚀好\n")},
		"Shift-JIS":                  {in: as(ShiftJIS, nihongo), edits: one("二行目", "最後"), want: as(ShiftJIS, strings.Replace(nihongo, "二行目", "最後", 1))},
		"Shift-JIS: 0x5C as trail":   {in: as(ShiftJIS, "表示するソース\n表\\n です\n"), edits: one(`\n`, "/"), want: as(ShiftJIS, "表示するソース\n表/ です\n")},
		"Shift-JIS takes no yen":     {in: as(ShiftJIS, nihongo), edits: one("二行目", "¥"), err: ErrUnencodable},
		"UTF-8 with a bad byte":      {in: "größe für müde\nx\xffy\n", edits: one("müde", "wach"), want: "größe für wach\nx\xffy\n"},
		"GBK: a bad byte before":     {in: "\xac\xca\xc0\xbd\xe7\n\xb6\xfe\xd0У\xbaл", edits: one("世", "A"), err: ErrUnsound},
		"a bad byte in the span":     {in: "größe für müde\nx\xffy\n", edits: one("x\uFFFDy", "z"), err: ErrUnsound},
	} {
		t.Run(name, func(t *testing.T) {
			text, ok := Decode([]byte(tt.in))
			if !ok {
				t.Fatalf("%q is taken for binary", tt.in)
			}
			got, n, err := text.Apply(tt.edits)
			if !errors.Is(err, tt.err) {
				t.Fatalf("error %v, want %v (read as %s)", err, tt.err, text.Encoding.Name)
			}
			if err != nil {
				return
			}
			if string(got.Bytes()) != tt.want {
				t.Errorf("got %q, want %q (read as %s)", got.Bytes(), tt.want, text.Encoding.Name)
			}
			if want := max(tt.n, 0); n != want && !(tt.n == 0 && n == 1) {
				t.Errorf("%d places, want %d", n, tt.n)
			}
			if again := text.Encoding.decode(got.Bytes()).String(); again != got.String() {
				t.Errorf("the text is %q, its bytes read %q", got.String(), again)
			}
		})
	}
}

func TestNotUniqueNamesLines(t *testing.T) {
	text, _ := Decode([]byte("x\r\na\r\nx\r\n\r\nx x\r\n"))
	_, _, err := text.Apply(one("x", "y"))
	fault, ok := errors.AsType[*EditError](err)
	if !ok || fault.Count != 4 || !slices.Equal(fault.Lines, []int{1, 3, 5, 5}) {
		t.Errorf("got %+v, want 4 times in lines 1, 3, 5, 5", fault)
	}
}

func TestFailureNamesEdit(t *testing.T) {
	text, _ := Decode([]byte(as(CP1252, deutsch)))
	_, _, err := text.Apply([]Edit{{Old: "Köln", New: "Bonn"}, {Old: "für", New: "für λ"}})
	fault, ok := errors.AsType[*EditError](err)
	if !ok || fault.Index != 1 || fault.Rune != 'λ' {
		t.Errorf("got %+v, want edit 1 and the letter λ", fault)
	}
}

// FuzzApply edits any file in any way: what stands outside the span stays to
// the byte, and the text of the result is what was asked for.
func FuzzApply(f *testing.F) {
	f.Add([]byte("a\r\nb\n"), "a\nb", "x\ny", true)
	f.Add([]byte(as(UTF16LE, "größe 😀\r\n")), "😀", "x", false)
	f.Add([]byte(as(GBK, zhongwen)), "世界", "友", false)
	f.Add([]byte(as(ShiftJIS, nihongo)), "目", "x\n", true)
	f.Add([]byte(as(CP1252, deutsch)), "ö", "oe", true)
	f.Add([]byte("größe für müde\nx\xffy\n"), "x", "y", true)
	f.Add([]byte("a\rb\r"), "a\n", "", false)
	f.Fuzz(func(t *testing.T, raw []byte, old, now string, everywhere bool) {
		text, ok := Decode(raw)
		if !ok || !utf8.ValidString(old) || !utf8.ValidString(now) {
			return
		}
		before := string(raw)
		got, n, err := text.Apply([]Edit{{Old: old, New: now, All: everywhere}})
		if string(raw) != before {
			t.Fatal("the input was changed")
		}
		if err != nil {
			return
		}
		outside(t, text, got, Edit{old, now, everywhere}, n)
	})
}

// outside checks an edit that was made: the bytes before the first occurrence
// and after the last are the same, and the text around is too.
func outside(t *testing.T, text, got *Text, e Edit, n int) {
	t.Helper()
	p := text.plan(e)
	starts := p.occurrences()
	if text.str == "" {
		starts = []int{0}
	}
	if len(starts) != n {
		t.Fatalf("%d places changed, %d are there", n, len(starts))
	}
	c := cursor{text: text}
	ends := p.hay.back([]int{starts[0], starts[n-1] + len(p.old)})
	from, _, _ := c.rawSpan(ends[0], ends[0])
	to, _, _ := c.rawSpan(ends[1], ends[1])
	if !strings.HasPrefix(string(got.raw), string(text.raw[:from])) {
		t.Errorf("bytes before the span changed: %q → %q", text.raw, got.raw)
	}
	if !strings.HasSuffix(string(got.raw), string(text.raw[to:])) {
		t.Errorf("bytes after the span changed: %q → %q", text.raw, got.raw)
	}
	if n == 1 && p.ending != "" && !strings.Contains(text.str, "\r") {
		want := text.str[:starts[0]] + p.new + text.str[starts[0]+len(p.old):]
		if got.str != want {
			t.Errorf("text is %q, want %q", got.str, want)
		}
	}
}
