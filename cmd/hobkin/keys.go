package main

import (
	"bytes"
	"context"
	"io"
	"strings"
	"sync"
)

// Keys are what a person types, read by one goroutine for as long as the
// program runs: a read from a terminal cannot be taken back. They go to who
// wants lines, or as they are to an editor while it has them.
type keys struct {
	lines chan string   // closed at the end of the input
	gone  chan struct{} // closed with it

	mu   sync.Mutex
	edit *stroke // nil: lines are wanted
}

// A stroke is the time in which an editor has the keys.
type stroke struct {
	bytes chan []byte
	over  chan struct{}
	rest  []byte // read, and not yet taken
}

// readKeys begins to read.
func readKeys(ctx context.Context, r io.Reader) *keys {
	k := &keys{lines: make(chan string), gone: make(chan struct{})}
	go k.pump(ctx, r) // ends with the input, or with the program
	return k
}

// readLines reads what a person types, a line at a time, until the input or ctx
// ends.
func readLines(ctx context.Context, r io.Reader) <-chan string { return readKeys(ctx, r).lines }

func (k *keys) pump(ctx context.Context, r io.Reader) {
	defer close(k.lines)
	defer close(k.gone)
	var line []byte
	buf := make([]byte, 4096)
	for {
		n, err := r.Read(buf)
		if n > 0 && !k.pass(bytes.Clone(buf[:n])) {
			line = append(line, buf[:n]...)
		}
		for {
			i := bytes.IndexByte(line, '\n')
			if i < 0 && (err == nil || len(line) == 0) {
				break
			}
			if i < 0 {
				i = len(line) - 1
			}
			text := strings.TrimRight(string(line[:i+1]), "\r\n")
			line = line[i+1:]
			select {
			case k.lines <- text:
			case <-ctx.Done():
				return
			}
		}
		if err != nil {
			return
		}
	}
}

// pass gives keys to the editor that has them, and reports false where none
// does.
func (k *keys) pass(b []byte) bool {
	k.mu.Lock()
	to := k.edit
	k.mu.Unlock()
	if to == nil {
		return false
	}
	select {
	case to.bytes <- b:
		return true
	case <-to.over:
		return false
	}
}

// take gives the keys to an editor until release is called.
func (k *keys) take() (s *stroke, release func()) {
	s = &stroke{bytes: make(chan []byte), over: make(chan struct{})}
	k.mu.Lock()
	k.edit = s
	k.mu.Unlock()
	return s, func() {
		k.mu.Lock()
		k.edit = nil
		k.mu.Unlock()
		close(s.over)
	}
}

// read is the editor's way to read: it ends when the keys do or are taken back.
func (s *stroke) read(p []byte, gone <-chan struct{}) (int, error) {
	if len(s.rest) == 0 {
		select {
		case s.rest = <-s.bytes:
		case <-s.over:
			return 0, io.EOF
		case <-gone:
			return 0, io.EOF
		}
	}
	n := copy(p, s.rest)
	s.rest = s.rest[n:]
	return n, nil
}
