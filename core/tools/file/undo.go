package file

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"

	"github.com/hobkin/hobkin/core/capability"
	"github.com/hobkin/hobkin/core/sandbox"
	"github.com/hobkin/hobkin/core/undo"
)

var (
	nothingToUndo = &capability.Failure{Code: "nothing_to_undo", When: "no change of this session's fits, or it was taken back already", Try: "name a file that was changed in this session, or the id of a change"}
	changedSince  = &capability.Failure{Code: "changed_since", When: "the file changed after the agent's change; taking that back would lose the later work", Try: "take back the later changes first, or edit the file by hand; there is no way to force it"}
)

func init() {
	capability.AddPreviewed(&Tools, capability.Capability{
		Name:  "file_undo",
		Title: "Take back a change",
		Description: "Takes back a change that file_write or file_edit made: the file gets its earlier contents again, " +
			"and a file that the change made is removed. Name the file, the id of the change, or nothing for this session's newest change. " +
			"It refuses when the file changed since.",
		Class:    capability.ReadWrite,
		Category: capability.CategoryFile,
		Hints: capability.Hints{
			ReadOnly: capability.No, Destructive: capability.No, Idempotent: capability.No, OpenWorld: capability.No,
			ConcurrencyKey: "file",
		},
		Docs: capability.Docs{
			When: "when the owner does not want a change that you made to a file; only for your own changes",
			Examples: []capability.Example{
				{When: "the owner says undo", In: undoIn{}},
				{When: "the last change of one file is wrong", In: undoIn{Path: "notes.txt"}},
				{When: "a certain change is wrong", In: undoIn{ID: "c-17"}},
			},
			Fails: sandbox.Failures(nothingToUndo, changedSince, notFound, isFolder, notRegular, tooBig, readOnly, stale, noSpace),
		},
	}, (*Host).undo, (*Host).previewUndo)
}

type undoIn struct {
	Path string `json:"path,omitempty" jsonschema:"the file whose newest change is taken back"`
	ID   string `json:"id,omitempty" jsonschema:"the id of the change, as the change's result gave it"`
}

func (h *Host) previewUndo(ctx context.Context, call capability.Call, in undoIn) (capability.Preview, error) {
	rec, c, err := h.planUndo(ctx, call, in, false)
	if err != nil {
		return capability.Preview{}, err
	}
	p := h.preview(c, call, "Take back a change?")
	p.Summary = fmt.Sprintf("%s in %s · %s", filepath.Base(c.Abs), h.short(filepath.Dir(c.Abs)), count(c.diff.lines(), "line"))
	p.Warnings = nil
	if !rec.Existed {
		p.Summary += " · the file is removed"
	}
	return p, c.close()
}

func (h *Host) undo(ctx context.Context, call capability.Call, in undoIn) (capability.Result, error) {
	rec, c, err := h.undoOne(ctx, call, in, false)
	if err != nil {
		return capability.Result{}, err
	}
	text := fmt.Sprintf("Took back change %s of %s: %s.", rec.ID, shown(call.Turn, rec.Path), c.diff.stat())
	if !rec.Existed {
		text = fmt.Sprintf("Took back change %s: removed %s, which it had made.", rec.ID, shown(call.Turn, rec.Path))
	}
	return capability.Result{Text: text, Summary: "taken back", Diff: c.diff.text}, nil
}

