package permission

import (
	"slices"
	"strings"
)

// A wrapper is a program that runs another one, given in its words.
type wrapper struct {
	values   string   // short options that take the next word
	long     []string // long options that take the next word
	operands int      // words of its own before the command
	root     bool     // the command gets another user's rights, or runs on another machine
	assigns  bool     // NAME=value may come before the command
	line     bool     // the words are joined and read by a shell
	file     string   // short options that name a file it writes
}

var wrappers = map[string]wrapper{
	"env":              {values: "uCS", long: []string{"unset", "chdir", "split-string"}, assigns: true},
	"nohup":            {},
	"setsid":           {},
	"nice":             {values: "n", long: []string{"adjustment"}},
	"ionice":           {values: "cnpPu", long: []string{"class", "classdata"}},
	"chrt":             {values: "TPDp", operands: 1},
	"taskset":          {operands: 1},
	"stdbuf":           {values: "ioe", long: []string{"input", "output", "error"}},
	"timeout":          {values: "sk", long: []string{"signal", "kill-after"}, operands: 1},
	"time":             {values: "fo", long: []string{"format", "output"}, file: "o"},
	"caffeinate":       {values: "tw"},
	"unbuffer":         {},
	"entr":             {},
	"busybox":          {},
	"toybox":           {},
	"flock":            {values: "wEc", long: []string{"timeout", "conflict-exit-code", "command"}, operands: 1},
	"strace":           {values: "oeEpsuaObPISX", file: "o"},
	"ltrace":           {values: "oeEpsuanlxAFDw", file: "o"},
	"watch":            {values: "nq", long: []string{"interval", "equexit"}, line: true},
	"xvfb-run":         {values: "nefpsw"},
	"dbus-run-session": {long: []string{"config-file", "dbus-daemon"}},
	"sudo":             {values: "ugpCrthTDRU", long: []string{"user", "group", "host", "prompt", "chdir", "close-from", "role", "type", "chroot", "other-user", "command-timeout"}, root: true, assigns: true},
	"doas":             {values: "uCa", root: true, assigns: true},
	"pkexec":           {long: []string{"user"}, root: true},
	"gosu":             {operands: 1, root: true},
	"su-exec":          {operands: 1, root: true},
	"chroot":           {long: []string{"userspec", "groups"}, operands: 1, root: true},
	"nsenter":          {values: "tSG", long: []string{"target", "setuid", "setgid"}, root: true},
	"unshare":          {values: "SGRw", long: []string{"root", "wd", "setuid", "setgid"}, root: true},
	"setpriv":          {long: []string{"reuid", "regid", "groups", "inh-caps", "ambient-caps", "bounding-set"}, root: true},
	"systemd-run":      {values: "pEHMtu", long: []string{"property", "setenv", "unit", "uid", "gid", "slice", "working-directory", "on-calendar", "on-active"}, root: true},
	"systemd-inhibit":  {long: []string{"what", "who", "why", "mode"}},
	"ssh":              {values: "BbcDEeFIiJLlmOoPpQRSWw", operands: 1, root: true, line: true},
	"bwrap":            {root: true},
	"firejail":         {root: true},
}

// wrapped returns the reader of a program that runs another.
func wrapped(name string) special {
	switch name {
	case "sh", "bash", "dash", "zsh", "ksh", "mksh", "ash", "fish", "rbash", "csh", "tcsh", "elvish", "nu", "xonsh":
		return (*reader).shell
	case "xargs":
		return (*reader).xargs
	case "find", "gfind":
		return (*reader).find
	case "fd", "fdfind":
		return (*reader).fd
	case "parallel", "rush":
		return (*reader).parallel
	case "su", "runuser", "script":
		return (*reader).su
	case "at", "batch":
		return (*reader).later
	}
	if w, ok := wrappers[name]; ok {
		return func(r *reader, args []arg, s *scope) { r.wrapper(w, args, s) }
	}
	return nil
}

