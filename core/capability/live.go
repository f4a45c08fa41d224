package capability

import (
	"sync"
	"time"
)

// A TextStream hides secrets in a text that comes in pieces, also those that
// are split between two. It holds back what may be the beginning of one.
type TextStream interface {
	Write(piece string) string // takes a piece in and returns what can be shown
	Release() string           // what is held back and gives nothing away
	Flush() string             // ends the text: all that is held back
}

// A Live passes a text on to who watches while it comes, without secrets. What
// its stream holds back is shown after a moment without more, where that gives
// nothing away. It is safe for concurrent use.
type Live struct {
	show func(string)

	mu     sync.Mutex
	stream TextStream
	timer  *time.Timer
}

// patience is how long what is held back waits for more.
const patience = time.Second

// NewLive begins a text. A nil stream hides nothing. Show is called one at a
// time, on the goroutine of the writer or on one of its own.
func NewLive(stream TextStream, show func(string)) *Live { return &Live{stream: stream, show: show} }

// Write takes the next piece.
func (l *Live) Write(piece string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.stream == nil {
		l.pass(piece)
		return
	}
	l.pass(l.safely(func() string { return l.stream.Write(piece) }))
	if l.timer == nil {
		l.timer = time.AfterFunc(patience, l.Settle)
		return
	}
	l.timer.Reset(patience)
}

// Settle shows now what gives nothing away. The text may go on.
func (l *Live) Settle() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.timer != nil {
		l.timer.Stop()
		l.pass(l.safely(l.stream.Release))
	}
}

// Flush ends the text and shows the rest of it.
func (l *Live) Flush() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.timer != nil {
		l.timer.Stop()
		l.pass(l.safely(l.stream.Flush))
	}
}

func (l *Live) pass(text string) {
	if text != "" {
		l.show(text)
	}
}

// safely withholds text where the stream itself fails.
func (l *Live) safely(do func() string) (text string) {
	defer func() {
		if recover() != nil {
			text = withheld
		}
	}()
	return do()
}

const withheld = "(withheld: the text could not be checked for secrets)"

// listen connects the call to who watches it.
func (f *flow) listen() {
	if tell := f.req.Progress; tell != nil {
		f.out.Call.progress = func(text string) { tell(f.hide(text)) }
	}
	if tell := f.req.Output; tell != nil {
		f.out.Call.output = func(stream, text string) {
			if f.Stream == nil {
				tell(stream, f.hide(text))
				return
			}
			f.live.of(stream, func() *Live {
				return NewLive(f.Stream(), func(text string) { tell(stream, text) })
			}).Write(text)
		}
	}
}

// lives are the live outputs of a call, by stream.
type lives struct {
	mu   sync.Mutex
	held map[string]*Live
}

func (l *lives) of(stream string, begin func() *Live) *Live {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.held == nil {
		l.held = map[string]*Live{}
	}
	if l.held[stream] == nil {
		l.held[stream] = begin()
	}
	return l.held[stream]
}

// settle shows what is left before the call is told to have ended. A command
// that goes on in the background goes on writing.
func (l *lives) settle() {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, one := range l.held {
		one.Settle()
	}
}
