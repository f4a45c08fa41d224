package file

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/bmatcuk/doublestar/v4"

	"github.com/hobkin/hobkin/core/capability"
	"github.com/hobkin/hobkin/core/sandbox"
)

var badPattern = &capability.Failure{Code: "bad_pattern", When: "a pattern is malformed", Try: "use *, **, ?, [a-z] and {a,b}; write \\ before a sign that stands for itself"}

func init() {
	capability.Add(&Tools, capability.Capability{
		Name:    "list_dir",
		Aliases: []string{"ListDir", "LS"},
		Title:   "List folder",
		Description: "Lists what is in a folder: kind or size, time of the last change, name; links with their targets. " +
			"At most 1,000 entries, then only their number.",
		Class:     capability.ReadOnly,
		Category:  capability.CategoryFile,
		OwnerData: true,
		Hints:     capability.Hints{ReadOnly: capability.Yes, Idempotent: capability.Yes, OpenWorld: capability.No},
		Docs: capability.Docs{
			When: "to see what a folder holds, ignored files too; to find files by name anywhere below it use glob_search",
			Examples: []capability.Example{
				{When: "the user asks what is in a folder", In: listIn{Path: "~/Documents"}},
				{When: "the layout of a project matters", In: listIn{Path: ".", Depth: 2, Ignore: []string{"node_modules", ".git", "*.o"}}},
			},
			Fails: sandbox.Failures(notFound, notFolder, badPattern),
		},
	}, (*Host).list)
}

type listIn struct {
	Path   string   `json:"path" jsonschema:"the folder: absolute, relative to the workspace, or starting with ~"`
	Depth  int      `json:"depth,omitempty" min:"1" max:"10" default:"1" jsonschema:"how many levels"`
	Ignore []string `json:"ignore,omitempty" max:"100" jsonschema:"patterns to leave out: of a name, or with a slash of a path below the folder"`
}

func (h *Host) list(ctx context.Context, call capability.Call, in listIn) (capability.Result, error) {
	for _, p := range in.Ignore {
		if !doublestar.ValidatePattern(p) {
			return capability.Result{}, badPattern.Becausef("the pattern %q is malformed", p)
		}
	}
	s, err := h.look(call.Turn, in.Path, sandbox.Read)
	if err != nil {
		return capability.Result{}, err
	}
	defer func() { _ = s.Close() }() // a read handle
	switch {
	case s.info == nil:
		return capability.Result{}, h.missing(s)
	case !s.info.IsDir():
		return capability.Result{}, notFolder.Becausef("%s is not a folder", s.Abs)
	}
	l := listing{host: h, in: in, abs: s.Abs, most: h.limits().Entries}
	if err := l.folder(ctx, s.Root, "", max(in.Depth, 1)); err != nil {
		return capability.Result{}, explain(s.Abs, err)
	}
	return l.result(), nil
}

// A listing is one list_dir on its way.
type listing struct {
	host  *Host
	in    listIn
	abs   string
	most  int
	lines []string
	total int
	notes []string
}

const (
	maxNames = 100_000 // names of one folder that are sorted; more are only counted
	maxNotes = 5
)

// folder lists root, which lies at rel below the listed folder.
func (l *listing) folder(ctx context.Context, root *os.Root, rel string, depth int) error {
	names, err := l.names(ctx, root)
	if err != nil {
		return err
	}
	for _, name := range names {
		if err := ctx.Err(); err != nil {
			return err
		}
		path := name
		if rel != "" {
			path = rel + "/" + name
		}
		if l.leaves(path, name) {
			continue
		}
		l.total++
		var info fs.FileInfo
		if len(l.lines) < l.most || depth > 1 {
			if info, err = root.Lstat(name); err != nil {
				continue // it was removed meanwhile
			}
		}
		if len(l.lines) < l.most {
			l.lines = append(l.lines, l.line(root, name, path, info))
		}
		if depth > 1 && info.IsDir() {
			l.below(ctx, root, name, path, depth)
		}
	}
	return nil
}

// below lists a folder in root. One that cannot be read is noted.
func (l *listing) below(ctx context.Context, root *os.Root, name, path string, depth int) {
	sub, err := root.OpenRoot(name)
	if err == nil {
		defer sub.Close()
		err = l.folder(ctx, sub, path, depth-1)
	}
	switch {
	case err == nil, errors.Is(err, fs.ErrNotExist):
	case len(l.notes) < maxNotes:
		why := "cannot be read"
		if errors.Is(err, fs.ErrPermission) {
			why = "permission denied"
		}
		l.notes = append(l.notes, path+": "+why)
	}
}

func (l *listing) names(ctx context.Context, root *os.Root) ([]string, error) {
	dir, err := root.Open(".")
	if err != nil {
		return nil, err
	}
	defer dir.Close()
	var names []string
	const some = 4096
	for {
		part, err := dir.Readdirnames(some)
		if room := maxNames - len(names); len(part) > room {
			l.total += len(part) - room
			part = part[:room]
		}
		names = append(names, part...)
		switch {
		case errors.Is(err, io.EOF):
			slices.Sort(names)
			return names, nil
		case err != nil:
			return nil, err
		case ctx.Err() != nil:
			return nil, ctx.Err()
		}
	}
}

// leaves reports whether an entry is left out.
func (l *listing) leaves(path, name string) bool {
	for _, p := range l.in.Ignore {
		p = strings.TrimSuffix(p, "/")
		text := name
		if strings.Contains(p, "/") {
			text = path
		}
		if doublestar.MatchUnvalidated(strings.TrimPrefix(p, "/"), text) {
			return true
		}
	}
	return l.host.Paths.Hidden(filepath.Join(l.abs, filepath.FromSlash(path)))
}

func (l *listing) line(root *os.Root, name, path string, info fs.FileInfo) string {
	var kind string
	switch m := info.Mode(); {
	case m.IsRegular():
		kind = size(info.Size())
	case m.IsDir():
		kind = "folder"
		path += "/"
	case m&fs.ModeSymlink != 0:
		kind = "link"
		if to, err := root.Readlink(name); err == nil {
			path += " -> " + to
		}
	case m&fs.ModeNamedPipe != 0:
		kind = "fifo"
	case m&fs.ModeSocket != 0:
		kind = "socket"
	default:
		kind = "device"
	}
	return fmt.Sprintf("%8s  %s  %s", kind, info.ModTime().Format("2006-01-02 15:04"), path)
}

func (l *listing) result() capability.Result {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %s\n", l.abs, entries(l.total))
	for _, line := range l.lines {
		b.WriteString(line + "\n")
	}
	if more := l.total - len(l.lines); more > 0 {
		fmt.Fprintf(&b, "(%s more; list a folder below, or use glob_search)\n", entries(more))
	}
	for _, n := range l.notes {
		fmt.Fprintf(&b, "(%s)\n", n)
	}
	return capability.Result{Text: b.String(), Summary: entries(l.total)}
}

func entries(n int) string {
	if n == 1 {
		return "1 entry"
	}
	return count(n, "entry")
}
