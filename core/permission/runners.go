package permission

import (
	"slices"
	"strings"
)

// shell reads sh, bash and their like: the text after -c, or what they are fed.
func (r *reader) shell(args []arg, s *scope) {
	inner := s.fork()
	w := r.shellWords(args)
	switch {
	case w.text != nil:
		r.shellText(args, *w.text, inner)
	case w.wantsText && len(w.rest) == 0:
		r.out.unknown("%s -c has no text", args[0].text)
		r.emit(Command{args: args}, s)
	case w.wantsText:
		r.shellText(args, w.rest[0], inner)
	case len(w.rest) == 0 || w.fed || w.rest[0].text == "-" || w.rest[0].text == "/dev/stdin":
		r.fed(args, inner)
	default:
		r.emit(Command{args: args}, s)
	}
}

// shellWords is what the options of a shell ask for.
type shellWords struct {
	rest      []arg
	text      *arg // given with a long option
	wantsText bool // -c: the first of rest is the text
	fed       bool // -s: it reads its input
}

func (r *reader) shellWords(args []arg) shellWords {
	w := shellWords{rest: args[1:]}
	for len(w.rest) > 0 {
		o := w.rest[0].text
		if w.rest[0].dynamic || len(o) < 2 || o[0] != '-' && o[0] != '+' {
			return w
		}
		w.rest = w.rest[1:]
		switch {
		case o == "--":
			return w
		case strings.HasPrefix(o, "--"):
			r.out.unknown("%s is started with %s", args[0].text, o)
			w.longOption(o)
		case o[0] == '-' && strings.Contains(o, "c"):
			w.wantsText = true
		case o[0] == '-' && strings.Contains(o, "s"):
			w.fed = true
		case strings.HasSuffix(o, "o") || strings.HasSuffix(o, "O"):
			w.rest = w.rest[min(1, len(w.rest)):]
		}
	}
	return w
}

func (w *shellWords) longOption(o string) {
	if len(w.rest) == 0 {
		return
	}
	switch o {
	case "--command", "--commands":
		w.text, w.rest = &w.rest[0], w.rest[1:]
	case "--rcfile", "--init-file":
		w.rest = w.rest[1:]
	}
}

// shellText reads the text after sh -c.
func (r *reader) shellText(args []arg, text arg, s *scope) {
	if text.dynamic {
		r.out.unknown("the text for %s is not known before it runs", args[0].text)
	}
	r.within(args, nil, s, func(_ []arg, s *scope) { r.script(text.text, s) })
}

// fed reads a shell that takes its commands from its input.
func (r *reader) fed(args []arg, s *scope) {
	r.emit(Command{args: args}, s)
	if !s.piped {
		r.out.unknown("%s opens a shell", args[0].text)
		return
	}
	r.out.unknown("%s runs what it is fed", args[0].text)
	r.out.warn("It runs text from elsewhere as commands.")
	if s.feed != nil {
		text := *s.feed
		s.feed = nil
		r.within(args, nil, s, func(_ []arg, s *scope) { r.script(text, s) })
	}
}

var xargsWords = wrapper{values: "adEILnPsR", long: []string{"arg-file", "delimiter", "max-args", "max-procs", "max-chars", "process-slot-var"}}

// xargs reads the command that gets words from the input.
func (r *reader) xargs(args []arg, s *scope) {
	inner := s.fork()
	rest := slices.Clone(r.options(xargsWords, args, inner))
	if len(rest) == 0 {
		rest = []arg{{text: "echo", shown: "echo"}}
	}
	more := []arg{{text: unknownText, shown: "…", dynamic: true}}
	if s.feed != nil {
		more = nil
		for f := range strings.FieldsSeq(*s.feed) {
			more = append(more, arg{text: f, shown: f})
		}
	}
	mark := replaceMark(args)
	if mark == "" {
		r.within(args, append(rest, more...), inner, r.simple)
		return
	}
	for i, a := range rest {
		if strings.Contains(a.text, mark) {
			rest[i].dynamic = true
			rest[i].text = strings.ReplaceAll(a.text, mark, unknownText)
			if s.feed != nil && len(more) == 1 {
				rest[i] = arg{text: strings.ReplaceAll(a.text, mark, more[0].text), shown: a.shown}
			}
		}
	}
	r.within(args, rest, inner, r.simple)
}