func (h *Host) undoOne(ctx context.Context, call capability.Call, in undoIn, force bool) (undo.Change, *change, error) {
	rec, c, err := h.planUndo(ctx, call, in, force)
	if err != nil {
		return undo.Change{}, nil, err
	}
	defer func() { _ = c.close() }() // a read handle
	if m, ok := h.seen.get(askKey(call.Turn.Session, call.ID)); ok && m.sum != c.sum() {
		return undo.Change{}, nil, stale.Becausef("%s changed while the question was open", c.Abs)
	}
	if c.forced { // what is lost by it is kept like any other contents
		c.turn.Session = rec.Session
		_, err = h.commit(ctx, c, call)
	} else if err = c.apply(ctx, c.unmoved); err != nil {
		err = explain(c.Abs, err)
	}
	if err != nil {
		return undo.Change{}, nil, err
	}
	h.remember(c)
	if err := h.Journal.MarkUndone(context.WithoutCancel(ctx), rec.ID); err != nil {
		return undo.Change{}, nil, fmt.Errorf("file: noting that %s was taken back: %w", rec.ID, err)
	}
	rec.Undone = true
	return rec, c, nil
}

// planUndo finds the change and does all checks. A change that never reached
// the disk, because the program was killed in between, is passed over.
func (h *Host) planUndo(ctx context.Context, call capability.Call, in undoIn, force bool) (undo.Change, *change, error) {
	for {
		rec, err := h.findChange(ctx, call.Turn, in)
		if err != nil {
			return undo.Change{}, nil, err
		}
		c, err := h.loadFor(call.Turn, rec)
		if err != nil {
			return undo.Change{}, nil, err
		}
		now := c.sum()
		c.forced = c.existed() && now != rec.After && (!rec.Existed || now != sumOf(rec.Before))
		switch {
		case c.forced && !force:
			err = changedSince.Becausef("%s is not as change %s left it", c.Abs, rec.ID)
		case c.existed() && (now == rec.After || c.forced), !c.existed() && rec.Existed:
			c.diff = h.diffOf(c.Abs, c.before, c.after, c.existed(), rec.Existed)
			return rec, c, nil
		default: // it is as it was before the change
			err = h.Journal.MarkUndone(ctx, rec.ID)
		}
		if err = errors.Join(err, c.close()); err != nil {
			return undo.Change{}, nil, err
		}
	}
}

// loadFor opens the file of a change for taking it back. A link that stands in
// its place now leads to a file that the change was not about.
func (h *Host) loadFor(turn capability.Turn, rec undo.Change) (*change, error) {
	c, err := h.load(turn, rec.Path)
	if err != nil {
		return nil, err
	}
	if c.Abs != rec.Path {
		err := changedSince.Becausef("%s leads to %s now, which change %s was not about", rec.Path, c.Abs, rec.ID)
		return nil, errors.Join(err, c.close())
	}
	c.remove, c.mode = !rec.Existed, rec.Mode
	if rec.Existed {
		c.after = rec.Before
	}
	return c, nil
}

// findChange finds what is to be taken back.
func (h *Host) findChange(ctx context.Context, turn capability.Turn, in undoIn) (rec undo.Change, err error) {
	what := "this session has changed no file"
	switch {
	case in.Path != "" && in.ID != "":
		return rec, capability.BadInput.Becausef("both path and id are given").Trying("give one of them, or none")
	case in.ID != "":
		what = "there is no change " + in.ID + " of this session's"
		rec, err = h.Journal.ChangeByID(ctx, in.ID)
		if err == nil && turn.Session != "" && rec.Session != turn.Session {
			err = undo.ErrNone // another session's work
		}
		if err == nil && rec.Undone {
			return rec, nothingToUndo.Becausef("change %s was taken back already", in.ID)
		}
	case in.Path != "":
		place, placeErr := h.Paths.Place(turn, in.Path, sandbox.Write)
		if placeErr != nil {
			return rec, placeErr
		}
		what = "this session has no change of " + place.Abs + " to take back"
		rec, err = h.Journal.LastChange(ctx, turn.Session, place.Abs)
		err = errors.Join(err, place.Close())
	default:
		rec, err = h.Journal.LastChange(ctx, turn.Session, "")
	}
	switch {
	case errors.Is(err, undo.ErrNone):
		return rec, nothingToUndo.Becausef("%s", what)
	case err != nil:
		return rec, fmt.Errorf("file: looking for the change: %w", err)
	}
	return rec, nil
}
