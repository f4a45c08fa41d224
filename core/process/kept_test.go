package process

import (
	"strings"
	"testing"
	"unicode/utf8"
)

func TestKept(t *testing.T) {
	for name, tt := range map[string]struct {
		limit  int
		writes []string
		want   string
	}{
		"nothing":          {10, nil, ""},
		"fits":             {10, []string{"abc", "def"}, "abcdef"},
		"just fits":        {6, []string{"abcdef"}, "abcdef"},
		"in one":           {6, []string{"abcdefghij"}, "abc\n… (4 bytes left out) …\nhij"},
		"byte by byte":     {6, strings.Split("abcdefghij", ""), "abc\n… (4 bytes left out) …\nhij"},
		"odd limit":        {1, []string{"abc"}, "a\n… (1 bytes left out) …\nc"},
		"cut characters":   {6, []string{"aéé", "xxxx", "éé"}, "aé\n… (7 bytes left out) …\né"},
		"invalid bytes":    {10, []string{"a\xffb"}, "a\ufffdb"},
		"split characters": {10, []string{"a\xc3", "\xa9"}, "aé"},
	} {
		t.Run(name, func(t *testing.T) {
			k := NewKept(tt.limit)
			for _, w := range tt.writes {
				k.add([]byte(w))
			}
			if got := k.String(); got != tt.want {
				t.Errorf("kept %q, want %q", got, tt.want)
			}
		})
	}
}

func TestSinceDoesNotSplitCharacters(t *testing.T) {
	k := NewKept(100)
	k.add([]byte("a\xe2\x82"))
	text, next := k.Since(0)
	if text != "a" || next != 1 {
		t.Fatalf("Since(0) = %q, %d; want a, 1", text, next)
	}
	if text, next = k.Since(next); text != "" || next != 1 {
		t.Fatalf("Since(1) = %q, %d; want nothing, 1", text, next)
	}
	k.add([]byte("\xacb"))
	if text, next = k.Since(next); text != "€b" || next != 5 {
		t.Errorf("Since(1) = %q, %d; want €b, 5", text, next)
	}
}

func FuzzKept(f *testing.F) {
	f.Add(6, "abcdefghij", 4, int64(2))
	f.Add(1, "a\xc3\xa9\xff", 1, int64(-1))
	f.Fuzz(func(t *testing.T, limit int, text string, at int, offset int64) {
		limit, at = max(limit%1000, 0), max(at, 0)%(len(text)+1)
		k := NewKept(limit)
		k.add([]byte(text[:at]))
		k.add([]byte(text[at:]))
		got, next := k.Since(offset)
		if !utf8.ValidString(got) || !utf8.ValidString(k.String()) || next > int64(len(text)) {
			t.Errorf("Since(%d) = %q, %d", offset, got, next)
		}
		if k.Lost() == 0 && utf8.ValidString(text) && k.String() != text {
			t.Errorf("kept %q of %q", k, text)
		}
	})
}
