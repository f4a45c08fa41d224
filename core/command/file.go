package command

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/hobkin/hobkin/core/capability"
)

// A File is a command that a Markdown file describes: what the model is told
// when the command is given, after some settings between two lines of ---.
//
//	---
//	description: Look over the changes of a file
//	argument-hint: FILE
//	allowed-tools: file_read, shell(git diff *)
//	model: openai/gpt-5.1
//	---
//	Look over what changed in $1, and say what could break.
type File struct {
	Name string // of the file, without .md, in small letters
	Path string // absolute

	Description string
	Hint        string           // argument-hint
	Bound       capability.Bound // allowed-tools; nil when it is not given
	Model       string
	Body        string
}

// A Fault is what is wrong with a file, for the person who wrote it.
type Fault struct {
	Path   string `json:"path"`
	Line   int    `json:"line,omitempty"` // from 1; 0 when it is about no line
	Reason string `json:"reason"`         // a sentence
}

// Error is place and reason in one line.
func (f *Fault) Error() string {
	if f.Line == 0 {
		return f.Path + ": " + f.Reason
	}
	return fmt.Sprintf("%s:%d: %s", f.Path, f.Line, f.Reason)
}

// Bounds of a folder of commands.
const (
	mostBytes = 128 << 10 // of one file
	mostFiles = 500
)

// ReadFolder reads the commands of a folder: its files *.md, sorted by name.
// What is wrong with one keeps no other from being read. A folder that is not
// there has none.
func ReadFolder(dir string) ([]File, []*Fault) {
	root, err := os.OpenRoot(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, []*Fault{{Path: dir, Reason: "the folder cannot be read: " + cause(err)}}
	}
	defer func() { _ = root.Close() }()
	entries, err := fs.ReadDir(root.FS(), ".")
	if err != nil {
		return nil, []*Fault{{Path: dir, Reason: "the folder cannot be read: " + cause(err)}}
	}
	var files []File
	var faults []*Fault
	for _, e := range entries {
		name, ok := cutSuffixFold(e.Name(), ".md")
		if !ok || strings.HasPrefix(name, ".") {
			continue
		}
		if len(files)+len(faults) >= mostFiles {
			faults = append(faults, &Fault{Path: dir, Reason: fmt.Sprintf("only the first %d commands of the folder are read", mostFiles)})
			break
		}
		f, err := readFile(root, dir, e.Name())
		if err == nil {
			err = taken(files, f)
		}
		if err != nil {
			faults = append(faults, err)
			continue
		}
		files = append(files, f)
	}
	slices.SortFunc(files, func(a, b File) int { return cmp.Compare(a.Name, b.Name) })
	return files, faults
}

func cutSuffixFold(name, suffix string) (string, bool) {
	if n := len(name) - len(suffix); n >= 0 && strings.EqualFold(name[n:], suffix) {
		return name[:n], true
	}
	return name, false
}

// taken is the fault of a file whose name another has, but for its capitals.
func taken(files []File, f File) *Fault {
	i := slices.IndexFunc(files, func(x File) bool { return x.Name == f.Name })
	if i < 0 {
		return nil
	}
	return &Fault{Path: f.Path, Reason: filepath.Base(files[i].Path) + " is the same command: capitals do not count"}
}

func readFile(root *os.Root, dir, base string) (File, *Fault) {
	path := filepath.Join(dir, base)
	fault := func(format string, args ...any) (File, *Fault) {
		return File{}, &Fault{Path: path, Reason: fmt.Sprintf(format, args...)}
	}
	info, err := root.Stat(base) // a link that leads out of the folder is an error
	switch {
	case err != nil:
		return fault("it cannot be read: %s", cause(err))
	case !info.Mode().IsRegular():
		return fault("it is not a file")
	case info.Size() > mostBytes:
		return fault("it is larger than %d KB", mostBytes>>10)
	}
	f, err := root.Open(base)
	if err != nil {
		return fault("it cannot be read: %s", cause(err))
	}
	defer func() { _ = f.Close() }()
	text, err := io.ReadAll(io.LimitReader(f, mostBytes+1))
	if err != nil {
		return fault("it cannot be read: %s", cause(err))
	}
	return ParseFile(path, text)
}

// cause is an error of the system without the path, which is said already.
func cause(err error) string {
	if p, ok := errors.AsType[*fs.PathError](err); ok {
		return p.Err.Error()
	}
	return err.Error()
}

// ParseFile reads the text of a command's file. The name is that of the file.
func ParseFile(path string, text []byte) (File, *Fault) {
	base, _ := cutSuffixFold(filepath.Base(path), ".md")
	f := File{Name: strings.ToLower(base), Path: path}
	fault := func(line int, reason string) (File, *Fault) {
		return File{}, &Fault{Path: path, Line: line, Reason: reason}
	}
	switch {
	case !ValidName(base) || strings.Contains(base, ":"):
		return fault(0, "the name of the file can be no command: use letters, digits, - and _")
	case len(text) > mostBytes:
		return fault(0, fmt.Sprintf("it is larger than %d KB", mostBytes>>10))
	case !utf8.Valid(text):
		return fault(badLine(text), "it is not UTF-8 text")
	}
	front, body, first, err := cutFront(strings.TrimPrefix(string(text), "\ufeff"))
	if err != nil {
		return fault(1, err.Error())
	}
	if problem := f.settings(front, first); problem != nil {
		return fault(problem.line, problem.reason)
	}
	if f.Body = strings.TrimSpace(body); f.Body == "" {
		return fault(0, "it says nothing to the model: write below the settings what is to be done")
	}
	if f.Description == "" {
		f.Description = firstLine(f.Body)
	}
	return f, nil
}

// badLine is the first line that is not UTF-8.
func badLine(text []byte) int {
	line := 1
	for part := range strings.Lines(string(text)) {
		if !utf8.ValidString(part) {
			return line
		}
		line++
	}
	return 0
}

// mostShown bounds a description that is taken from the text, in bytes.
const mostShown = 80

// firstLine is the first line of a text as a description, without the marks of
// a heading.
func firstLine(body string) string {
	line, _, _ := strings.Cut(body, "\n")
	line = strings.TrimSpace(strings.TrimLeft(line, "# "))
	if len(line) > mostShown {
		line = strings.TrimSpace(capability.CutText(line, mostShown)) + "…"
	}
	return line
}
