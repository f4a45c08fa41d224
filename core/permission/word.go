package permission

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"mvdan.cc/sh/v3/expand"
	"mvdan.cc/sh/v3/syntax"
)

// sideFile stands for what <( ) and >( ) give: a file of the shell's own.
const sideFile = "/dev/fd/63"

// unknownText stands in a guessed value for what is not known.
const unknownText = "\ufffd"

// word makes of one word the words that the shell would make of it, and reads
// the commands in its substitutions.
func (r *reader) word(w *syntax.Word, s *scope) []arg {
	if w == nil {
		return nil
	}
	shown := source(w)
	look := r.inspect(w, s)
	fields, err := r.expand(w, s, look)
	if err != nil {
		return []arg{{text: shown, shown: shown, dynamic: true, glob: look.glob}}
	}
	out := make([]arg, 0, len(fields))
	for _, f := range fields {
		a := arg{text: f, shown: shown, dynamic: look.dynamic, glob: look.glob && hasWildcard(f), computed: look.computed}
		if len(fields) > 1 && !look.dynamic {
			a.shown = f
		}
		out = append(out, a)
	}
	if len(out) == 0 && look.dynamic { // it may be nothing, and it may be something
		out = append(out, arg{text: unknownText, shown: shown, dynamic: true})
	}
	return out
}

// text is the value of a word that stays one word, such as that of a
// redirection or an assignment.
func (r *reader) text(w *syntax.Word, s *scope) arg {
	args := r.word(w, s)
	switch len(args) {
	case 0:
		return arg{}
	case 1:
		return args[0]
	}
	shown := source(w)
	return arg{text: args[0].text, shown: shown, dynamic: true}
}

// source is a word as it was written.
func source(n syntax.Node) string {
	var b strings.Builder
	if err := syntax.NewPrinter(syntax.SingleLine(true)).Print(&b, n); err != nil {
		return unknownText
	}
	return b.String()
}

// looks is what a word has in it.
type looks struct {
	dynamic  bool            // its value is not known before it runs
	computed bool            // it is the output of a command
	glob     bool            // unquoted wildcards
	plain    map[string]bool // variables that are used without a default and are not known
}

