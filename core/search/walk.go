package search

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// A Walker goes through a folder and everything below it.
type Walker struct {
	Root    *os.Root               // the folder
	Abs     string                 // its path, for Hidden
	Hidden  func(abs string) bool  // what is passed by, unopened and unsaid; may be nil
	All     bool                   // ignored files too
	Above   []Above                // ignore files of folders above, the outermost first
	Global  *Rules                 // the person's own, weakest in each repository below the root; may be nil
	Prune   func(path string) bool // what else is passed by; may be nil
	Workers int                    // 0 means one a processor, at least two
}

// An Above is an ignore file of a folder above the walk's root.
type Above struct {
	Rules *Rules
	Down  string // the way from that folder to the walk's root, with slashes
}

// A Kind says what a folder's entry is. Everything that is neither a file nor
// a folder nor a link is Other, and never opened.
type Kind uint8

// The kinds.
const (
	Other Kind = iota
	Regular
	Folder
	Link
)

// An Entry is one thing that a walk came by.
type Entry struct {
	Path string // below the root, with slashes
	Kind Kind
	dir  *node
	name string
}

// Info is the size and the time of an entry.
type Info struct {
	Size int64
	Time time.Time
}

// Info looks the entry up. It fails when the entry is gone.
func (e *Entry) Info() (Info, error) { return e.dir.h.stat(e.name) }

// Troubles are places that could not be read. Count may exceed the list.
type Troubles struct {
	Count int
	First []string // a sentence each, at most five
}

// errors of the walk itself.
var errDeep = errors.New("folders are nested too deep")

const (
	maxDepth = 500 // each level may hold a handle open
	batch    = 32  // files that a worker takes at once
)

// A node is an open folder of the walk. It closes when the last task that
// needs it is done.
type node struct {
	h     *handle
	path  string
	stem  string // of the absolute paths in it, with its last separator
	rules *chain
	depth int
	refs  atomic.Int32
}

func (n *node) child(name string) string {
	if n.path == "" {
		return name
	}
	return n.path + "/" + name
}

func (n *node) release() {
	if n.refs.Add(-1) == 0 {
		n.h.close()
	}
}

// A task is a folder to open, or files of an open folder to visit.
type task struct {
	parent *node
	folder item
	files  []item
}

// An item is an entry as the folder lists it. Its name and its path are parts
// of one string: of some 200,000 files, making them is what is left beside the
// system.
type item struct {
	abs  string
	at   int32 // where its name begins
	kind Kind
}

func (it item) name() string { return it.abs[it.at:] }

// item makes the item of a name, which is copied.
func (n *node) item(name []byte, kind Kind) item {
	return item{abs: n.stem + string(name), at: int32(len(n.stem)), kind: kind}
}

// walk is one run of a Walker.
type walk struct {
	*Walker
	visit func(worker int, e *Entry) error
	root  int // where a path below the root begins in an absolute one

	mu      sync.Mutex
	wake    *sync.Cond
	tasks   []task // the last is taken first, so that few folders stay open
	pending int    // tasks taken or waiting
	halted  bool

	troubleMu sync.Mutex
	troubles  Troubles
}

// Walk visits files, folders and links, at once from several goroutines, which
// have ended when it returns. worker tells them apart, from 0 to Workers-1. An
// error of visit counts as trouble of that entry. There is no order. The error
// is that of ctx.
func (w *Walker) Walk(ctx context.Context, visit func(worker int, e *Entry) error) (Troubles, error) {
	top, err := openTop(w.Root)
	if err != nil {
		return Troubles{}, err
	}
	wk := &walk{Walker: w, visit: visit, root: len(w.stem())}
	wk.wake = sync.NewCond(&wk.mu)
	root := &node{h: top, stem: w.stem()}
	root.refs.Store(1)
	for i := range w.Above {
		if !w.All {
			root.rules = &chain{rules: w.Above[i].Rules, above: w.Above[i].Down, up: root.rules}
		}
	}
	wk.pending = 1
	defer context.AfterFunc(ctx, wk.halt)()
	var wg sync.WaitGroup
	wg.Go(func() {
		if err := wk.enter(root, make([]byte, listBuffer)); err != nil {
			wk.trouble(".", err)
		}
		root.release()
		wk.done()
		wk.work(0)
	})
	for i := 1; i < w.Many(); i++ {
		wg.Go(func() { wk.work(i) })
	}
	wg.Wait()
	for _, t := range wk.tasks {
		t.parent.release()
	}
	slices.Sort(wk.troubles.First)
	return wk.troubles, ctx.Err()
}

// stem is what the absolute paths of a walk begin with.
func (w *Walker) stem() string { return w.Abs + string(os.PathSeparator) }

// Many is how many goroutines a walk visits from.
func (w *Walker) Many() int {
	if w.Workers > 0 {
		return w.Workers
	}
	return min(max(runtime.GOMAXPROCS(0), 2), 12)
}

func (w *walk) halt() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.halted = true
	w.wake.Broadcast()
}

func (w *walk) push(tasks ...task) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.pending += len(tasks)
	w.tasks = append(w.tasks, tasks...)
	w.wake.Broadcast()
}

