package file

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"

	"github.com/hobkin/hobkin/core/capability"
	"github.com/hobkin/hobkin/core/sandbox"
	"github.com/hobkin/hobkin/core/textfile"
)

func init() {
	capability.AddPreviewed(&Tools, capability.Capability{
		Name:    "file_write",
		Aliases: []string{"Write"},
		Title:   "Write file",
		Description: "Writes a whole file: makes a new one or replaces all of an old one. " +
			"The content is written as UTF-8, exactly as given. To change part of a file use file_edit. " +
			"The change is atomic and can be taken back with file_undo.",
		Class:    capability.ReadWrite,
		Category: capability.CategoryFile,
		Hints: capability.Hints{
			ReadOnly: capability.No, Destructive: capability.No, Idempotent: capability.Yes, OpenWorld: capability.No,
			ConcurrencyKey: "file",
		},
		Docs: capability.Docs{
			When: "to make a file, or to replace one whole; not for a small change to a long file, where file_edit says less and risks less",
			Examples: []capability.Example{
				{When: "the user wants a new note", In: writeIn{Path: "notes/today.md", Content: "# Today\n"}},
				{When: "the folder must be there already", In: writeIn{Path: "~/Documents/summary.csv", Content: "name,sum\nrent,900\n", Mkdir: new(false)}},
			},
			Fails: sandbox.Failures(notFound, isFolder, notRegular, notText, tooBig, readOnly, stale, noSpace),
		},
	}, (*Host).write, (*Host).previewWrite)
}

type writeIn struct {
	Path    string `json:"path" jsonschema:"the file: absolute, relative to the workspace, or starting with ~"`
	Content string `json:"content" jsonschema:"the whole new content"`
	Mkdir   *bool  `json:"mkdir,omitempty" default:"true" jsonschema:"make missing folders on the way"`
}

func (h *Host) previewWrite(_ context.Context, call capability.Call, in writeIn) (capability.Preview, error) {
	c, err := h.planWrite(call, in)
	if err != nil {
		return capability.Preview{}, err
	}
	question := "Change a file?"
	if !c.existed() {
		question = "Create a file?"
	}
	p := h.preview(c, call, question)
	if note := reencoded(c.before, c.after); note != "" {
		p.Warnings = append(p.Warnings, note)
	}
	return p, c.close()
}

// planWrite does all checks and makes the change, but for the disk.
func (h *Host) planWrite(call capability.Call, in writeIn) (*change, error) {
	c, err := h.load(call.Turn, in.Path)
	if err != nil {
		return nil, err
	}
	if err := h.checkWrite(c, call, in); err != nil {
		return nil, errors.Join(err, c.close())
	}
	c.after = []byte(in.Content)
	c.diff = h.diffOf(c.Abs, c.before, c.after, c.existed(), true)
	return c, nil
}

func (h *Host) checkWrite(c *change, call capability.Call, in writeIn) error {
	switch {
	case int64(len(in.Content)) > h.limits().Change:
		return tooBig.Becausef("the content has %s, the most is %s", size(int64(len(in.Content))), size(h.limits().Change))
	case !c.existed() && strings.HasSuffix(filepath.ToSlash(in.Path), "/"):
		return isFolder.Becausef("%s ends in a slash, so it names a folder", in.Path).Trying("give the name of a file")
	case filepath.Base(c.Name) != c.Name && in.Mkdir != nil && !*in.Mkdir:
		return notFound.Becausef("the folder %s does not exist", filepath.Dir(c.Abs)).Trying("leave mkdir out to have it made")
	}
	if err := refuseText(c, in.Content); err != nil {
		return err
	}
	return h.fresh(c, call)
}

func (h *Host) write(ctx context.Context, call capability.Call, in writeIn) (capability.Result, error) {
	c, err := h.planWrite(call, in)
	if err != nil {
		return capability.Result{}, err
	}
	defer func() { _ = c.close() }() // a read handle
	if c.existed() && string(c.before) == string(c.after) {
		h.remember(c)
		return capability.Result{Text: shown(call.Turn, c.Abs) + " already has that content.", Summary: "no change"}, nil
	}
	removeFolders, err := h.makeFolders(c)
	if err != nil {
		return capability.Result{}, err
	}
	id, err := h.commit(ctx, c, call)
	if err != nil {
		removeFolders()
		return capability.Result{}, err
	}
	what := "Replaced"
	if !c.existed() {
		what = "Created"
	}
	r := h.result(c, what, id)
	if note := reencoded(c.before, c.after); note != "" {
		r.Text += "\n" + note
	}
	return r, nil
}

// makeFolders makes the folders that are missing above the file, and takes the
// file's place anew in the last of them. undo removes what was made.
func (h *Host) makeFolders(c *change) (undo func(), err error) {
	dir := filepath.Dir(c.Name)
	if dir == "." {
		return func() {}, nil
	}
	root, top := c.Root, dir // top: the highest folder that is missing
	for at := dir; at != "."; at = filepath.Dir(at) {
		if _, err := root.Lstat(at); errors.Is(err, fs.ErrNotExist) {
			top = at
		}
	}
	undo = func() {
		for at := dir; root.Remove(at) == nil && at != top; { // only while they are empty
			at = filepath.Dir(at)
		}
	}
	if err := root.MkdirAll(dir, 0o755); err != nil {
		undo()
		return nil, explain(filepath.Dir(c.Abs), err)
	}
	fresh, err := h.look(c.turn, c.Abs, sandbox.Write)
	if err != nil {
		undo()
		return nil, err
	}
	moved := fresh.info != nil || fresh.Abs != c.Abs || filepath.Base(fresh.Name) != fresh.Name
	c.outer = append(c.outer, c.spot)
	c.spot = fresh
	if moved {
		undo()
		return nil, stale.Becausef("another program was busy at %s", c.Abs)
	}
	return undo, nil
}

// reencoded says what else changes when a file is written anew.
func reencoded(before, after []byte) string {
	old, ok := textfile.Decode(before)
	now, okNow := textfile.Decode(after)
	if !ok || !okNow || len(before) == 0 || len(after) == 0 {
		return ""
	}
	var changes []string
	if old.Encoding != now.Encoding && !ascii(before) {
		changes = append(changes, fmt.Sprintf("the encoding was %s and is %s now", old.Encoding.Name, now.Encoding.Name))
	}
	was, _ := textfile.Ending(old.String())
	is, _ := textfile.Ending(now.String())
	if was != is && was != "" && is != "" {
		changes = append(changes, fmt.Sprintf("the line endings were %s and are %s now", endingName(was), endingName(is)))
	}
	if len(changes) == 0 {
		return ""
	}
	return "Note: " + strings.Join(changes, "; ") + "."
}

func ascii(data []byte) bool {
	for _, b := range data {
		if b >= 0x80 {
			return false
		}
	}
	return true
}

func endingName(ending string) string {
	switch ending {
	case "\r\n":
		return "CRLF"
	case "\r":
		return "CR"
	}
	return "LF"
}
