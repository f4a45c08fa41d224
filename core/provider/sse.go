package provider

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"iter"
)

// MaxAnswer is the most bytes that one answer may have on the wire.
const MaxAnswer = 32 << 20

// ErrTooLarge says that an answer passed its limit of bytes.
var ErrTooLarge = errors.New("provider: the answer is too large")

// An SSE is one event of a stream of server-sent events.
type SSE struct {
	Event string // the name, often empty
	Data  []byte // the data lines, joined by newlines; valid until the next event
	Cut   bool   // the stream ended within the event: the data may be a piece
}

// ReadSSE reads events until r ends. Lines may be as long as the whole stream,
// which is at most limit bytes: beyond, the last thing yielded is
// [ErrTooLarge]. Comments and unknown fields are skipped.
func ReadSSE(r io.Reader, limit int64) iter.Seq2[SSE, error] {
	return func(yield func(SSE, error) bool) {
		lines := lineReader{r: bufio.NewReaderSize(r, 32<<10), left: limit}
		var event eventBuilder
		for {
			line, err := lines.next()
			whole := err == nil
			if whole && len(line) == 0 {
				if e, ok := event.take(); ok && !yield(e, nil) {
					return
				}
				continue
			}
			event.line(line)
			if whole {
				continue
			}
			if errors.Is(err, io.EOF) {
				err = nil
			}
			if e, ok := event.take(); ok && err == nil {
				e.Cut = true
				if !yield(e, nil) {
					return
				}
			}
			if err != nil {
				yield(SSE{}, err)
			}
			return
		}
	}
}

// An eventBuilder gathers the lines of one event.
type eventBuilder struct {
	name string
	data []byte
	some bool // a data line came
}

// line takes in one line that is not empty.
func (b *eventBuilder) line(line []byte) {
	field, value, _ := bytes.Cut(line, []byte(":"))
	value = bytes.TrimPrefix(value, []byte(" "))
	switch string(field) {
	case "event":
		b.name = string(value)
	case "data":
		if b.some {
			b.data = append(b.data, '\n')
		}
		b.data, b.some = append(b.data, value...), true
	}
}

// take ends the event. It is nothing when no data came.
func (b *eventBuilder) take() (SSE, bool) {
	e, ok := SSE{Event: b.name, Data: b.data}, b.some
	b.name, b.some = "", false
	b.data = nil
	return e, ok
}

// A lineReader cuts a stream at LF, CR or CRLF.
type lineReader struct {
	r      *bufio.Reader
	left   int64 // bytes that may still come
	began  bool  // the byte order mark was looked for
	skipLF bool  // the last line ended with CR: an LF now belongs to it
	buf    []byte
}

// next returns a line without its end. With an error comes what was read of a
// line that did not end. The line is valid until the next call.
func (l *lineReader) next() ([]byte, error) {
	l.buf = l.buf[:0]
	for {
		// What is buffered is taken at once: a CR must not wait for the byte after it.
		if _, err := l.r.Peek(1); err != nil {
			return l.buf, err
		}
		chunk, _ := l.r.Peek(l.r.Buffered())
		n, ended := l.take(chunk)
		if l.left -= int64(n); l.left < 0 {
			return nil, ErrTooLarge
		}
		if _, err := l.r.Discard(n); err != nil {
			return l.buf, err
		}
		if ended {
			return l.trimBOM(), nil
		}
	}
}

// take adds chunk up to the end of the line and says how much of it was used.
func (l *lineReader) take(chunk []byte) (n int, ended bool) {
	if l.skipLF {
		l.skipLF = false
		if chunk[0] == '\n' {
			return 1, false
		}
	}
	i := bytes.IndexAny(chunk, "\r\n")
	if i < 0 {
		l.buf = append(l.buf, chunk...)
		return len(chunk), false
	}
	l.buf = append(l.buf, chunk[:i]...)
	l.skipLF = chunk[i] == '\r'
	return i + 1, true
}

func (l *lineReader) trimBOM() []byte {
	if l.began {
		return l.buf
	}
	l.began = true
	return bytes.TrimPrefix(l.buf, []byte("\xef\xbb\xbf"))
}
