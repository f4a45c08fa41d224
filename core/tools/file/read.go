package file

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"strings"

	"github.com/hobkin/hobkin/core/capability"
	"github.com/hobkin/hobkin/core/doctext"
	"github.com/hobkin/hobkin/core/picture"
	"github.com/hobkin/hobkin/core/sandbox"
	"github.com/hobkin/hobkin/core/textfile"
)

var (
	pastEnd  = &capability.Failure{Code: "past_end", When: "offset lies behind the last line or page", Try: "use an offset within the file, or leave it out"}
	badPDF   = &capability.Failure{Code: "bad_pdf", When: "the PDF is damaged, locked with a password, or takes too long to read", Try: "ask the owner for another copy, or convert it with a program for PDFs"}
	badImage = &capability.Failure{Code: "bad_image", When: "the picture is damaged or has too many pixels", Try: "convert or repair it with a program for pictures, then read the new file"}
)

func init() {
	capability.Add(&Tools, capability.Capability{
		Name:    "file_read",
		Aliases: []string{"Read"},
		Title:   "Read file",
		Description: "Reads a file. Text comes with line numbers, a page of at most 2,000 lines a call; the end says how to go on. " +
			"Any usual encoding is shown as UTF-8. Pictures (PNG, JPEG, GIF, WebP) come as pictures, PDFs as text by page, " +
			"notebooks as cells, workbooks (.xlsx, .ods) and .csv as tables, other office documents (.docx, .pptx, .odt) as text. " +
			"A text over 10 MB needs offset or limit.",
		Class:     capability.ReadOnly,
		Category:  capability.CategoryFile,
		OwnerData: true,
		Hints:     capability.Hints{ReadOnly: capability.Yes, Idempotent: capability.Yes, OpenWorld: capability.No},
		Docs: capability.Docs{
			When: "to see what is in a file, and before changing one; to find something in many files use content_search",
			Examples: []capability.Example{
				{When: "the user names a file", In: readIn{Path: "notes.txt"}},
				{When: "only a part matters", In: readIn{Path: "main.go", Offset: 40, Limit: 20}},
				{When: "one sheet of a workbook matters", In: readIn{Path: "~/Documents/budget.xlsx", Sheet: "2026"}},
			},
			Fails: sandbox.Failures(notFound, isFolder, notRegular, tooBig, pastEnd, badPDF, badImage, badDocument, badNotebook, noSheet),
		},
	}, (*Host).read)
}

type readIn struct {
	Path   string `json:"path" jsonschema:"the file: absolute, relative to the workspace, or starting with ~"`
	Offset int    `json:"offset,omitempty" min:"1" jsonschema:"first line, from 1; of a PDF the first page, of a notebook the first cell, of a workbook the first row"`
	Limit  int    `json:"limit,omitempty" min:"1" jsonschema:"how many lines, pages, cells or rows"`
	Sheet  string `json:"sheet,omitempty" jsonschema:"of a workbook: the name or number of the sheet; left out, from the first on"`
	Raw    bool   `json:"raw,omitempty" default:"false" jsonschema:"show the text of a notebook or .csv as the file has it, which edits need"`
}

// headSize is how much of a file is looked at to tell what it is.
const headSize = 64 << 10

func (h *Host) read(ctx context.Context, call capability.Call, in readIn) (capability.Result, error) {
	f, err := h.openFile(call.Turn, in.Path)
	if err != nil {
		return capability.Result{}, err
	}
	defer f.Close()
	r, err := h.show(ctx, call, in, f)
	r.Source = f.abs
	return r, err
}

// show makes of a file what a model can read, by what its first bytes tell.
func (h *Host) show(ctx context.Context, call capability.Call, in readIn, f *opened) (capability.Result, error) {
	t, err := f.look()
	if err != nil {
		return capability.Result{}, err
	}
	if picture.Type(t.head) != "" {
		return h.readImage(f)
	}
	if bytes.HasPrefix(t.head, []byte("%PDF-")) {
		return h.readPDF(ctx, f, in)
	}
	if bytes.HasPrefix(t.head, []byte("PK\x03\x04")) {
		if kind := doctext.Sniff(f, f.info.Size()); kind != doctext.Unknown {
			return h.readOffice(ctx, t, kind, in)
		}
	}
	if t.enc = textfile.DetectPrefix(t.head); t.all {
		t.enc = textfile.Detect(t.head)
	}
	switch {
	case t.enc == nil:
		h.seen.put(readKey(call.Turn.Session, f.abs), mark{size: f.info.Size(), time: f.info.ModTime()})
		return binary(t.head, f.info), nil
	case isNotebook(f.abs) && !in.Raw:
		return h.readNotebook(ctx, call, t, in)
	}
	return h.readText(ctx, call, in, t)
}

// A text is a file that turned out to be text.
type text struct {
	*opened
	head []byte
	all  bool // head is all of it
	enc  *textfile.Encoding
	note string // about how it is shown
}

// look reads the first bytes and goes back to the start.
func (o *opened) look() (*text, error) {
	head := make([]byte, min(headSize, cmp.Or(o.info.Size(), 4<<10)+1)) // those of /proc say 0
	n, err := io.ReadFull(o, head)
	all := errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF)
	if err == nil || all {
		_, err = o.Seek(0, io.SeekStart)
	}
	if err != nil {
		return nil, explain(o.abs, err)
	}
	return &text{opened: o, head: head[:n], all: all}, nil
}

