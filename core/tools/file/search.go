package file

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"regexp/syntax"
	"strings"
	"time"

	"github.com/bmatcuk/doublestar/v4"

	"github.com/hobkin/hobkin/core/capability"
	"github.com/hobkin/hobkin/core/sandbox"
	"github.com/hobkin/hobkin/core/search"
)

var invalidRegex = &capability.Failure{Code: "invalid_regex", When: "the regular expression is malformed", Try: "mend it (RE2 syntax: no look-around, no back-references), or set regex to false for plain text"}

func init() {
	capability.Add(&Tools, capability.Capability{
		Name:    "content_search",
		Aliases: []string{"Grep"},
		Title:   "Search in files",
		Description: "Searches the text of files for a regular expression (RE2) or plain text, line by line. " +
			"Binary files and files that .gitignore leaves out are left out. Hits come in the order of paths.",
		Class:     capability.ReadOnly,
		Category:  capability.CategoryFile,
		OwnerData: true,
		Hints:     capability.Hints{ReadOnly: capability.Yes, Idempotent: capability.Yes, OpenWorld: capability.No},
		Docs: capability.Docs{
			When: "to find where something is written; to find files by name use glob_search",
			Examples: []capability.Example{
				{When: "a word is looked for", In: searchIn{Pattern: "TODO", Path: "core"}},
				{When: "the places of a function matter, with lines around", In: searchIn{Pattern: `func \w+Handler\(`, Include: "*.go", Exclude: "*_test.go", Context: 2}},
				{When: "only the files matter", In: searchIn{Pattern: "password", Case: "insensitive", Output: "files"}},
			},
			Fails: sandbox.Failures(notFound, notRegular, invalidRegex, badPattern),
		},
	}, (*Host).search)
}

type searchIn struct {
	Pattern    string `json:"pattern" jsonschema:"what to look for"`
	Path       string `json:"path,omitempty" jsonschema:"the folder or file to look in; the workspace when left out"`
	Regex      *bool  `json:"regex,omitempty" default:"true" jsonschema:"false takes the pattern as plain text"`
	Include    string `json:"include,omitempty" jsonschema:"only files whose name fits this pattern, such as *.go or *.{ts,tsx}; with a slash it is the path below the folder"`
	Exclude    string `json:"exclude,omitempty" jsonschema:"no files or folders that fit this pattern"`
	Case       string `json:"case,omitempty" enum:"sensitive,insensitive,smart" default:"sensitive" jsonschema:"smart: insensitive unless the pattern has a capital"`
	Context    int    `json:"context,omitempty" min:"0" max:"20" default:"0" jsonschema:"lines to show before and after each hit"`
	Output     string `json:"output,omitempty" enum:"matches,files,count" default:"matches" jsonschema:"the lines, the files, or how many lines in each file"`
	MaxResults int    `json:"max_results,omitempty" min:"1" max:"1000" default:"200" jsonschema:"how many hits at most"`
	Multiline  bool   `json:"multiline,omitempty" jsonschema:"a match may span lines, and . matches a line end"`
	TimeoutMS  int    `json:"timeout_ms,omitempty" min:"1" max:"600000" default:"30000" jsonschema:"after this time in milliseconds what was found so far is given"`
}

func (h *Host) search(ctx context.Context, call capability.Call, in searchIn) (capability.Result, error) {
	s, filter, err := h.planSearch(in)
	if err != nil {
		return capability.Result{}, err
	}
	g, err := h.ground(call.Turn, in.Path)
	if err != nil {
		return capability.Result{}, err
	}
	defer g.close()
	timeout := h.limits().SearchTime
	if in.TimeoutMS > 0 {
		timeout = time.Duration(in.TimeoutMS) * time.Millisecond
	}
	limited, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	var found *search.Found
	if g.file != "" {
		found, err = s.File(limited, g.root, g.file)
		g.Abs = filepath.Dir(g.Abs)
	} else {
		s.Accept = filter.accepts
		w := g.walker(h, false)
		w.Prune = filter.excludes
		found, err = s.Run(limited, w)
	}
	late := false
	if isEnd(err) && ctx.Err() == nil {
		late, err = true, nil
	}
	if err != nil {
		return capability.Result{}, err
	}
	r := report{turn: call.Turn, in: in, abs: g.Abs, found: found}
	if late {
		r.note = fmt.Sprintf("stopped after %v; the search is not complete", timeout)
	}
	return r.result(), nil
}

// planSearch reads the parameters.
func (h *Host) planSearch(in searchIn) (*search.Search, *nameFilter, error) {
	q := search.Query{Text: in.Pattern, Literal: in.Regex != nil && !*in.Regex, Multiline: in.Multiline}
	q.Fold = in.Case == "insensitive" || in.Case == "smart" && in.Pattern == strings.ToLower(in.Pattern)
	if in.Pattern == "" {
		return nil, nil, capability.BadInput.Becausef("the pattern is empty")
	}
	p, err := search.Compile(q)
	if err != nil {
		return nil, nil, regexFailure(in.Pattern, err)
	}
	filter := &nameFilter{include: commaList(in.Include), exclude: commaList(in.Exclude)}
	for _, glob := range append(filter.include, filter.exclude...) {
		if !doublestar.ValidatePattern(glob) {
			return nil, nil, badPattern.Becausef("the pattern %q is malformed", glob)
		}
	}
	l := h.limits()
	s := &search.Search{Pattern: p, Max: min(cmp.Or(in.MaxResults, l.Hits), l.MaxHits)}
	switch in.Output {
	case "files":
		s.Want = search.Files
	case "count":
		s.Want = search.Count
	default:
		s.Context = in.Context
	}
	return s, filter, nil
}

