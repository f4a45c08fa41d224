package search

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"strings"
	"unicode/utf8"

	"github.com/hobkin/hobkin/core/textfile"
)

const (
	windowSize = 256 << 10 // bytes of a file in memory at once
	maxLine    = 8 << 20   // a longer line is taken in pieces of this size
	overlap    = 4 << 10   // that the pieces share
	maxWhole   = 32 << 20  // a file that must be in memory whole
	around     = 16 << 10  // bytes read before and after a hit for its context
)

var errTooBig = fmt.Errorf("larger than %d MB, which is the most for this kind of search", maxWhole>>20)

// A source is a file, or decoded text in memory.
type source interface {
	io.Reader
	io.ReaderAt
}

// A scanner searches one file after another. It belongs to one goroutine.
type scanner struct {
	find    *finder
	want    Want
	most    int // hits of one file
	context int
	width   int
	buf     []byte

	// of the file at hand
	src    source
	hits   FileHits
	last   int // line of the last hit
	enc    *textfile.Encoding
	marked bool // enc is set
}

// file searches one file. A binary file has no hits.
func (sc *scanner) file(ctx context.Context, f source) (FileHits, error) {
	if sc.buf == nil {
		sc.buf = make([]byte, windowSize)
	}
	sc.src, sc.hits, sc.last, sc.enc, sc.marked = f, FileHits{}, 0, nil, false
	n, err := fill(f, sc.buf)
	if err != nil && !errors.Is(err, io.EOF) {
		return FileHits{}, err
	}
	eof := errors.Is(err, io.EOF)
	head := sc.buf[:n]
	switch {
	case bytes.HasPrefix(head, textfile.UTF16LE.BOM), bytes.HasPrefix(head, textfile.UTF16BE.BOM),
		sc.find.foreign && otherEncoding(head):
		return sc.decoded(ctx, head, eof)
	case textfile.IsBinary(head):
		return FileHits{}, nil
	case sc.find.multiline:
		return sc.wholeFile(head, eof)
	}
	if err := sc.windows(ctx, n, eof); err != nil {
		return sc.hits, err
	}
	return sc.hits, sc.addContext()
}

// otherEncoding reports whether a file is text, but not UTF-8.
func otherEncoding(head []byte) bool {
	e := textfile.DetectPrefix(head)
	return e != nil && e != textfile.UTF8 && e != textfile.UTF8BOM
}

// fill reads until p is full. The error is io.EOF at the end of the file.
func fill(r io.Reader, p []byte) (int, error) {
	n := 0
	for n < len(p) {
		k, err := r.Read(p[n:])
		n += k
		if err != nil {
			return n, err
		}
	}
	return n, nil
}

// rest reads a whole file whose start is read already.
func (sc *scanner) rest(head []byte, eof bool) ([]byte, error) {
	if eof {
		return head, nil
	}
	var all bytes.Buffer
	all.Write(head)
	n, err := io.Copy(&all, io.LimitReader(sc.src, maxWhole-int64(len(head))+1))
	if err != nil {
		return nil, err
	}
	if int64(len(head))+n > maxWhole {
		return nil, errTooBig
	}
	return all.Bytes(), nil
}

// decoded searches the UTF-8 form of a file in another encoding.
func (sc *scanner) decoded(ctx context.Context, head []byte, eof bool) (FileHits, error) {
	data, err := sc.rest(head, eof)
	if err != nil {
		return FileHits{}, err
	}
	text, ok := textfile.Decode(data)
	if !ok {
		return FileHits{}, nil
	}
	src := strings.NewReader(text.String())
	sc.src = src
	n, err := fill(src, sc.buf)
	if sc.find.multiline {
		return sc.wholeFile(sc.buf[:n], err != nil)
	}
	if err := sc.windows(ctx, n, err != nil); err != nil {
		return sc.hits, err
	}
	return sc.hits, sc.addContext()
}

// windows goes through a file piece by piece. The first n bytes are read.
func (sc *scanner) windows(ctx context.Context, n int, eof bool) error {
	line, offset := 1, int64(0)
	if bytes.HasPrefix(sc.buf[:n], textfile.UTF8BOM.BOM) {
		const mark = 3
		n, offset = copy(sc.buf, sc.buf[mark:n]), mark
	}
	for {
		data := sc.buf[:n]
		end := n
		if !eof {
			end = bytes.LastIndexByte(data, '\n') + 1
		}
		keep := end
		if end == 0 && !eof {
			if len(sc.buf) < maxLine {
				sc.buf = append(sc.buf, make([]byte, len(sc.buf))...)
				end, keep = 0, 0
			} else {
				end, keep = n, n-overlap
			}
		}
		if !sc.lines(data[:end], line, offset) || eof {
			return nil
		}
		line += bytes.Count(data[:keep], []byte{'\n'})
		offset += int64(keep)
		n = copy(sc.buf, data[keep:])
		if err := ctx.Err(); err != nil {
			return err
		}
		k, err := fill(sc.src, sc.buf[n:])
		n += k
		if err != nil && !errors.Is(err, io.EOF) {
			return err
		}
		eof = err != nil
	}
}

