package textfile

import (
	"bytes"
	"unicode/utf16"
	"unicode/utf8"

	"golang.org/x/text/encoding/charmap"
)

// An Encoding is one way to write text as bytes.
type Encoding struct {
	Name string // as people know it: "UTF-8", "Windows-1252"
	BOM  []byte // byte order mark at the start of the file; often none

	// step reads one character. ok is false for bytes that mean nothing; then r
	// is U+FFFD. n is at least 1.
	step func(p []byte) (r rune, n int, ok bool)
	// put appends one character; false when the encoding has no bytes for it.
	put func(dst []byte, r rune) ([]byte, bool)
}

// The encodings that can be told.
var (
	UTF8     = &Encoding{Name: "UTF-8", step: stepUTF8, put: putUTF8}
	UTF8BOM  = &Encoding{Name: "UTF-8 with BOM", BOM: []byte("\xef\xbb\xbf"), step: stepUTF8, put: putUTF8}
	UTF16LE  = &Encoding{Name: "UTF-16LE", BOM: []byte("\xff\xfe"), step: stepUTF16(0, 1), put: putUTF16(0, 1)}
	UTF16BE  = &Encoding{Name: "UTF-16BE", BOM: []byte("\xfe\xff"), step: stepUTF16(1, 0), put: putUTF16(1, 0)}
	CP1252   = &Encoding{Name: "Windows-1252", step: stepByte(charmap.Windows1252), put: putByte(charmap.Windows1252)}
	Latin1   = &Encoding{Name: "ISO-8859-1", step: stepByte(charmap.ISO8859_1), put: putByte(charmap.ISO8859_1)}
	GBK      = &Encoding{Name: "GBK", step: stepGBK, put: putGBK}
	GB18030  = &Encoding{Name: "GB18030", step: stepGB18030, put: putGB18030}
	ShiftJIS = &Encoding{Name: "Shift-JIS", step: stepShiftJIS, put: putShiftJIS}
)

// Encode writes text in e, without a mark. When a character has no bytes in e,
// ok is false and bad is that character.
func (e *Encoding) Encode(text string) (out []byte, bad rune, ok bool) {
	out = make([]byte, 0, len(text))
	for _, r := range text {
		if out, ok = e.put(out, r); !ok {
			return nil, r, false
		}
	}
	return out, 0, true
}

// Plain reports whether e is UTF-8 without a mark.
func (e *Encoding) Plain() bool { return e == UTF8 }

func (e *Encoding) isUTF8() bool { return e == UTF8 || e == UTF8BOM }

func stepUTF8(p []byte) (rune, int, bool) {
	r, n := utf8.DecodeRune(p)
	return r, max(n, 1), r != utf8.RuneError || n > 1
}

func putUTF8(dst []byte, r rune) ([]byte, bool) { return utf8.AppendRune(dst, r), true }

// stepUTF16 reads units whose low byte stands at lo and high byte at hi.
func stepUTF16(lo, hi int) func([]byte) (rune, int, bool) {
	return func(p []byte) (rune, int, bool) {
		if len(p) < 2 {
			return utf8.RuneError, len(p), false
		}
		r := rune(p[lo]) | rune(p[hi])<<8
		if !utf16.IsSurrogate(r) {
			return r, 2, true
		}
		if len(p) >= 4 {
			if pair := utf16.DecodeRune(r, rune(p[2+lo])|rune(p[2+hi])<<8); pair != utf8.RuneError {
				return pair, 4, true
			}
		}
		return utf8.RuneError, 2, false
	}
}

func putUTF16(lo, hi int) func([]byte, rune) ([]byte, bool) {
	return func(dst []byte, r rune) ([]byte, bool) {
		for _, u := range utf16.AppendRune(nil, r) {
			var pair [2]byte
			pair[lo], pair[hi] = byte(u), byte(u>>8)
			dst = append(dst, pair[:]...)
		}
		return dst, true
	}
}

func stepByte(cm *charmap.Charmap) func([]byte) (rune, int, bool) {
	return func(p []byte) (rune, int, bool) {
		r := cm.DecodeByte(p[0])
		return r, 1, r != utf8.RuneError
	}
}

func putByte(cm *charmap.Charmap) func([]byte, rune) ([]byte, bool) {
	return func(dst []byte, r rune) ([]byte, bool) {
		b, ok := cm.EncodeRune(r)
		return append(dst, b), ok
	}
}

// A Text is a file's contents, decoded. It never changes.
type Text struct {
	Encoding *Encoding

	raw  []byte // the whole file, mark and all
	str  string // the text, without mark
	same bool   // str is raw after the mark, byte for byte
}

// Decode tells the encoding of a whole file and decodes it. It returns false
// for a binary file. The Text keeps raw.
func Decode(raw []byte) (*Text, bool) {
	e := Detect(raw)
	if e == nil {
		return nil, false
	}
	return e.decode(raw), true
}

func (e *Encoding) decode(raw []byte) *Text {
	body := raw[len(e.BOM):]
	if e.isUTF8() && utf8.Valid(body) {
		return &Text{Encoding: e, raw: raw, str: string(body), same: true}
	}
	return &Text{Encoding: e, raw: raw, str: e.DecodeString(body)}
}

// DecodeString decodes bytes without a mark. What means nothing becomes U+FFFD.
func (e *Encoding) DecodeString(body []byte) string {
	if e.isUTF8() && utf8.Valid(body) {
		return string(body)
	}
	out := make([]byte, 0, len(body)+len(body)/4)
	for len(body) > 0 {
		r, n, _ := e.step(body)
		out = utf8.AppendRune(out, r)
		body = body[n:]
	}
	return string(out)
}

// String is the text as UTF-8, without mark.
func (t *Text) String() string { return t.str }

// Bytes is the file as it is.
func (t *Text) Bytes() []byte { return t.raw }

// HasBOM reports whether data starts with the mark of an encoding.
func HasBOM(data []byte) bool {
	for _, e := range []*Encoding{UTF8BOM, UTF16LE, UTF16BE} {
		if bytes.HasPrefix(data, e.BOM) {
			return true
		}
	}
	return false
}