// readText shows lines, and remembers what the file was like.
func (h *Host) readText(ctx context.Context, call capability.Call, in readIn, t *text) (capability.Result, error) {
	l := h.limits()
	if t.info.Size() > l.Whole && in.Offset == 0 && in.Limit == 0 {
		return capability.Result{}, tooBig.Becausef("%s has %s; over %s a part must be asked for", t.abs, size(t.info.Size()), size(l.Whole))
	}
	src, seen, err := t.source(l.Whole)
	if err != nil {
		return capability.Result{}, err
	}
	ending, mixed := textfile.Ending(t.enc.DecodeString(bytes.TrimPrefix(t.head, t.enc.BOM)))
	if table, err := h.separated(ctx, t, src, in); table != nil || err != nil {
		if err != nil {
			return capability.Result{}, err
		}
		h.seen.put(readKey(call.Turn.Session, t.abs), seen)
		table.Text += about(t.enc, ending, mixed)
		return *table, nil
	}
	p := newPage(l, in)
	p.oldMac = ending == "\r"
	if t.all && in.Limit == 0 {
		p.out.Grow(min(l.ReadBytes, len(t.head)+numbered*(1+bytes.Count(t.head, []byte{'\n'}))))
	}
	if err := p.read(ctx, t.enc.NewReader(src)); err != nil {
		return capability.Result{}, explain(t.abs, err)
	}
	if p.shown == 0 && p.first > 1 {
		return capability.Result{}, pastEnd.Becausef("%s has %s, so line %d is not there", t.abs, count(p.line, "line"), p.first).With("lines", p.line)
	}
	h.seen.put(readKey(call.Turn.Session, t.abs), seen)
	return capability.Result{Text: p.text() + t.note + about(t.enc, ending, mixed), Summary: count(p.shown, "line")}, nil
}

// source is where the lines are read from, with what to remember of the file. A
// file of at most so many bytes is read whole first.
func (t *text) source(whole int64) (io.ReadSeeker, mark, error) {
	seen := mark{size: t.info.Size(), time: t.info.ModTime()}
	if t.all {
		seen.sum = sumOf(t.head)
		return bytes.NewReader(t.head), seen, nil
	}
	if t.info.Size() > whole {
		return t, seen, nil
	}
	data, err := io.ReadAll(io.LimitReader(t, whole+headSize)) // it may be growing
	if err != nil {
		return nil, mark{}, explain(t.abs, err)
	}
	if enc := textfile.Detect(data); enc != nil {
		t.enc = enc
	}
	seen.sum = sumOf(data)
	return bytes.NewReader(data), seen, nil
}

// about says what a file is beside plain UTF-8 with LF.
func about(e *textfile.Encoding, ending string, mixed bool) string {
	var notes []string
	if !e.Plain() {
		notes = append(notes, "encoding "+e.Name)
	}
	switch {
	case mixed:
		notes = append(notes, "mixed line endings, mostly "+endingName(ending))
	case ending == "\r\n", ending == "\r":
		notes = append(notes, "line endings "+endingName(ending))
	}
	if len(notes) == 0 {
		return ""
	}
	return "(" + strings.Join(notes, "; ") + "; edits keep that)\n"
}

// binary describes a file that is not text.
func binary(head []byte, info fs.FileInfo) capability.Result {
	kind := binaryType(head)
	return capability.Result{
		Text: fmt.Sprintf("This is a binary file: %s, %s. It cannot be shown as text; use a program for its format, "+
			"for example with the shell tool.", kind, size(info.Size())),
		Summary: kind + ", " + size(info.Size()),
	}
}

// binaryType names what binary data is, as far as its first bytes tell.
func binaryType(head []byte) string {
	for _, m := range []struct{ magic, name string }{
		{"\x7fELF", "an ELF program or library"},
		{"MZ", "a Windows program or library"},
		{"\xcf\xfa\xed\xfe", "a macOS program or library"},
		{"\xca\xfe\xba\xbe", "a Java class or macOS program"},
		{"SQLite format 3\x00", "an SQLite database"},
		{"PK\x03\x04", "a ZIP archive, or an office document"},
		{"\x1f\x8b", "a gzip file"},
		{"BZh", "a bzip2 file"},
		{"\xfd7zXZ\x00", "an xz file"},
		{"\x28\xb5\x2f\xfd", "a Zstandard file"},
		{"7z\xbc\xaf\x27\x1c", "a 7-Zip archive"},
		{"\xd0\xcf\x11\xe0", "an old Microsoft Office document, or one that is locked with a password"},
		{"\x00asm", "a WebAssembly module"},
	} {
		if bytes.HasPrefix(head, []byte(m.magic)) {
			return m.name
		}
	}
	if mime := http.DetectContentType(head); mime != "application/octet-stream" && !strings.HasPrefix(mime, "text/") {
		return mime
	}
	return "data of an unknown kind"
}

// ReadWhole returns the contents of a regular file of at most so many bytes,
// and its absolute path, for other groups of tools.
func (h *Host) ReadWhole(turn capability.Turn, path string, most int64) (data []byte, abs string, err error) {
	f, err := h.openFile(turn, path)
	if err != nil {
		return nil, "", err
	}
	defer f.Close()
	data, err = f.whole(most)
	return data, f.abs, err
}
