package vt

import "slices"

// control does what a control character says.
func (s *Screen) control(c byte) {
	const tab = 8
	switch c {
	case '\b':
		s.x = max(min(s.x, s.cols-1)-1, 0)
	case '\t':
		s.x = min((s.x/tab+1)*tab, s.cols-1)
	case '\n', '\v', '\f':
		s.down()
	case '\r':
		s.x = 0
	}
}

// escape does what a sequence of ESC and one character says.
func (s *Screen) escape(c byte) {
	switch c {
	case '7':
		s.savedX, s.savedY = s.x, s.y
	case '8':
		s.move(s.savedX, s.savedY)
	case 'D':
		s.down()
	case 'E':
		s.x = 0
		s.down()
	case 'M':
		if s.y == s.top {
			s.scrollBack(1)
		} else {
			s.y = max(s.y-1, 0)
		}
	case 'c':
		s.clear()
	}
}

// sequence does what a control sequence says.
func (s *Screen) sequence(c byte) {
	n := s.param(0)
	if s.mark != 0 {
		if s.mark == '?' && (c == 'h' || c == 'l') {
			s.modes(c == 'h')
		}
		return
	}
	switch c {
	case 's':
		s.savedX, s.savedY = s.x, s.y
	case 'u':
		s.move(s.savedX, s.savedY)
	case 'b':
		for range min(n, s.cols) { // a row at most: a few bytes must not be much work
			if s.lastLetter != "" {
				s.put([]rune(s.lastLetter)[0])
			}
		}
	case 'A', 'B', 'E', 'F', 'H', 'd', 'e', 'f':
		s.toRow(c, n)
	case 'C', 'D', 'G', 'a', '`':
		s.toColumn(c, n)
	default:
		s.change(c, n)
	}
}

// toRow moves the cursor to another row.
func (s *Screen) toRow(c byte, n int) {
	switch c {
	case 'A':
		s.move(s.x, s.y-n)
	case 'F':
		s.move(0, s.y-n)
	case 'B', 'e':
		s.move(s.x, s.y+n)
	case 'E':
		s.move(0, s.y+n)
	case 'd':
		s.move(s.x, n-1)
	case 'H', 'f':
		s.move(s.param(1)-1, n-1)
	}
}

// toColumn moves the cursor in its row.
func (s *Screen) toColumn(c byte, n int) {
	switch c {
	case 'C', 'a':
		s.move(s.x+n, s.y)
	case 'D':
		s.move(min(s.x, s.cols-1)-n, s.y)
	case 'G', '`':
		s.move(n-1, s.y)
	}
}

// change does what a sequence that changes the screen says.
func (s *Screen) change(c byte, n int) {
	switch c {
	case 'J':
		s.eraseScreen()
	case 'K':
		s.eraseLine(s.option(0))
	case 'X':
		s.blank(s.x, s.x+n)
	case 'P':
		r := &s.grid[s.y]
		if s.x < len(r.cells) {
			r.cells = slices.Delete(r.cells, s.x, min(s.x+n, len(r.cells)))
		}
	case '@':
		r := &s.grid[s.y]
		if s.x < len(r.cells) {
			r.cells = slices.Insert(r.cells, s.x, make([]string, min(n, s.cols))...)
			r.cells = r.cells[:min(len(r.cells), s.cols)]
		}
	case 'L', 'M':
		s.shift(c == 'M', n)
	case 'S':
		s.scroll(n)
	case 'T':
		s.scrollBack(n)
	case 'r':
		top, end := n-1, s.option(1)
		if end == 0 || end > s.rows {
			end = s.rows
		}
		if top < end-1 {
			s.top, s.end = top, end
			s.move(0, 0)
		}
	}
}

// move puts the cursor where it can be.
func (s *Screen) move(x, y int) {
	s.x, s.y = min(max(x, 0), s.cols-1), min(max(y, 0), s.rows-1)
}

// blank empties cells of the cursor's row.
func (s *Screen) blank(from, to int) {
	r := &s.grid[s.y]
	for x := max(from, 0); x < min(to, len(r.cells)); x++ {
		s.set(x, "")
	}
}

// eraseLine empties the row: 0 from the cursor on, 1 up to it, 2 all.
func (s *Screen) eraseLine(what int) {
	r := &s.grid[s.y]
	switch what {
	case 0:
		s.blank(s.x, len(r.cells))
		r.cells = r.cells[:min(s.x, len(r.cells))]
		r.goesOn = false
	case 1:
		s.blank(0, s.x+1)
	case 2:
		*r = row{}
	}
}

// eraseScreen empties the screen: 0 from the cursor on, 1 up to it, else all.
func (s *Screen) eraseScreen() {
	what := s.option(0)
	if what <= 1 {
		s.eraseLine(what)
	}
	for i := range s.grid {
		if what > 1 || what == 0 && i > s.y || what == 1 && i < s.y {
			s.grid[i] = row{}
		}
	}
}

// shift takes rows out at the cursor, or puts empty ones in.
func (s *Screen) shift(out bool, n int) {
	if s.y < s.top || s.y >= s.end {
		return
	}
	n = min(n, s.end-s.y)
	part := s.grid[s.y:s.end]
	if out {
		copy(part, part[n:])
		clear(part[len(part)-n:])
		return
	}
	copy(part[n:], part)
	clear(part[:n])
}

// modes switches what DEC calls private modes. Only the second screen matters:
// what full-screen programs leave on it is told when they end.
func (s *Screen) modes(on bool) {
	for _, mode := range s.params {
		if second := mode == 47 || mode == 1047 || mode == 1049; second && s.other != on {
			s.Flush()
			s.other = on
		}
	}
}
