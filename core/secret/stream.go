package secret

import "strings"

// A Stream redacts a text that comes in pieces, as [Redactor.Redact] would the
// whole, wherever it is cut. It holds back what may be the beginning of a
// secret until the next pieces tell: for ordinary text nothing, or the first
// letters of a word; for a private key up to 64 KiB. It is not safe for
// concurrent use.
type Stream struct {
	r     *Redactor
	text  string // what is held back, and before it what was given out last, to look back at
	at    int    // where in text the held part begins
	shown int    // bytes of the held part that [Stream.Release] gave out already
}

// Stream begins a new text.
func (r *Redactor) Stream() *Stream { return &Stream{r: r} }

// Write takes the next piece and returns what can be shown.
func (s *Stream) Write(piece string) string {
	s.text += piece
	return s.settle(false)
}

// Flush ends the text and returns what was held back.
func (s *Stream) Flush() string {
	out := s.settle(true)
	s.text, s.at, s.shown = "", 0, 0
	return out
}

// Release returns as much of what is held back as gives nothing away: for when
// no more text came for a while. What follows is still taken together with it.
func (s *Stream) Release() string {
	held := s.text[s.at:]
	if len(held) >= leastBytes && !plainAddress(held) {
		return ""
	}
	out := held[s.shown:]
	s.shown = len(held)
	return out
}

// plainAddress reports whether what may be the beginning of an address with a
// password in it is so far a host, or a host and a port.
func plainAddress(held string) bool {
	rest, ok := strings.CutPrefix(held, "://")
	_, port, _ := strings.Cut(rest, ":")
	return ok && strings.Trim(port, "0123456789") == ""
}

// settle gives out what is sure; at the end that is all.
func (s *Stream) settle(end bool) string {
	ix, text := s.r.load(), s.text
	var b strings.Builder
	i, done := s.at, s.at
	for i < len(text) {
		m := ix.judge(text, i, end)
		if m.open && !end {
			break
		}
		if m.to == 0 {
			i++
			continue
		}
		s.give(&b, text[done:m.from])
		s.shown = max(0, s.shown-(m.to-m.from))
		b.WriteString(Hidden)
		done, i = m.to, m.to
	}
	s.give(&b, text[done:i])
	from := max(0, i-lookBehind)
	s.text, s.at = text[from:], i-from
	return b.String()
}

// give writes text without what was shown of it before.
func (s *Stream) give(b *strings.Builder, text string) {
	n := min(s.shown, len(text))
	s.shown -= n
	b.WriteString(text[n:])
}

// judge is match for any place in a text that may go on.
func (ix *index) judge(s string, i int, end bool) match {
	switch {
	case i+leastSeen > len(s):
		return match{open: !end && ix.begins(s, i)}
	case !ix.starts(s[i], s[i+1]):
		return match{}
	}
	return ix.match(s, i)
}
