package file

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/hobkin/hobkin/core/capability"
	"github.com/hobkin/hobkin/core/sandbox"
	"github.com/hobkin/hobkin/core/textfile"
)

var (
	textNotFound = &capability.Failure{Code: "not_found", When: "the file is not there, or the text to replace is not in it", Try: "read the place again with file_read and copy the text exactly, without line numbers"}
	notUnique    = &capability.Failure{Code: "not_unique", When: "the text to replace is in the file more than once", Try: "add lines around it until it is unique, or set replace_all"}
	noChange     = &capability.Failure{Code: "no_change", When: "the old and the new text are the same", Try: "leave the edit out, or say what should change"}
	emptyOld     = &capability.Failure{Code: "empty_old_string", When: "old_string is empty and the file is not", Try: "name the text to replace; to add text, repeat the line beside it in both strings"}
	notEncodable = &capability.Failure{Code: "not_encodable", When: "the encoding of the file cannot hold the new text, or the old place holds bytes without meaning in it", Try: "use other characters, or write the whole file anew with file_write, which makes it UTF-8"}
	notText      = &capability.Failure{Code: "not_text", When: "the file is binary", Try: "use a program for its format"}
)

func init() {
	capability.AddPreviewed(&Tools, capability.Capability{
		Name:    "file_edit",
		Aliases: []string{"Edit", "MultiEdit"},
		Title:   "Edit file",
		Description: "Replaces text in a file: old_string, which must be there exactly once (or set replace_all), by new_string; " +
			"or several edits at once, all or none, each on the result of the one before. " +
			"Only the replaced text changes: encoding, line endings and everything else stay. " +
			"Write line ends as \\n, whatever the file has.",
		Class:    capability.ReadWrite,
		Category: capability.CategoryFile,
		Hints: capability.Hints{
			ReadOnly: capability.No, Destructive: capability.No, Idempotent: capability.No, OpenWorld: capability.No,
			ConcurrencyKey: "file",
		},
		Docs: capability.Docs{
			When: "to change part of a file that you have read; to replace all of it use file_write",
			Examples: []capability.Example{
				{When: "one place changes", In: editIn{Path: "notes.txt", OldString: "foo", NewString: "bar"}},
				{When: "several places change together", In: editIn{Path: "main.go", Edits: []oneEdit{
					{OldString: "func old(", NewString: "func renamed("}, {OldString: "old(", NewString: "renamed(", ReplaceAll: true},
				}}},
			},
			Fails: sandbox.Failures(textNotFound, notUnique, noChange, emptyOld, notEncodable, notText, isFolder, notRegular, tooBig, readOnly, stale, noSpace),
		},
	}, (*Host).edit, (*Host).previewEdit)
}

type editIn struct {
	Path       string    `json:"path" jsonschema:"the file: absolute, relative to the workspace, or starting with ~"`
	OldString  string    `json:"old_string,omitempty" jsonschema:"the text to replace, exactly as in the file"`
	NewString  string    `json:"new_string,omitempty" jsonschema:"the text to put there; empty deletes"`
	ReplaceAll bool      `json:"replace_all,omitempty" jsonschema:"replace every occurrence"`
	Edits      []oneEdit `json:"edits,omitempty" max:"200" jsonschema:"several edits, instead of old_string and new_string"`
}

type oneEdit struct {
	OldString  string `json:"old_string" jsonschema:"the text to replace, exactly as in the file"`
	NewString  string `json:"new_string" jsonschema:"the text to put there; empty deletes"`
	ReplaceAll bool   `json:"replace_all,omitempty" jsonschema:"replace every occurrence"`
}

// list makes one list of both ways to say what should change.
func (in editIn) list() ([]textfile.Edit, error) {
	if len(in.Edits) == 0 {
		return []textfile.Edit{{Old: in.OldString, New: in.NewString, All: in.ReplaceAll}}, nil
	}
	if in.OldString != "" || in.NewString != "" {
		return nil, capability.BadInput.Becausef("both edits and old_string are given").Trying("give one of them")
	}
	edits := make([]textfile.Edit, len(in.Edits))
	for i, e := range in.Edits {
		edits[i] = textfile.Edit{Old: e.OldString, New: e.NewString, All: e.ReplaceAll}
	}
	return edits, nil
}

func (h *Host) previewEdit(_ context.Context, call capability.Call, in editIn) (capability.Preview, error) {
	c, _, err := h.planEdit(call, in)
	if err != nil {
		return capability.Preview{}, err
	}
	return h.preview(c, call, "Change a file?"), c.close()
}

