package search

import (
	"context"
	"errors"
	"os"
	"strings"
	"sync"
	"sync/atomic"
)

// Want says what a search is to bring.
type Want uint8

// The wants.
const (
	Lines Want = iota // the matching lines
	Files             // the files that have one
	Count             // and how many each has
)

// A Search looks for a pattern in files.
type Search struct {
	Pattern *Pattern
	Want    Want
	Max     int                    // hits for Lines, files otherwise; 0 means no limit
	Context int                    // lines before and after each hit
	Width   int                    // bytes of a line that are shown; 0 means 300
	Accept  func(path string) bool // which files; nil means all
}

// A Hit is a line that matches. With Multiline it may be several.
type Hit struct {
	Line   int // from 1
	Text   string
	Before []string // lines of context
	After  []string
	offset int64
	length int
}

// FileHits is what one file has.
type FileHits struct {
	Path  string // below the root, with slashes
	Count int    // matching lines; 1 or more when the lines were not all looked at
	Hits  []Hit  // for Lines
}

// Found is the outcome of a search: the first hits in the order of paths, the
// same on every run.
type Found struct {
	Files    []FileHits
	More     bool  // Max was reached: there may be more
	Searched int64 // files that were looked into
	Troubles Troubles
}

// Run searches the files of a walk. When ctx ends it returns what was found so
// far, and the error of ctx.
func (s *Search) Run(ctx context.Context, w *Walker) (*Found, error) {
	c := &collector{want: s.Want, max: s.Max}
	inner := *w
	inner.Workers = w.Many()
	inner.Prune = func(path string) bool {
		return w.Prune != nil && w.Prune(path) || c.beyond(path)
	}
	scanners := make([]*scanner, inner.Workers)
	troubles, err := inner.Walk(ctx, func(worker int, e *Entry) error {
		if ctx.Err() != nil || e.Kind != Regular || s.Accept != nil && !s.Accept(e.Path) || c.beyond(e.Path) {
			return nil //nolint:nilerr // what was found until the end of time counts
		}
		if scanners[worker] == nil {
			scanners[worker] = s.scanner()
		}
		return c.search(ctx, scanners[worker], e.dir.h, e.name, e.Path)
	})
	return c.found(troubles), err
}

// File searches one file of a folder.
func (s *Search) File(ctx context.Context, root *os.Root, name string) (*Found, error) {
	h, err := openTop(root)
	if err != nil {
		return nil, err
	}
	defer h.close()
	c := &collector{want: s.Want, max: s.Max}
	err = c.search(ctx, s.scanner(), h, name, name)
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return c.found(Troubles{}), err
	}
	var t Troubles
	if err != nil {
		t.Add(name, err)
	}
	return c.found(t), nil
}

// A collector keeps the first hits in the order of paths. Once it has enough,
// what comes later in that order need not be looked at.
type collector struct {
	want     Want
	max      int
	searched atomic.Int64
	bound    atomic.Pointer[string] // the last path that still counts; nil until full
	more     atomic.Bool

	mu    sync.Mutex
	files []FileHits // in order
	units int
}

func (c *collector) search(ctx context.Context, sc *scanner, h *handle, name, path string) error {
	f, err := h.open(name)
	if err != nil {
		return err
	}
	defer f.close()
	c.searched.Add(1)
	fh, err := sc.file(ctx, f)
	if fh.Count > 0 {
		fh.Path = path
		c.add(fh)
	}
	return err
}

// beyond reports whether a path comes too late to count, or leads only to such.
func (c *collector) beyond(path string) bool {
	b := c.bound.Load()
	if b == nil || comparePaths(path, *b) <= 0 {
		return false
	}
	c.more.Store(true)
	return true
}

func (c *collector) unit(f *FileHits) int {
	if c.want == Lines {
		return len(f.Hits)
	}
	return 1
}

func (c *collector) add(f FileHits) {
	c.mu.Lock()
	defer c.mu.Unlock()
	at := len(c.files)
	for at > 0 && comparePaths(c.files[at-1].Path, f.Path) > 0 {
		at--
	}
	c.files = append(c.files, FileHits{})
	copy(c.files[at+1:], c.files[at:])
	c.files[at] = f
	c.units += c.unit(&f)
	if c.max <= 0 {
		return
	}
	for c.units > c.max {
		last := &c.files[len(c.files)-1]
		if over := c.units - c.max; c.want == Lines && len(last.Hits) > over {
			last.Hits = last.Hits[:len(last.Hits)-over]
			c.units -= over
		} else {
			c.units -= c.unit(last)
			c.files = c.files[:len(c.files)-1]
		}
		c.more.Store(true)
	}
	if c.units == c.max {
		last := c.files[len(c.files)-1].Path // a copy: the list moves
		c.bound.Store(&last)
	}
}

func (c *collector) found(t Troubles) *Found {
	c.mu.Lock()
	defer c.mu.Unlock()
	return &Found{Files: c.files, More: c.more.Load(), Searched: c.searched.Load(), Troubles: t}
}

// comparePaths orders as a tree is read: a folder's content right behind it.
func comparePaths(a, b string) int {
	n := min(len(a), len(b))
	for i := range n {
		switch {
		case a[i] == b[i]:
		case a[i] == '/':
			return -1
		case b[i] == '/':
			return 1
		case a[i] < b[i]:
			return -1
		default:
			return 1
		}
	}
	return len(a) - len(b)
}

func (s *Search) scanner() *scanner {
	width := s.Width
	if width <= 0 {
		width = 300
	}
	most := s.Max
	switch {
	case s.Want == Files:
		most = 1
	case s.Want == Count || most <= 0:
		most = int(^uint(0) >> 1)
	default:
		most++ // one more tells that there are more
	}
	return &scanner{find: s.Pattern.finder(), want: s.Want, most: most, context: s.Context, width: width}
}

// cutLine keeps width bytes of a line, round the match.
func cutLine(line string, match []int, width int) string {
	if len(line) <= width {
		return line
	}
	from := 0
	if len(match) == 2 && match[1] > width*3/4 {
		from = max(match[0]-width/4, 0)
	}
	to := min(from+width, len(line))
	from = max(to-width, 0)
	text := strings.ToValidUTF8(line[from:to], "") // a cut may halve a character
	if from > 0 {
		text = "…" + text
	}
	if to < len(line) {
		text += "…"
	}
	return text
}
