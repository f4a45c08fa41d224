package vt_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/hobkin/hobkin/core/vt"
)

// draw gives what a screen of 20 × 4 shows, whole and byte by byte.
func draw(t *testing.T, text string) string {
	t.Helper()
	run := func(size int) string {
		var lines []string
		s := vt.NewScreen(20, 4, func(l string) { lines = append(lines, l) })
		for b := []byte(text); len(b) > 0; b = b[min(size, len(b)):] {
			_, _ = s.Write(b[:min(size, len(b))])
		}
		s.Flush()
		return strings.Join(lines, "\n")
	}
	whole := run(len(text) + 1)
	if slow := run(1); slow != whole {
		t.Errorf("byte by byte %q, whole %q", slow, whole)
	}
	return whole
}

func TestScreen(t *testing.T) {
	for name, tt := range map[string]struct{ in, want string }{
		"lines":              {"one\r\ntwo\r\n", "one\ntwo"},
		"progress":           {"10 %\r50 %\r100 %\r\ndone\r\n", "100 %\ndone"},
		"shorter over":       {"downloading\rok\x1b[K\r\n", "ok"},
		"colours":            {"\x1b[1;31mred\x1b[0m \x1b[38;5;12mblue\x1b[38:2::1:2:3m!\x1b[m\r\n", "red blue!"},
		"title":              {"\x1b]0;evil title\x07a\x1b]8;;https://x\x1b\\b\x1bPq1\x1b\\c", "abc"},
		"unended title":      {"a\x1b]0;never", "a"},
		"scrolls":            {"1\r\n2\r\n3\r\n4\r\n5\r\n6", "1\n2\n3\n4\n5\n6"},
		"bars":               {"a: 1\r\nb: 1\r\n\x1b[2Aa: 9\r\nb: 9\r\n", "a: 9\nb: 9"},
		"wraps":              {strings.Repeat("x", 45) + "\r\nend", strings.Repeat("x", 45) + "\nend"},
		"exactly full":       {strings.Repeat("x", 20) + "\r\nend", strings.Repeat("x", 20) + "\nend"},
		"full screen":        {"before\r\n\x1b[?1049h\x1b[Hmenu\x1b[4;1Hkeys\x1b[?1049lafter\r\n", "before\nmenu\n\n\nkeys\nafter"},
		"clear":              {"old\r\n\x1b[2J\x1b[Hnew", "new"},
		"erase below":        {"a\r\nb\r\nc\x1b[2;1H\x1b[J!", "a\n!"},
		"scroll region":      {"\x1b[1;3r\x1b[4;1Hbar\x1b[1;1H1\r\n2\r\n3\r\n4\r\n5", "1\n2\n3\n4\n5\nbar"},
		"insert":             {"ac\x1b[1D\x1b[@b\x1b[1G\x1b[P", "bc"},
		"rows in and out":    {"a\r\nb\x1b[1;1H\x1b[L>\x1b[3;1H\x1b[M", ">\na"},
		"repeat":             {"-\x1b[4b", "-----"},
		"back space":         {"abx\bc\r\n", "abc"},
		"tab":                {"a\tb", "a       b"},
		"wide":               {"日本\x1b[1D語", "日 語"},
		"accents":            {"e\u0301x", "e\u0301x"},
		"no direction":       {"a\u202eb\u200bc", "abc"},
		"eight bit controls": {"a\u009b31mb", "a31mb"},
		"not utf-8":          {"a\xffb\xc3", "a\ufffdb"},
		"cut character":      {"\xe6\x97a", "\ufffd\ufffda"},
		"huge numbers":       {"\x1b[99999999999999999999Cx\x1b[99999999Ay", strings.Repeat(" ", 19) + "y"},
		"broken off":         {"a\x1b[3\x18b\x1b", "ab"},
	} {
		t.Run(name, func(t *testing.T) {
			if got := draw(t, tt.in); got != tt.want {
				t.Errorf("got  %q\nwant %q", got, tt.want)
			}
		})
	}
}

func TestMemoryIsBounded(t *testing.T) {
	longest := 0
	s := vt.NewScreen(80, 24, func(l string) { longest = max(longest, len(l)) })
	for range 2000 {
		_, _ = s.Write([]byte(strings.Repeat("x", 1000) + "e" + strings.Repeat("\u0301", 100)))
	}
	if s.Flush(); longest > 1<<16+200*32 {
		t.Errorf("a line of %d bytes", longest)
	}
}

func FuzzScreen(f *testing.F) {
	for _, s := range []string{"a\r\nb", "\x1b[5;5Hx\x1b[?1049h\x1b[2J", "\x1b]0;t\x07", "日\x1b[1Dx", "\x1b[1;3r\x1b[4;1Hx\x1b[9M\x1b[9L\x1b[5@\x1b[5P", "\xe6\x97"} {
		f.Add([]byte(s), uint8(20), uint8(4))
	}
	f.Fuzz(func(t *testing.T, in []byte, cols, rows uint8) {
		size := 0
		check := func(l string) {
			size += len(l)
			if !utf8.ValidString(l) || strings.ContainsFunc(l, func(r rune) bool { return r < ' ' || r == 0x7f }) {
				t.Errorf("line %q", l)
			}
		}
		s := vt.NewScreen(int(cols), int(rows), check)
		_, _ = s.Write(in)
		s.Flush()
		if most := (len(in) + 1) * 256 * 260; size > most {
			t.Errorf("%d bytes became %d", len(in), size)
		}
	})
}

func TestStripper(t *testing.T) {
	var s vt.Stripper
	var got strings.Builder
	for _, part := range []string{"one\r", "\n\x1b[3", "1mtwo\x1b[m\r\n", "10 %\r50 %\r\x1b[K100 %\r\n", "\x1b[2;1Hmenu\x1b[3;1H", "k\xc3", "\xa9y"} {
		got.Write(s.Strip([]byte(part)))
	}
	if want := "one\ntwo\n10 %\n50 %\n100 %\nmenu\nkéy"; got.String() != want {
		t.Errorf("got  %q\nwant %q", got.String(), want)
	}
}
