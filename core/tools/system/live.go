package system

import (
	"fmt"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/hobkin/hobkin/core/capability"
	"github.com/hobkin/hobkin/core/process"
)

// live gathers output for those who watch, so that a flood of lines becomes a
// few events. It is safe for concurrent use.
type live struct {
	call capability.Call

	mu     sync.Mutex
	parts  []part // in the order in which they were printed
	size   int
	missed int
}

// part is text of one stream.
type part struct {
	stream process.Stream
	text   []byte
}

// maxLive bounds the bytes of one event; a watcher could not read more.
const maxLive = 8 << 10

func newLive(call capability.Call) *live { return &live{call: call} }

// add takes a chunk in.
func (l *live) add(s process.Stream, chunk []byte) {
	l.mu.Lock()
	defer l.mu.Unlock()
	n := min(len(chunk), maxLive-l.size)
	l.missed += len(chunk) - n
	l.size += n
	if n == 0 {
		return
	}
	if last := len(l.parts) - 1; last >= 0 && l.parts[last].stream == s {
		l.parts[last].text = append(l.parts[last].text, chunk[:n]...)
		return
	}
	l.parts = append(l.parts, part{s, append([]byte(nil), chunk[:n]...)})
}

// flush shows what was gathered. Half a character at the end waits for its
// other half, unless this is the last time.
func (l *live) flush(last bool) {
	l.mu.Lock()
	parts, missed := l.parts, l.missed
	l.parts, l.size, l.missed = nil, 0, 0
	if n := len(parts) - 1; n >= 0 && !last && missed == 0 {
		whole, half := splitRune(parts[n].text)
		if len(half) > 0 {
			l.parts, l.size = []part{{parts[n].stream, half}}, len(half)
		}
		parts[n].text = whole
	}
	l.mu.Unlock()
	for i, p := range parts {
		text := strings.ToValidUTF8(string(p.text), "\ufffd")
		if i == len(parts)-1 && missed > 0 {
			text = wholeWords(text)
			text += fmt.Sprintf("\n… (%d bytes not shown) …\n", missed)
		}
		if text != "" {
			l.call.Output(string(p.stream), text)
		}
	}
}

// wholeWords cuts a last word that the end of text may have split: half of a
// secret cannot be told from a word.
func wholeWords(text string) string {
	return text[:strings.LastIndexAny(text, " \t\r\n")+1]
}

// splitRune parts b from the beginning of a character at its end.
func splitRune(b []byte) (whole, half []byte) {
	for n := 1; n < utf8.UTFMax && n <= len(b); n++ {
		if at := len(b) - n; utf8.RuneStart(b[at]) {
			if utf8.FullRune(b[at:]) {
				break
			}
			return b[:at], append([]byte(nil), b[at:]...)
		}
	}
	return b, nil
}
