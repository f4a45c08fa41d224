// Package file holds the tools that read, change and search the owner's files.
//
// Every path goes through [Paths], which decides whether the turn may go there
// and hands out a root handle; all work is done beneath that handle. Every
// change is atomic, and its pre-image is in the [Journal] before the change is
// to be seen, so that file_undo can take it back, even after a crash.
//
// The engines are their own packages: textfile tells encodings and edits spans,
// search walks folders and finds text. A tool is one file here, with its words,
// its parameters and its failures.
package file

import (
	"cmp"
	"context"
	"io/fs"
	"os"
	"sync"
	"time"

	"github.com/hobkin/hobkin/core/capability"
	"github.com/hobkin/hobkin/core/leash"
	"github.com/hobkin/hobkin/core/sandbox"
	"github.com/hobkin/hobkin/core/undo"
)

// Tools is the group's set. Each tool file adds itself.
var Tools capability.Set[*Host]

// Paths decides about paths and opens them. It is what [sandbox.Policy] does.
type Paths interface {
	Place(turn capability.Turn, path string, use sandbox.Use) (*sandbox.Place, error)
	Regular(turn capability.Turn, path string) (f *os.File, info fs.FileInfo, ok bool)
	Hidden(abs string) bool
}

// Journal keeps what changed files held before.
type Journal interface {
	// RecordChange keeps c and returns its id. What it has kept survives a kill.
	RecordChange(ctx context.Context, c undo.Change) (id string, err error)
	// LastChange is the newest change of a session that was not taken back, of
	// one path or, when path is empty, of any. It may fail with [undo.ErrNone].
	LastChange(ctx context.Context, session, path string) (undo.Change, error)
	// ChangeByID finds a change. It may fail with [undo.ErrNone].
	ChangeByID(ctx context.Context, id string) (undo.Change, error)
	// MarkUndone notes that a change was taken back.
	MarkUndone(ctx context.Context, id string) error
}

// A Host is what the file tools work with. Paths and Journal must be set; its
// fields are not changed after the first call.
type Host struct {
	Paths   Paths
	Journal Journal
	Home    string // shown as ~ to people; empty means the user's home
	Ignore  string // path of the person's own ignore file, in force in every repository; empty means none
	Limits  Limits

	seen    memory
	locks   locks
	parsers leash.Leash // PDFs and documents that are being read
}

// Limits bound the tools. A zero field means its default.
type Limits struct {
	ReadLines    int           // lines of one file_read; 2,000
	ReadBytes    int           // bytes of one file_read; 128 KB
	LineBytes    int           // bytes of a line that file_read shows; 2,000
	Whole        int64         // a larger file needs offset or limit; 10 MB
	Image        int64         // bytes of a picture; 10 MB
	PDF          int64         // bytes of a PDF; 50 MB
	PDFTime      time.Duration // for reading a PDF; 20 s
	Document     int64         // bytes of an office document or a notebook; 50 MB
	DocumentTime time.Duration // for reading one; 20 s
	Change       int64         // bytes of a file that is edited or replaced; 20 MB
	Diff         int           // bytes of a diff; 64 KB
	Entries      int           // entries of one list_dir; 1,000
	Globbed      int           // files of one glob_search unless asked otherwise; 200
	Hits         int           // hits of one content_search unless asked otherwise; 200
	MaxHits      int           // hits of one content_search at most; 1,000
	SearchTime   time.Duration // for one content_search unless asked otherwise; 30 s
}

func (h *Host) limits() Limits {
	l := h.Limits
	return Limits{
		ReadLines:    cmp.Or(l.ReadLines, 2000),
		ReadBytes:    cmp.Or(l.ReadBytes, 128_000),
		LineBytes:    cmp.Or(l.LineBytes, 2000),
		Whole:        cmp.Or(l.Whole, 10_000_000),
		Image:        cmp.Or(l.Image, 10_000_000),
		PDF:          cmp.Or(l.PDF, 50_000_000),
		PDFTime:      cmp.Or(l.PDFTime, 20*time.Second),
		Document:     cmp.Or(l.Document, 50_000_000),
		DocumentTime: cmp.Or(l.DocumentTime, 20*time.Second),
		Change:       cmp.Or(l.Change, 20_000_000),
		Diff:         cmp.Or(l.Diff, 64_000),
		Entries:      cmp.Or(l.Entries, 1000),
		Globbed:      cmp.Or(l.Globbed, 200),
		Hits:         cmp.Or(l.Hits, 200),
		MaxHits:      cmp.Or(l.MaxHits, 1000),
		SearchTime:   cmp.Or(l.SearchTime, 30*time.Second),
	}
}

func (h *Host) home() string {
	if h.Home != "" {
		return h.Home
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return ""
	}
	return home
}

// The failures that several tools share.
var (
	notFound   = &capability.Failure{Code: "not_found", When: "nothing has that path", Try: "list the folder with list_dir, or look for the name with glob_search"}
	isFolder   = &capability.Failure{Code: "is_folder", When: "the path is a folder", Try: "use list_dir to see what is in it"}
	notFolder  = &capability.Failure{Code: "not_folder", When: "the path is a file, not a folder", Try: "use file_read for the file, or give its folder"}
	notRegular = &capability.Failure{Code: "not_regular", When: "the path is a FIFO, a socket or a device, which are never opened", Try: "use the path of an ordinary file"}
	tooBig     = &capability.Failure{Code: "too_big", When: "the file is larger than the tool takes", Try: "read a part with offset and limit, or use content_search"}
	readOnly   = &capability.Failure{Code: "read_only", When: "the file, or its folder, is write-protected", Try: "ask the owner to lift the protection, or write elsewhere"}
	stale      = &capability.Failure{Code: "stale", When: "the file changed since it was read", Try: "read it again with file_read, then repeat the change"}
	noSpace    = &capability.Failure{Code: "no_space", When: "the disk or the quota is full", Try: "free some space, or write elsewhere"}
)

// locks make the changes of one path come one after another.
type locks struct {
	mu   sync.Mutex
	held map[string]*lock
}

type lock struct {
	sync.Mutex
	users int
}

// lock waits for its turn at path and returns what gives it back.
func (l *locks) lock(path string) (unlock func()) {
	l.mu.Lock()
	if l.held == nil {
		l.held = map[string]*lock{}
	}
	one := l.held[path]
	if one == nil {
		one = &lock{}
		l.held[path] = one
	}
	one.users++
	l.mu.Unlock()
	one.Lock()
	return func() {
		one.Unlock()
		l.mu.Lock()
		defer l.mu.Unlock()
		if one.users--; one.users == 0 {
			delete(l.held, path)
		}
	}
}
