package helper

import (
	"bytes"
	"log/slog"
	"strings"
	"sync"

	"github.com/hobkin/hobkin/computeruse/wire"
)

// lines puts chunks together to lines. It is used by one goroutine at a time.
type lines struct {
	take func(line []byte)
	part []byte
	over bool // a line was too long: nothing more is taken
}

// write takes in a chunk; false means that a line was longer than is allowed.
func (l *lines) write(chunk []byte) bool {
	for !l.over {
		end := bytes.IndexByte(chunk, '\n')
		if end < 0 {
			break
		}
		if len(l.part)+end >= wire.MaxLine {
			l.over = true
			break
		}
		line := chunk[:end]
		if len(l.part) > 0 {
			line = append(l.part, line...)
		}
		l.take(line)
		l.part, chunk = l.part[:0], chunk[end+1:]
		if cap(l.part) > keptLine {
			l.part = nil // one large picture does not hold its memory for ever
		}
	}
	if l.over || len(l.part)+len(chunk) >= wire.MaxLine {
		l.over, l.part = true, nil
		return false
	}
	l.part = append(l.part, chunk...)
	return true
}

// keptLine is how much room for a line is kept for the next one.
const keptLine = 1 << 20

// ring keeps the end of what the program said on stderr, and logs it.
type ring struct {
	mu   sync.Mutex
	kept []byte
}

const ringSize = 8 << 10

func (r *ring) write(chunk []byte) {
	r.mu.Lock()
	r.kept = append(r.kept, chunk...)
	r.kept = r.kept[max(0, len(r.kept)-ringSize):]
	r.mu.Unlock()
	for line := range strings.Lines(string(chunk)) {
		if line = strings.TrimSpace(line); line != "" {
			slog.Debug("computeruse: helper", "said", line)
		}
	}
}

// last is the line that says most of why it ended: that of a crash, else the
// last one. Empty when nothing was said.
func (r *ring) last() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	said := ""
	for line := range strings.Lines(strings.ToValidUTF8(string(r.kept), "\ufffd")) {
		line = strings.TrimSpace(line)
		if line != "" {
			said = line
		}
		if strings.HasPrefix(line, "panic: ") || strings.HasPrefix(line, "fatal error: ") {
			break
		}
	}
	return said[:min(len(said), 300)]
}
