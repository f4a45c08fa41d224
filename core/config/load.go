package config

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/pelletier/go-toml/v2"
	"github.com/pelletier/go-toml/v2/unstable"
)

// An Error is a config file that was refused, with everything that is wrong
// with it.
type Error struct {
	File     string // absolute path
	Problems []Problem
}

// A Problem is one fault of a config file.
type Problem struct {
	Line    int    // from 1; 0 when it has no place
	Column  int    // from 1, in characters
	Key     string // dotted; empty when it is no key's fault
	Message string // a sentence without the place
	Near    string // the known key or value that may have been meant
}

// Error lists the problems, one a line, each with file, line and column.
func (e *Error) Error() string {
	lines := make([]string, len(e.Problems))
	for i, p := range e.Problems {
		lines[i] = e.File + ": " + p.Message
		if p.Line > 0 {
			lines[i] = fmt.Sprintf("%s:%d:%d: %s", e.File, p.Line, p.Column, p.Message)
		}
	}
	return strings.Join(lines, "\n")
}

// mostBytes is more than any config needs.
const mostBytes = 1 << 20

// mostProblems: more would bury the first.
const mostProblems = 20

// Load reads a config file. A file that is not there is an empty one: all
// defaults. A file that is wrong in any way is refused with an [*Error].
func Load(path string) (*Config, error) {
	text, err := read(path)
	if err != nil {
		return nil, err
	}
	return Parse(path, text)
}

// read returns the text of a config file; nil when there is none.
func read(path string) ([]byte, error) {
	f, err := os.Open(path)
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("config: %w", err)
	}
	defer func() { _ = f.Close() }() // it was only read
	info, err := f.Stat()
	switch {
	case err != nil:
		return nil, fmt.Errorf("config: %w", err)
	case !info.Mode().IsRegular():
		return nil, &Error{File: path, Problems: []Problem{{Message: "this is not a file"}}}
	}
	text, err := io.ReadAll(io.LimitReader(f, mostBytes+1))
	switch {
	case err != nil:
		return nil, fmt.Errorf("config: reading: %w", err)
	case len(text) > mostBytes:
		return nil, &Error{File: path, Problems: []Problem{{Message: "the file is over 1 MiB; this cannot be a config"}}}
	}
	return text, nil
}

// Parse reads the text of a config file. The path is for messages.
func Parse(path string, text []byte) (*Config, error) {
	text = bytes.TrimPrefix(text, bom)
	if !utf8.Valid(text) {
		line, column := position(text, invalidAt(text))
		return nil, &Error{path, []Problem{{Line: line, Column: column, Message: "the file is not UTF-8 text; save it as UTF-8"}}}
	}
	var raw map[string]any // finds broken syntax and keys that stand twice
	if err := toml.Unmarshal(text, &raw); err != nil {
		return nil, &Error{path, []Problem{syntaxProblem(text, err)}}
	}
	doc, err := parse(text)
	if err != nil {
		return nil, &Error{path, []Problem{syntaxProblem(text, err)}}
	}
	if problems := check(doc); len(problems) > 0 {
		return nil, &Error{path, problems[:min(len(problems), mostProblems)]}
	}
	c := Default()
	if err := toml.Unmarshal(text, c); err != nil {
		return nil, &Error{path, []Problem{syntaxProblem(text, err)}}
	}
	if problems := checkWhole(doc, c); len(problems) > 0 {
		return nil, &Error{path, problems}
	}
	if err := expand(c); err != nil {
		return nil, err
	}
	return c, nil
}

var bom = []byte("\ufeff")

func invalidAt(text []byte) int {
	for i := 0; i < len(text); {
		c, n := utf8.DecodeRune(text[i:])
		if c == utf8.RuneError && n == 1 {
			return i
		}
		i += n
	}
	return len(text)
}

// syntaxProblem places what the TOML reader says. It repeats no text of the
// file: a key could have been pasted there.
func syntaxProblem(text []byte, err error) Problem {
	p := Problem{Message: "this is not TOML: " + strings.TrimPrefix(err.Error(), "toml: ")}
	if de, ok := errors.AsType[*toml.DecodeError](err); ok {
		line, column := de.Position()
		start := 0
		for range line - 1 {
			start += bytes.IndexByte(text[start:], '\n') + 1
		}
		p.Line, p.Column = position(text, start+column-1)
		p.Key = joinKey(de.Key())
	}
	return p
}

// problemAt makes a problem with the place of an entry.
func (d *document) problemAt(e entry, near, format string, args ...any) Problem {
	at := e.key
	line, column := position(d.text, at.from)
	p := Problem{Line: line, Column: column, Key: joinKey(e.path), Near: near, Message: fmt.Sprintf(format, args...)}
	if near != "" {
		p.Message += fmt.Sprintf("; did you mean %s?", near)
	}
	return p
}

// kindName is what a person calls a TOML value.
func kindName(k unstable.Kind) string {
	switch k {
	case unstable.String:
		return "text in quotes"
	case unstable.Bool:
		return "true or false"
	case unstable.Integer:
		return "a whole number"
	case unstable.Float:
		return "a number"
	case unstable.Array:
		return "a list"
	case unstable.InlineTable, unstable.Table:
		return "a table"
	case unstable.ArrayTable:
		return "a list of tables"
	}
	return "a date or time"
}

// sortProblems puts problems in the order of the file.
func sortProblems(problems []Problem) {
	slices.SortStableFunc(problems, func(a, b Problem) int {
		if a.Line != b.Line {
			return a.Line - b.Line
		}
		return a.Column - b.Column
	})
}