// regexFailure says what is wrong with a pattern, and where.
func regexFailure(pattern string, err error) error {
	e, ok := errors.AsType[*syntax.Error](err)
	if !ok {
		return invalidRegex.Becausef("%v", err)
	}
	at := max(strings.Index(pattern, e.Expr), 0) + 1
	return invalidRegex.Becausef("%s: %q at character %d of %q", e.Code, e.Expr, at, pattern).With("at", at).With("part", e.Expr)
}

// A nameFilter picks files by name. A pattern with a slash is of the whole
// path below the searched folder, and nothing else.
type nameFilter struct{ include, exclude []string }

func (f *nameFilter) accepts(path string) bool {
	return len(f.include) == 0 || fitsAny(f.include, path)
}

func (f *nameFilter) excludes(path string) bool { return fitsAny(f.exclude, path) }

func fitsAny(globs []string, path string) bool {
	name := path[strings.LastIndexByte(path, '/')+1:]
	for _, g := range globs {
		text := name
		if strings.Contains(g, "/") {
			text = path
		}
		if doublestar.MatchUnvalidated(strings.Trim(g, "/"), text) {
			return true
		}
	}
	return false
}

// A report is what was found, for the model and for the window.
type report struct {
	turn  capability.Turn
	in    searchIn
	abs   string
	found *search.Found
	note  string
}

// The shape of Result.Data.
type (
	foundFile struct {
		Path  string      `json:"path"`
		Count int         `json:"count"`
		Lines []foundLine `json:"lines,omitempty"`
	}
	foundLine struct {
		Line int    `json:"line"`
		Text string `json:"text"`
	}
)

func (r *report) result() capability.Result {
	var b strings.Builder
	files := make([]foundFile, 0, len(r.found.Files))
	hits, shown := 0, shower(r.turn)
	for i := range r.found.Files {
		f := &r.found.Files[i]
		one := foundFile{Path: shown(filepath.Join(r.abs, filepath.FromSlash(f.Path))), Count: f.Count}
		for _, hit := range f.Hits {
			one.Lines = append(one.Lines, foundLine{hit.Line, hit.Text})
		}
		files = append(files, one)
		hits += len(f.Hits)
		r.file(&b, &one, f)
	}
	summary := fmt.Sprintf("%d found", hits)
	if r.in.Output == "files" || r.in.Output == "count" {
		hits = len(files)
		summary = count(hits, "file")
	}
	if hits == 0 {
		fmt.Fprintf(&b, "Nothing under %s matches %s (%s searched).\n", r.abs, r.in.Pattern, count(int(r.found.Searched), "file"))
	}
	if r.found.More {
		summary = "first " + summary
		fmt.Fprintf(&b, "(the first %d; there may be more: narrow the search or raise max_results)\n", hits)
	}
	if r.note != "" {
		fmt.Fprintf(&b, "(%s)\n", r.note)
	}
	writeTroubles(&b, &r.found.Troubles)
	data, err := json.Marshal(map[string]any{"files": files, "more": r.found.More})
	if err != nil {
		data = nil // strings and numbers always marshal
	}
	return capability.Result{Text: b.String(), Data: data, Summary: summary}
}

// file writes one file's part, as the output asks for.
func (r *report) file(b *strings.Builder, one *foundFile, f *search.FileHits) {
	switch r.in.Output {
	case "files":
		b.WriteString(one.Path + "\n")
		return
	case "count":
		fmt.Fprintf(b, "%s: %d\n", one.Path, one.Count)
		return
	}
	b.WriteString(one.Path + "\n")
	last := 0 // line that was written last
	for i := range f.Hits {
		hit := &f.Hits[i]
		first := hit.Line - len(hit.Before)
		if r.in.Context > 0 && last > 0 && first > last+1 {
			b.WriteString("  --\n")
		}
		for j, text := range hit.Before {
			last = writeLine(b, first+j, "-", text, last)
		}
		last = writeLine(b, hit.Line, ":", hit.Text, last)
		next := 0
		if i+1 < len(f.Hits) {
			next = f.Hits[i+1].Line
		}
		end := hit.Line + strings.Count(hit.Text, "\n")
		for j, text := range hit.After {
			if line := end + 1 + j; next == 0 || line < next {
				last = writeLine(b, line, "-", text, last)
			}
		}
	}
}

// writeLine writes a line unless it was written before.
func writeLine(b *strings.Builder, line int, sep, text string, last int) int {
	if line <= last {
		return last
	}
	fmt.Fprintf(b, "%6d%s %s\n", line, sep, text)
	return line + strings.Count(text, "\n")
}
