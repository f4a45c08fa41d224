package permission

import (
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// A reader walks a script. What it does not know by name makes the line
// Unknown: new syntax fails closed.
type reader struct {
	out   *Analysis
	home  string
	quiet int // above 0 it only works out values, so deep in one another
	steps int // statements read so far, loops and functions counted each time
}

// script reads text as a script of its own in scope s.
func (r *reader) script(text string, s *scope) {
	if s.depth > maxNesting {
		r.out.unknown("commands are nested too deeply")
		return
	}
	file, err := parse(text)
	if err != nil {
		r.out.unknown("a part is not understood as shell: %v", err)
		r.salvage(text, s)
		return
	}
	r.stmts(file.Stmts, s)
}

func parse(text string) (file *syntax.File, err error) {
	return syntax.NewParser(syntax.Variant(syntax.LangBash)).Parse(strings.NewReader(text), "")
}

// salvage looks for what the floor forbids in text that does not parse as a
// whole: each line that parses by itself is read, for the floor alone.
func (r *reader) salvage(text string, s *scope) {
	for line := range strings.FieldsFuncSeq(text, func(c rune) bool { return strings.ContainsRune("\n;|&(){}`", c) }) {
		if file, err := parse(line); err == nil {
			r.stmts(file.Stmts, s.fork())
		}
	}
}

func (r *reader) stmts(list []*syntax.Stmt, s *scope) {
	for _, st := range list {
		before := slices.Clone(s.dirs)
		r.stmt(st, s)
		if !r.sureDirs(s.dirs) { // the cd may fail, and what follows runs where it was
			s.mayRunIn(before)
		}
	}
}

func (r *reader) stmt(st *syntax.Stmt, s *scope) {
	if r.steps++; r.steps > maxSteps || len(r.out.Commands) > maxCommands {
		r.out.unknown("there are too many commands in it")
		return
	}
	if st.Background || st.Coprocess || st.Disown {
		r.out.note("runs a part in the background")
		s = s.fork()
		s.background = true
	}
	reads, writes := r.redirects(st.Redirs, s)
	first := len(r.out.Commands)
	feed, piped := s.feed, s.piped
	r.feedFrom(st.Redirs, s)
	if st.Cmd == nil {
		r.bare(reads, writes, s)
	} else {
		r.command(st.Cmd, s)
	}
	s.feed, s.piped = feed, piped
	r.attach(first, reads, writes, s)
}

// bare is a redirection without a command: it still makes or empties files.
func (r *reader) bare(reads, writes []string, s *scope) {
	if len(reads)+len(writes) > 0 {
		r.emit(Command{args: []arg{{text: ":", shown: ":"}}}, s)
	}
}

// attach gives redirections to the commands that they are for. Of a group, the
// first takes them: they are for all, and one is enough to judge them.
func (r *reader) attach(first int, reads, writes []string, s *scope) {
	if len(reads)+len(writes) == 0 {
		return
	}
	if first >= len(r.out.Commands) {
		r.bare(reads, writes, s)
	}
	if first >= len(r.out.Commands) {
		return // the limit was reached, the line is unknown already
	}
	c := &r.out.Commands[first]
	c.Reads, c.Writes = append(c.Reads, reads...), append(c.Writes, writes...)
}

func (r *reader) command(cmd syntax.Command, s *scope) {
	switch c := cmd.(type) {
	case *syntax.CallExpr:
		r.call(c, s)
	case *syntax.Subshell:
		r.stmts(c.Stmts, s.fork())
	case *syntax.Block:
		r.stmts(c.Stmts, s)
	case *syntax.BinaryCmd:
		r.binary(c, s)
	case *syntax.IfClause:
		r.branch(c, s)
	case *syntax.WhileClause:
		r.loop(s, c.Cond, c.Do)
	case *syntax.ForClause:
		r.forClause(c, s)
	case *syntax.CaseClause:
		r.caseClause(c, s)
	case *syntax.FuncDecl:
		r.function(c, s)
	case *syntax.TimeClause:
		if c.Stmt != nil {
			r.stmt(c.Stmt, s)
		}
	case *syntax.DeclClause:
		r.declare(c, s)
	case *syntax.TestClause:
		r.test(c, s)
	default: // (( )), let, coproc, and whatever a later bash brings
		r.out.unknown("it uses shell syntax that is not looked into")
		r.inside(cmd, s)
	}
}

// test reads [[ ]]. What it compares as numbers it reads as arithmetic.
func (r *reader) test(c *syntax.TestClause, s *scope) {
	r.out.note("uses [[ ]], which plain shells read differently")
	syntax.Walk(c, func(n syntax.Node) bool {
		numbers := false
		switch n := n.(type) {
		case *syntax.BinaryTest:
			numbers = n.Op >= syntax.TsEql && n.Op <= syntax.TsGtr
		case *syntax.UnaryTest:
			numbers = n.Op == syntax.TsVarSet || n.Op == syntax.TsRefVar
		}
		if numbers {
			r.out.unknown("it compares numbers in [[ ]], which can run commands")
		}
		return true
	})
	r.inside(c, s)
}

// inside reads the substitutions in a part that is not looked into itself.
func (r *reader) inside(n syntax.Node, s *scope) {
	syntax.Walk(n, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.CmdSubst:
			r.stmts(n.Stmts, s.fork())
			return false
		case *syntax.ProcSubst:
			r.stmts(n.Stmts, s.fork())
			return false
		case *syntax.Stmt:
			r.stmt(n, s.fork())
			return false
		}
		return true
	})
}

