package file

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/hobkin/hobkin/core/capability"
)

// A page is the run of lines that one call shows.
type page struct {
	first, most int // line number and how many
	bytes       int // of the whole page
	lineBytes   int // of one line
	oldMac      bool

	out   strings.Builder
	part  []byte // of a line; every line is put here in its turn
	line  int    // lines read so far
	shown int    // lines in out
	next  int    // where to go on; 0 when the end was reached
	whole bool   // all lines were counted
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
	br := readers.Get().(*bufio.Reader)
	br.Reset(r)
	defer func() {
		br.Reset(nil)
		readers.Put(br)
	}()
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

// readers are for reading files by the line: a call has one for a short while.
var readers = sync.Pool{New: func() any { return bufio.NewReaderSize(nil, 16<<10) }}

// nextLine reads one line, which holds until the next. It keeps only the start of a long one; length is
// that of the whole, line end and all.
func (p *page) nextLine(br *bufio.Reader) (line []byte, length int, err error) {
	end := byte('\n')
	if p.oldMac {
		end = '\r'
	}
	line = p.part[:0]
	defer func() { p.part = line }()
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
	if !utf8.Valid(line) {
		line = bytes.ToValidUTF8(line, []byte("\uFFFD"))
	}
	var more string
	if len(line) > p.lineBytes {
		cut := capability.CutText(string(line), p.lineBytes)
		line, more = []byte(cut), fmt.Sprintf(" … (%d more bytes in this line)", max(length-len(cut), 1))
	}
	if p.shown == p.most || p.shown > 0 && p.out.Len()+len(line)+len(more)+numbered > p.bytes {
		p.next = p.line
		return
	}
	p.shown++
	p.number(p.line)
	p.out.WriteByte('\t')
	p.out.Write(line)
	p.out.WriteString(more)
	p.out.WriteByte('\n')
}

// numbered is how many bytes a line is longer when it has its number.
const numbered = 8

// number puts a line's number before it, in a column of six.
func (p *page) number(n int) {
	var digits [20]byte
	d := strconv.AppendInt(digits[:0], int64(n), 10)
	p.out.WriteString("      "[min(len(d), 6):])
	p.out.Write(d)
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
