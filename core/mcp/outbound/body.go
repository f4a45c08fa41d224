package outbound

import (
	"bytes"
	"fmt"
	"io"
	"mime"
	"net/http"
)

// mostLines is how many lines one event of a server may have: mcp-go joins them
// one by one.
const mostLines = 10_000

// A body bounds what a server sends: one message as a whole, and of a stream
// each event. mcp-go reads lines and events of any length.
type body struct {
	io.ReadCloser
	stream bool
	size   int // of the message or the event so far
	lines  int // of the event so far
	empty  bool
}

func bounded(res *http.Response) io.ReadCloser {
	kind, _, _ := mime.ParseMediaType(res.Header.Get("Content-Type")) // what is no type is no stream
	return &body{ReadCloser: res.Body, stream: kind == "text/event-stream", empty: true}
}

// Read implements [io.Reader].
func (b *body) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	b.count(p[:n])
	if b.size > mostMessage || b.lines > mostLines {
		return 0, fmt.Errorf("mcp: the server sends a message of more than %d MB or %d lines", mostMessage>>20, mostLines)
	}
	return n, err
}

// count adds up an event; an empty line ends it.
func (b *body) count(p []byte) {
	if !b.stream {
		b.size += len(p)
		return
	}
	for len(p) > 0 {
		i := bytes.IndexByte(p, '\n')
		if i < 0 {
			b.add(p)
			return
		}
		b.add(p[:i])
		if b.lines++; b.empty {
			b.size, b.lines = 0, 0
		}
		b.empty = true
		p = p[i+1:]
	}
}

// add adds a piece of a line.
func (b *body) add(p []byte) {
	b.size += len(p)
	b.empty = b.empty && len(bytes.TrimRight(p, "\r")) == 0
}