// take waits for a task. ok is false when there will be none.
func (w *walk) take() (t task, ok bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for len(w.tasks) == 0 && w.pending > 0 && !w.halted {
		w.wake.Wait()
	}
	if w.halted || len(w.tasks) == 0 {
		return task{}, false
	}
	t = w.tasks[len(w.tasks)-1]
	w.tasks = w.tasks[:len(w.tasks)-1]
	return t, true
}

func (w *walk) done() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.pending--; w.pending == 0 {
		w.wake.Broadcast()
	}
}

func (w *walk) work(worker int) {
	buf := make([]byte, listBuffer)
	for {
		t, ok := w.take()
		if !ok {
			return
		}
		if t.files != nil {
			w.files(worker, t)
		} else {
			w.folder(t, buf)
		}
		t.parent.release()
		w.done()
	}
}

func (w *walk) files(worker int, t task) {
	for _, it := range t.files {
		e := Entry{Path: it.abs[w.root:], Kind: it.kind, dir: t.parent, name: it.name()}
		if err := w.visit(worker, &e); err != nil {
			w.trouble(e.Path, err)
		}
	}
}

func (w *walk) folder(t task, buf []byte) {
	path := t.folder.abs[w.root:]
	if t.parent.depth >= maxDepth {
		w.trouble(path, errDeep)
		return
	}
	h, err := t.parent.h.sub(t.folder.name())
	if err != nil {
		w.trouble(path, err)
		return
	}
	n := &node{h: h, path: path, stem: t.folder.abs + "/", rules: t.parent.rules, depth: t.parent.depth + 1}
	n.refs.Store(1)
	defer n.release()
	if err := w.enter(n, buf); err != nil {
		w.trouble(path, err)
	}
}

// enter lists a folder and makes tasks of what is in it.
func (w *walk) enter(n *node, buf []byte) error {
	var items []item
	special := false // holds something that changes the rules
	err := n.h.list(buf, func(name []byte, kind Kind) {
		special = special || string(name) == ".git" || string(name) == ".gitignore" || string(name) == ".ignore"
		items = append(items, n.item(name, kind))
	})
	if special && !w.All {
		w.readRules(n, items)
	}
	slices.SortFunc(items, func(a, b item) int { return strings.Compare(a.name(), b.name()) })
	keep := items[:0]
	var folders []task
	for _, it := range items {
		if w.passes(n, it) {
			keep = append(keep, it)
			if it.kind == Folder {
				folders = append(folders, task{parent: n, folder: it})
			}
		}
	}
	slices.Reverse(folders)
	tasks := folders
	for part := range slices.Chunk(keep, batch) {
		tasks = append(tasks, task{parent: n, files: part})
	}
	n.refs.Add(int32(len(tasks)))
	w.push(tasks...)
	return err
}

func (w *walk) passes(n *node, it item) bool {
	path := it.abs[w.root:]
	switch {
	case it.name() == ".git":
		return false
	case n.rules.ignored(path, it.kind == Folder):
		return false
	case w.Hidden != nil && w.Hidden(it.abs):
		return false
	}
	return w.Prune == nil || !w.Prune(path)
}

// readRules puts the folder's own ignore files in force: those of git, and
// .ignore, by which other search programs know what git keeps and a search does
// not want. A repository inside another one is its own world: the rules from
// outside end there.
func (w *walk) readRules(n *node, items []item) {
	for _, it := range items {
		if it.name() != ".git" {
			continue
		}
		n.rules = nil
		if w.Global != nil {
			n.rules = &chain{rules: w.Global, base: n.path}
		}
		if it.kind == Folder {
			w.readFile(n, ".git", "info", "exclude")
		}
	}
	for _, name := range []string{".gitignore", ".ignore"} { // the stronger last
		if slices.ContainsFunc(items, func(it item) bool { return it.name() == name && it.kind == Regular }) {
			w.readFile(n, name)
		}
	}
}

const maxRules = 1 << 20 // bytes of an ignore file

func (w *walk) readFile(n *node, parts ...string) {
	data, err := n.h.readSmall(parts, maxRules)
	switch {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		w.trouble(n.child(strings.Join(parts, "/")), err)
	default:
		n.rules = &chain{rules: ParseRules(data), base: n.path, up: n.rules}
	}
}

func (w *walk) trouble(path string, err error) {
	w.troubleMu.Lock()
	defer w.troubleMu.Unlock()
	w.troubles.Add(path, err)
}

// Add notes one place and what was wrong there.
func (t *Troubles) Add(path string, err error) {
	if errors.Is(err, fs.ErrNotExist) {
		return // it was removed while the walk went on
	}
	t.Count++
	const most = 5
	if len(t.First) < most {
		t.First = append(t.First, fmt.Sprintf("%s: %s", path, plain(err)))
	}
}

// plain is an error without the names of system calls.
func plain(err error) string {
	if errors.Is(err, fs.ErrPermission) {
		return "permission denied"
	}
	if pe, ok := errors.AsType[*fs.PathError](err); ok {
		err = pe.Err
	}
	return err.Error()
}
