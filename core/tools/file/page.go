package file

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/hobkin/hobkin/core/capability"
)

// A page is the run of lines that one call shows.
type page struct {
	first, most int // line number and how many
	bytes       int // of the whole page
	lineBytes   int // of one line
	oldMac      bool

	out   strings.Builder
	line  int  // lines read so far
	shown int  // lines in out
	next  int  // where to go on; 0 when the end was reached
	whole bool // all lines were counted
}

func newPage(l Limits, in readIn) *page {
	most := l.ReadLines
	if in.Limit > 0 {
		most = min(in.Limit, most)
	}
	return &page{first: max(in.Offset, 1), most: most, bytes: l.ReadBytes, lineBytes: l.LineBytes}
}

// read takes UTF-8 text to its end, or to the end of the page and some more to
// count the lines.
func (p *page) read(ctx context.Context, r io.Reader) error {
	const countAhead = 16 << 20 // bytes
	br := bufio.NewReaderSize(r, 16<<10)
	ahead := 0
	for {
		line, length, err := p.nextLine(br)
		if err != nil && !errors.Is(err, io.EOF) {
			return err
		}
		if errors.Is(err, io.EOF) && length == 0 {
			p.whole = true
			return nil
		}
		p.line++
		if p.line%1024 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		if p.next == 0 {
			p.add(line, length)
		} else if ahead += length; ahead > countAhead {
			return nil
		}
	}
}

// nextLine reads one line. It keeps only the start of a long one; length is
// that of the whole, line end and all.
func (p *page) nextLine(br *bufio.Reader) (line []byte, length int, err error) {
	end := byte('\n')
	if p.oldMac {
		end = '\r'
	}
	for {
		part, err := br.ReadSlice(end)
		length += len(part)
		if room := p.lineBytes + 4 - len(line); room > 0 { // a few more, to know that it is too long
			line = append(line, part[:min(room, len(part))]...)
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			return line, length, err
		}
	}
}

// add shows one line, or ends the page before it.
func (p *page) add(line []byte, length int) {
	if p.line < p.first {
		return
	}
	line = bytes.TrimRight(line, "\r\n")
	text := strings.ToValidUTF8(string(line), "\uFFFD")
	if len(line) > p.lineBytes {
		text = capability.CutText(text, p.lineBytes)
		text += fmt.Sprintf(" … (%d more bytes in this line)", max(length-len(text), 1))
	}
	if p.shown == p.most || p.shown > 0 && p.out.Len()+len(text)+8 > p.bytes {
		p.next = p.line
		return
	}
	p.shown++
	fmt.Fprintf(&p.out, "%6d\t%s\n", p.line, text)
}

// text is the page with what a reader must know about it.
func (p *page) text() string {
	switch {
	case p.line == 0:
		return "(the file is empty)\n"
	case p.next == 0:
		return p.out.String()
	case p.whole:
		return fmt.Sprintf("%s(up to line %d of %d; go on with offset %d)\n", p.out.String(), p.next-1, p.line, p.next)
	}
	return fmt.Sprintf("%s(up to line %d, more follow; go on with offset %d)\n", p.out.String(), p.next-1, p.next)
}
