// Package undo says what is kept of a change that the agent made to a file, so
// that it can be taken back. Package store keeps the records, the file tools
// make and use them.
package undo

import (
	"errors"
	"io/fs"
	"time"
)

// A Change is one file before and after the agent changed it.
type Change struct {
	ID      string // set by the journal
	Session string
	Call    string // id of the tool call that made it
	Path    string // absolute, links resolved
	At      time.Time

	Existed bool        // false: the change made the file, undoing removes it
	Mode    fs.FileMode // permission bits before the change
	Before  []byte      // contents before the change; nil when it did not exist
	After   string      // SHA-256 of the contents after, in hex; undoing refuses when the file has changed since
	Undone  bool        // it was taken back already
}

// ErrNone is returned when no change fits the question.
var ErrNone = errors.New("no change of the agent's to take back")