// lines searches a piece that starts at the given line and offset. It returns
// false when there are hits enough.
func (sc *scanner) lines(data []byte, line int, offset int64) bool {
	counted := 0
	for from := 0; from < len(data); {
		start, end, ok := sc.find.next(data, from)
		if !ok {
			return true
		}
		line += bytes.Count(data[counted:start], []byte{'\n'})
		counted = start
		if line != sc.last {
			sc.hit(data, line, start, end, offset)
		}
		if sc.hits.Count >= sc.most {
			return false
		}
		from = nextLine(data, end)
	}
	return true
}

func (sc *scanner) hit(data []byte, line, start, end int, offset int64) {
	sc.last = line
	sc.hits.Count++
	if sc.want != Lines {
		return
	}
	text := data[start:end]
	sc.hits.Hits = append(sc.hits.Hits, Hit{
		Line:   line,
		Text:   cutLine(sc.readable(text, data), sc.find.Find(text), sc.width),
		offset: offset + int64(start),
		length: end - start,
	})
}

// readable is a line as UTF-8. The encoding is judged by the text around.
func (sc *scanner) readable(line, window []byte) string {
	if utf8.Valid(line) {
		return string(line)
	}
	if !sc.marked {
		sc.enc, sc.marked = textfile.DetectPrefix(window), true
	}
	if sc.enc == nil {
		return strings.ToValidUTF8(string(line), "\uFFFD")
	}
	return sc.enc.DecodeString(line)
}

// wholeFile searches a file at once, for matches that span lines.
func (sc *scanner) wholeFile(head []byte, eof bool) (FileHits, error) {
	data, err := sc.rest(head, eof)
	if err != nil {
		return FileHits{}, err
	}
	if sc.find.hunt.begin(data); len(sc.find.needles) > 0 && sc.find.hunt.next(0) < 0 {
		return FileHits{}, nil
	}
	data = bytes.TrimPrefix(data, textfile.UTF8BOM.BOM)
	line, counted := 1, 0
	for _, m := range sc.find.re.FindAllIndex(data, min(sc.most, math.MaxInt32)) {
		start, _ := lineAround(data, m[0], 0)
		_, end := lineAround(data, max(m[0], m[1]-1), 0)
		line += bytes.Count(data[counted:start], []byte{'\n'})
		counted = start
		sc.hits.Count++
		if sc.want == Lines {
			const severalLines = 5
			text := cutLine(sc.readable(data[start:end], data), []int{m[0] - start, m[1] - start}, severalLines*sc.width)
			sc.hits.Hits = append(sc.hits.Hits, Hit{Line: line, Text: text, offset: int64(start), length: end - start})
		}
	}
	sc.src = bytes.NewReader(data)
	return sc.hits, sc.addContext()
}

// addContext reads the lines around each hit.
func (sc *scanner) addContext() error {
	if sc.context <= 0 {
		return nil
	}
	buf := make([]byte, around)
	for i := range sc.hits.Hits {
		h := &sc.hits.Hits[i]
		from := max(h.offset-around, 0)
		n, err := sc.src.ReadAt(buf[:h.offset-from], from)
		if err != nil && !errors.Is(err, io.EOF) {
			return err
		}
		h.Before = sc.linesBefore(buf[:n], from == 0)
		n, err = sc.src.ReadAt(buf, h.offset+int64(h.length))
		if err != nil && !errors.Is(err, io.EOF) {
			return err
		}
		h.After = sc.linesAfter(buf[:n], errors.Is(err, io.EOF))
	}
	return nil
}

// linesBefore takes the last lines of what stands before a hit. The first line
// of it counts only when it is whole.
func (sc *scanner) linesBefore(data []byte, whole bool) (out []string) {
	if len(data) == 0 {
		return nil
	}
	parts := bytes.Split(bytes.TrimSuffix(data, []byte{'\n'}), []byte{'\n'})
	if !whole {
		parts = parts[1:]
	}
	return sc.shown(parts[max(len(parts)-sc.context, 0):])
}

// linesAfter takes the first lines of what stands behind a hit.
func (sc *scanner) linesAfter(data []byte, whole bool) (out []string) {
	_, data, ok := bytes.Cut(data, []byte{'\n'})
	if !ok || len(data) == 0 {
		return nil
	}
	if whole {
		data = bytes.TrimSuffix(data, []byte{'\n'})
	}
	parts := bytes.Split(data, []byte{'\n'})
	if !whole && len(parts) <= sc.context {
		parts = parts[:len(parts)-1]
	}
	return sc.shown(parts[:min(len(parts), sc.context)])
}

func (sc *scanner) shown(lines [][]byte) (out []string) {
	for _, line := range lines {
		line = bytes.TrimSuffix(line, []byte{'\r'})
		out = append(out, cutLine(sc.readable(line, line), nil, sc.width))
	}
	return out
}
