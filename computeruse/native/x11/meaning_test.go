//go:build unix

package x11

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestMeaning(t *testing.T) {
	for text, want := range map[string][]uint32{
		"ctrl+shift+t": {0xffe3, 0xffe1, 't'},
		"Return":       {0xff0d},
		"a":            {'a'},
		"shift":        {0xffe1},
	} {
		got, err := Meaning{}.Chord(text)
		if diff := cmp.Diff(want, got); err != nil || diff != "" {
			t.Errorf("%s: %v (-want +got)\n%s", text, err, diff)
		}
	}
	if _, err := (Meaning{}).Chord("ctrl+nonsense"); err == nil {
		t.Error("an unknown key means something")
	}
	for r, want := range map[rune]uint32{'a': 'a', 'ü': 0xfc, '世': 0x01004e16, '\n': 0xff0d} {
		if got := (Meaning{}).Sym(r); got != want {
			t.Errorf("%q: %#x, want %#x", r, got, want)
		}
	}
}
