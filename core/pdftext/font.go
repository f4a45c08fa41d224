package pdftext

import (
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/ledongthuc/pdf"
	"golang.org/x/text/encoding/charmap"
)

// A font turns the bytes of shown strings into text, and tells how wide they are.
type font struct {
	wide    bool              // two bytes a character
	codes   map[string]string // from the font's own character map; nil when it has none
	table   *charmap.Charmap
	encoder pdf.TextEncoding // for encodings that name each letter
	widths  map[int]float64  // in thousandths of the font size
	usual   float64          // of codes that are not in widths
}

func loadFont(v pdf.Value) *font {
	f := &font{usual: 500, table: charmap.Windows1252, widths: map[int]float64{}}
	f.wide = v.Key("Subtype").Name() == "Type0"
	if m := v.Key("ToUnicode"); m.Kind() == pdf.Stream {
		f.codes = parseMap(stream(m))
	}
	enc := v.Key("Encoding")
	switch {
	case enc.Name() == "MacRomanEncoding":
		f.table = charmap.Macintosh
	case enc.Kind() == pdf.Dict && len(f.codes) == 0:
		plain := pdf.Font{V: v}
		f.encoder = plain.Encoder()
	}
	if f.wide {
		f.wideWidths(v.Key("DescendantFonts").Index(0))
		return f
	}
	first := int(v.Key("FirstChar").Int64())
	list := v.Key("Widths")
	for i := range min(list.Len(), 256) {
		f.widths[first+i] = list.Index(i).Float64()
	}
	return f
}

// wideWidths reads the widths of a font of two-byte characters: runs of
// "first [w w w]" and "first last w".
func (f *font) wideWidths(v pdf.Value) {
	f.usual = 1000
	if d := v.Key("DW"); !d.IsNull() {
		f.usual = d.Float64()
	}
	list := v.Key("W")
	const most = 1 << 16
	n := min(list.Len(), most)
	for i := 0; i+1 < n; {
		first, second := int(list.Index(i).Int64()), list.Index(i+1)
		if second.Kind() == pdf.Array {
			for j := range min(second.Len(), most) {
				f.widths[first+j] = second.Index(j).Float64()
			}
			i += 2
			continue
		}
		last := min(int(second.Int64()), first+most)
		for code := first; code <= last && len(f.widths) < most; code++ {
			f.widths[code] = list.Index(i + 2).Float64()
		}
		i += 3
	}
}

// width is how far a string moves the pen, in font sizes.
func (f *font) width(s string) float64 {
	sum := 0.0
	for i := 0; i < len(s); {
		code := int(s[i])
		i++
		if f.wide && i < len(s) {
			code = code<<8 | int(s[i])
			i++
		}
		w, ok := f.widths[code]
		if !ok {
			w = f.usual
		}
		sum += w
	}
	return sum / 1000
}

// decode is the text of a string.
func (f *font) decode(s string) string {
	switch {
	case len(f.codes) > 0:
		return f.mapped(s)
	case f.wide:
		return "" // glyph numbers that mean nothing outside the font
	case f.encoder != nil:
		return f.encoder.Decode(s)
	}
	var b strings.Builder
	for i := range len(s) {
		b.WriteRune(f.table.DecodeByte(s[i]))
	}
	return b.String()
}

// mapped looks characters up, the longer codes first where both fit.
func (f *font) mapped(s string) string {
	var b strings.Builder
	for len(s) > 0 {
		n := 1
		if f.wide && len(s) > 1 {
			n = 2
		}
		t, ok := f.codes[s[:n]]
		switch {
		case ok:
			b.WriteString(t)
		case !f.wide:
			b.WriteRune(f.table.DecodeByte(s[0]))
		}
		s = s[n:]
	}
	return b.String()
}

const maxCodes = 1 << 16 // of a character map

// parseMap reads a ToUnicode map: bfchar and bfrange sections.
func parseMap(data []byte) map[string]string {
	m := map[string]string{}
	l := lexer{data: data}
	var args []token
	for {
		t := l.next()
		switch {
		case t.kind == end:
			return m
		case t.kind != operator:
			const most = 4 * maxCodes
			if args = append(args, t); len(args) > most {
				args = args[:0]
			}
			continue
		case t.str == "endbfchar":
			for i := 0; i+1 < len(args) && len(m) < maxCodes; i += 2 {
				m[args[i].str] = utf16Text(args[i+1].str)
			}
		case t.str == "endbfrange":
			addRanges(m, args)
		}
		args = args[:0]
	}
}

// addRanges reads "<lo> <hi> <text>" and "<lo> <hi> [<text> <text>]".
func addRanges(m map[string]string, args []token) {
	for i := 0; i+2 < len(args); {
		lo, hi, to := args[i].str, args[i+1].str, args[i+2]
		i += 3
		if to.kind == opening {
			for code := lo; i < len(args) && args[i].kind != closing; i++ {
				if len(m) < maxCodes {
					m[code] = utf16Text(args[i].str)
				}
				code = increased(code)
			}
			i++
			continue
		}
		text := to.str
		for code := lo; len(m) < maxCodes && len(code) == len(hi) && code <= hi && code != ""; code, text = increased(code), increased(text) {
			m[code] = utf16Text(text)
			if code == hi {
				break
			}
		}
	}
}

// increased adds one to the last byte, and carries.
func increased(s string) string {
	b := []byte(s)
	for i := len(b) - 1; i >= 0; i-- {
		if b[i]++; b[i] != 0 {
			break
		}
	}
	return string(b)
}

func utf16Text(s string) string {
	if len(s) == 1 {
		return string(rune(s[0]))
	}
	units := make([]uint16, 0, len(s)/2)
	for i := 0; i+1 < len(s); i += 2 {
		units = append(units, uint16(s[i])<<8|uint16(s[i+1]))
	}
	text := string(utf16.Decode(units))
	if !utf8.ValidString(text) || text == "\x00" {
		return ""
	}
	return text
}
