package x11

// Meaning tells what keys mean, by the numbers of X11, which others use too:
// the portals of Wayland and some of its compositors.
type Meaning struct{}

// Chord returns the keysyms of a chord such as ctrl+shift+t, modifiers first.
func (Meaning) Chord(text string) ([]uint32, error) {
	c, err := parseChord(text)
	if err != nil {
		return nil, err
	}
	var syms []uint32
	for _, m := range c.modifiers {
		syms = append(syms, uint32(m))
	}
	if c.key != 0 {
		syms = append(syms, uint32(c.key))
	}
	return syms, nil
}

// Sym returns the keysym of a character.
func (Meaning) Sym(r rune) uint32 { return uint32(symOf(r)) }
