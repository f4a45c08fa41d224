package browser

import (
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"
)

// Whatever a page suggests, the name stays in its folder and is one that every
// system takes.
func FuzzFileName(f *testing.F) {
	for _, s := range []string{"../../etc/passwd", "a\x00b", "CON.txt", "", "...", "x/y\\z", strings.Repeat("ü", 300) + ".pdf", "\u202egnp.exe", "a\xffb", "nul", ".bashrc", "a. ", "COM1.tar.gz", "x." + strings.Repeat("y", 200)} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		name := fileName(s)
		if name == "" || name != filepath.Base(name) || strings.ContainsAny(name, "/\\<>:\"|?*\x00") || !utf8.ValidString(name) || strings.HasPrefix(name, ".") || strings.HasSuffix(name, ".") || strings.HasSuffix(name, " ") {
			t.Errorf("%q became %q", s, name)
		}
		if utf8.RuneCountInString(name) > 121 {
			t.Errorf("%d characters", utf8.RuneCountInString(name))
		}
	})
}

// Texts of others are cut at a character.
func FuzzClip(f *testing.F) {
	f.Add("héllo", 3)
	f.Add("a\xff\xfe", 1)
	f.Add("", 0)
	f.Fuzz(func(t *testing.T, s string, n int) {
		n = min(max(n, 0), 1000)
		if got := clip(s, n); utf8.RuneCountInString(got) > max(n, len(s))+1 || len(got) > len(s)*3+3 || utf8.ValidString(s) && !utf8.ValidString(got) {
			t.Errorf("%q at %d: %q", s, n, got)
		}
	})
}

func TestResident(t *testing.T) {
	for text, want := range map[string]int64{
		"Name:\tx\nVmRSS:\t 999 kB\nRssAnon:\t  10 kB\nRssFile:\t 500 kB\nRssShmem:\t 2 kB\n": 12 << 10,
		"": 0, "RssAnon:\n": 0, "RssAnon: x kB\n": 0, "RssAnon": 0,
	} {
		if got := residentOf([]byte(text)); got != want {
			t.Errorf("%q: %d", text, got)
		}
	}
}
