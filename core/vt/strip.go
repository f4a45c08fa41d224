package vt

// A Stripper leaves the text of what a program draws, in the order in which it
// comes, for those who watch: every state of a progress bar is a line.
type Stripper struct {
	parser
	out  []byte
	open bool // the last line has text
	back bool // the cursor is back at its beginning, or elsewhere
}

// Strip gives the text of the next bytes, which may end anywhere. It is valid
// until the next call.
func (s *Stripper) Strip(b []byte) []byte {
	s.out = s.out[:0]
	s.feed(b, s)
	return s.out
}

func (s *Stripper) put(r rune) {
	if s.back {
		s.control('\n')
	}
	s.out, s.open = append(s.out, string(r)...), true
}

func (s *Stripper) control(c byte) {
	switch c {
	case '\t':
		s.out = append(s.out, c)
	case '\n':
		s.out, s.open, s.back = append(s.out, c), false, false
	case '\r':
		s.back = s.open
	}
}

func (*Stripper) escape(byte) {}

// sequence begins a line where the cursor goes elsewhere.
func (s *Stripper) sequence(c byte) {
	switch c {
	case 'A', 'B', 'E', 'F', 'H', 'd', 'f':
		s.back = s.open
	}
}