// planEdit does all checks and makes the edits, but for the disk.
func (h *Host) planEdit(call capability.Call, in editIn) (c *change, places int, err error) {
	edits, err := in.list()
	if err != nil {
		return nil, 0, err
	}
	if c, err = h.load(call.Turn, in.Path); err != nil {
		return nil, 0, err
	}
	if places, err = h.applyEdits(c, call, edits); err != nil {
		return nil, 0, errors.Join(err, c.close())
	}
	c.diff = h.diffOf(c.Abs, c.before, c.after, true, true)
	return c, places, nil
}

func (h *Host) applyEdits(c *change, call capability.Call, edits []textfile.Edit) (places int, err error) {
	if !c.existed() {
		return 0, h.missing(c.spot)
	}
	if err := h.fresh(c, call); err != nil {
		return 0, err
	}
	text, ok := textfile.Decode(c.before)
	if !ok || documentKind(c.before) != "" {
		return 0, refuseEdit(c)
	}
	out, n, err := text.Apply(edits)
	if err != nil {
		return 0, editFailure(c.Abs, text, err, len(edits) > 1)
	}
	c.after = out.Bytes()
	if int64(len(c.after)) > h.limits().Change {
		return 0, tooBig.Becausef("%s would have %s, the most is %s", c.Abs, size(int64(len(c.after))), size(h.limits().Change))
	}
	return n, nil
}

func (h *Host) edit(ctx context.Context, call capability.Call, in editIn) (capability.Result, error) {
	c, places, err := h.planEdit(call, in)
	if err != nil {
		return capability.Result{}, err
	}
	defer func() { _ = c.close() }() // a read handle
	id, err := h.commit(ctx, c, call)
	if err != nil {
		return capability.Result{}, err
	}
	r := h.result(c, "Edited", id)
	if places > 1 {
		r.Text = fmt.Sprintf("%s\n%s replaced.", r.Text, count(places, "place"))
	}
	return r, nil
}

// editFailure explains an edit that could not be made.
func editFailure(abs string, text *textfile.Text, err error, several bool) error {
	e, ok := errors.AsType[*textfile.EditError](err)
	if !ok {
		return err
	}
	which := "old_string"
	if several {
		which = fmt.Sprintf("the old_string of edit %d", e.Index+1)
	}
	var u *capability.UserError
	switch {
	case errors.Is(err, textfile.ErrNotFound):
		u = nearFailure(abs, which, e.Near)
	case errors.Is(err, textfile.ErrNotUnique):
		u = notUnique.Becausef("%s is in %s %d times, in lines %s", which, abs, e.Count, numbers(e.Lines, e.Count)).
			With("count", e.Count).With("lines", e.Lines)
	case errors.Is(err, textfile.ErrSame):
		u = noChange.Becausef("%s and its new_string are the same, so %s would not change", which, abs)
	case errors.Is(err, textfile.ErrEmpty):
		u = emptyOld.Becausef("%s is empty and %s is not", which, abs)
	case errors.Is(err, textfile.ErrUnencodable):
		u = notEncodable.Becausef("%s is %s, which has no %q (U+%04X)", abs, text.Encoding.Name, e.Rune, e.Rune).With("encoding", text.Encoding.Name)
	case errors.Is(err, textfile.ErrUnsound):
		u = notEncodable.Becausef("line %d of %s holds, in or beside the place, bytes that mean nothing in %s; they would be lost, or read as a part of the new text", e.Lines[0], abs, text.Encoding.Name)
	default:
		return err
	}
	if several {
		u = u.With("edit", e.Index+1)
	}
	return u
}

func nearFailure(abs, which string, near *textfile.Near) *capability.UserError {
	if near == nil {
		return textNotFound.Becausef("%s is not in %s, and nothing in it is alike", which, abs)
	}
	const most = 1000
	return textNotFound.Becausef("%s is not in %s; the nearest text is in line %d and differs in: %s", which, abs, near.Line, strings.Join(near.Why, ", ")).
		With("nearest", map[string]any{"line": near.Line, "text": capability.CutText(near.Text, most), "why": near.Why})
}

// numbers lists line numbers, and says when there are more.
func numbers(lines []int, total int) string {
	const most = 20
	parts := make([]string, 0, most)
	for _, n := range lines[:min(len(lines), most)] {
		parts = append(parts, strconv.Itoa(n))
	}
	s := strings.Join(parts, ", ")
	if total > len(parts) {
		s += ", …"
	}
	return s
}
