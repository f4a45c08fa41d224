package permission

import (
	"path/filepath"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// call reads a simple command: its assignments, then its words.
func (r *reader) call(c *syntax.CallExpr, s *scope) {
	if len(c.Args) == 0 {
		for _, as := range c.Assigns {
			r.assign(as, s)
		}
		return
	}
	inner := s
	if len(c.Assigns) > 0 {
		inner = s.fork()
		for _, as := range c.Assigns {
			r.assign(as, inner)
		}
	}
	var args []arg
	for _, w := range c.Args { // expanded before the assignments count
		args = append(args, r.word(w, s)...)
	}
	if len(args) == 0 {
		r.out.unknown("the name of a command is not known before it runs")
		return
	}
	r.simple(args, inner)
	s.dirs = inner.dirs
}

// innocuous are variables that do not change what a command does to anything.
var innocuous = set("CI", "DEBUG", "VERBOSE", "LANG", "LANGUAGE", "TZ", "NO_COLOR", "FORCE_COLOR", "CLICOLOR", "CLICOLOR_FORCE", "TERM", "COLUMNS",
	"LINES", "NODE_ENV", "RUST_BACKTRACE", "RUST_LOG", "GOOS", "GOARCH", "CGO_ENABLED", "GOMAXPROCS", "PYTHONUNBUFFERED", "PYTHONDONTWRITEBYTECODE",
	"DJANGO_DEBUG", "RAILS_ENV", "RACK_ENV", "APP_ENV", "DEBIAN_FRONTEND", "SOURCE_DATE_EPOCH", "HUSKY")

func (r *reader) assign(as *syntax.Assign, s *scope) {
	if as.Name == nil {
		return
	}
	name := as.Name.Value
	value := r.text(as.Value, s)
	if as.Array != nil || as.Index != nil || as.Append || as.Naked {
		if as.Array != nil {
			r.inside(as.Array, s)
		}
		if as.Index != nil {
			r.inside(as.Index, s)
			r.arithmetic(as.Index)
		}
		delete(s.vars, name)
		r.changes(name)
		return
	}
	delete(s.vars, name)
	if !value.dynamic && len(value.text) <= maxValue {
		s.vars[name] = value.text
	}
	r.changes(name)
}

// changes says what setting a variable means for the commands after it.
func (r *reader) changes(name string) {
	r.out.note("sets the variable %s", name)
	switch {
	case innocuous[name], strings.HasPrefix(name, "LC_"):
		return
	case meaningful(name):
		r.out.unknown("it sets %s, which changes what commands do", name)
	}
}

// meaningful reports whether programs take orders from a variable. Names in
// small letters are a script's own, except the few that are not.
func meaningful(name string) bool {
	if name != strings.ToUpper(name) {
		return strings.HasPrefix(name, "npm_config_") || strings.HasSuffix(name, "_proxy") || strings.HasPrefix(name, "BASH_FUNC")
	}
	// A list of the dangerous would never be whole: any name in capitals that is
	// not known to be innocuous counts.
	return true
}

// declare reads export, declare, local and their like.
func (r *reader) declare(c *syntax.DeclClause, s *scope) {
	r.out.note("declares variables with %s", c.Variant.Value)
	for _, as := range c.Args {
		if as.Name == nil {
			if v := r.text(as.Value, s); v.dynamic || !plainDeclare[v.text] {
				r.out.unknown("it declares more than plain variables with %s", c.Variant.Value)
			}
			continue
		}
		if as.Naked {
			r.out.note("sets the variable %s", as.Name.Value)
			continue
		}
		r.assign(as, s)
	}
}

// plainDeclare are the options of export, declare and local that change no meaning.
var plainDeclare = set("-x", "-r", "-p", "-g", "-a", "-A", "--")

// simple reads the words of one command.
func (r *reader) simple(args []arg, s *scope) {
	name := args[0]
	switch {
	case name.dynamic, name.glob:
		r.out.unknown("the name of a command is not known before it runs: %s", name.shown)
		r.emit(Command{args: args}, s)
		return
	case name.computed: // known this time; it is read on for the floor
		r.out.unknown("the name of a command is the output of another: %s", name.shown)
	case strings.TrimSpace(name.text) == "":
		r.out.unknown("the name of a command is empty")
		return
	case s.funcs[name.text]:
		r.out.note("calls a function of its own")
		return // its body was read where it was declared
	}
	if special := builtin(name.text); special != nil {
		special(r, args, s)
		return
	}
	r.program(args, s)
}

// program reads a command that is no builtin: a wrapper, an interpreter, or
// any other program.
func (r *reader) program(args []arg, s *scope) {
	name := base(args[0].text)
	if unwrap := wrapped(name); unwrap != nil {
		unwrap(r, args, s)
		return
	}
	if kind, ok := interpreters[strings.TrimRight(name, "0123456789.")]; ok {
		r.interpreter(kind, args, s)
		return
	}
	r.emit(Command{args: args}, s)
}

// emit puts a command on the list. The same command in another folder is one.
func (r *reader) emit(c Command, s *scope) {
	c.Via = slices.Clone(s.via)
	c.Dirs = slices.Clone(s.dirs)
	c.forms = append(slices.Clone(s.outer), c.args)
	c.root = c.root || s.root
	for _, a := range c.args {
		text := a.text
		if a.dynamic {
			text = a.shown
		}
		c.Argv = append(c.Argv, text)
	}
	for i := range r.out.Commands {
		old := &r.out.Commands[i]
		if old.String() == c.String() && len(old.Reads)+len(old.Writes) == 0 && slices.Equal(old.Dirs, c.Dirs) {
			return
		}
	}
	r.out.Commands = append(r.out.Commands, c)
}

// redirects reads the redirections of a statement.
func (r *reader) redirects(list []*syntax.Redirect, s *scope) (reads, writes []string) {
	for _, rd := range list {
		if rd.N != nil && strings.HasPrefix(rd.N.Value, "{") {
			r.out.unknown("it redirects to a file that has no number")
		}
		switch rd.Op {
		case syntax.Hdoc, syntax.DashHdoc:
			if rd.Hdoc != nil {
				r.inside(rd.Hdoc, s)
			}
			continue
		case syntax.WordHdoc:
			r.word(rd.Word, s)
			continue
		}
		file := r.text(rd.Word, s)
		switch rd.Op {
		case syntax.DplOut, syntax.DplIn:
			if isDescriptor(file.text) && !file.dynamic {
				continue
			}
		}
		if file.dynamic || file.glob {
			r.out.unknown("the file of a redirection is not known before it runs: %s", file.shown)
		}
		path := r.placed(file, s)
		switch rd.Op {
		case syntax.RdrIn, syntax.DplIn:
			reads = append(reads, path)
		case syntax.RdrInOut:
			reads, writes = append(reads, path), append(writes, path)
		case syntax.RdrOut, syntax.AppOut, syntax.RdrClob, syntax.RdrAll, syntax.AppAll, syntax.DplOut:
			writes = append(writes, path)
		default:
			r.out.unknown("it redirects in a way that is not looked into")
			writes = append(writes, path)
		}
	}
	return reads, writes
}

// placed is the file of a redirection, absolute when the folder is known.
func (r *reader) placed(file arg, s *scope) string {
	if filepath.IsAbs(file.text) || len(s.dirs) != 1 || file.dynamic {
		return file.text
	}
	return filepath.Join(s.dirs[0], file.text)
}

// isDescriptor reports whether the word after >& names an open file.
func isDescriptor(s string) bool {
	s = strings.TrimSuffix(s, "-")
	for _, c := range s {
		if c < '0' || c > '9' {
			return false
		}
	}
	return true
}

// feedFrom remembers what a here-document gives to the command.
func (r *reader) feedFrom(list []*syntax.Redirect, s *scope) {
	for _, rd := range list {
		switch rd.Op {
		case syntax.Hdoc, syntax.DashHdoc, syntax.WordHdoc:
			w := rd.Hdoc
			if rd.Op == syntax.WordHdoc {
				w = rd.Word
			}
			s.feed, s.piped = r.hereText(w, s), true
		case syntax.RdrIn, syntax.RdrInOut:
			s.feed, s.piped = nil, true
		}
	}
}

// hereText is the text of a here-document as far as it is plain.
func (r *reader) hereText(w *syntax.Word, s *scope) *string {
	if w == nil {
		return nil
	}
	quiet := &reader{out: &Analysis{}, home: r.home, quiet: r.quiet + 1}
	var b strings.Builder
	for _, p := range w.Parts {
		if lit, ok := p.(*syntax.Lit); ok {
			b.WriteString(lit.Value)
			continue
		}
		a := quiet.text(&syntax.Word{Parts: []syntax.WordPart{p}}, s.fork())
		b.WriteString(a.text)
	}
	text := b.String()
	return &text
}

// set makes a set of words.
func set(words ...string) map[string]bool {
	m := make(map[string]bool, len(words))
	for _, w := range words {
		m[w] = true
	}
	return m
}
