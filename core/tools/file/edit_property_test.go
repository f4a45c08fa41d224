package file

import (
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	"github.com/hobkin/hobkin/core/textfile"
)

// TestEditProperty edits made-up files in every encoding: exactly the bytes of
// the span change, and undo brings back bytes and mode.
func TestEditProperty(t *testing.T) {
	const german, chinese, japanese = "schöne Grüße für Köln über ", "第一行你好世界谢谢你们的帮助", "これは一行目のテキストです"
	for name, tt := range map[string]struct {
		enc             *textfile.Encoding
		known, alphabet string
	}{
		"UTF-8":     {textfile.UTF8, german, german + chinese + "😀👨‍👩‍👧e\u0301“”\t"},
		"with mark": {textfile.UTF8BOM, german, german + "😀"},
		"UTF-16LE":  {textfile.UTF16LE, german, german + chinese + "😀"},
		"UTF-16BE":  {textfile.UTF16BE, german, german + "😀"},
		"cp1252":    {textfile.CP1252, german, german + "€“”"},
		"GBK":       {textfile.GBK, chinese, chinese},
		"Shift-JIS": {textfile.ShiftJIS, japanese, japanese},
	} {
		t.Run(name, func(t *testing.T) {
			rng := rand.New(rand.NewPCG(7, 8))
			letters := []rune(tt.alphabet)
			words := func(n int, newline string) string {
				var b strings.Builder
				for range n {
					b.WriteRune(letters[rng.IntN(len(letters))])
					if rng.IntN(20) == 0 {
						b.WriteString(newline)
					}
				}
				return b.String()
			}
			for range 12 {
				newline := []string{"\n", "\r\n"}[rng.IntN(2)]
				// enough of the language before it that the encoding can be told
				head := tt.known + newline + words(rng.IntN(200), newline)
				old, now, tail := words(1+rng.IntN(20), newline)+"<mark>", words(rng.IntN(20), newline), words(rng.IntN(200), newline)
				newBench(t).property(tt.enc, head, old, now, tail)
			}
		})
	}
}

// property edits one file that is head, old and tail.
func (b *workbench) property(enc *textfile.Encoding, head, old, now, tail string) {
	b.t.Helper()
	raw := encoded(enc, head+old+tail)
	if found := textfile.Detect([]byte(raw)); found != enc {
		b.t.Fatalf("%q is taken for another encoding than %s", raw, enc.Name)
	}
	const mode = 0o640
	b.must(os.WriteFile(b.path("f"), []byte(raw), mode))
	b.must(os.Chmod(b.path("f"), mode))
	lines := func(s string) string { return strings.ReplaceAll(s, "\r\n", "\n") }
	b.ok("file_edit", argsOf(b.t, change1(lines(old), lines(now))))
	b.holds("f", encoded(enc, head+now+tail))
	b.ok("file_undo", `{"path": "f"}`)
	b.holds("f", raw)
	if info, err := os.Stat(b.path("f")); err != nil || info.Mode() != mode {
		b.t.Errorf("its mode is %v, %v", info.Mode(), err)
	}
}
