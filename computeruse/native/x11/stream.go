package x11

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"net"
	"strings"
	"sync"
)

// A stream is a connection whose incoming messages are cut apart, since xgb
// reads 32 bytes of each event although a generic one is longer, and keeps
// what it knows of extensions in variables of the whole process. What it need
// not see is taken out: events of extensions go to a function. Errors of
// extensions it gets as one of the core protocol, with their name kept apart.
type stream struct {
	net.Conn

	mu     sync.Mutex
	setup  bool                                       // the answer to the first request has been passed on
	rest   []byte                                     // of the message that is being passed on
	events map[string]func(code byte, message []byte) // by extension
	known  []firstCodes
}

type firstCodes struct {
	name          string
	event, failed byte
}

func newStream(c net.Conn) *stream {
	return &stream{Conn: c, events: map[string]func(byte, []byte){}}
}

// learn tells which codes are an extension's.
func (s *stream) learn(name string, event, failed byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.known = append(s.known, firstCodes{name, event, failed})
}

// on sets who gets the events of an extension: with their code counted from
// its first one. It is called by whoever reads, and must not wait for a reply.
func (s *stream) on(name string, f func(code byte, message []byte)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.events[name] = f
}

// The kinds of messages, and what lies beyond the core protocol.
const (
	kindError    = 0
	kindReply    = 1
	genericEvent = 35
	eventMask    = 0x7f
	firstExtEvt  = 64
	firstExtErr  = 128
	badRequest   = 1 // an error of the core protocol that says little
	messageSize  = 32
	generic      = "generic" // the name under which generic events are told
)

// Read implements net.Conn.
func (s *stream) Read(into []byte) (int, error) {
	for len(s.rest) == 0 {
		if err := s.next(); err != nil {
			return 0, err
		}
	}
	n := copy(into, s.rest)
	s.rest = s.rest[n:]
	return n, nil
}

// next reads a message that xgb is to see into rest; another one it handles.
func (s *stream) next() error {
	if !s.setup {
		return s.first()
	}
	m := make([]byte, messageSize)
	if err := s.full(m); err != nil {
		return err
	}
	switch kind := m[0] & eventMask; {
	case m[0] == kindReply || kind == genericEvent:
		long, err := s.more(m)
		if err != nil {
			return err
		}
		if m[0] == kindReply {
			s.rest = long
			return nil
		}
		s.give(generic, m[1], long)
	case m[0] == kindError:
		if m[1] >= firstExtErr {
			m[1] = badRequest
		}
		s.rest = m
	case kind >= firstExtEvt:
		name, code := s.whose(kind)
		s.give(name, code, m)
	default:
		s.rest = m
	}
	return nil
}

// maxMessage is more than a picture of the largest screen has.
const maxMessage = 1 << 30

// more reads what a message says that it has beyond its first bytes. Its
// memory grows with what comes, not with what it says.
func (s *stream) more(m []byte) ([]byte, error) {
	n := 4 * int64(binary.LittleEndian.Uint32(m[4:]))
	if n > maxMessage {
		return nil, errors.New("the X server announced a message of more than 1 GiB")
	}
	long := bytes.NewBuffer(m)
	if n < maxGrow {
		long.Grow(int(n))
	}
	got, err := io.CopyN(long, s.Conn, n)
	if err != nil && got < n {
		return nil, err
	}
	return long.Bytes(), nil
}

// maxGrow is how much is made room for at once.
const maxGrow = 64 << 20

// first passes on the answer to the connection's setup, which is laid out in
// another way.
func (s *stream) first() error {
	head := make([]byte, 8)
	if err := s.full(head); err != nil {
		return err
	}
	all := make([]byte, 8+4*int(binary.LittleEndian.Uint16(head[6:])))
	copy(all, head)
	if err := s.full(all[8:]); err != nil {
		return err
	}
	s.setup, s.rest = true, all
	return nil
}

func (s *stream) full(into []byte) error {
	_, err := io.ReadFull(s.Conn, into)
	return err
}

// whose finds the extension of an event, the one with the nearest first code.
func (s *stream) whose(kind byte) (name string, code byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	best := -1
	for _, k := range s.known {
		if d := int(kind) - int(k.event); k.event >= firstExtEvt && d >= 0 && (best < 0 || d < best) {
			best, name = d, k.name
		}
	}
	return strings.Clone(name), byte(max(best, 0))
}

func (s *stream) give(name string, code byte, message []byte) {
	s.mu.Lock()
	f := s.events[name]
	s.mu.Unlock()
	if f != nil {
		f(code, message)
	}
}
