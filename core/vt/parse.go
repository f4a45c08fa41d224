package vt

import "unicode/utf8"

// A parser takes control sequences apart, in the way of the state machine of
// DEC's terminals, which all of today's follow.
type parser struct {
	state  state
	half   []byte // the beginning of a character
	params []int
	given  bool // the last parameter has a digit
	mark   byte // a ? or another private sign at the beginning; 0 when there is none
	inter  byte // the last intermediate byte; 0 when there is none
	esc    bool // the last byte of a string was ESC
}

// A drawer does what a program says to its terminal.
type drawer interface {
	put(r rune)
	control(c byte)
	escape(c byte)
	sequence(c byte)
}

type state uint8

const (
	ground   state = iota
	escaped        // after ESC
	sequence       // after CSI
	text           // a string for the terminal, such as a title
)

const (
	maxParams = 16
	maxParam  = 9999
)

// feed parses bytes and has them drawn.
func (p *parser) feed(b []byte, d drawer) {
	for len(b) > 0 {
		if p.state == ground && (len(p.half) > 0 || b[0] >= utf8.RuneSelf) {
			b = p.letter(b, d)
			continue
		}
		p.byte(b[0], d)
		b = b[1:]
	}
}

// letter takes one character of several bytes, which may come in pieces.
func (p *parser) letter(b []byte, d drawer) (rest []byte) {
	had := len(p.half)
	n := min(utf8.UTFMax-had, len(b))
	p.half = append(p.half, b[:n]...)
	if !utf8.FullRune(p.half) {
		return b[n:]
	}
	r, size := utf8.DecodeRune(p.half)
	used := size - had
	if used < 0 { // what was kept was no beginning of a character
		used = 0
		b = append(append([]byte{}, p.half[size:had]...), b...)
	}
	p.half = p.half[:0]
	if r >= 0x80 && r < 0xa0 {
		return b[used:] // controls of eight bits
	}
	d.put(r)
	return b[used:]
}

func (p *parser) byte(c byte, d drawer) {
	const esc, can, sub, bel = 0x1b, 0x18, 0x1a, 0x07
	switch {
	case p.state == text:
		if c == bel || c == can || c == sub || p.esc && c == '\\' {
			p.state = ground
		} else if p.esc {
			p.begin(escaped)
			p.byte(c, d)
			return
		}
		p.esc = c == esc && p.state == text
	case c == esc:
		p.begin(escaped)
	case c == can, c == sub:
		p.state = ground
	case c < ' ':
		d.control(c)
	case c == 0x7f:
	case p.state == ground:
		d.put(rune(c))
	case p.state == escaped:
		p.afterEscape(c, d)
	default:
		p.inSequence(c, d)
	}
}

func (p *parser) begin(to state) {
	p.state, p.params, p.given, p.mark, p.inter, p.esc = to, p.params[:0], false, 0, 0, false
}

func (p *parser) afterEscape(c byte, d drawer) {
	switch {
	case c < '0':
		p.inter = c
	case p.inter != 0: // such as a choice of letters
		p.state = ground
	case c == '[':
		p.begin(sequence)
	case c == ']', c == 'P', c == 'X', c == '^', c == '_':
		p.begin(text)
	default:
		p.state = ground
		d.escape(c)
	}
}

func (p *parser) inSequence(c byte, d drawer) {
	switch {
	case c >= '0' && c <= '9':
		if !p.given {
			p.params, p.given = append(p.params, 0), true
		}
		last := len(p.params) - 1
		p.params[last] = min(p.params[last]*10+int(c-'0'), maxParam)
	case c == ';', c == ':':
		if !p.given {
			p.params = append(p.params, 0)
		}
		p.given = false
	case c < '0':
		p.inter = c
	case c < '@':
		p.mark = c
	default:
		p.state = ground
		if p.inter == 0 {
			d.sequence(c)
		}
	}
	if len(p.params) > maxParams {
		p.params, p.given = p.params[:maxParams], true
	}
}

// param is a parameter that counts: at least 1, which it is when left out.
func (p *parser) param(i int) int { return max(p.option(i), 1) }

// option is a parameter that chooses; 0 when left out.
func (p *parser) option(i int) int {
	if i >= len(p.params) {
		return 0
	}
	return p.params[i]
}
