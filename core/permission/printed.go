package permission

import (
	"slices"
	"strings"

	"mvdan.cc/sh/v3/expand"
	"mvdan.cc/sh/v3/syntax"

	"github.com/hobkin/hobkin/core/lazy"
)

// substituted is what a substitution gives, when that is plain to see.
func (r *reader) substituted(c *syntax.CmdSubst, s *scope) *string {
	if len(c.Stmts) != 1 {
		return nil
	}
	return r.output(c.Stmts[0], s)
}

// output is what a statement prints, when that is plain to see: echo and printf
// of known words, pwd. It records nothing.
func (r *reader) output(st *syntax.Stmt, s *scope) *string {
	call, ok := st.Cmd.(*syntax.CallExpr)
	if !ok || r.quiet > 1 || len(st.Redirs) > 0 || len(call.Assigns) > 0 || len(call.Args) == 0 {
		return nil
	}
	quiet := &reader{out: &Analysis{}, home: r.home, quiet: r.quiet + 1}
	var words []string
	for _, w := range call.Args {
		for _, a := range quiet.word(w, s.fork()) {
			if a.dynamic || a.glob {
				return nil
			}
			words = append(words, a.text)
		}
	}
	return printed(words, s)
}

// printed is what echo, printf or pwd print.
func printed(words []string, s *scope) *string {
	if len(words) == 0 {
		return nil
	}
	switch rest := words[1:]; words[0] {
	case "echo":
		for len(rest) > 0 && slices.Contains([]string{"-n", "-e", "-E", "-ne", "-en"}, rest[0]) {
			rest = rest[1:]
		}
		return new(strings.Join(rest, " ") + "\n")
	case "printf":
		return formatted(rest)
	case "pwd":
		if len(s.dirs) == 1 {
			return &s.dirs[0]
		}
	}
	return nil
}

// plainFormat matches formats without a width, which could be of any size.
var plainFormat = lazy.Regexp(`^([^%]|%[sdb%])*$`)

func formatted(words []string) *string {
	if len(words) > 0 && words[0] == "--" {
		words = words[1:]
	}
	if len(words) == 0 || strings.HasPrefix(words[0], "-v") || !plainFormat().MatchString(words[0]) {
		return nil
	}
	out, _, err := expand.Format(&expand.Config{Env: expand.ListEnviron()}, words[0], words[1:])
	if err != nil {
		return nil
	}
	return &out
}
