package textfile

import (
	"errors"
	"io"
	"unicode/utf8"
)

// NewReader decodes what it reads from r, a file from its start, without mark.
// What means nothing in e becomes U+FFFD; but UTF-8 is passed on as it is.
func (e *Encoding) NewReader(r io.Reader) io.Reader {
	if e == UTF8 {
		return r
	}
	return &reader{enc: e, src: r, mark: len(e.BOM), in: make([]byte, 0, 32<<10)}
}

type reader struct {
	enc  *Encoding
	src  io.Reader
	mark int    // bytes of the mark that are still to be skipped
	in   []byte // read and not decoded
	out  []byte // decoded and not given away
	err  error
}

// longest is the greatest length of a character in any encoding, in bytes.
const longest = 4

// Read reads like an [io.Reader].
func (d *reader) Read(p []byte) (int, error) {
	for len(d.out) == 0 {
		if d.err != nil && len(d.in) == 0 {
			return 0, d.err
		}
		d.fill()
		d.decode()
	}
	n := copy(p, d.out)
	d.out = d.out[n:]
	return n, nil
}

func (d *reader) fill() {
	if d.err != nil {
		return
	}
	n, err := d.src.Read(d.in[len(d.in):cap(d.in)])
	d.in = d.in[:len(d.in)+n]
	if err != nil && !errors.Is(err, io.EOF) {
		d.in = nil // what follows is not known, so its start means nothing
	}
	d.err = err
}

// decode turns in into out, but for a character that may not be complete.
func (d *reader) decode() {
	skip := min(d.mark, len(d.in))
	d.mark -= skip
	in := d.in[skip:]
	d.out = d.out[:0]
	for len(in) >= longest || d.err != nil && len(in) > 0 {
		r, n, _ := d.enc.step(in)
		d.out = utf8.AppendRune(d.out, r)
		in = in[n:]
	}
	d.in = d.in[:copy(d.in[:cap(d.in)], in)]
}
