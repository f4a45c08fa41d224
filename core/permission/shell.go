package permission

import (
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"mvdan.cc/sh/v3/syntax"
)

const (
	longLine    = 8 << 10 // bytes of a command line that a person can still check
	maxLine     = 128 << 10
	maxCommands = 200 // simple commands in one line
	maxSteps    = 3000
	maxNesting  = 8       // sh -c in sh -c in …
	maxFields   = 64      // words that one word may become
	maxDirs     = 8       // folders that a command may run in, as far as we can tell
	maxValue    = 4 << 10 // bytes of a variable that is followed
)

// A Setting is what a command line is read in.
type Setting struct {
	Dir  string // absolute working folder
	Home string // absolute home folder
}

// An Analysis is a command line taken apart.
type Analysis struct {
	Commands []Command

	// Unknown says that something in the line cannot be told before it runs.
	// No rule that allows covers such a line.
	Unknown bool
	Reasons []string // why Unknown, a sentence each

	// Notes say what keeps a known line from being harmless by itself:
	// it sets variables, runs in the background, and so on.
	Notes []string
	// Warnings are for the person who is asked, a sentence each.
	Warnings []string

	floor []string // what the floor forbids in it, found while reading
}

// A Command is one simple command: a program and its words.
type Command struct {
	Argv   []string // the words as the program gets them; a word that is not known stays as written
	Via    []string // the wrappers it runs through, the outermost first: sudo, env, xargs
	Dirs   []string // absolute folders that it may run in; empty when not known
	Reads  []string // files it is fed from by redirection, as written
	Writes []string // files it is sent to by redirection, as written

	args  []arg
	forms [][]arg  // the words with their wrappers, from the outermost on, args last
	root  bool     // a wrapper gives it another user's rights, or another machine
	code  []string // program text in another language, given in words or fed to it
}

// arg is one word of a command.
type arg struct {
	text    string // its value; where it is not known, the best guess
	shown   string // as written
	dynamic bool   // the value is not known before it runs
	glob    bool   // it holds an unquoted wildcard

	computed bool // it is the output of a command
}

// Name is the name of the program without its folder.
func (c *Command) Name() string {
	if len(c.args) == 0 {
		return ""
	}
	return base(c.args[0].text)
}

// String is the command as one line; its wrappers stand behind it.
func (c *Command) String() string {
	words := make([]string, 0, len(c.args)+4)
	for _, a := range c.args {
		words = append(words, a.show())
	}
	for _, r := range c.Reads {
		words = append(words, "<", r)
	}
	for _, w := range c.Writes {
		words = append(words, ">", w)
	}
	if len(c.Via) > 0 {
		words = append(words, "(through "+strings.Join(c.Via, ", ")+")")
	}
	return strings.Join(words, " ")
}

// show is the word for people, quoted where it must be.
func (a arg) show() string {
	if a.dynamic || a.glob {
		return a.shown
	}
	q, err := syntax.Quote(a.text, syntax.LangBash)
	if err != nil {
		return a.shown
	}
	return q
}

// base is the name of a program without its folder and, for Windows, its ending.
func base(name string) string {
	if i := strings.LastIndexAny(name, `/\`); i >= 0 {
		name = name[i+1:]
	}
	return strings.TrimSuffix(strings.TrimSuffix(name, ".exe"), ".EXE")
}

// Analyse takes a command line apart as bash would read it. It runs nothing.
func Analyse(line string, at Setting) *Analysis {
	a := &Analysis{}
	a.checkText(line)
	if len(line) > maxLine {
		return a
	}
	r := &reader{out: a, home: at.Home}
	s := &scope{dirs: []string{filepath.Clean(at.Dir)}, vars: map[string]string{}, funcs: map[string]bool{}}
	if at.Dir == "" {
		s.dirs = nil
	}
	r.script(line, s)
	return a
}

// checkText looks at the text itself, before any parsing.
func (a *Analysis) checkText(line string) {
	if len(line) > longLine {
		a.unknown("the command is too long to check (%d bytes)", len(line))
		a.warn("The command is unusually long. Read it to the end.")
	}
	if !utf8.ValidString(line) {
		a.unknown("the command holds bytes that are no text")
		a.warn("The command holds bytes that are no text.")
	}
	if strings.IndexFunc(line, suspicious) >= 0 {
		a.unknown("the command holds invisible characters")
		a.warn("The command holds invisible or direction-changing characters. They are shown as \\u{…}.")
	}
}

func (a *Analysis) unknown(format string, args ...any) {
	a.Unknown = true
	addOnce(&a.Reasons, fmt.Sprintf(format, args...))
}

func (a *Analysis) note(format string, args ...any) { addOnce(&a.Notes, fmt.Sprintf(format, args...)) }

func (a *Analysis) warn(format string, args ...any) {
	addOnce(&a.Warnings, fmt.Sprintf(format, args...))
}

func (a *Analysis) forbid(format string, args ...any) {
	addOnce(&a.floor, fmt.Sprintf(format, args...))
}

func addOnce(list *[]string, s string) {
	if !slices.Contains(*list, s) && len(*list) < 50 {
		*list = append(*list, s)
	}
}

// Lines are the commands for people, one a line.
func (a *Analysis) Lines() []string {
	out := make([]string, 0, len(a.Commands))
	for i := range a.Commands {
		out = append(out, a.Commands[i].String())
	}
	return out
}

// scope is what is known at one point of a script.
type scope struct {
	dirs  []string          // folders the next command may run in; nil: not known
	vars  map[string]string // variables whose value is known
	funcs map[string]bool   // functions that the script declares
	via   []string          // wrappers around what is read
	outer [][]arg           // the words of those wrappers
	root  bool
	feed  *string // what stands at the standard input, when known
	piped bool    // something else feeds it
	inPipe,
	background bool
	depth int
}

// fork is a scope for a part that cannot change this one.
func (s *scope) fork() *scope {
	c := *s
	c.vars, c.funcs = maps.Clone(s.vars), maps.Clone(s.funcs)
	c.dirs = slices.Clone(s.dirs)
	return &c
}

// mayRunIn adds folders that the next command may run in.
func (s *scope) mayRunIn(dirs []string) {
	if s.dirs == nil || dirs == nil {
		s.dirs = nil
		return
	}
	for _, d := range dirs {
		if !slices.Contains(s.dirs, d) && len(s.dirs) < maxDirs {
			s.dirs = append(s.dirs, d)
		}
	}
}
