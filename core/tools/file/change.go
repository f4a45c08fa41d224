package file

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/hobkin/hobkin/core/capability"
	"github.com/hobkin/hobkin/core/sandbox"
	"github.com/hobkin/hobkin/core/undo"
)

// A change is one file before and after, on its way from the checks through
// the preview to the disk.
type change struct {
	*spot
	turn   capability.Turn
	before []byte // nil when there is no file yet
	after  []byte // nil together with remove
	remove bool
	mode   fs.FileMode // bits to set; 0 keeps those there are
	diff   diff
	forced bool    // an undo that goes over later work
	outer  []*spot // places that were taken before, closed together with it
	unlock func()
}

// load opens what a call is going to change, checks that it may be changed,
// and reads it. The path is locked until close.
func (h *Host) load(turn capability.Turn, path string) (*change, error) {
	s, err := h.look(turn, path, sandbox.Write)
	if err != nil {
		return nil, err
	}
	c := &change{spot: s, turn: turn, unlock: h.locks.lock(s.Abs)}
	if err := h.readBefore(c); err != nil {
		return nil, errors.Join(err, c.close())
	}
	return c, nil
}

func (c *change) close() error {
	c.unlock()
	err := c.Close()
	for _, s := range c.outer {
		err = errors.Join(err, s.Close())
	}
	return err
}

func (h *Host) readBefore(c *change) (err error) {
	// it is looked at again, now that the path is locked
	c.info, err = c.Root.Lstat(c.Name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		c.info = nil
		return nil
	case err != nil:
		return explain(c.Abs, err)
	}
	if err := regular(c.Abs, c.info); err != nil {
		return err
	}
	const ownerMayWrite = 0o200
	if c.info.Mode()&ownerMayWrite == 0 {
		return readOnly.Becausef("%s is write-protected (mode %v)", c.Abs, c.info.Mode().Perm())
	}
	if c.before, c.info, err = c.read(h.limits().Change); err == nil && c.before == nil {
		c.before = []byte{}
	}
	return err
}

// existed reports whether there was a file before.
func (c *change) existed() bool { return c.info != nil }

// fresh refuses a file that is not what this session read, or not what the
// person who agreed to this call was shown.
func (h *Host) fresh(c *change, call capability.Call) error {
	sum := c.sum()
	if m, ok := h.seen.get(readKey(c.turn.Session, c.Abs)); ok && c.existed() && !m.fits(c.info, sum) {
		return stale.Becausef("%s changed since it was read in this session", c.Abs)
	}
	if m, ok := h.seen.get(askKey(c.turn.Session, call.ID)); ok && m.sum != sum {
		return stale.Becausef("%s changed while the question was open", c.Abs)
	}
	return nil
}

// sum stands for what the file was before; for none at all too.
func (c *change) sum() string {
	if !c.existed() {
		return "none"
	}
	return sumOf(c.before)
}

// preview shows a change to the person who is asked. The run will hold the
// file to what was shown.
func (h *Host) preview(c *change, call capability.Call, question string) capability.Preview {
	h.seen.put(askKey(c.turn.Session, call.ID), mark{sum: c.sum()})
	p := capability.Preview{
		Question: question,
		Summary: fmt.Sprintf("%s in %s · %s · can be undone",
			filepath.Base(c.Abs), h.short(filepath.Dir(c.Abs)), count(c.diff.lines(), "line")),
		Diff:  c.diff.text,
		Paths: []capability.PathUse{{Path: c.Abs, Write: true}},
	}
	if n := c.otherNames(); n > 0 {
		p.Warnings = append(p.Warnings, fmt.Sprintf("The file has %s (hard links); the old contents stay under them.", count(n, "other name")))
	}
	if shrinks(c.before, c.after) && !c.remove {
		p.Warnings = append(p.Warnings, fmt.Sprintf("Most of the file goes: it has %s and would have %s.", size(int64(len(c.before))), size(int64(len(c.after)))))
	}
	return p
}

// shrinks reports whether a change throws most of a file away, as a model does
// that ran out of room while it wrote the file anew.
func shrinks(before, after []byte) bool {
	const worthIt, ratio = 1000, 4
	return len(before) >= worthIt && len(after)*ratio < len(before)
}

// otherNames is how many more names the file has.
func (c *change) otherNames() int {
	if !c.existed() {
		return 0
	}
	return links(c.info) - 1
}

// commit makes the change: the pre-image into the journal, then the file. It
// returns the id of the change.
func (h *Host) commit(ctx context.Context, c *change, call capability.Call) (id string, err error) {
	record := func() error {
		if err := c.unmoved(); err != nil {
			return err
		}
		id, err = h.Journal.RecordChange(ctx, c.record(call))
		return err
	}
	if err := c.apply(ctx, record); err != nil {
		if id != "" { // recorded, but it did not come to pass
			err = errors.Join(err, h.Journal.MarkUndone(context.WithoutCancel(ctx), id))
		}
		return "", explain(c.Abs, err)
	}
	h.remember(c)
	return id, nil
}

func (c *change) record(call capability.Call) undo.Change {
	r := undo.Change{
		Session: c.turn.Session, Call: call.ID, Path: c.Abs, At: time.Now(),
		Existed: c.existed(), Before: c.before, After: sumOf(c.after),
	}
	if c.existed() {
		r.Mode = c.info.Mode().Perm()
	}
	return r
}

// apply changes the disk. ready is called at the last moment before.
func (c *change) apply(ctx context.Context, ready func() error) error {
	if c.remove {
		if err := ready(); err != nil {
			return err
		}
		if err := c.Root.Remove(c.Name); err != nil {
			return err
		}
		if dir, err := c.Root.Open("."); err == nil {
			syncDir(dir)
			return dir.Close()
		}
		return nil
	}
	r := replacement{root: c.Root, name: c.Name, data: c.after, old: c.info, mode: c.mode, ready: ready}
	return r.write(ctx)
}

// unmoved refuses when another program touched the file since it was loaded.
func (c *change) unmoved() error {
	now, err := c.Root.Lstat(c.Name)
	switch {
	case errors.Is(err, fs.ErrNotExist) && !c.existed():
		return nil
	case errors.Is(err, fs.ErrNotExist):
		return stale.Becausef("%s was removed meanwhile", c.Abs)
	case err != nil:
		return err
	case !c.existed():
		return stale.Becausef("another program made %s meanwhile", c.Abs)
	case !os.SameFile(now, c.info) || now.Size() != c.info.Size() || !now.ModTime().Equal(c.info.ModTime()):
		return stale.Becausef("another program changed %s meanwhile", c.Abs)
	}
	return nil
}

// remember makes the agent's own change known, so that the next one is not
// taken for stale.
func (h *Host) remember(c *change) {
	k := mark{sum: sumOf(c.after)}
	if info, err := c.Root.Lstat(c.Name); err == nil {
		k.size, k.time = info.Size(), info.ModTime()
	}
	h.seen.put(readKey(c.turn.Session, c.Abs), k)
}

// result tells the model and the window about a change that was made.
func (h *Host) result(c *change, what, id string) capability.Result {
	var b strings.Builder
	fmt.Fprintf(&b, "%s %s: %s. Change %s, file_undo takes it back.", what, shown(c.turn, c.Abs), c.diff.stat(), id)
	if n := c.otherNames(); n > 0 {
		fmt.Fprintf(&b, "\nThe file had %s (hard links); the old contents stay under them.", count(n, "other name"))
	}
	r := capability.Result{Text: b.String(), Summary: c.diff.stat(), Diff: c.diff.text}
	if !c.existed() {
		r.Files = []string{c.Abs}
	}
	return r
}
