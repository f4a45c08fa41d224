package file

import (
	"context"
	"errors"
	"path/filepath"

	"github.com/hobkin/hobkin/core/capability"
	"github.com/hobkin/hobkin/core/undo"
)

// An UndoRequest names a change that a person wants to see or to take back.
type UndoRequest struct {
	Session   string // the change of this session; empty means of any
	Workspace string // absolute; relative paths start there
	Target    string // a file, the id of a change, or empty for the newest change
	Force     bool   // also when the file changed since; what is lost by it is recorded as a change
}

// An UndoPlan is what taking a change back would do.
type UndoPlan struct {
	Change undo.Change
	Diff   string // unified, from what the file is now to what it would be
	Forced bool   // the file changed since
}

// PlanUndo says what [Host.UndoChange] would do, and changes nothing in the
// file. Force is taken for given, so that also what would be refused is shown.
func (h *Host) PlanUndo(ctx context.Context, r UndoRequest) (UndoPlan, error) {
	call, in := h.asPerson(ctx, r)
	rec, c, err := h.planUndo(ctx, call, in, true)
	if err != nil {
		return UndoPlan{}, err
	}
	return UndoPlan{Change: rec, Diff: c.diff.text, Forced: c.forced}, c.close()
}

// UndoChange takes back a change for a person, as file_undo does for the agent.
// The errors are those of file_undo.
func (h *Host) UndoChange(ctx context.Context, r UndoRequest) (undo.Change, error) {
	call, in := h.asPerson(ctx, r)
	rec, _, err := h.undoOne(ctx, call, in, r.Force)
	return rec, err
}

// asPerson makes a call of a person's request. What the agent could change when
// it did, the person may bring back wherever they are: the folder of the file
// is the one to work in.
func (h *Host) asPerson(ctx context.Context, r UndoRequest) (capability.Call, undoIn) {
	turn := capability.Turn{Session: r.Session, Workspace: r.Workspace, Trust: capability.Operator, Attended: true, Channel: "cli"}
	in := undoIn{}
	rec, err := h.Journal.ChangeByID(ctx, r.Target)
	switch {
	case r.Target == "":
		if rec, err = h.Journal.LastChange(ctx, r.Session, ""); err == nil {
			turn.Workspace = filepath.Dir(rec.Path)
		}
	case err == nil || !errors.Is(err, undo.ErrNone):
		in.ID = r.Target
		turn.Workspace = filepath.Dir(rec.Path)
	default:
		in.Path = r.Target
		if !filepath.IsAbs(in.Path) && in.Path[0] != '~' {
			in.Path = filepath.Join(r.Workspace, in.Path)
			turn.Workspace = filepath.Dir(in.Path)
		} else if filepath.IsAbs(in.Path) {
			turn.Workspace = filepath.Dir(in.Path)
		}
	}
	return capability.Call{Name: "file_undo", Turn: turn}, in
}
