package win

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hobkin/hobkin/computeruse/wire"
)

// us is as much of an English keyboard as the tests need.
func us(r rune) (uint16, []uint16, bool) {
	switch {
	case r >= 'a' && r <= 'z':
		return uint16(r - 'a' + 'A'), nil, true //nolint:gosec // a letter
	case r >= 'A' && r <= 'Z':
		return uint16(r), []uint16{vkShift}, true //nolint:gosec // a letter
	case r >= '0' && r <= '9':
		return uint16(r), nil, true //nolint:gosec // a digit
	case r == '+':
		return 0xbb, []uint16{vkShift}, true
	}
	return 0, nil, false
}

func TestChords(t *testing.T) {
	for chord, want := range map[string][]uint16{
		"ctrl+shift+t": {vkControl, vkShift, 'T'},
		"Ctrl+T":       {vkControl, 'T'},
		"T":            {vkShift, 'T'},
		"a":            {'A'},
		"1":            {'1'},
		"Return":       {vkReturn},
		"Page_Up":      {0x21},
		"F5":           {0x74},
		"alt+F4":       {vkMenu, 0x73},
		"super":        {vkLWin},
		"+":            {vkShift, 0xbb},
		"ctrl++":       {vkControl, vkShift, 0xbb},
	} {
		got, err := parse(chord, us)
		if diff := cmp.Diff(want, got); err != nil || diff != "" {
			t.Errorf("%q: %v (-want +got)\n%s", chord, err, diff)
		}
	}
	for _, chord := range []string{"", "nonsense", "t+ctrl", "ctrl+é", "F25", "F0", "ctrl+nonsense", "\x00", "a+b"} {
		var said *wire.Error
		if keys, err := parse(chord, us); !errors.As(err, &said) || said.Code != wire.UnknownKey {
			t.Errorf("%q: %v, %v", chord, keys, err)
		}
	}
}

func FuzzChord(f *testing.F) {
	f.Add("ctrl+shift+t")
	f.Add("+++")
	f.Fuzz(func(t *testing.T, chord string) {
		keys, err := parse(chord, us)
		if (err == nil) == (len(keys) == 0) {
			t.Errorf("%q: %v, %v", chord, keys, err)
		}
	})
}
