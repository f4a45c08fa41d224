package textfile

import (
	"sync"
	"unicode/utf8"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/japanese"
	"golang.org/x/text/encoding/simplifiedchinese"
)

// A pairs maps two-byte codes to characters; 0 where there is none.
type pairs [1 << 16]rune

// tabled decodes every two-byte code of enc once, since decoding one character
// at a time through a transformer is slow.
func tabled(enc encoding.Encoding) func() *pairs {
	return sync.OnceValue(func() *pairs {
		var t pairs
		dec := enc.NewDecoder()
		var src [2]byte
		var dst [16]byte
		for lead := 0x81; lead <= 0xFE; lead++ {
			for trail := 0x40; trail <= 0xFE; trail++ {
				src[0], src[1] = byte(lead), byte(trail)
				dec.Reset()
				nDst, nSrc, err := dec.Transform(dst[:], src[:], true)
				r, n := utf8.DecodeRune(dst[:nDst])
				if err == nil && nSrc == 2 && n == nDst && r != utf8.RuneError {
					t[lead<<8|trail] = r
				}
			}
		}
		return &t
	})
}

var (
	gbkPairs  = tabled(simplifiedchinese.GBK)
	sjisPairs = tabled(japanese.ShiftJIS)
)

func stepGBK(p []byte) (rune, int, bool) {
	switch {
	case p[0] < utf8.RuneSelf:
		return rune(p[0]), 1, true
	case p[0] == 0x80:
		return '€', 1, true
	case len(p) > 1:
		if r := gbkPairs()[int(p[0])<<8|int(p[1])]; r != 0 {
			return r, 2, true
		}
	}
	return utf8.RuneError, 1, false
}

func stepGB18030(p []byte) (rune, int, bool) {
	if !fourBytes(p) {
		return stepGBK(p)
	}
	b, err := simplifiedchinese.GB18030.NewDecoder().Bytes(p[:4])
	if r, n := utf8.DecodeRune(b); err == nil && n == len(b) && r != utf8.RuneError {
		return r, 4, true
	}
	return utf8.RuneError, 1, false
}

// fourBytes reports whether p starts with the shape of a four-byte code.
func fourBytes(p []byte) bool {
	digit := func(b byte) bool { return b >= '0' && b <= '9' }
	lead := func(b byte) bool { return b >= 0x81 && b <= 0xFE }
	return len(p) >= 4 && lead(p[0]) && digit(p[1]) && lead(p[2]) && digit(p[3])
}

func stepShiftJIS(p []byte) (rune, int, bool) {
	switch {
	case p[0] < utf8.RuneSelf:
		return rune(p[0]), 1, true
	case p[0] >= 0xA1 && p[0] <= 0xDF:
		return rune(p[0]) - 0xA1 + 0xFF61, 1, true
	case len(p) > 1:
		if r := sjisPairs()[int(p[0])<<8|int(p[1])]; r != 0 {
			return r, 2, true
		}
	}
	return utf8.RuneError, 1, false
}

func putGBK(dst []byte, r rune) ([]byte, bool) { return putBy(dst, r, simplifiedchinese.GBK, stepGBK) }

func putGB18030(dst []byte, r rune) ([]byte, bool) {
	if out, ok := putGBK(dst, r); ok {
		return out, true
	}
	return putBy(dst, r, simplifiedchinese.GB18030, stepGB18030)
}

func putShiftJIS(dst []byte, r rune) ([]byte, bool) {
	return putBy(dst, r, japanese.ShiftJIS, stepShiftJIS)
}

// putBy encodes r and reads it back: an encoder may stretch a point, such as
// writing the yen sign as a backslash, and that would change the text.
func putBy(dst []byte, r rune, enc encoding.Encoding, step func([]byte) (rune, int, bool)) ([]byte, bool) {
	if r < utf8.RuneSelf {
		return append(dst, byte(r)), true
	}
	b, err := enc.NewEncoder().Bytes([]byte(string(r)))
	if err != nil || len(b) == 0 {
		return dst, false
	}
	if back, n, ok := step(b); !ok || n != len(b) || back != r {
		return dst, false
	}
	return append(dst, b...), true
}