// wrapper finds the command among the words of a wrapper.
func (r *reader) wrapper(w wrapper, args []arg, s *scope) {
	inner := s.fork()
	rest := r.options(w, args, inner)
	if w.assigns {
		rest = r.assignments(rest, inner)
	}
	for i := 0; i < w.operands && len(rest) > 0; i++ {
		rest = rest[1:]
	}
	if w.operands > 0 && len(rest) > 1 && rest[0].text == "-c" { // flock FILE -c 'LINE'
		rest, w.line = rest[1:], true
	}
	if len(rest) == 0 {
		r.emit(Command{args: args, root: w.root}, s)
		return
	}
	inner.root = inner.root || w.root
	if w.operands > 0 || w.root {
		if name := base(args[0].text); name == "ssh" || name == "chroot" || name == "nsenter" {
			inner.dirs = nil
		}
	}
	if w.line {
		r.within(args, rest, inner, func(words []arg, s *scope) { r.line(words, s) })
		return
	}
	r.within(args, rest, inner, r.simple)
}

// line reads words that a shell will read again.
func (r *reader) line(words []arg, s *scope) {
	for _, w := range words {
		if w.dynamic {
			r.out.unknown("a command line is put together when it runs: %s", w.shown)
		}
	}
	r.script(joined(words), s)
}

// options passes over the options of a wrapper and returns what follows.
func (r *reader) options(w wrapper, args []arg, s *scope) []arg {
	rest := args[1:]
	for len(rest) > 0 {
		o := rest[0]
		if o.dynamic {
			r.out.unknown("an option of %s is not known before it runs", args[0].text)
			return rest
		}
		if !strings.HasPrefix(o.text, "-") && !strings.HasPrefix(o.text, "+") || o.text == "-" && base(args[0].text) != "env" {
			return rest
		}
		rest = rest[1:]
		if o.text == "--" {
			return rest
		}
		value, separate := w.value(o.text)
		if separate && len(rest) > 0 {
			value, rest = rest[0].text, rest[1:]
		}
		r.option(args[0].text, o.text, value, w, s)
	}
	return rest
}

// value tells what an option is given, or that the next word is it.
func (w wrapper) value(option string) (value string, separate bool) {
	if name, ok := strings.CutPrefix(option, "--"); ok {
		name, value, has := strings.Cut(name, "=")
		return value, !has && slices.Contains(w.long, name)
	}
	for i := 1; i < len(option); i++ {
		if strings.IndexByte(w.values, option[i]) >= 0 {
			return option[i+1:], i == len(option)-1
		}
	}
	return "", false
}

// option looks at the few options that matter.
func (r *reader) option(name, option, value string, w wrapper, s *scope) {
	short := !strings.HasPrefix(option, "--")
	has := func(letters, long string) bool {
		return short && strings.ContainsAny(option, letters) || long != "" && strings.HasPrefix(option, long)
	}
	switch base(name) {
	case "env":
		r.envOption(has, value, s)
	case "sudo", "doas":
		if has("sie", "--shell") || option == "--login" || option == "--edit" {
			r.out.unknown("%s %s opens a shell", name, option)
		}
	case "ssh":
		r.sshOption(value, s)
	case "flock":
		if has("c", "--command") {
			r.script(value, s.fork())
		}
	case "systemd-run", "bwrap", "firejail", "nsenter", "unshare":
		r.out.unknown("%s changes what a command can reach", name)
	}
	if w.file != "" && has(w.file, "") {
		r.out.note("%s writes to %s", name, value)
	}
}

// sshOption looks for ProxyCommand, LocalCommand and their like.
func (r *reader) sshOption(value string, s *scope) {
	if strings.Contains(strings.ToLower(value), "command") {
		r.out.unknown("an option of ssh runs a command here")
		_, line, _ := strings.Cut(value, "=")
		r.script(line, s.fork())
	}
}

func (r *reader) envOption(has func(letters, long string) bool, value string, s *scope) {
	switch {
	case has("S", "--split"):
		r.out.unknown("env -S reads its words as a line")
		r.script(value, s.fork())
	case has("C", "--chdir"):
		s.dirs = joinDirs(s.dirs, value)
	}
}

// assignments passes over NAME=value words.
func (r *reader) assignments(rest []arg, s *scope) []arg {
	for len(rest) > 0 {
		name, value, ok := strings.Cut(rest[0].text, "=")
		if !ok || strings.ContainsAny(name, "/ ") {
			return rest
		}
		r.changes(name)
		delete(s.vars, name)
		if !rest[0].dynamic && len(value) <= maxValue {
			s.vars[name] = value
		}
		rest = rest[1:]
	}
	return rest
}
