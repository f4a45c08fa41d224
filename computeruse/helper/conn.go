package helper

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"os"
	"sync"
	"time"

	"github.com/hobkin/hobkin/computeruse/wire"
	"github.com/hobkin/hobkin/core/process"
)

// A conn is one run of the program.
type conn struct {
	lookOnly bool
	hello    wire.HelloResult
	began    time.Time

	in      *os.File // its input
	p       *process.Process
	noise   *ring // what it said on stderr
	lines   lines // its output, put together
	told    chan wire.Message
	dead    chan struct{} // closed when nothing more is to be expected of it
	writing sync.Mutex

	mu      sync.Mutex
	last    int64
	waiting map[int64]chan wire.Message
	why     *wire.Error // why it is dead
	used    bool        // it got as far as to be used, and its end is not ours
}

// eventRoom is how many events wait to be told; more than that no one can use.
const eventRoom = 256

// launch starts the program. Its end is watched by one goroutine, which also
// tells the events.
func (h *Helper) launch(path string) (*conn, error) {
	r, w, err := os.Pipe()
	if err != nil {
		return nil, problem(wire.Failed, "the helper cannot be started: %v", err)
	}
	c := &conn{
		lookOnly: h.lookOnly(), began: time.Now(), in: w, noise: &ring{}, told: make(chan wire.Message, eventRoom),
		dead: make(chan struct{}), waiting: map[int64]chan wire.Message{},
	}
	c.lines.take = c.line
	args := []string{path}
	if c.lookOnly {
		args = append(args, "--look-only")
	}
	env := h.o.Env
	if env == nil {
		env = os.Environ()
	}
	c.p, err = process.Start(context.Background(), process.Command{
		Args: args, Env: env, Input: r, Brief: true, Keep: 1 << 10, Grace: h.times.Kill, Output: c.output,
	})
	_ = r.Close() // it is the child's now
	if err != nil {
		_ = w.Close()
		return nil, problem(wire.Failed, "the helper %s cannot be started: %v", path, err)
	}
	h.ended.Go(func() { h.watch(c) })
	return c, nil
}

// watch tells the events of a run until it is dead, and counts ends that no one
// wanted.
func (h *Helper) watch(c *conn) {
	for {
		select {
		case m := <-c.told:
			h.tell(m)
			continue
		case <-c.p.Done():
			c.die(c.ending())
		case <-c.dead:
		}
		break
	}
	c.kill()
	for { // what it said before its end counts: a pause, say
		select {
		case m := <-c.told:
			h.tell(m)
			continue
		default:
		}
		break
	}
	if c.lost() {
		slog.Warn("computeruse: the helper has ended", "error", c.why, "said", c.noise.last())
		if time.Since(c.began) > lived {
			h.outlived()
		}
		h.failed()
	}
}

func (h *Helper) tell(m wire.Message) {
	if h.o.OnEvent != nil {
		h.o.OnEvent(m.Event, m.Data)
	}
}

// tell puts an event where watch finds it.
func (c *conn) tell(m wire.Message) {
	select {
	case c.told <- m:
	default:
		slog.Warn("computeruse: the helper tells more than can be taken in", "event", m.Event)
	}
}

// ending says how the program ended by itself.
func (c *conn) ending() *wire.Error {
	r := c.p.Wait()
	said := c.noise.last()
	switch {
	case r.Signal != "":
		return problem(wire.Failed, "the helper crashed (%s)%s", r.Signal, because(said))
	case r.ExitCode != 0:
		return problem(wire.Failed, "the helper ended with exit code %d%s", r.ExitCode, because(said))
	}
	return problem(wire.Failed, "the helper ended%s", because(said))
}

func because(said string) string {
	if said == "" {
		return ""
	}
	return ": " + said
}

// greet says hello and checks who answers.
func (c *conn) greet(ctx context.Context, p wire.HelloParams, limit time.Duration) error {
	raw, err := c.ask(ctx, wire.Hello, p, limit)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(raw, &c.hello); err != nil {
		return problem(wire.WrongProtocol, "the helper's greeting is none; it is not this version's helper")
	}
	switch {
	case c.hello.Protocol != wire.Protocol:
		return &wire.Error{
			Code: wire.WrongProtocol, Message: problem("", "the helper is of another version: it speaks protocol %d, and this program %d", c.hello.Protocol, wire.Protocol).Message,
			Fix: "install the helper that came with this version of Hobkin",
		}
	case c.lookOnly && !c.hello.LookOnly:
		return problem(wire.WrongProtocol, "the helper did not agree only to look, so that it is not used")
	case c.hello.Version != wire.Version:
		slog.Warn("computeruse: the helper is of another version with the same protocol", "helper", c.hello.Version, "program", wire.Version)
	}
	return nil
}