func (r *reader) inspect(w *syntax.Word, s *scope) looks {
	l := looks{plain: map[string]bool{}}
	for _, p := range w.Parts {
		if lit, ok := p.(*syntax.Lit); ok && hasWildcard(lit.Value) {
			l.glob = true
		}
	}
	syntax.Walk(w, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.CmdSubst:
			if r.quiet == 0 {
				r.stmts(n.Stmts, s.fork())
			}
			l.computed = true
			if r.substituted(n, s) == nil {
				l.dynamic = true
			}
			return false
		case *syntax.ProcSubst:
			r.aside(n, s)
			return false
		case *syntax.ParamExp:
			r.inspectParam(n, s, &l)
		case *syntax.ArithmExp:
			l.dynamic = true
			r.arithmetic(n.X)
		case *syntax.ExtGlob:
			l.glob = true
			r.out.unknown("it uses a pattern that not every shell reads alike")
		case *syntax.SglQuoted:
			if n.Dollar && strings.Contains(n.Value, `\`) {
				r.out.unknown("a word is written in escape codes")
			}
		}
		return true
	})
	return l
}

// aside reads <( ) and >( ). The first only gives what its commands print.
func (r *reader) aside(n *syntax.ProcSubst, s *scope) {
	if n.Op != syntax.CmdIn {
		r.out.note("runs a part on the side")
	}
	if r.quiet == 0 {
		r.stmts(n.Stmts, s.fork())
	}
}

func (r *reader) inspectParam(p *syntax.ParamExp, s *scope, l *looks) {
	if p.Param == nil {
		l.dynamic = true
		return
	}
	name := p.Param.Value
	if name == "IFS" {
		r.out.unknown("it uses $IFS to hide blanks")
	}
	value, known := r.variable(name, s)
	switch {
	case !known:
		l.dynamic = true
		if p.Exp == nil {
			l.plain[name] = true
		}
	case hasWildcard(value):
		l.glob = true
	}
	r.inspectForm(p, l)
}

// inspectForm looks at what is done to a variable. Some forms read its value
// again: as a name, as a prompt, or as arithmetic, and that can run commands.
func (r *reader) inspectForm(p *syntax.ParamExp, l *looks) {
	if p.Index != nil {
		l.dynamic = true
		if text := source(p.Index); text != "@" && text != "*" {
			r.arithmetic(p.Index)
		}
	}
	if p.Slice != nil {
		r.arithmetic(p.Slice.Offset)
		r.arithmetic(p.Slice.Length)
	}
	prompt := p.Exp != nil && p.Exp.Op == syntax.OtherParamOps
	if p.Excl || p.Names != 0 || prompt || p.Width || p.IsSet || p.Flags != nil || p.NestedParam != nil || len(p.Modifiers) > 0 {
		l.dynamic = true
		r.out.unknown("it reads the value of a variable a second time")
	}
}

// arithmetic looks at an arithmetic expression. The shell reads the values of
// the variables in it as arithmetic again, and an index in there can run
// commands: only plain numbers are known.
func (r *reader) arithmetic(x syntax.ArithmExpr) {
	if x == nil {
		return
	}
	syntax.Walk(x, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.Lit:
			if !isNumber(n.Value) {
				r.out.unknown("it does arithmetic with what is not a number")
			}
		case *syntax.ParamExp, *syntax.CmdSubst, *syntax.SglQuoted, *syntax.DblQuoted:
			r.out.unknown("it does arithmetic with what is not a number")
			return false
		}
		return true
	})
}

// variable is the value of a variable, when it is known.
func (r *reader) variable(name string, s *scope) (string, bool) {
	if v, ok := s.vars[name]; ok {
		return v, true
	}
	switch name {
	case "HOME":
		return r.home, r.home != ""
	case "USER", "LOGNAME":
		return filepath.Base(r.home), r.home != ""
	case "PWD":
		if len(s.dirs) == 1 {
			return s.dirs[0], true
		}
	}
	return "", false
}

// hasWildcard reports whether unquoted text holds a wildcard.
func hasWildcard(s string) bool {
	for i := 0; i < len(s); i++ {
		switch s[i] {
		case '\\':
			i++
		case '*', '?':
			return true
		case '[':
			if strings.Contains(s[i:], "]") {
				return true
			}
		}
	}
	return false
}

// expand makes the fields of a word. Unknown variables give a stand-in, or
// their default where the word has one.
func (r *reader) expand(w *syntax.Word, s *scope, l looks) (fields []string, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("expanding: %v", p)
		}
	}()
	if l.dynamic && holdsArithmetic(w) {
		return nil, errors.New("arithmetic is not worked out")
	}
	cfg := &expand.Config{
		Env: r.environ(s, l),
		CmdSubst: func(out io.Writer, c *syntax.CmdSubst) error {
			text := unknownText
			if known := r.substituted(c, s); known != nil {
				text = *known
			}
			_, err := io.WriteString(out, text)
			return err
		},
		ProcSubst: func(*syntax.ProcSubst) (string, error) { return sideFile, nil },
	}
	for f, err := range expand.FieldsSeq(cfg, starred(w)) {
		if err != nil {
			return nil, err
		}
		if len(f) > maxLine {
			return nil, fmt.Errorf("the word grows to %d bytes", len(f))
		}
		if fields = append(fields, f); len(fields) > maxFields {
			r.out.unknown("a word stands for too many words")
			return fields[:maxFields], nil
		}
	}
	return fields, nil
}

func holdsArithmetic(w *syntax.Word) bool {
	found := false
	syntax.Walk(w, func(n syntax.Node) bool {
		switch n.(type) {
		case *syntax.ArithmExp:
			found = true
		case *syntax.CmdSubst, *syntax.ProcSubst:
			return false
		}
		return !found
	})
	return found
}

// starred puts * for patterns such as !(x), which may match anything.
func starred(w *syntax.Word) *syntax.Word {
	out := &syntax.Word{Parts: make([]syntax.WordPart, len(w.Parts))}
	for i, p := range w.Parts {
		if _, ok := p.(*syntax.ExtGlob); ok {
			p = &syntax.Lit{Value: "*"}
		}
		out.Parts[i] = p
	}
	return out
}

// environ shows the known variables to the expansion.
func (r *reader) environ(s *scope, l looks) expand.Environ {
	return environ(func(name string) (string, bool) {
		if user, ok := strings.CutPrefix(name, "HOME "); ok {
			return r.homeOf(user, s), true
		}
		if v, ok := r.variable(name, s); ok {
			return v, true
		}
		return unknownText, l.plain[name] && name != "IFS"
	})
}

type environ func(name string) (string, bool)

// Get returns a variable by name.
func (e environ) Get(name string) expand.Variable {
	v, ok := e(name)
	if !ok {
		return expand.Variable{}
	}
	return expand.Variable{Set: true, Kind: expand.String, Str: v}
}

// Each lists nothing: the variables are not counted.
func (e environ) Each(func(string, expand.Variable) bool) {}

// homeOf is the home of another user, as it usually is. ~+ is the folder that
// the shell is in.
func (r *reader) homeOf(user string, s *scope) string {
	switch {
	case user == "+" && len(s.dirs) == 1:
		return s.dirs[0]
	case user == "root":
		return "/root"
	case user == filepath.Base(r.home):
		return r.home
	}
	return filepath.Join(filepath.Dir(r.home), user)
}

// sureDirs reports whether all folders exist, so that changing to them works.
func (r *reader) sureDirs(dirs []string) bool {
	for _, d := range dirs {
		if info, err := os.Stat(d); err != nil || !info.IsDir() {
			return false
		}
	}
	return dirs != nil
}