func (r *reader) binary(c *syntax.BinaryCmd, s *scope) {
	switch c.Op {
	case syntax.AndStmt: // what comes after runs only where the cd worked
		r.stmt(c.X, s)
		r.stmt(c.Y, s)
	case syntax.OrStmt:
		before := slices.Clone(s.dirs)
		r.stmt(c.X, s)
		s.mayRunIn(before)
		r.stmt(c.Y, s)
	case syntax.Pipe, syntax.PipeAll:
		left, right := s.fork(), s.fork()
		left.inPipe, right.inPipe = true, true
		r.stmt(c.X, left)
		right.feed, right.piped = r.output(c.X, s), true
		r.stmt(c.Y, right)
	default:
		r.out.unknown("commands are joined by %s, which is not looked into", c.Op)
		r.stmt(c.X, s.fork())
		r.stmt(c.Y, s.fork())
	}
}

func (r *reader) branch(c *syntax.IfClause, s *scope) {
	for ; c != nil; c = c.Else {
		r.stmts(c.Cond, s)
		then := s.fork()
		r.stmts(c.Then, then)
		s.mayRunIn(then.dirs)
		r.forget(c.Then, s)
	}
}

func (r *reader) loop(s *scope, parts ...[]*syntax.Stmt) {
	for _, p := range parts {
		r.forget(p, s)
	}
	for range 2 { // the second round sees where the first has moved to
		body := s.fork()
		for _, p := range parts {
			r.stmts(p, body)
		}
		if body.dirs != nil && slices.Equal(body.dirs, s.dirs) {
			break
		}
		s.mayRunIn(body.dirs)
	}
}

func (r *reader) forClause(c *syntax.ForClause, s *scope) {
	switch l := c.Loop.(type) {
	case *syntax.WordIter:
		var items []arg
		for _, w := range l.Items {
			items = append(items, r.word(w, s)...)
		}
		delete(s.vars, l.Name.Value)
		r.forget(c.Do, s)
		for _, it := range items[:min(len(items), 8)] { // for the floor: every value is tried
			if !it.dynamic {
				body := s.fork()
				body.vars[l.Name.Value] = it.text
				r.stmts(c.Do, body)
			}
		}
		if len(items) > 8 {
			r.out.unknown("a loop runs over many words")
		}
	default:
		r.out.unknown("it uses a loop that is not looked into")
		r.inside(c.Loop, s)
	}
	r.loop(s, c.Do)
}

func (r *reader) caseClause(c *syntax.CaseClause, s *scope) {
	r.word(c.Word, s)
	for _, it := range c.Items {
		for _, p := range it.Patterns {
			r.inside(p, s)
		}
		part := s.fork()
		r.stmts(it.Stmts, part)
		s.mayRunIn(part.dirs)
		r.forget(it.Stmts, s)
	}
}

// function reads the body where it is declared. One that calls itself in a pipe
// or in the background is a fork bomb.
func (r *reader) function(c *syntax.FuncDecl, s *scope) {
	r.out.note("declares a function")
	names := c.Names
	if c.Name != nil {
		names = append(names, c.Name)
	}
	for _, name := range names {
		s.funcs[name.Value] = true
		if bomb(c.Body, name.Value) {
			r.out.forbid("the function %s starts itself over and over: a fork bomb", name.Value)
		}
	}
	body := s.fork()
	body.dirs = nil // it may be called from anywhere
	body.dirs = append(body.dirs, s.dirs...)
	r.forget([]*syntax.Stmt{c.Body}, body)
	r.stmt(c.Body, body)
}

// bomb reports whether a function's body starts the function more than it waits
// for it.
func bomb(body *syntax.Stmt, name string) bool {
	calls, many := 0, false
	syntax.Walk(body, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.CallExpr:
			if len(n.Args) > 0 && n.Args[0].Lit() == name {
				calls++
			}
		case *syntax.Stmt:
			many = many || n.Background
		case *syntax.BinaryCmd:
			many = many || n.Op == syntax.Pipe || n.Op == syntax.PipeAll
		}
		return true
	})
	return calls > 1 || calls == 1 && many
}

// forget drops what is known of the variables that a part may set.
func (r *reader) forget(list []*syntax.Stmt, s *scope) {
	for _, st := range list {
		syntax.Walk(st, func(n syntax.Node) bool {
			if as, ok := n.(*syntax.Assign); ok && as.Name != nil {
				delete(s.vars, as.Name.Value)
			}
			return true
		})
	}
}