// ask sends a request and waits for its answer, for ctx, or for the limit. What
// takes longer than that is a hang, and ends the program.
func (c *conn) ask(ctx context.Context, method string, params any, limit time.Duration) (json.RawMessage, error) {
	req := wire.Request{Method: method}
	if params != nil {
		raw, err := json.Marshal(params)
		if err != nil {
			return nil, problem(wire.BadRequest, "%s: %v", method, err)
		}
		req.Params = raw
	}
	answer, id, err := c.expect()
	if err != nil {
		return nil, err
	}
	defer c.forget(id)
	req.ID = id
	if err := c.send(req, limit); err != nil {
		return nil, err
	}
	timer := time.NewTimer(limit)
	defer timer.Stop()
	select {
	case m := <-answer:
		if m.Error != nil {
			return nil, c.meant(m.Error)
		}
		return m.Result, nil
	case <-c.dead:
		return nil, c.died(method)
	case <-ctx.Done():
		return nil, ctx.Err()
	case <-timer.C:
		why := problem(wire.TimedOut, "the helper did not answer %s in %v and is started again", method, limit)
		c.fail(why)
		return nil, c.died(method)
	}
}

// meant is an error of the helper's. Where there is no display at all that is why
// nothing works.
func (c *conn) meant(e *wire.Error) *wire.Error {
	if e.Code == wire.Unsupported && c.hello.DisplayServer == noServer {
		e.Code = wire.NoDisplay
	}
	return e
}

// noServer is the display server of a helper that found no display.
const noServer = "none"

// expect makes a place for an answer.
func (c *conn) expect() (chan wire.Message, int64, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.why != nil {
		return nil, 0, c.why
	}
	c.last++
	ch := make(chan wire.Message, 1)
	c.waiting[c.last] = ch
	return ch, c.last, nil
}

func (c *conn) forget(id int64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.waiting, id)
}

// send writes a request. A program that does not read its input is as good as
// dead.
func (c *conn) send(req wire.Request, limit time.Duration) error {
	line, err := json.Marshal(req)
	if err != nil {
		return problem(wire.BadRequest, "%s: %v", req.Method, err)
	}
	if len(line) >= wire.MaxLine {
		return problem(wire.BadRequest, "%s: the request has %d bytes, over %d", req.Method, len(line), wire.MaxLine)
	}
	c.writing.Lock()
	defer c.writing.Unlock()
	_ = c.in.SetWriteDeadline(time.Now().Add(limit)) // where a pipe has none, the limit of the answer remains
	if n, err := c.in.Write(append(line, '\n')); err != nil {
		if n == 0 && errors.Is(err, os.ErrClosed) {
			c.die(problem(wire.Failed, "the helper was ended")) // it is being closed just now
			return c.died("")
		}
		c.fail(problem(wire.Failed, "the helper does not take requests any more"))
		return c.died("")
	}
	return nil
}

// died is why the program is dead, as an answer to a request that it had got.
func (c *conn) died(method string) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	why := *c.why
	why.Sent = acts[method]
	return &why
}

// output takes in what the program prints.
func (c *conn) output(s process.Stream, chunk []byte) {
	if s == process.Stderr {
		c.noise.write(chunk)
		return
	}
	if !c.lines.write(chunk) {
		c.fail(problem(wire.Failed, "the helper answered with a line of over %d MiB", wire.MaxLine>>20))
	}
}

// line takes in one line of the program's.
func (c *conn) line(line []byte) {
	if len(bytes.TrimSpace(line)) == 0 {
		return
	}
	var m wire.Message
	if err := json.Unmarshal(line, &m); err != nil || m.ID == 0 && m.Event == "" && m.Error == nil {
		c.fail(problem(wire.Failed, "the helper answered with what is no answer"))
		return
	}
	if m.Event != "" {
		c.tell(m)
		return
	}
	c.mu.Lock()
	ch := c.waiting[m.ID]
	delete(c.waiting, m.ID)
	c.mu.Unlock()
	if ch != nil { // else it is late: no one waits for it any more
		ch <- m
	}
}

// die marks the program dead; the first reason counts.
func (c *conn) die(why *wire.Error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.why == nil {
		c.why = why
		close(c.dead)
	}
}

// fail marks the program dead and kills it.
func (c *conn) fail(why *wire.Error) {
	c.die(why)
	c.p.Kill()
}

// kill ends the program by its id and waits for that.
func (c *conn) kill() {
	c.p.Kill()
	c.p.Wait()
	_ = c.in.Close()
}

// close ends the program as one that has done its work: at the end of its input
// it lets go of what it holds and ends; when it does not, it is killed.
func (c *conn) close() {
	c.use(false)
	_ = c.in.Close()
	timer := time.NewTimer(closeTime)
	defer timer.Stop()
	select {
	case <-c.p.Done():
	case <-timer.C:
	}
	c.die(problem(wire.Failed, "the helper was ended"))
	c.kill()
}

// closeTime is how long a helper may take to end at the end of its input.
const closeTime = time.Second

func (c *conn) gone() bool {
	select {
	case <-c.dead:
		return true
	case <-c.p.Done():
		return true
	default:
		return false
	}
}

// use says whether the end of the program would be a loss.
func (c *conn) use(used bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.used = used
}

func (c *conn) lost() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.used
}
