package permission

import (
	"path/filepath"
	"slices"
	"strings"

	"github.com/hobkin/hobkin/core/lazy"
)

// A special reads a command that is more than a program with words.
type special func(r *reader, args []arg, s *scope)

// builtin returns the reader of a command of the shell itself that changes
// what comes after, or runs something else. The others, such as echo, are like
// programs.
func builtin(name string) special {
	switch name {
	case "cd", "chdir":
		return (*reader).cd
	case "pushd", "popd":
		return (*reader).pushd
	case "eval":
		return (*reader).eval
	case "source", ".":
		return unclear("runs the commands of a file")
	case "alias", "unalias", "enable", "hash", "bind", "complete", "compgen", "compopt", "shopt", "fc":
		return unclear("changes what later commands mean")
	case "trap":
		return (*reader).trap
	case "exec", "command", "builtin", "noglob", "nocorrect":
		return (*reader).through
	case "read", "mapfile", "readarray", "getopts", "unset", "printf":
		return (*reader).setsVariables
	case "set":
		return (*reader).set
	}
	return nil
}

// unclear reads a command whose effect is not looked into.
func unclear(why string) special {
	return func(r *reader, args []arg, s *scope) {
		r.out.unknown("%s %s", args[0].text, why)
		r.emit(Command{args: args}, s)
	}
}

// cd follows the shell to another folder.
func (r *reader) cd(args []arg, s *scope) {
	r.emit(Command{args: args}, s)
	rest := args[1:]
	for len(rest) > 0 && (rest[0].text == "-L" || rest[0].text == "-P" || rest[0].text == "-e" || rest[0].text == "--") {
		rest = rest[1:]
	}
	switch {
	case len(rest) == 0:
		s.dirs = []string{r.home}
	case rest[0].dynamic, rest[0].glob, strings.HasPrefix(rest[0].text, "-"), len(rest) > 1:
		s.dirs = nil
	default:
		s.dirs = joinDirs(s.dirs, rest[0].text)
	}
}

// joinDirs is where a path leads from each of the folders.
func joinDirs(dirs []string, path string) []string {
	if filepath.IsAbs(path) {
		return []string{filepath.Clean(path)}
	}
	if dirs == nil {
		return nil
	}
	out := make([]string, 0, len(dirs))
	for _, d := range dirs {
		if next := filepath.Join(d, path); !slices.Contains(out, next) {
			out = append(out, next)
		}
	}
	return out
}

func (r *reader) pushd(args []arg, s *scope) {
	if args[0].text == "pushd" && len(args) == 2 && !strings.HasPrefix(args[1].text, "+") {
		r.cd(args, s)
		return
	}
	r.emit(Command{args: args}, s)
	s.dirs = nil
}

// eval reads its words as a script. It always asks: the words are read twice.
func (r *reader) eval(args []arg, s *scope) {
	r.out.unknown("eval reads its words as commands")
	s.depth++
	r.script(joined(args[1:]), s)
	s.depth--
}

// joined is words as the text that they are when they are read again.
func joined(args []arg) string {
	words := make([]string, len(args))
	for i, a := range args {
		words[i] = a.text
		if a.dynamic {
			words[i] = a.shown // its variables are looked up when it is read again
		}
	}
	return strings.Join(words, " ")
}

func (r *reader) trap(args []arg, s *scope) {
	r.out.note("sets up commands for later")
	rest := args[1:]
	if len(rest) > 0 && rest[0].text == "--" {
		rest = rest[1:]
	}
	if len(rest) < 2 || strings.HasPrefix(rest[0].text, "-") {
		r.emit(Command{args: args}, s)
		return
	}
	if rest[0].dynamic {
		r.out.unknown("the commands of a trap are not known before it runs")
	}
	inner := s.fork()
	inner.depth++
	r.script(rest[0].text, inner)
}

// through reads the builtins that run another command as it stands.
func (r *reader) through(args []arg, s *scope) {
	rest := args[1:]
	for len(rest) > 0 && strings.HasPrefix(rest[0].text, "-") && !rest[0].dynamic {
		switch {
		case args[0].text == "command" && strings.ContainsAny(rest[0].text, "vV") && !strings.HasPrefix(rest[0].text, "--"):
			r.emit(Command{args: args}, s) // only tells where a command is
			return
		case args[0].text == "exec" && rest[0].text == "-a" && len(rest) > 1:
			rest = rest[1:]
		}
		rest = rest[1:]
	}
	if args[0].text == "exec" {
		r.out.note("replaces the shell by another program")
	}
	if len(rest) == 0 {
		r.emit(Command{args: args}, s)
		return
	}
	r.within(args, rest, s, r.simple)
}

// setsVariables reads the commands that put their words into variables.
func (r *reader) setsVariables(args []arg, s *scope) {
	name := args[0].text
	if name == "printf" && (len(args) < 2 || !strings.HasPrefix(args[1].text, "-v")) {
		r.emit(Command{args: args}, s)
		return
	}
	r.out.note("sets variables with %s", name)
	for i, a := range args[1:] {
		delete(s.vars, strings.TrimPrefix(a.text, "-v"))
		switch {
		case a.dynamic:
			clear(s.vars)
		case (name == "mapfile" || name == "readarray") && strings.HasPrefix(a.text, "-C"):
			r.out.unknown("%s runs a command for its lines", name)
		case name == "unset" && !strings.HasPrefix(a.text, "-"), name == "read" && i >= 0 && !strings.HasPrefix(a.text, "-"):
			r.changes(a.text)
		}
	}
	r.emit(Command{args: args}, s)
}

// plainSetting matches the options of set that change no meaning.
var plainSetting = lazy.Regexp(`^([-+][euxo]+|pipefail|nounset|errexit|xtrace)$`)

// set reads the options of the shell. Those that scripts begin with are
// harmless; positional parameters are not tracked.
func (r *reader) set(args []arg, s *scope) {
	for _, a := range args[1:] {
		if a.dynamic || !plainSetting().MatchString(a.text) {
			r.out.note("changes how the shell reads what follows")
		}
	}
	r.emit(Command{args: args}, s)
}

// within reads the command inside a wrapper.
func (r *reader) within(args, inner []arg, s *scope, read func([]arg, *scope)) {
	via, outer, root := s.via, s.outer, s.root
	s.via = append(slices.Clone(via), args[0].text)
	s.outer = append(slices.Clone(outer), args)
	s.depth++
	if s.depth > maxNesting {
		r.out.unknown("commands are nested too deeply")
	} else {
		read(inner, s)
	}
	s.depth--
	s.via, s.outer, s.root = via, outer, root
}