// replaceMark is the mark of xargs -I that input is put in place of.
func replaceMark(args []arg) string {
	for i, a := range args {
		switch {
		case a.text == "-I" && i+1 < len(args):
			return args[i+1].text
		case strings.HasPrefix(a.text, "-I"):
			return a.text[2:]
		case a.text == "-i", a.text == "--replace":
			return "{}"
		case strings.HasPrefix(a.text, "--replace="):
			return strings.TrimPrefix(a.text, "--replace=")
		}
	}
	return ""
}

// find reads the commands that find runs for what it finds.
func (r *reader) find(args []arg, s *scope) {
	r.emit(Command{args: args}, s)
	for i := 1; i < len(args); i++ {
		switch args[i].text {
		case "-exec", "-execdir", "-ok", "-okdir":
		default:
			continue
		}
		inner := s.fork()
		if strings.HasSuffix(args[i].text, "dir") {
			inner.dirs = nil
		}
		end := i + 1
		for end < len(args) && args[end].text != ";" && args[end].text != "+" {
			end++
		}
		r.found(args, args[i+1:end], inner)
		i = end
	}
}

// found reads a command in which {} stands for what was found.
func (r *reader) found(args, words []arg, s *scope) {
	if len(words) == 0 {
		r.out.unknown("%s runs nothing that can be told", args[0].text)
		return
	}
	words = slices.Clone(words)
	for i, w := range words {
		if strings.Contains(w.text, "{}") {
			words[i].dynamic = true
			words[i].text = strings.ReplaceAll(w.text, "{}", unknownText)
		}
	}
	r.within(args, words, s, r.simple)
}

func (r *reader) fd(args []arg, s *scope) {
	r.emit(Command{args: args}, s)
	for i, a := range args {
		switch {
		case a.text == "-x", a.text == "-X", a.text == "--exec", a.text == "--exec-batch":
			end := i + 1
			for end < len(args) && args[end].text != ";" {
				end++
			}
			words := append(slices.Clone(args[i+1:end]), arg{text: unknownText, shown: "{}", dynamic: true})
			r.found(args, words, s.fork())
			return
		case strings.HasPrefix(a.text, "--exec"), strings.HasPrefix(a.text, "-x"), strings.HasPrefix(a.text, "-X"):
			r.out.unknown("%s runs a command for what it finds", args[0].text)
		}
	}
}

// parallel puts command lines together when it runs.
func (r *reader) parallel(args []arg, s *scope) {
	r.out.unknown("%s puts command lines together when it runs", args[0].text)
	rest := r.options(wrapper{values: "jISaCdnNLxP"}, args, s.fork())
	rest = slices.DeleteFunc(slices.Clone(rest), func(a arg) bool { return strings.HasPrefix(a.text, ":::") })
	if len(rest) == 0 {
		r.emit(Command{args: args}, s)
		return
	}
	r.within(args, rest, s.fork(), r.line)
}

// su reads su, runuser and script: the line stands after -c.
func (r *reader) su(args []arg, s *scope) {
	inner := s.fork()
	inner.root = inner.root || base(args[0].text) != "script"
	for i, a := range args {
		line, ok := "", false
		switch {
		case i+1 < len(args) && (a.text == "--command" || strings.HasPrefix(a.text, "-") && !strings.HasPrefix(a.text, "--") && strings.HasSuffix(a.text, "c")):
			line, ok = args[i+1].text, true
			if args[i+1].dynamic {
				r.out.unknown("the text for %s is not known before it runs", args[0].text)
			}
		case strings.HasPrefix(a.text, "--command="):
			line, ok = strings.TrimPrefix(a.text, "--command="), true
		}
		if ok {
			r.within(args, nil, inner, func(_ []arg, s *scope) { r.script(line, s) })
			r.emit(Command{args: args, root: inner.root}, s)
			return
		}
	}
	r.out.unknown("%s opens a shell", args[0].text)
	r.emit(Command{args: args, root: inner.root}, s)
}

// later reads at and batch: they run their input at another time.
func (r *reader) later(args []arg, s *scope) {
	r.out.unknown("%s runs commands later, out of sight", args[0].text)
	r.emit(Command{args: args}, s)
	if s.feed != nil {
		text := *s.feed
		r.within(args, nil, s.fork(), func(_ []arg, s *scope) { r.script(text, s) })
	}
}
