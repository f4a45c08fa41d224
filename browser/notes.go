package browser

import (
	"slices"
	"time"
)

// A Kind says what a [Note] is of.
type Kind string

// The kinds of notes.
const (
	NotePopup    Kind = "popup"    // a page opened the tab
	NoteClosed   Kind = "closed"   // the tab is gone; Text says why
	NoteDialog   Kind = "dialog"   // the tab showed a dialog that was closed without an answer; Text says what it said
	NoteDownload Kind = "download" // a download began, ended or failed; Text says which and where
	NoteCrash    Kind = "crash"    // the page's process died
	NoteRestart  Kind = "restart"  // the browser was started anew; Text says why
)

// A Note is something that happened by itself, for the next result.
type Note struct {
	Serial int64 // grows with each
	Time   time.Time
	Kind   Kind
	Tab    string // its id; empty when no single tab is meant
	Text   string
}

// notes is what happened lately. Its browser's mu guards it.
type notes struct {
	list    []Note
	last    int64
	starts  int
	lastEnd string
	closed  map[string]string // why tabs are gone
}

const (
	keepNotes  = 100
	keepClosed = 200
)

func (n *notes) add(one Note) {
	n.last++
	one.Serial, one.Time = n.last, time.Now()
	n.list = append(n.list, one)
	if len(n.list) > keepNotes {
		n.list = slices.Delete(n.list, 0, len(n.list)-keepNotes)
	}
}

// gone notes that a tab has left.
func (n *notes) gone(id, why string) {
	if n.closed == nil || len(n.closed) >= keepClosed {
		n.closed = map[string]string{}
	}
	n.closed[id] = why
	n.add(Note{Kind: NoteClosed, Tab: id, Text: why})
}

// Since returns what happened after the note with that serial, and the serial of
// the last note, to go on from. Only the last hundred are kept.
func (b *Browser) Since(serial int64) ([]Note, int64) {
	b.mu.Lock()
	defer b.mu.Unlock()
	i := slices.IndexFunc(b.notes.list, func(n Note) bool { return n.Serial > serial })
	if i < 0 {
		return nil, b.notes.last
	}
	return slices.Clone(b.notes.list[i:]), b.notes.last
}

// note adds a note.
func (b *Browser) note(n Note) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.notes.add(n)
}
