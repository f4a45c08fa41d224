package vt

import (
	"strings"
	"unicode"

	"golang.org/x/text/width"
)

// A Screen is a terminal's screen. It is an [io.Writer]. It is not safe for
// concurrent use.
type Screen struct {
	cols, rows int
	line       func(string)

	parser
	grid       []row
	x, y       int // of the cursor; x may be cols, when the next character begins a line
	top, end   int // of what scrolls: rows top to end-1
	savedX     int
	savedY     int
	other      bool            // the second screen, of full-screen programs
	joined     strings.Builder // the beginning of a line that goes on
	lastLetter string
}

// row is one row of the screen.
type row struct {
	cells  []string // a character each, with its accents; empty where nothing was written
	goesOn bool     // the next row belongs to the same line
}

// filler stands in the second cell of a wide character.
const filler = "\x00"

const (
	maxSide = 500     // columns or rows
	maxCell = 32      // bytes of a character with its accents
	maxLine = 1 << 16 // bytes of a line that goes on from row to row
)

// NewScreen makes a screen of at least 1 × 1 and at most 500 × 500. line is
// told each line, without its end, when it leaves the screen.
func NewScreen(cols, rows int, line func(string)) *Screen {
	s := &Screen{cols: min(max(cols, 1), maxSide), rows: min(max(rows, 1), maxSide), line: line}
	s.clear()
	return s
}

// Write draws on the screen. It never fails.
func (s *Screen) Write(p []byte) (int, error) {
	n := len(p)
	s.feed(p, s)
	return n, nil
}

// String is what is on the screen, without empty rows at its end.
func (s *Screen) String() string {
	var lines []string
	joined := s.joined.String()
	for i := range s.grid {
		joined += s.grid[i].text()
		if s.grid[i].goesOn {
			continue
		}
		lines, joined = append(lines, joined), ""
	}
	return strings.TrimRight(strings.Join(append(lines, joined), "\n"), "\n")
}

// Flush tells what is on the screen as lines, and clears it.
func (s *Screen) Flush() {
	if text := s.String(); text != "" {
		for line := range strings.SplitSeq(text, "\n") {
			s.line(line)
		}
	}
	s.joined.Reset()
	s.clear()
}

// clear makes an empty screen.
func (s *Screen) clear() {
	s.grid = make([]row, s.rows)
	s.x, s.y, s.top, s.end = 0, 0, 0, s.rows
}

// text is a row without the blanks at its end, unless its line goes on.
func (r *row) text() string {
	var b strings.Builder
	for _, c := range r.cells {
		switch c {
		case "":
			b.WriteByte(' ')
		case filler:
		default:
			b.WriteString(c)
		}
	}
	if r.goesOn {
		return b.String()
	}
	return strings.TrimRight(b.String(), " ")
}

// put writes one character at the cursor.
func (s *Screen) put(r rune) {
	if unicode.In(r, unicode.Mn, unicode.Me, unicode.Cf) {
		s.accent(r)
		return
	}
	wide := 1
	if k := width.LookupRune(r).Kind(); k == width.EastAsianWide || k == width.EastAsianFullwidth {
		wide = min(2, s.cols)
	}
	if s.x+wide > s.cols {
		s.grid[s.y].goesOn = true
		s.x = 0
		s.down()
	}
	s.lastLetter = string(r)
	s.set(s.x, s.lastLetter)
	if wide > 1 {
		s.set(s.x+1, filler)
	}
	s.x += wide
}

// set changes one cell. Half of a wide character is none.
func (s *Screen) set(x int, text string) {
	r := &s.grid[s.y]
	for len(r.cells) <= x {
		r.cells = append(r.cells, "")
	}
	if r.cells[x] == filler && x > 0 && text != filler {
		r.cells[x-1] = ""
	}
	if text != filler && x+1 < len(r.cells) && r.cells[x+1] == filler {
		r.cells[x+1] = ""
	}
	r.cells[x] = text
}

// accent adds what has no width to the character before the cursor. What
// changes the direction of text, or hides, is left out.
func (s *Screen) accent(r rune) {
	const joiner, firstSelector, lastSelector = '\u200d', '\ufe00', '\ufe0f'
	if unicode.Is(unicode.Cf, r) && r != joiner && (r < firstSelector || r > lastSelector) {
		return
	}
	cells := s.grid[s.y].cells
	at := s.x - 1
	for at > 0 && at < len(cells) && cells[at] == filler {
		at--
	}
	if at >= 0 && at < len(cells) && cells[at] != "" && len(cells[at]) < maxCell {
		cells[at] += string(r)
	}
}

// down moves the cursor to the next row; at the end of what scrolls, that does.
func (s *Screen) down() {
	switch {
	case s.y == s.end-1:
		s.scroll(1)
	case s.y < s.rows-1:
		s.y++
	}
}

// scroll moves what scrolls up by n rows. What leaves the first screen at its
// top is told.
func (s *Screen) scroll(n int) {
	for range min(n, s.end-s.top) {
		if s.top == 0 && !s.other {
			s.tell(&s.grid[0])
		}
		copy(s.grid[s.top:s.end-1], s.grid[s.top+1:s.end])
		s.grid[s.end-1] = row{}
	}
}

// scrollBack moves what scrolls down by n rows.
func (s *Screen) scrollBack(n int) {
	for range min(n, s.end-s.top) {
		copy(s.grid[s.top+1:s.end], s.grid[s.top:s.end-1])
		s.grid[s.top] = row{}
	}
}

// tell tells a row that leaves the screen.
func (s *Screen) tell(r *row) {
	s.joined.WriteString(r.text())
	if r.goesOn && s.joined.Len() < maxLine {
		return
	}
	s.line(s.joined.String())
	s.joined.Reset()
}
