package file

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/bmatcuk/doublestar/v4"

	"github.com/hobkin/hobkin/core/capability"
	"github.com/hobkin/hobkin/core/sandbox"
	"github.com/hobkin/hobkin/core/search"
)

func init() {
	capability.Add(&Tools, capability.Capability{
		Name:    "glob_search",
		Aliases: []string{"Glob"},
		Title:   "Find files",
		Description: "Finds files by a pattern of their path: ** is any folders, * any part of a name, {a,b} a choice. " +
			"The newest come first. Files that .gitignore leaves out are left out here too.",
		Class:     capability.ReadOnly,
		Category:  capability.CategoryFile,
		OwnerData: true,
		Hints:     capability.Hints{ReadOnly: capability.Yes, Idempotent: capability.Yes, OpenWorld: capability.No},
		Docs: capability.Docs{
			When: "to find files by name; to find what is written in them use content_search",
			Examples: []capability.Example{
				{When: "all Go files matter", In: globIn{Pattern: "**/*.go"}},
				{When: "a picture is somewhere in a folder", In: globIn{Pattern: "**/*.{png,jpg}", Path: "~/Pictures", Limit: 20}},
			},
			Fails: sandbox.Failures(notFound, notFolder, badPattern),
		},
	}, (*Host).glob)
}

type globIn struct {
	Pattern        string `json:"pattern" jsonschema:"the pattern, of the path below the folder; a slash at the end finds folders"`
	Path           string `json:"path,omitempty" jsonschema:"the folder to look in; the workspace when left out"`
	IncludeIgnored bool   `json:"include_ignored,omitempty" default:"false" jsonschema:"find what .gitignore leaves out too"`
	Limit          int    `json:"limit,omitempty" min:"1" max:"10000" default:"200" jsonschema:"how many files at most"`
}

func (h *Host) glob(ctx context.Context, call capability.Call, in globIn) (capability.Result, error) {
	base, pattern, err := in.split()
	if err != nil {
		return capability.Result{}, err
	}
	g, err := h.ground(call.Turn, base)
	if err != nil {
		return capability.Result{}, err
	}
	defer g.close()
	if g.file != "" {
		return capability.Result{}, notFolder.Becausef("%s is not a folder", g.Abs)
	}
	folders := strings.HasSuffix(pattern, "/")
	pattern = strings.TrimSuffix(pattern, "/")
	w := g.walker(h, in.IncludeIgnored)
	w.Workers = w.Many()
	parts := make([]newest, w.Workers) // each worker its own, so that none waits
	for i := range parts {
		parts[i].most = cmp.Or(in.Limit, h.limits().Globbed)
	}
	fits := fitting(pattern)
	troubles, err := w.Walk(ctx, func(worker int, e *search.Entry) error {
		if (e.Kind == search.Folder) != folders || !fits(e.Path) {
			return nil
		}
		info, err := e.Info()
		if err != nil {
			return err
		}
		parts[worker].add(globbed{e.Path, info.Time})
		return nil
	})
	found := joined(parts)
	if err != nil {
		return capability.Result{}, err
	}
	r := globReport{turn: call.Turn, in: in, abs: g.Abs, found: found}
	return r.result(&troubles), nil
}

// fitting makes the test of a path. That most patterns ask for a name at any
// depth, such as **/*.go, is worth knowing: only the name is looked at then.
func fitting(pattern string) func(path string) bool {
	name, anywhere := strings.CutPrefix(pattern, "**/")
	if !anywhere || strings.ContainsAny(name, "/{[\\") || strings.Contains(name, "**") {
		return func(path string) bool { return doublestar.MatchUnvalidated(pattern, path) }
	}
	return func(path string) bool {
		return doublestar.MatchUnvalidated(name, path[strings.LastIndexByte(path, '/')+1:])
	}
}

// split takes the fixed folders off the pattern, so that the walk starts there.
func (in globIn) split() (base, pattern string, err error) {
	p := filepath.ToSlash(in.Pattern)
	if p == "" || !doublestar.ValidatePattern(p) {
		return "", "", badPattern.Becausef("the pattern %q is malformed", in.Pattern)
	}
	slash := strings.HasSuffix(p, "/")
	base, pattern = doublestar.SplitPattern(strings.TrimSuffix(p, "/"))
	if pattern == "" {
		return "", "", badPattern.Becausef("the pattern %q names no file", in.Pattern)
	}
	if slash {
		pattern += "/"
	}
	switch {
	case in.Path == "":
		return base, pattern, nil
	case filepath.IsAbs(base), strings.HasPrefix(base, "~"):
		return "", "", badPattern.Becausef("the pattern %q is absolute and a path is given too", in.Pattern).Trying("give one of them")
	case base == ".":
		return in.Path, pattern, nil
	}
	return strings.TrimSuffix(in.Path, "/") + "/" + base, pattern, nil
}

// A globReport is what was found, the newest first.
type globReport struct {
	turn  capability.Turn
	in    globIn
	abs   string
	found newest
}

func (r *globReport) result(troubles *search.Troubles) capability.Result {
	show, total := r.found.files, r.found.total
	paths, shown := make([]string, len(show)), shower(r.turn)
	for i, f := range show {
		paths[i] = shown(filepath.Join(r.abs, filepath.FromSlash(f.path)))
	}
	var b strings.Builder
	for _, p := range paths {
		b.WriteString(p + "\n")
	}
	switch {
	case total == 0:
		fmt.Fprintf(&b, "Nothing under %s fits %s.\n", r.abs, r.in.Pattern)
	case total > len(show):
		fmt.Fprintf(&b, "(the newest %d of %s; narrow the pattern to see others)\n", len(show), count(total, "file"))
	}
	writeTroubles(&b, troubles)
	data, err := json.Marshal(map[string]any{"files": paths, "total": total})
	if err != nil {
		data = nil // strings always marshal
	}
	return capability.Result{Text: b.String(), Data: data, Summary: fmt.Sprintf("%d found", total)}
}

// writeTroubles says what could not be read.
func writeTroubles(b *strings.Builder, t *search.Troubles) {
	if t.Count == 0 {
		return
	}
	fmt.Fprintf(b, "(%s could not be read: %s)\n", count(t.Count, "place"), strings.Join(t.First, "; "))
}

// isEnd reports whether an error is that of a context.
func isEnd(err error) bool {
	return errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded)
}
