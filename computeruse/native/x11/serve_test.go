//go:build unix

package x11

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"sync"
	"testing"
	"time"

	"github.com/hobkin/hobkin/computeruse/native"
	"github.com/hobkin/hobkin/computeruse/wire"
	"github.com/hobkin/hobkin/computeruse/wire/wiretest"
	"github.com/hobkin/hobkin/test/desk"
)

// A client speaks to a server in this process, over the real protocol.
type client struct {
	t  testing.TB
	w  io.Writer
	mu sync.Mutex

	id      int64
	waiting map[int64]chan wire.Message
	events  chan wire.Message
}

// serve starts a server on the desk, with all that X11 can do.
func serve(t testing.TB, d *desk.Desk) *client {
	t.Helper()
	b, err := Open(t.Context(), d.Display)
	if err != nil {
		t.Fatal(err)
	}
	return serveParts(t, b.Parts(), b.Close)
}

func serveParts(t testing.TB, parts native.Parts, end func()) *client {
	t.Helper()
	inR, inW := io.Pipe()
	outR, outW := io.Pipe()
	c := &client{t: t, w: inW, waiting: map[int64]chan wire.Message{}, events: make(chan wire.Message, 256)}
	var work sync.WaitGroup
	work.Go(func() {
		err := native.NewServer(parts, false, slog.New(slog.DiscardHandler)).Serve(context.Background(), inR, outW)
		if err != nil {
			t.Errorf("Serve: %v", err)
		}
		_ = outW.Close()
	})
	work.Go(func() { c.read(outR) })
	t.Cleanup(func() {
		_ = inW.Close()
		work.Wait()
		end()
	})
	c.do(wire.Hello, wire.HelloParams{Protocol: wire.Protocol}, nil)
	return c
}

func (c *client) read(r io.Reader) {
	in := bufio.NewReaderSize(r, 1<<20)
	for {
		line, err := in.ReadBytes('\n')
		if err != nil {
			return
		}
		if _, ok := c.t.(*testing.T); ok { // a benchmark measures something else
			wiretest.Line(c.t, line)
		}
		var m wire.Message
		if err := json.Unmarshal(line, &m); err != nil {
			c.t.Errorf("the server said %.200q: %v", line, err)
			continue
		}
		c.mu.Lock()
		ch := c.waiting[m.ID]
		delete(c.waiting, m.ID)
		c.mu.Unlock()
		switch {
		case ch != nil:
			ch <- m
		case m.Event != "":
			c.events <- m
		default:
			c.t.Errorf("the server answered what nobody asked: %.200s", line)
		}
	}
}

// send sends a request; its answer comes on the channel.
func (c *client) send(method string, params any) <-chan wire.Message {
	c.t.Helper()
	raw, err := json.Marshal(params)
	if err != nil {
		c.t.Fatal(err)
	}
	if params == nil {
		raw = nil
	}
	c.mu.Lock()
	c.id++
	req := wire.Request{ID: c.id, Method: method, Params: raw}
	ch := make(chan wire.Message, 1)
	c.waiting[c.id] = ch
	c.mu.Unlock()
	line, err := json.Marshal(req)
	if err != nil {
		c.t.Fatal(err)
	}
	if _, err := c.w.Write(append(line, '\n')); err != nil {
		c.t.Fatal(err)
	}
	return ch
}

// call sends a request and waits for its answer.
func (c *client) call(method string, params, into any) *wire.Error {
	c.t.Helper()
	return c.answer(method, c.send(method, params), into)
}

func (c *client) answer(method string, ch <-chan wire.Message, into any) *wire.Error {
	c.t.Helper()
	select {
	case m := <-ch:
		if m.Error != nil {
			return m.Error
		}
		if _, ok := c.t.(*testing.T); ok {
			wiretest.Result(c.t, method, m.Result)
		}
		if into != nil {
			if err := json.Unmarshal(m.Result, into); err != nil {
				c.t.Fatal(err)
			}
		}
		return nil
	case <-time.After(40 * time.Second):
		c.t.Fatalf("%s was not answered", method)
		return nil
	}
}

// do calls what must work.
func (c *client) do(method string, params, into any) {
	c.t.Helper()
	if err := c.call(method, params, into); err != nil {
		c.t.Fatalf("%s %+v: %s: %v", method, params, err.Code, err)
	}
}

// refused calls what must be refused, with that code.
func (c *client) refused(code, method string, params any) {
	c.t.Helper()
	_ = c.refusal(code, method, params)
}

// refusal is refused for those who read on.
func (c *client) refusal(code, method string, params any) *wire.Error {
	c.t.Helper()
	err := c.call(method, params, nil)
	if err == nil || err.Code != code {
		c.t.Errorf("%s %+v = %+v, want the code %s", method, params, err, code)
		return &wire.Error{}
	}
	return err
}

// event waits for an event.
func (c *client) event(name string, into any) {
	c.t.Helper()
	if !c.eventWithin(10*time.Second, name, into) {
		c.t.Fatalf("no event %s came", name)
	}
}

// eventWithin reports whether an event came in that time.
func (c *client) eventWithin(d time.Duration, name string, into any) bool {
	c.t.Helper()
	late := time.After(d)
	for {
		select {
		case m := <-c.events:
			if m.Event != name {
				continue
			}
			if err := json.Unmarshal(m.Data, into); err != nil {
				c.t.Fatal(err)
			}
			return true
		case <-late:
			return false
		}
	}
}
