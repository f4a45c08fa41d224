package pdftext

import (
	"bytes"
	"context"
	"math"
	"strings"

	"github.com/ledongthuc/pdf"
	"golang.org/x/text/encoding/charmap"
)

// An interpreter follows the text operators of a page. It knows where the pen
// is, so that it can tell a gap between words from one within a word, and a
// new line from a raised letter.
type interpreter struct {
	ctx   context.Context //nolint:containedctx // see Doc
	out   strings.Builder
	fonts map[string]*font // by name, of the resources at hand

	font    *font
	size    float64
	leading float64
	scale   float64 // of the text matrix
	lineX   float64 // where the line starts
	lineY   float64
	x       float64 // of the pen
	endX    float64 // where the last text ended
	endY    float64
	wrote   bool
}

// run interprets one stream with the resources it refers to.
func (in *interpreter) run(data []byte, res pdf.Value, depth int) {
	outer := in.fonts
	in.fonts = map[string]*font{}
	defer func() { in.fonts = outer }()
	in.scale = 1
	l := lexer{data: data}
	var args []token
	for n := 0; in.out.Len() < maxText; n++ {
		if n%1024 == 0 && in.ctx.Err() != nil {
			return
		}
		t := l.next()
		switch t.kind {
		case end:
			return
		case operator:
			switch t.str {
			case "BI":
				l.skipImage()
			case "Do":
				in.form(args, res, depth)
			default:
				in.do(t.str, args, res)
			}
			args = args[:0]
		default:
			const most = 10_000
			if args = append(args, t); len(args) > most {
				args = args[:0]
			}
		}
	}
}

// form interprets a drawing that the page includes by name.
func (in *interpreter) form(args []token, res pdf.Value, depth int) {
	if len(args) == 0 || depth >= maxForms {
		return
	}
	v := res.Key("XObject").Key(args[0].str)
	if v.Key("Subtype").Name() != "Form" {
		return
	}
	own := v.Key("Resources")
	if own.IsNull() {
		own = res
	}
	in.run(stream(v), own, depth+1)
}

// skipImage passes over an inline image, whose data may look like anything.
func (l *lexer) skipImage() {
	for {
		i := bytes.Index(l.data[l.at:], []byte("EI"))
		if i < 0 {
			l.at = len(l.data)
			return
		}
		from, to := l.at+i, l.at+i+2
		l.at = to
		if isSpace(l.data[from-1]) && (to == len(l.data) || isSpace(l.data[to])) {
			return
		}
	}
}

func (in *interpreter) do(op string, args []token, res pdf.Value) {
	arg := func(i int) float64 { // counted from the end
		if i < len(args) {
			return args[len(args)-1-i].num
		}
		return 0
	}
	switch op {
	case "BT":
		in.lineX, in.lineY, in.x, in.scale = 0, 0, 0, 1
	case "Tf":
		in.size = arg(0)
		if len(args) > 1 {
			in.font = in.load(args[len(args)-2].str, res)
		}
	case "TL":
		in.leading = arg(0)
	case "Td":
		in.move(arg(1), arg(0))
	case "TD":
		in.leading = -arg(0)
		in.move(arg(1), arg(0))
	case "T*":
		in.move(0, -in.leading)
	case "Tm":
		in.lineX, in.lineY = arg(1), arg(0)
		in.x = in.lineX
		if in.scale = math.Hypot(arg(5), arg(4)); in.scale == 0 {
			in.scale = 1
		}
	case "'", `"`: // the latter has two numbers before the string
		in.move(0, -in.leading)
		in.show(args[max(len(args)-1, 0):])
	case "Tj", "TJ":
		in.show(args)
	}
}

func (in *interpreter) load(name string, res pdf.Value) *font {
	if f, ok := in.fonts[name]; ok {
		return f
	}
	f := loadFont(res.Key("Font").Key(name))
	in.fonts[name] = f
	return f
}

// move starts a new line of text at a distance from the last one's start.
func (in *interpreter) move(dx, dy float64) {
	in.lineX += dx * in.scale
	in.lineY += dy * in.scale
	in.x = in.lineX
}

// show writes the strings of Tj and TJ; numbers between them move the pen.
func (in *interpreter) show(args []token) {
	if in.font == nil {
		in.font = &font{usual: 500, table: charmap.Windows1252}
	}
	for _, t := range args {
		switch t.kind {
		case number:
			in.x -= t.num / 1000 * in.size * in.scale
		case text:
			in.write(in.font.decode(t.str))
			in.x += in.font.width(t.str) * in.size * in.scale
			in.endX, in.endY = in.x, in.lineY
		}
	}
}

// write adds text, behind a line end or a space when the pen has jumped.
func (in *interpreter) write(s string) {
	if s == "" || in.out.Len() > maxText {
		return
	}
	unit := math.Abs(in.size * in.scale)
	if unit == 0 {
		unit = 10
	}
	const newLine, newWord = 0.6, 0.2 // in font sizes
	switch {
	case !in.wrote:
	case math.Abs(in.lineY-in.endY) > newLine*unit, in.x < in.endX-2*unit:
		in.out.WriteByte('\n')
	case math.Abs(in.x-in.endX) > newWord*unit && !strings.HasPrefix(s, " "):
		in.out.WriteByte(' ')
	}
	in.out.WriteString(s)
	in.wrote = true
}

// text is what was written, tidied up.
func (in *interpreter) text() string {
	var b strings.Builder
	for line := range strings.Lines(strings.ToValidUTF8(in.out.String(), "\uFFFD")) {
		b.WriteString(strings.TrimRight(line, " \t\r\n\x00") + "\n")
	}
	return strings.TrimSpace(b.String())
}
