package outbound

import (
	"bytes"
	"encoding/json"
)

// A framer cuts the output of a server into messages. The protocol says one
// JSON object a line; programs also print banners and logs there, several
// messages on a line, or one over many lines. What is no message is skipped and
// counted, never an error.
type framer struct {
	most    int // bytes of one message
	message func(json.RawMessage)

	buf      []byte // the message so far, from its opening brace
	depth    int    // of braces and brackets
	inString bool
	escaped  bool
	skipping bool // to the end of the line: it is no message
	line     int  // where in buf the current line begins; 0 for the first

	garbage int    // lines that were skipped
	sample  []byte // the beginning of the first of them
}

// sampleBytes is how much of the first skipped line is kept for people.
const sampleBytes = 200

// begin is how a message of the protocol mostly begins. Where a line begins so
// within a message, that message was never finished.
var begin = []byte(`{"jsonrpc"`)

// write takes in output as it comes.
func (f *framer) write(p []byte) {
	for len(p) > 0 {
		switch {
		case f.skipping:
			p = f.skip(p)
		case len(f.buf) == 0:
			p = f.start(p)
		default:
			p = f.more(p)
		}
	}
}

// skip drops the rest of a line.
func (f *framer) skip(p []byte) []byte {
	i := bytes.IndexByte(p, '\n')
	end := len(p)
	if i >= 0 {
		end = i
	}
	if f.garbage == 1 && len(f.sample) < sampleBytes {
		f.sample = append(f.sample, p[:min(end, sampleBytes-len(f.sample))]...)
	}
	if i < 0 {
		return nil
	}
	f.skipping = false
	return p[i+1:]
}

// start looks for the beginning of a message.
func (f *framer) start(p []byte) []byte {
	p = bytes.TrimLeft(p, " \t\r\n\x00\ufeff\xef\xbb\xbf") // a byte order mark may come in pieces
	switch {
	case len(p) == 0:
	case p[0] == '{' || p[0] == '[':
		f.buf, f.depth = append(f.buf, p[0]), 1
		f.inString, f.escaped, f.line = false, false, 0
		p = p[1:]
	default:
		f.skipLine()
	}
	return p
}

func (f *framer) skipLine() {
	f.garbage++
	f.skipping = true
}

// more goes on with a message, up to its end.
func (f *framer) more(p []byte) []byte {
	for i := 0; i < len(p); i++ {
		if f.inString && !f.escaped {
			n := plain(p[i:])
			f.buf = append(f.buf, p[i:i+n]...)
			if i += n; i == len(p) {
				break
			}
		}
		c := p[i]
		f.buf = append(f.buf, c)
		switch {
		case c == '\n' && f.inString: // no string of JSON goes over a line
			f.drop(len(f.buf))
			return p[i+1:]
		case c == '\n':
			f.line = len(f.buf)
		case f.restarts():
			f.drop(f.line)
			f.write(begin)
			return p[i+1:]
		}
		if f.ends(c) {
			f.finish()
			return p[i+1:]
		}
		if len(f.buf) > f.most {
			f.drop(sampleBytes)
			f.skipping = true
			return p[i+1:]
		}
	}
	return nil
}

// plain is how many bytes at the beginning of p say nothing within a string.
func plain(p []byte) int {
	if n := bytes.IndexAny(p, "\"\\\n"); n >= 0 {
		return n
	}
	return len(p)
}

// restarts reports whether a line within a message begins a message itself.
func (f *framer) restarts() bool {
	return f.line > 0 && len(f.buf) == f.line+len(begin) && bytes.Equal(f.buf[f.line:], begin)
}

// drop counts buf, up to end, as what was no message.
func (f *framer) drop(end int) {
	f.garbage++
	if f.garbage == 1 {
		f.sample = append(f.sample, f.buf[:min(end, len(f.buf), sampleBytes)]...)
	}
	f.buf, f.depth = nil, 0
}

// ends reports whether c closes the message.
func (f *framer) ends(c byte) bool {
	switch {
	case f.escaped:
		f.escaped = false
	case f.inString:
		f.escaped, f.inString = c == '\\', c != '"'
	case c == '"':
		f.inString = true
	case c == '{' || c == '[':
		f.depth++
	case c == '}' || c == ']':
		f.depth--
	}
	return f.depth == 0
}

// finish hands over a message, or counts what only looked like one.
func (f *framer) finish() {
	if !json.Valid(f.buf) {
		f.drop(len(f.buf))
		return
	}
	whole := f.buf
	f.buf, f.depth = nil, 0
	if whole[0] == '{' {
		f.message(whole)
		return
	}
	var batch []json.RawMessage
	if json.Unmarshal(whole, &batch) != nil {
		return
	}
	for _, m := range batch {
		if bytes.HasPrefix(m, []byte("{")) {
			f.message(m)
		}
	}
}
