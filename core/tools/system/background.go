package system

import (
	"context"
	"encoding/json"
	"fmt"
	"net/netip"
	"strings"
	"sync"
	"time"

	"github.com/hobkin/hobkin/core/capability"
	"github.com/hobkin/hobkin/core/process"
)

// background starts a line that goes on after the call.
func (h *Host) background(ctx context.Context, call capability.Call, l *line) (capability.Result, error) {
	if err := ctx.Err(); err != nil {
		return capability.Result{}, err
	}
	life, cancel := context.WithCancel(context.WithoutCancel(ctx))
	limits := h.limits()
	j := &job{
		session: call.Turn.Session, turn: call.Turn.ID, line: l, started: time.Now(), now: Running,
		out: newTranscript(limits.Keep, h.Stream), cancel: cancel, done: make(chan struct{}),
	}
	if err := h.jobs.reserve(j, limits.Background); err != nil {
		cancel()
		return capability.Result{}, err
	}
	live := newLive(call)
	c := h.command(l, call)
	c.Output = func(s process.Stream, chunk []byte) {
		j.out.add(s, chunk)
		live.add(s, chunk)
	}
	if l.PTY {
		j.shown = newDisplay(func(line string) { j.out.add(process.Stdout, []byte(line+"\n")) })
		c.Output = func(s process.Stream, chunk []byte) { live.add(s, j.shown.draw(chunk)) }
	}
	p, err := process.Start(life, c)
	if err != nil {
		h.jobs.drop(j)
		cancel()
		close(j.done)
		return capability.Result{}, startError(ctx, err)
	}
	j.process = p
	go h.see(j, live, call) // ends with the command, which Close and EndSession end

	wait := time.NewTimer(limits.Look)
	defer wait.Stop()
	select {
	case <-j.done:
	case <-wait.C:
	case <-ctx.Done():
	}
	return h.read(j, nil), nil
}

// see sees a background command to its end.
func (h *Host) see(j *job, live *live, call capability.Call) {
	defer j.cancel()
	if limit := j.line.timeout(h.limits()); limit > 0 {
		timer := time.AfterFunc(limit, func() { j.stop(TimedOut) })
		defer timer.Stop()
	}
	w := watch{process: j.process, live: live, warn: call.Progress}
	w.heard = func(all []netip.AddrPort) {
		j.mu.Lock()
		defer j.mu.Unlock()
		j.listen = append([]netip.AddrPort(nil), all...)
	}
	w.until(j.process.Done())
	res := j.process.Wait()
	if j.shown != nil {
		j.shown.end()
	}
	j.mu.Lock()
	j.res, j.now = res, Ended
	if res.Stopped {
		j.now = j.why
	}
	if j.now == "" {
		j.now = Killed
	}
	j.mu.Unlock()
	close(j.done)
	if h.Ended != nil {
		h.Ended(j.state())
	}
}

// read makes the result of a call about a command: how it is, and what it
// printed since an offset, or since it was read last.
func (h *Host) read(j *job, since *int64) capability.Result {
	state := j.state() // before the output: what is said to have ended has printed all
	j.mu.Lock()
	from := j.read
	if since != nil {
		from = *since
	}
	text, next := j.out.since(from, state.State != Running)
	j.read = next
	j.mu.Unlock()
	if j.shown != nil && state.State == Running {
		if now := j.shown.now(); now != "" {
			text += "--- on its screen now\n" + now + "\n"
		}
	}
	text = capability.CutMiddle(h.hide(text), h.limits().Inline)

	var b strings.Builder
	b.WriteString(j.sentence(state) + "\n")
	if j.line.note != "" && from == 0 {
		b.WriteString(j.line.note + "\n")
	}
	b.WriteString(j.line.said())
	for _, addr := range state.Listening {
		b.WriteString("Warning: " + listenWarning(addr) + "\n")
	}
	switch {
	case text != "":
		fmt.Fprintf(&b, "--- output from %d to %d\n%s", from, next, text)
		if !strings.HasSuffix(text, "\n") {
			b.WriteByte('\n')
		}
	case next == 0:
		b.WriteString("It has printed nothing so far.\n")
	default:
		b.WriteString("Nothing new was printed.\n")
	}
	data, err := json.Marshal(backgroundOut{state, next})
	if err != nil { // numbers and texts always marshal
		data = nil
	}
	return capability.Result{Text: b.String(), Data: data, Summary: state.ID + " " + state.word()}
}

// backgroundOut is the structured result of a call about a background command.
type backgroundOut struct {
	Background
	Next int64 `json:"next"` // the offset to read on from
}

// sentence says how a command is.
func (j *job) sentence(b Background) string {
	after := span(time.Duration(b.DurationMS) * time.Millisecond)
	switch b.State {
	case Running:
		return fmt.Sprintf("%s has been running for %s, %s. Read on with shell_output, end it with shell_kill.", b.ID, after, j.line.inFolder())
	case Killed:
		return fmt.Sprintf("%s was ended after %s.", b.ID, after)
	case TimedOut:
		return fmt.Sprintf("%s was ended by its timeout_ms after %s.", b.ID, after)
	}
	if b.Signal != "" {
		return fmt.Sprintf("%s was ended by a signal (%s) after %s.", b.ID, b.Signal, after)
	}
	return fmt.Sprintf("%s has ended with exit code %d after %s.", b.ID, b.ExitCode, after)
}

// word is the state in a word or two.
func (b *Background) word() string {
	switch {
	case b.State == Ended && b.Signal != "":
		return b.Signal
	case b.State == Ended:
		return fmt.Sprintf("exit %d", b.ExitCode)
	}
	return strings.ReplaceAll(string(b.State), "_", " ")
}

// A transcript is both streams of a command in the order in which they came,
// with a line wherever the stream changes.
type transcript struct {
	mu   sync.Mutex
	last process.Stream
	line bool // the last byte ended a line
	kept *process.Kept

	stream func() capability.TextStream // hides secrets before they are kept, so that no offset splits one; nil hides none
	hiding map[process.Stream]capability.TextStream
}

func newTranscript(keep int, stream func() capability.TextStream) *transcript {
	return &transcript{last: process.Stdout, line: true, kept: process.NewKept(keep), stream: stream, hiding: map[process.Stream]capability.TextStream{}}
}

func (t *transcript) add(s process.Stream, chunk []byte) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.stream != nil {
		if t.hiding[s] == nil {
			t.hiding[s] = t.stream()
		}
		chunk = []byte(t.hiding[s].Write(string(chunk)))
	}
	t.keep(s, chunk)
}

func (t *transcript) keep(s process.Stream, chunk []byte) {
	if len(chunk) == 0 {
		return
	}
	if s != t.last {
		mark := "[" + string(s) + "]\n"
		if !t.line {
			mark = "\n" + mark
		}
		_, _ = t.kept.Write([]byte(mark)) // never fails
		t.last = s
	}
	_, _ = t.kept.Write(chunk)
	t.line = chunk[len(chunk)-1] == '\n'
}

// since returns what was printed from an offset on. What is held back and gives
// nothing away is part of it; at the end of the command that is all.
func (t *transcript) since(offset int64, ended bool) (text string, next int64) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, s := range []process.Stream{process.Stdout, process.Stderr} {
		switch hiding := t.hiding[s]; {
		case hiding == nil:
		case ended:
			t.keep(s, []byte(hiding.Flush()))
		default:
			t.keep(s, []byte(hiding.Release()))
		}
	}
	return t.kept.Since(offset)
}
