package permission

import (
	"slices"
	"strings"
)

// An interpreter is a program that runs text of another language.
type interpreter struct {
	inline string   // short options that the next word, or the rest, is code of
	long   []string // long options of the same kind
	sub    []string // subcommands that take code
	values string   // short options that take a value and are no code
	first  bool     // the first word is code (awk, sed)
}

var interpreters = map[string]interpreter{
	"python": {inline: "c", values: "WXm"}, "pypy": {inline: "c", values: "WXm"}, "ipython": {inline: "c", values: "m"},
	"node": {inline: "ep", long: []string{"eval", "print", "import", "require"}, values: "rC"}, "nodejs": {inline: "ep", long: []string{"eval", "print"}},
	"bun": {inline: "ep", long: []string{"eval", "print"}}, "deno": {sub: []string{"eval"}},
	"perl": {inline: "eE", values: "IMm"}, "ruby": {inline: "e", values: "rIC"}, "irb": {}, "php": {inline: "rBRE", values: "dcz"},
	"lua": {inline: "e", values: "l"}, "luajit": {inline: "e"}, "rscript": {inline: "e"}, "Rscript": {inline: "e"}, "R": {inline: "e"},
	"osascript": {inline: "e", values: "l"}, "tclsh": {}, "wish": {}, "expect": {inline: "c"}, "julia": {inline: "eE"}, "groovy": {inline: "e"},
	"scala": {inline: "e"}, "elixir": {inline: "e"}, "erl": {long: []string{"eval"}}, "guile": {inline: "c"}, "racket": {inline: "e"},
	"sbcl": {long: []string{"eval"}}, "octave": {long: []string{"eval"}}, "ghc": {inline: "e"}, "swift": {inline: "e"}, "jshell": {}, "kotlin": {inline: "e"},
	"pwsh": {inline: "ceE", long: []string{"command"}}, "powershell": {inline: "ceE"}, "cmd": {}, "wscript": {}, "cscript": {}, "mshta": {first: true},
	"vim": {inline: "cS", values: "u"}, "vi": {inline: "c"}, "nvim": {inline: "c"}, "ex": {inline: "c"}, "ed": {}, "emacs": {long: []string{"eval", "execute"}},
	"gdb": {long: []string{"ex", "eval-command"}}, "lldb": {inline: "o"}, "dc": {inline: "e"}, "m": {}, "sqlite": {first: false}, "psql": {inline: "c"},
	"mysql": {inline: "e"}, "gawk": {first: true, values: "vF"}, "awk": {first: true, values: "vF"}, "mawk": {first: true, values: "vF"}, "nawk": {first: true, values: "vF"},
}

// interpreter reads a program that runs another language. Code in its words or
// from its input is not looked into: it asks. Awk is judged by its text.
func (r *reader) interpreter(in interpreter, args []arg, s *scope) {
	c := Command{args: args}
	inline := codeWords(in, args)
	for _, a := range inline {
		c.code = append(c.code, a.text)
	}
	operand := operands(in, args)
	switch {
	case in.first && len(operand) > 0 && len(inline) == 0:
		c.code = append(c.code, operand[0].text)
		if operand[0].dynamic {
			r.out.unknown("the program for %s is not known before it runs", args[0].text)
		}
	case len(inline) > 0:
		r.out.unknown("%s gets program text that is not looked into", args[0].text)
	case s.piped && (len(operand) == 0 || operand[0].text == "-" || operand[0].text == "/dev/stdin") && !hasModule(in, args):
		r.out.unknown("%s runs what it is fed", args[0].text)
		r.out.warn("It runs text from elsewhere as a program.")
		if s.feed != nil {
			c.code = append(c.code, *s.feed)
		}
	}
	encoded(r.out, args)
	r.emit(c, s)
}

// codeWords lists the words that are program text.
func codeWords(in interpreter, args []arg) []arg {
	var out []arg
	for i := 1; i < len(args); i++ {
		o := args[i].text
		switch {
		case strings.HasPrefix(o, "--"):
			name, value, has := strings.Cut(o[2:], "=")
			if !slices.Contains(in.long, name) {
				continue
			}
			if !has && i+1 < len(args) {
				value = args[i+1].text
			}
			out = append(out, arg{text: value})
		case len(o) > 1 && o[0] == '-':
			if value, ok := inlineCode(in, args, i); ok {
				out = append(out, value)
			}
		case i == 1 && slices.Contains(in.sub, o):
			out = append(out, args[i+1:]...)
		}
	}
	return out
}

// inlineCode is the code that a group of short options holds.
func inlineCode(in interpreter, args []arg, i int) (arg, bool) {
	o := args[i].text
	if slices.Contains(in.long, o[1:]) { // -eval, -ex
		if i+1 < len(args) {
			return args[i+1], true
		}
		return arg{}, true
	}
	for j := 1; j < len(o); j++ {
		switch {
		case strings.IndexByte(in.values, o[j]) >= 0:
			return arg{}, false
		case strings.IndexByte(in.inline, o[j]) < 0:
		case j+1 < len(o):
			return arg{text: o[j+1:]}, true
		case i+1 < len(args):
			return args[i+1], true
		default:
			return arg{}, true
		}
	}
	return arg{}, false
}

// operands are the words that are no options.
func operands(in interpreter, args []arg) []arg {
	for i := 1; i < len(args); i++ {
		o := args[i].text
		switch {
		case o == "--":
			return args[i+1:]
		case o == "-" || !strings.HasPrefix(o, "-") || args[i].dynamic:
			return args[i:]
		case len(o) == 2 && strings.IndexByte(in.values, o[1]) >= 0:
			i++
		}
	}
	return nil
}

// hasModule reports whether python -m names what to run.
func hasModule(in interpreter, args []arg) bool {
	if !strings.Contains(in.values, "m") {
		return false
	}
	return slices.ContainsFunc(args[1:], func(a arg) bool { return strings.HasPrefix(a.text, "-m") })
}

// encoded warns of commands that are written so that no one can read them.
func encoded(out *Analysis, args []arg) {
	name := strings.ToLower(base(args[0].text))
	for _, a := range args[1:] {
		o := strings.ToLower(a.text)
		if (name == "powershell" || name == "pwsh") && len(o) > 1 && strings.IndexByte("-/", o[0]) >= 0 && strings.HasPrefix("encodedcommand", o[1:]) {
			out.unknown("the command is encoded")
			out.warn("The command is encoded, so that no one can read it.")
		}
	}
}
