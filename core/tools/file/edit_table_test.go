package file

import (
	"encoding/json"
	"io/fs"
	"os"
	"strings"
	"testing"

	"github.com/hobkin/hobkin/core/textfile"
)

// encoded is text in an encoding, mark included.
func encoded(e *textfile.Encoding, text string) string {
	b, _, ok := e.Encode(text)
	if !ok {
		panic("no bytes for " + text)
	}
	return string(e.BOM) + string(b)
}

// argsOf makes the arguments of a call on the file f.
func argsOf(t testing.TB, in editIn) string {
	t.Helper()
	in.Path = "f"
	data, err := json.Marshal(in)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func change1(old, now string) editIn { return editIn{OldString: old, NewString: now} }

func changeAll(old, now string) editIn {
	return editIn{OldString: old, NewString: now, ReplaceAll: true}
}

// editCases is what file_edit does to a file, byte for byte, through the whole
// path of a call. Of a failure: its code, a part of what it says and a part of
// the way on that it gives; the file stays as it was.
var editCases = map[string]struct {
	before, after   string
	edit            editIn
	code, says, try string
}{
	// uniqueness
	"once":                      {before: "one\ntwo\n", edit: change1("two", "2"), after: "one\n2\n"},
	"three times":               {before: "x\nx\n\nx\n", edit: change1("x", "y"), code: "not_unique", says: "3 times, in lines 1, 2, 4", try: "replace_all"},
	"twice in a line":           {before: "x x\n", edit: change1("x", "y"), code: "not_unique", says: "2 times, in lines 1, 1", try: "until it is unique"},
	"many times":                {before: strings.Repeat("x\n", 100), edit: change1("x", "y"), code: "not_unique", says: "100 times, in lines 1, 2, 3", try: "add lines"},
	"overlapping":               {before: "aaa", edit: change1("aa", "b"), code: "not_unique", says: "2 times", try: "unique"},
	"replace all":               {before: "x y x\n", edit: changeAll("x", "zz"), after: "zz y zz\n"},
	"replace all, overlapping":  {before: "aaaa", edit: changeAll("aa", "b"), after: "bb"},
	"replace all, deleting":     {before: "a-b-c\n", edit: changeAll("-", ""), after: "abc\n"},
	"replace all of none":       {before: "abc\n", edit: changeAll("zzz", "x"), code: "not_found", says: "nothing in it is alike", try: "file_read"},
	"unique by its line before": {before: "a\nx\nb\nx\n", edit: change1("b\nx", "b\ny"), after: "a\nx\nb\ny\n"},

	// nothing to do
	"same old and new":      {before: "a\n", edit: change1("a", "a"), code: "no_change", says: "old_string and its new_string are the same", try: "say what should change"},
	"same but for endings":  {before: "a\r\nb\r\n", edit: change1("a\nb", "a\r\nb"), code: "no_change", says: "are the same", try: "leave the edit out"},
	"edits that cancel out": {before: "a\n", edit: editIn{Edits: []oneEdit{{OldString: "a", NewString: "b"}, {OldString: "b", NewString: "a"}}}, code: "no_change", says: "would not change", try: "leave the edit out"},
	"empty old":             {before: "a\n", edit: change1("", "x"), code: "empty_old_string", says: "old_string is empty and", try: "repeat the line beside it"},
	"empty file":            {before: "", edit: change1("", "x\n"), after: "x\n"},
	"empty file, some old":  {before: "", edit: change1("a", "x"), code: "not_found", says: "nothing in it is alike", try: "file_read"},
	"both ways":             {before: "a", edit: editIn{OldString: "a", NewString: "b", Edits: []oneEdit{{OldString: "a"}}}, code: "bad_input", says: "both edits and old_string", try: "one of them"},

	// nearest match
	"tabs against spaces":     {before: "if x {\n\treturn\n}\n", edit: change1("    return", "y"), code: "not_found", says: "line 2 and differs in: indentation (tabs in the file, spaces in your text)", try: "copy the text exactly"},
	"spaces against tabs":     {before: "if x {\n    return\n}\n", edit: change1("\treturn", "y"), code: "not_found", says: "line 2 and differs in: indentation (spaces in the file, tabs in your text)", try: "copy the text exactly"},
	"straight against curly":  {before: "say “hello”\n", edit: change1(`say "hello"`, "y"), code: "not_found", says: "line 1 and differs in: quote style", try: "copy"},
	"curly against straight":  {before: "it's\n", edit: change1("it’s", "y"), code: "not_found", says: "quote style", try: "copy"},
	"dash style":              {before: "a — b c\n", edit: change1("a - b c", "y"), code: "not_found", says: "dash style", try: "copy"},
	"case":                    {before: "Hello World\n", edit: change1("hello world", "y"), code: "not_found", says: "upper and lower case", try: "copy"},
	"decomposed":              {before: "cafe\u0301 au lait\n", edit: change1("caf\u00e9 au lait", "y"), code: "not_found", says: "normal form", try: "copy"},
	"zero width":              {before: "foo\u200bbar\n", edit: change1("foobar", "y"), code: "not_found", says: "invisible", try: "copy"},
	"no-break space":          {before: "5\u00a0km away\n", edit: change1("5 km away", "y"), code: "not_found", says: "white space", try: "copy"},
	"spaces at the end":       {before: "one  \ntwo\n", edit: change1("one\ntwo", "y"), code: "not_found", says: "end of a line", try: "copy"},
	"line numbers copied":     {before: "a\nbcd\ncde\n", edit: change1("     2\tbcd\n     3\tcde", "y"), code: "not_found", says: "line numbers", try: "without line numbers"},
	"one word wrong":          {before: "alpha\nthe quick brown fox\nomega\n", edit: change1("the quick brown dog", "y"), code: "not_found", says: "nearest text is in line 2", try: "copy"},
	"the second edit is lost": {before: "alpha beta\n", edit: editIn{Edits: []oneEdit{{OldString: "alpha", NewString: "x"}, {OldString: "alpha beta", NewString: "y"}}}, code: "not_found", says: "the old_string of edit 2", try: "file_read"},

	// several edits
	"two edits":             {before: "a b\n", edit: editIn{Edits: []oneEdit{{OldString: "a", NewString: "x"}, {OldString: "b", NewString: "y"}}}, after: "x y\n"},
	"each sees the last":    {before: "a\n", edit: editIn{Edits: []oneEdit{{OldString: "a", NewString: "bb"}, {OldString: "b", NewString: "c", ReplaceAll: true}}}, after: "cc\n"},
	"overlapping edits":     {before: "abcd\n", edit: editIn{Edits: []oneEdit{{OldString: "abc", NewString: "x"}, {OldString: "bcd", NewString: "y"}}}, code: "not_found", says: "edit 2", try: "file_read"},
	"all or none":           {before: "a b\n", edit: editIn{Edits: []oneEdit{{OldString: "a", NewString: "x"}, {OldString: "x b", NewString: "x b"}}}, code: "no_change", says: "edit 2", try: "leave the edit out"},
	"second is not unique":  {before: "a b b\n", edit: editIn{Edits: []oneEdit{{OldString: "a", NewString: "x"}, {OldString: "b", NewString: "y"}}}, code: "not_unique", says: "the old_string of edit 2 is in", try: "replace_all"},
	"second makes no bytes": {before: encoded(textfile.CP1252, "für Köln\n"), edit: editIn{Edits: []oneEdit{{OldString: "für", NewString: "in"}, {OldString: "Köln", NewString: "Ω"}}}, code: "not_encodable", says: "Windows-1252, which has no 'Ω' (U+03A9)", try: "use other characters"},

	// line endings
	"CRLF":                    {before: "a\r\nb\r\nc\r\n", edit: change1("a\nb", "x\ny\nz"), after: "x\r\ny\r\nz\r\nc\r\n"},
	"mixed endings":           {before: "a\r\nb\nc\r\n", edit: change1("b", "B"), after: "a\r\nB\nc\r\n"},
	"mixed, over both":        {before: "a\r\nb\nc\r\n", edit: change1("a\nb\nc", "a\nX\nc"), after: "a\r\nX\nc\r\n"},
	"old Mac":                 {before: "a\rb\r", edit: change1("b", "x\ny"), after: "a\rx\ry\r"},
	"no final newline":        {before: "a\nb", edit: change1("b", "c"), after: "a\nc"},
	"a final newline goes":    {before: "a\nb\n", edit: change1("b\n", "b"), after: "a\nb"},
	"a final newline comes":   {before: "a\r\nb", edit: change1("b", "b\n"), after: "a\r\nb\r\n"},
	"blank CRLF lines":        {before: "a\r\n\r\n\r\nb\r\n", edit: change1("a\n\n\nb", "a\nb"), after: "a\r\nb\r\n"},
	"to the letter with CRLF": {before: "a\r\nb\r\n", edit: change1("a\r\n", "a\n"), after: "a\nb\r\n"},

	// characters and encodings
	"mark":                  {before: "\xef\xbb\xbfa\n", edit: change1("a", "ü"), after: "\xef\xbb\xbfü\n"},
	"mark, first character": {before: "\xef\xbb\xbfa", edit: change1("a", "b"), after: "\xef\xbb\xbfb"},
	"mark in old_string":    {before: "\xef\xbb\xbfabc\n", edit: change1("\ufeffabc", "x"), code: "not_found", says: "invisible", try: "copy"},
	"cp1252":                {before: "Gr\xfc\xdfe f\xfcr 5 \x80\r\n", edit: change1("für", "über"), after: "Gr\xfc\xdfe \xfcber 5 \x80\r\n"},
	"cp1252, curly quotes":  {before: "Gr\xfc\xdfe \x93a\x94\n", edit: change1("“a”", "„b“"), after: "Gr\xfc\xdfe \x84b\x93\n"},
	"cp1252, no emoji":      {before: "Gr\xfc\xdfe f\xfcr alle\n", edit: change1("alle", "😀"), code: "not_encodable", says: "which has no '😀' (U+1F600)", try: "file_write, which makes it UTF-8"},
	"GBK":                   {before: encoded(textfile.GBK, "第一行：你好，世界。\n"), edit: change1("世界", "朋友"), after: encoded(textfile.GBK, "第一行：你好，朋友。\n")},
	"GBK, no emoji":         {before: encoded(textfile.GBK, "第一行：你好，世界。\n"), edit: change1("世界", "😀"), code: "not_encodable", says: "is GBK", try: "other characters"},
	"Shift-JIS":             {before: encoded(textfile.ShiftJIS, "これは一行目です。\n二行目のテキスト\n"), edit: change1("二行目", "最後"), after: encoded(textfile.ShiftJIS, "これは一行目です。\n最後のテキスト\n")},
	"UTF-16LE":              {before: encoded(textfile.UTF16LE, "größe\r\n😀\r\n"), edit: change1("😀", "🚀🚀"), after: encoded(textfile.UTF16LE, "größe\r\n🚀🚀\r\n")},
	"UTF-16BE":              {before: encoded(textfile.UTF16BE, "a\nb\n"), edit: change1("a\nb", "x"), after: encoded(textfile.UTF16BE, "x\n")},
	"UTF-8, a bad byte":     {before: "größe für müde\nx\xffy\n", edit: change1("müde", "wach"), after: "größe für wach\nx\xffy\n"},
	"the bad byte itself":   {before: "größe für müde\nx\xffy\n", edit: change1("x\uFFFDy", "z"), code: "not_encodable", says: "line 2 of", try: "file_write"},
	"CJK":                   {before: "你好，世界\n", edit: change1("，世界", "。"), after: "你好。\n"},
	"emoji of several":      {before: "👨‍👩‍👧 and 🇩🇪\n", edit: change1("🇩🇪", "🇫🇷"), after: "👨‍👩‍👧 and 🇫🇷\n"},
	"skin tone alone":       {before: "👍🏽\n", edit: change1("🏽", ""), after: "👍\n"},
	"combining mark":        {before: "e\u0301e\n", edit: change1("e\u0301", "x"), after: "xe\n"},
	"right to left":         {before: "שלום עולם\n", edit: change1("עולם", "לך"), after: "שלום לך\n"},
	"regexp signs":          {before: "a.*b$1\n", edit: change1(".*b$1", "$0\\1"), after: "a$0\\1\n"},
	"a very long line":      {before: strings.Repeat("é", 200_000) + "x\n", edit: change1("x", "y"), after: strings.Repeat("é", 200_000) + "y\n"},

	// no text
	"binary": {before: "\x7fELF\x00\x01", edit: change1("ELF", "x"), code: "not_text", says: "is binary", try: "a program for its format"},
	"PDF":    {before: "%PDF-1.4\n1 0 obj", edit: change1("obj", "x"), code: "not_text", says: "is a PDF", try: "pandoc"},
}

func TestEditTable(t *testing.T) {
	for name, tt := range editCases {
		t.Run(name, func(t *testing.T) {
			b := newBench(t)
			b.put("f", tt.before)
			args := argsOf(t, tt.edit)
			if tt.code == "" {
				b.ok("file_edit", args)
				b.holds("f", tt.after)
				b.ok("file_undo", `{"path": "f"}`)
				b.holds("f", tt.before)
				b.clean()
				return
			}
			u := b.fails("file_edit", args, tt.code)
			if !contains(u.Message, tt.says) || !contains(u.Try, tt.try) {
				t.Errorf("it says %q and advises %q; want %q and %q", u.Message, u.Try, tt.says, tt.try)
			}
			b.holds("f", tt.before)
			b.clean()
		})
	}
	t.Logf("edit table: %d cases through the tool", len(editCases))
}

// TestEditCircumstances is the part of the table that is about the file itself,
// not about its text.
func TestEditCircumstances(t *testing.T) {
	edit := argsOf(t, change1("old", "new"))
	for name, tt := range map[string]struct {
		prepare         func(b *workbench)
		code, says, try string
		after           string // of f, or of the file a link leads to
	}{
		"nothing there":      {prepare: func(b *workbench) { b.put("g", "old") }, code: "not_found", says: "there is nothing at", try: "list_dir"},
		"a folder":           {prepare: func(b *workbench) { b.must(os.Mkdir(b.path("f"), 0o700)) }, code: "is_folder", says: "is a folder", try: "list_dir"},
		"write-protected":    {prepare: func(b *workbench) { b.put("f", "old"); b.must(os.Chmod(b.path("f"), 0o400)) }, code: "read_only", says: "write-protected (mode -r--------)", try: "lift the protection", after: "old"},
		"changed since":      {prepare: func(b *workbench) { b.put("f", "old"); b.ok("file_read", `{"path": "f"}`); b.put("f", "old too") }, code: "stale", says: "changed since it was read", try: "read it again", after: "old too"},
		"same bytes again":   {prepare: func(b *workbench) { b.put("f", "old"); b.ok("file_read", `{"path": "f"}`); b.put("f", "old") }, after: "new"},
		"a link":             {prepare: func(b *workbench) { b.put("to", "old"); b.must(os.Symlink("to", b.path("f"))) }, after: "new"},
		"a link outside":     {prepare: func(b *workbench) { b.must(os.Symlink("/etc/hostname", b.path("f"))) }, code: "protected_path", says: "/etc is protected", try: "work without it"},
		"a loop":             {prepare: func(b *workbench) { b.must(os.Symlink("f", b.path("f"))) }, code: "too_many_symlinks", says: "links follow one another", try: "the path that the links lead to"},
		"a hard link":        {prepare: func(b *workbench) { b.put("f", "old"); b.must(os.Link(b.path("f"), b.path("second"))) }, after: "new"},
		"its mode stays":     {prepare: func(b *workbench) { b.put("f", "old"); b.must(os.Chmod(b.path("f"), 0o751)) }, after: "new"},
		"too large":          {prepare: func(b *workbench) { b.put("f", "old"+strings.Repeat("x", 200)); b.host.Limits.Change = 100 }, code: "too_big", says: "the most is 100 B", try: "content_search"},
		"as large as may be": {prepare: func(b *workbench) { b.put("f", "old"); b.host.Limits.Change = 3 }, after: "new"},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t)
			tt.prepare(b)
			before, err := os.Stat(b.path("f"))
			if tt.code != "" {
				u := b.fails("file_edit", edit, tt.code)
				if !contains(u.Message, tt.says) || !contains(u.Try, tt.try) {
					t.Errorf("it says %q and advises %q; want %q and %q", u.Message, u.Try, tt.says, tt.try)
				}
			} else {
				b.ok("file_edit", edit)
			}
			if tt.after != "" {
				b.holds("f", tt.after)
			}
			if now, nowErr := os.Stat(b.path("f")); err == nil && nowErr == nil && now.Mode() != before.Mode() {
				t.Errorf("its mode was %v and is %v", before.Mode(), now.Mode())
			}
			if link, err := os.Lstat(b.path("f")); name == "a link" && (err != nil || link.Mode()&fs.ModeSymlink == 0) {
				t.Errorf("the link is no link any more: %v", err)
			}
			if name == "a hard link" {
				b.holds("second", "old")
			}
			b.clean()
		})
	}
}

func (b *workbench) must(err error) {
	b.t.Helper()
	if err != nil {
		b.t.Fatal(err)
	}
}
