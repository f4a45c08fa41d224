package textfile

import (
	"bytes"
	"slices"
	"unicode/utf8"
)

const (
	nulWindow = 8 << 10  // a NUL in the first bytes makes a file binary, as git has it
	sample    = 64 << 10 // bytes that the judgement of an encoding looks at
)

// Detect tells the encoding of a whole file. Nil means that it is binary.
func Detect(data []byte) *Encoding { return detect(data, true) }

// DetectPrefix is Detect for the first bytes of a longer file: a character that
// the cut has halved is not held against it.
func DetectPrefix(head []byte) *Encoding { return detect(head, false) }

func detect(data []byte, whole bool) *Encoding {
	switch {
	case bytes.HasPrefix(data, []byte("\xff\xfe\x00\x00")), bytes.HasPrefix(data, []byte("\x00\x00\xfe\xff")):
		return nil // UTF-32, which nobody writes files in
	case bytes.HasPrefix(data, UTF16LE.BOM):
		return UTF16LE
	case bytes.HasPrefix(data, UTF16BE.BOM):
		return UTF16BE
	case IsBinary(data):
		return nil
	case bytes.HasPrefix(data, UTF8BOM.BOM):
		return UTF8BOM
	}
	if !whole {
		data = trimHalf(data)
	}
	if utf8.Valid(data) {
		if controls(data) > 0.1 {
			return nil
		}
		return UTF8
	}
	return judge(data)
}

// IsBinary reports whether data, the start of a file, has a NUL byte where text
// has none. UTF-16 counts as binary here; look for its mark before.
func IsBinary(data []byte) bool { return bytes.IndexByte(data[:min(len(data), nulWindow)], 0) >= 0 }

// trimHalf drops an unfinished UTF-8 sequence from the end.
func trimHalf(p []byte) []byte {
	for i := 1; i < utf8.UTFMax && i <= len(p); i++ {
		b := p[len(p)-i]
		if utf8.RuneStart(b) {
			if b >= 0xC0 && !utf8.FullRune(p[len(p)-i:]) {
				return p[:len(p)-i]
			}
			return p
		}
	}
	return p
}

// controls is the share of control characters that text does not have.
func controls(p []byte) float64 {
	p = p[:min(len(p), sample)]
	n := 0
	for _, b := range p {
		if b < 0x20 && !slices.Contains([]byte("\t\n\r\f\b\v\x1b"), b) || b == 0x7F {
			n++
		}
	}
	return float64(n) / float64(max(len(p), 1))
}

// judge decides between the encodings that carry no mark.
func judge(data []byte) *Encoding {
	first := bytes.IndexFunc(data, func(r rune) bool { return r >= utf8.RuneSelf })
	from := max(first-1024, 0)
	part := data[from:min(len(data), from+sample)]
	if controls(part) > 0.02 {
		return nil
	}
	if mostlyUTF8(part) {
		return UTF8
	}
	high := data[first:min(len(data), first+sample)]
	gbk, four := scoreGBK(high)
	sjis := scoreShiftJIS(high)
	const plausible = 0.6
	switch {
	case gbk >= plausible && gbk >= sjis && four:
		return GB18030
	case gbk >= plausible && gbk >= sjis:
		return GBK
	case sjis >= plausible:
		return ShiftJIS
	case slices.ContainsFunc(part, undefined1252):
		return Latin1
	}
	return CP1252
}

// undefined1252 are the bytes that Windows-1252 leaves without meaning.
func undefined1252(b byte) bool {
	return slices.Contains([]byte{0x81, 0x8D, 0x8F, 0x90, 0x9D}, b)
}

// mostlyUTF8 reports whether data is UTF-8 with a few bad bytes in it.
func mostlyUTF8(data []byte) bool {
	good, bad := 0, 0
	for i := 0; i < len(data); {
		if data[i] < utf8.RuneSelf {
			i++
			continue
		}
		_, n, ok := stepUTF8(data[i:])
		if ok {
			good++
		} else {
			bad++
		}
		i += n
	}
	return bad*4 <= good
}

// A tally judges how much a text of two-byte characters looks like writing.
type tally struct {
	chars  int
	worth  float64 // 1 for a common character, less for a rare one
	bad    int     // bytes that fit no character
	paired int     // characters beside another one
	last   bool    // the character before was one too
	alone  bool    // it had none before it
}

func (t *tally) add(worth float64) {
	t.chars++
	t.worth += worth
	if t.last {
		t.paired++
		if t.alone {
			t.paired++
		}
	}
	t.alone = !t.last
	t.last = true
}

func (t *tally) ascii() { t.last, t.alone = false, false }

func (t *tally) fault() {
	t.bad++
	t.ascii()
}

// score is between 0 and 1. Characters that stand by themselves between ASCII
// are the accents and curly quotes of a western text, not Chinese or Japanese.
func (t *tally) score() float64 {
	if t.chars == 0 || t.paired*2 < t.chars {
		return 0
	}
	return t.worth / float64(t.chars+4*t.bad)
}

const rare = 0.3

func scoreGBK(p []byte) (score float64, four bool) {
	var t tally
	for i := 0; i < len(p); {
		switch {
		case p[i] < utf8.RuneSelf:
			t.ascii()
			i++
		case fourBytes(p[i:]):
			four = true
			t.add(1)
			i += 4
		case i+1 >= len(p):
			i++ // cut off by the sample
		case p[i] > 0x80 && gbkPairs()[int(p[i])<<8|int(p[i+1])] != 0:
			t.add(worthGBK(p[i], p[i+1]))
			i += 2
		default:
			t.fault()
			i++
		}
	}
	return t.score(), four
}

func worthGBK(lead, trail byte) float64 {
	switch {
	case trail < 0xA1:
		return 0
	case lead >= 0xA1 && lead <= 0xA9, lead >= 0xB0 && lead <= 0xD7: // marks; common characters
		return 1
	case lead >= 0xD8 && lead <= 0xF7:
		return rare
	}
	return 0
}

func scoreShiftJIS(p []byte) float64 {
	var t tally
	for i := 0; i < len(p); {
		switch {
		case p[i] < utf8.RuneSelf:
			t.ascii()
			i++
		case p[i] >= 0xA1 && p[i] <= 0xDF:
			t.add(rare) // narrow katakana
			i++
		case i+1 >= len(p):
			i++
		case sjisPairs()[int(p[i])<<8|int(p[i+1])] != 0:
			t.add(worthShiftJIS(int(p[i])<<8 | int(p[i+1])))
			i += 2
		default:
			t.fault()
			i++
		}
	}
	return t.score()
}

func worthShiftJIS(code int) float64 {
	if code >= 0x8140 && code <= 0x8396 || code >= 0x889F && code <= 0x9872 { // marks and kana; common kanji
		return 1
	}
	return rare
}
