package app

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/hobkin/hobkin/core/capability"
	"github.com/hobkin/hobkin/core/control"
	"github.com/hobkin/hobkin/core/tools/file"
	"github.com/hobkin/hobkin/core/undo"
)

// undo takes back a change through the tool that does it, agreed to by the very
// request.
func (c *Core) undo(ctx context.Context, r control.UndoRequest) (control.Undone, error) {
	change, err := c.files.UndoChange(ctx, c.undoRequest(r))
	if err != nil {
		return control.Undone{}, adviseUndo(err)
	}
	text := "Brought back " + change.Path + " as it was before."
	if !change.Existed {
		text = "Removed " + change.Path + ", which the change had made."
	}
	return control.Undone{ID: change.ID, Path: change.Path, Text: text}, nil
}

func (c *Core) undoRequest(r control.UndoRequest) file.UndoRequest {
	return file.UndoRequest{Session: r.Session, Workspace: or(r.Workspace, c.workspace()), Target: r.Path, Force: r.Force}
}

// adviseUndo says what a person can do, where the tool tells the agent.
func adviseUndo(err error) error {
	u, ok := capability.AsUserError(err)
	if !ok {
		return err
	}
	e := control.AsError(u)
	switch u.Code {
	case "changed_since":
		e.Try = "see what would be lost with: hobkin undo show ID; bring it back all the same with: hobkin undo restore ID --force"
	case "nothing_to_undo":
		e.Try = "list the changes with: hobkin undo list"
	}
	return e
}

// undoListed is how many changes are listed when it is not said.
const undoListed = 50

func (c *Core) undoList(ctx context.Context, q control.UndoQuery) (control.UndoList, error) {
	if q.Limit <= 0 {
		q.Limit = undoListed
	}
	if q.Session != "" {
		s, err := c.find(ctx, q.Session)
		if err != nil {
			return control.UndoList{}, err
		}
		q.Session = s.ID
	}
	list, err := c.store.Changes(ctx, q.Session, q.Limit)
	if err != nil {
		return control.UndoList{}, err
	}
	out := control.UndoList{Changes: []control.UndoEntry{}}
	for _, x := range list {
		out.Changes = append(out.Changes, undoEntry(x))
	}
	dropped, err := c.store.LastDropped()
	if err == nil && dropped.Changes > 0 {
		out.Dropped = fmt.Sprintf("Changes up to %s were let go of: %s.", dropped.Until.Local().Format(time.DateTime), dropped.Reason)
	}
	return out, err
}

func undoEntry(x undo.Change) control.UndoEntry {
	return control.UndoEntry{ID: x.ID, Session: x.Session, Path: x.Path, At: x.At, Made: !x.Existed, Undone: x.Undone}
}

func (c *Core) undoPlan(ctx context.Context, r control.UndoRequest) (control.UndoPlan, error) {
	plan, err := c.files.PlanUndo(ctx, c.undoRequest(r))
	if err != nil {
		return control.UndoPlan{}, adviseUndo(err)
	}
	return control.UndoPlan{UndoEntry: undoEntry(plan.Change), Diff: c.redactor.Redact(plan.Diff), Forced: plan.Forced}, nil
}

// pruneEvery is how often the undo journal is looked through.
const pruneEvery = 24 * time.Hour

// boundUndo keeps the undo journal within the bounds of the settings, once a
// day, for as long as this core runs. What is let go of is logged, and told by
// hobkin undo list.
func (c *Core) boundUndo(ctx context.Context) {
	if time.Since(c.store.PrunedAt()) < pruneEvery {
		return
	}
	bounds := c.cfg.Load().Undo
	dropped, err := c.store.PruneChanges(ctx, time.Duration(bounds.Days)*pruneEvery, int64(bounds.Megabytes)<<20)
	switch {
	case err != nil && !errors.Is(err, context.Canceled):
		slog.WarnContext(ctx, "app: bounding the undo journal", "error", err)
	case dropped.Changes > 0:
		slog.InfoContext(ctx, "app: changes were let go of, they can no longer be taken back", "changes", dropped.Changes, "bytes", dropped.Bytes, "reason", dropped.Reason)
	}
}

// keepUndoBounded goes on with that while a desktop runs.
func (c *Core) keepUndoBounded(ctx context.Context) {
	tick := time.NewTicker(time.Hour)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			c.boundUndo(ctx)
		}
	}
}
