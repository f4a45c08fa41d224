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
	"os"
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
	s, err := h.lookFile(call.Turn, in.Path, sandbox.Read)
	if err != nil {
		return capability.Result{}, err
	}
	defer func() { _ = s.Close() }() // a read handle
	f, info, err := s.open()
	if err != nil {
		return capability.Result{}, err
	}
	defer f.Close()
	head := make([]byte, min(headSize, cmp.Or(info.Size(), 4<<10)+1)) // those of /proc say 0
	n, err := io.ReadFull(f, head)
	if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
		return capability.Result{}, explain(s.Abs, err)
	}
	head = head[:n]
	if _, err := f.Seek(0, io.SeekStart); err != nil {
		return capability.Result{}, explain(s.Abs, err)
	}
	if picture.Type(head) != "" {
		return h.readImage(s, f, info)
	}
	if bytes.HasPrefix(head, []byte("%PDF-")) {
		return h.readPDF(ctx, s, f, info, in)
	}
	t := &text{spot: s, file: f, info: info, head: head}
	if bytes.HasPrefix(head, []byte("PK\x03\x04")) {
		if kind := doctext.Sniff(f, info.Size()); kind != doctext.Unknown {
			return h.readOffice(ctx, t, kind, in)
		}
	}
	if t.enc = textfile.DetectPrefix(head); int64(n) == info.Size() {
		t.enc = textfile.Detect(head)
	}
	switch {
	case t.enc == nil:
		h.seen.put(readKey(call.Turn.Session, s.Abs), mark{size: info.Size(), time: info.ModTime()})
		return binary(head, info), nil
	case isNotebook(s.Abs) && !in.Raw:
		return h.readNotebook(ctx, call, t, in)
	}
	return h.readText(ctx, call, in, t)
}

// A text is a file that turned out to be text.
type text struct {
	*spot
	file *os.File
	info fs.FileInfo
	head []byte
	enc  *textfile.Encoding
	note string // about how it is shown
}

// readText shows lines, and remembers what the file was like.
func (h *Host) readText(ctx context.Context, call capability.Call, in readIn, t *text) (capability.Result, error) {
	l := h.limits()
	if t.info.Size() > l.Whole && in.Offset == 0 && in.Limit == 0 {
		return capability.Result{}, tooBig.Becausef("%s has %s; over %s a part must be asked for", t.Abs, size(t.info.Size()), size(l.Whole))
	}
	src, seen := io.ReadSeeker(t.file), mark{size: t.info.Size(), time: t.info.ModTime()}
	if t.info.Size() <= l.Whole {
		data, err := io.ReadAll(io.LimitReader(t.file, l.Whole+headSize)) // it may be growing
		if err != nil {
			return capability.Result{}, explain(t.Abs, err)
		}
		src, seen.sum = bytes.NewReader(data), sumOf(data)
		if whole := textfile.Detect(data); whole != nil {
			t.enc = whole
		}
	}
	ending, mixed := textfile.Ending(t.enc.DecodeString(bytes.TrimPrefix(t.head, t.enc.BOM)))
	if table, err := h.separated(ctx, t, src, in); table != nil || err != nil {
		if err != nil {
			return capability.Result{}, err
		}
		h.seen.put(readKey(call.Turn.Session, t.Abs), seen)
		table.Text += about(t.enc, ending, mixed)
		return *table, nil
	}
	p := newPage(l, in)
	p.oldMac = ending == "\r"
	if err := p.read(ctx, t.enc.NewReader(src)); err != nil {
		return capability.Result{}, explain(t.Abs, err)
	}
	if p.shown == 0 && p.first > 1 {
		return capability.Result{}, pastEnd.Becausef("%s has %s, so line %d is not there", t.Abs, count(p.line, "line"), p.first).With("lines", p.line)
	}
	h.seen.put(readKey(call.Turn.Session, t.Abs), seen)
	return capability.Result{Text: p.text() + t.note + about(t.enc, ending, mixed), Summary: count(p.shown, "line")}, nil
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
	s, err := h.lookFile(turn, path, sandbox.Read)
	if err != nil {
		return nil, "", err
	}
	defer func() { _ = s.Close() }() // a read handle
	data, _, err = s.read(most)
	return data, s.Abs, err
}
