//go:build linux

package wlroots

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"sync"
	"time"

	"golang.org/x/sys/unix"
)

// A conn speaks the wire format of Wayland: words in the order of this machine's
// bytes, first the object and the length with the number of the request or event.
type conn struct {
	c    *net.UnixConn
	done chan struct{} // closed when nothing is read any more

	write sync.Mutex

	mu       sync.Mutex
	next     uint32
	handlers map[uint32]func(op uint16, m *message)
	err      error // why it ended
}

const displayID = 1 // wl_display, which is there from the beginning

// answerTime is how long a compositor may take for an answer.
const answerTime = 5 * time.Second

func dial(ctx context.Context, socket string) (*conn, error) {
	ctx, cancel := context.WithTimeout(ctx, answerTime)
	defer cancel()
	raw, err := (&net.Dialer{}).DialContext(ctx, "unix", socket)
	if err != nil {
		return nil, err
	}
	c := &conn{c: raw.(*net.UnixConn), done: make(chan struct{}), next: displayID, handlers: map[uint32]func(uint16, *message){}} //nolint:forcetypeassert // of network unix
	c.handlers[displayID] = c.display
	go c.read() // until close
	return c, nil
}

func (c *conn) close() {
	_ = c.c.Close()
	<-c.done
}

// display handles errors, and forgets what the compositor has deleted.
func (c *conn) display(op uint16, m *message) {
	switch op {
	case 0:
		object, code, text := m.uint(), m.uint(), m.text()
		c.fail(fmt.Errorf("the compositor refused a request of object %d: %s (%d)", object, text, code))
	case 1:
		c.handle(m.uint(), nil)
	}
}

func (c *conn) fail(err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.err == nil {
		c.err = err
	}
}

// add makes an object of ours; on handles its events, which come one after
// another and must not wait for others.
func (c *conn) add(on func(op uint16, m *message)) uint32 {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.next++
	c.handlers[c.next] = on
	return c.next
}

func (c *conn) handle(id uint32, on func(op uint16, m *message)) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if on == nil {
		delete(c.handlers, id)
		return
	}
	c.handlers[id] = on
}

const (
	header = 8
)

func (c *conn) read() {
	defer close(c.done)
	head := make([]byte, header)
	for {
		if _, err := io.ReadFull(c.c, head); err != nil {
			c.fail(errors.New("the compositor has ended the connection"))
			return
		}
		id, word := binary.NativeEndian.Uint32(head), binary.NativeEndian.Uint32(head[4:])
		size := int(word >> 16)
		if size < header {
			c.fail(fmt.Errorf("a message of %d bytes", size))
			return
		}
		body := make([]byte, size-header)
		if _, err := io.ReadFull(c.c, body); err != nil {
			c.fail(err)
			return
		}
		c.mu.Lock()
		on := c.handlers[id]
		c.mu.Unlock()
		if on != nil {
			on(uint16(word), &message{body}) //nolint:gosec // the lower half
		}
	}
}

// A fixed is a number with 8 bits after the point.
type fixed int32

// A file is a descriptor to be sent along.
type file int

// send sends a request. An error of the connection shows in the next sync.
func (c *conn) send(id uint32, op uint16, args ...any) {
	body := make([]byte, header, 64)
	var rights []byte
	for _, a := range args {
		switch v := a.(type) {
		case uint32:
			body = binary.NativeEndian.AppendUint32(body, v)
		case int32:
			body = binary.NativeEndian.AppendUint32(body, uint32(v)) //nolint:gosec // its bits
		case fixed:
			body = binary.NativeEndian.AppendUint32(body, uint32(v)) //nolint:gosec // its bits
		case string:
			body = binary.NativeEndian.AppendUint32(body, uint32(len(v)+1)) //nolint:gosec // a short one
			body = append(body, v...)
			body = append(body, make([]byte, 4-len(v)%4)...)
		case file:
			rights = unix.UnixRights(int(v))
		default:
			panic(fmt.Sprintf("wlroots: an argument of type %T", a))
		}
	}
	binary.NativeEndian.PutUint32(body, id)
	binary.NativeEndian.PutUint32(body[4:], uint32(len(body))<<16|uint32(op)) //nolint:gosec // requests are short
	c.write.Lock()
	defer c.write.Unlock()
	_ = c.c.SetWriteDeadline(time.Now().Add(answerTime))
	if _, _, err := c.c.WriteMsgUnix(body, rights, nil); err != nil {
		c.fail(err)
	}
}

// sync returns when the compositor has done all that was sent.
func (c *conn) sync(ctx context.Context) error {
	done := make(chan struct{})
	id := c.add(func(uint16, *message) { close(done) })
	c.send(displayID, 0, id)
	return c.wait(ctx, done)
}

// wait waits for an answer.
func (c *conn) wait(ctx context.Context, done <-chan struct{}) error {
	slow := time.NewTimer(answerTime)
	defer slow.Stop()
	select {
	case <-done:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	case <-slow.C:
		return errors.New("the compositor does not answer")
	case <-c.done:
		c.mu.Lock()
		defer c.mu.Unlock()
		return c.err
	}
}

// A message is the arguments of an event. What is missing reads as nothing.
type message struct{ raw []byte }

func (m *message) uint() uint32 {
	if len(m.raw) < 4 {
		m.raw = nil
		return 0
	}
	v := binary.NativeEndian.Uint32(m.raw)
	m.raw = m.raw[4:]
	return v
}

func (m *message) int() int32 { return int32(m.uint()) } //nolint:gosec // its bits

func (m *message) text() string {
	n := int(m.uint())
	padded := (n + 3) &^ 3
	if n == 0 || padded > len(m.raw) {
		m.raw = nil
		return ""
	}
	s := string(m.raw[:n-1]) // without the zero byte
	m.raw = m.raw[padded:]
	return s
}
