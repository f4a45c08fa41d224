package control

import (
	"context"
	"time"
)

// UndoRequest takes back a change of the agent's to a file.
type UndoRequest struct {
	Session   string `json:"session,omitempty"`
	Path      string `json:"path,omitempty"` // path or change id; empty means the session's last change
	Workspace string `json:"workspace,omitempty"`
	Force     bool   `json:"force,omitempty"` // also when the file changed since; what is lost by it is recorded as a change
}

// Undone says what an undo brought back.
type Undone struct {
	ID   string `json:"id"`
	Path string `json:"path"`
	Text string `json:"text"`
}

// UndoQuery picks changes, the newest first.
type UndoQuery struct {
	Session string `json:"session,omitempty"` // empty means all
	Limit   int    `json:"limit,omitempty"`   // 0 means 50
}

// UndoEntry is a change as lists show it.
type UndoEntry struct {
	ID      string    `json:"id"`
	Session string    `json:"session"`
	Path    string    `json:"path"` // absolute
	At      time.Time `json:"at"`
	Made    bool      `json:"made"`   // the change made the file; taking it back removes it
	Undone  bool      `json:"undone"` // it was taken back
}

// UndoList is a list of changes, and what the journal let go of.
type UndoList struct {
	Changes []UndoEntry `json:"changes"`
	Dropped string      `json:"dropped,omitempty"` // in a sentence; empty when nothing was
}

// UndoPlan is what taking a change back would do.
type UndoPlan struct {
	UndoEntry

	Diff   string `json:"diff"`             // unified, from what the file is now
	Forced bool   `json:"forced,omitempty"` // the file changed since, so that it takes force
}

// Undo takes back a change of the agent's to a file.
func (c *Client) Undo(ctx context.Context, r UndoRequest) (Undone, error) {
	return ask[Undone](ctx, c, MethodUndo, r)
}

// UndoList lists the changes of the agent's to files.
func (c *Client) UndoList(ctx context.Context, q UndoQuery) (UndoList, error) {
	return ask[UndoList](ctx, c, MethodUndoList, q)
}

// UndoPlan says what [Client.Undo] would do.
func (c *Client) UndoPlan(ctx context.Context, r UndoRequest) (UndoPlan, error) {
	return ask[UndoPlan](ctx, c, MethodUndoShow, r)
}
