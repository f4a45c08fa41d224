package permission

import (
	"net/url"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/bmatcuk/doublestar/v4"

	"github.com/hobkin/hobkin/core/capability"
	"github.com/hobkin/hobkin/core/sandbox"
)

// A subject is one call, made ready to be judged.
type subject struct {
	tool    *capability.Capability
	call    capability.Call
	preview capability.Preview
	line    *Analysis // of a command line; nil when the call is none
	policy  *sandbox.Policy
	floor   *floor
}

func (g *Gate) subject(c *capability.Capability, call capability.Call, p capability.Preview) *subject {
	s := &subject{tool: c, call: call, preview: p, policy: g.Policy, floor: newFloor(g.Policy, call.Turn)}
	if p.Shell != "" {
		dir := p.Dir
		if dir == "" {
			dir = call.Turn.Workspace
		}
		s.line = Analyse(p.Shell, Setting{Dir: dir, Home: g.Policy.Home()})
		s.line.foreign(p.Shell)
		s.warnWrites()
	}
	return s
}

// any returns the first of the rules with an action that fits some part of the
// call: how deny and ask rules are meant.
func (s *subject) any(rules []Rule, action Action) *Rule {
	for _, r := range rules {
		if r.Action != action {
			continue
		}
		p, err := r.compile()
		if err != nil {
			if action == Deny && s.fits(r.Tool) {
				return &r // a deny rule that cannot be read denies
			}
			continue
		}
		if s.inScope(p) && s.fits(r.Tool) && s.touches(p) {
			return &r
		}
	}
	return nil
}

// covered reports whether allow rules fit the whole of the call.
func (s *subject) covered(rules []Rule) bool {
	var fit []pattern
	for _, r := range rules {
		if r.Action != Allow {
			continue
		}
		if p, err := r.compile(); err == nil && s.inScope(p) && s.fits(r.Tool) {
			fit = append(fit, p)
		}
	}
	if len(fit) == 0 {
		return false
	}
	if s.line != nil {
		return s.lineCovered(fit)
	}
	if slices.ContainsFunc(fit, func(p pattern) bool { return p.kind == matchAll }) {
		return true
	}
	if s.preview.URL != "" && !slices.ContainsFunc(fit, s.hostFits) {
		return false
	}
	return s.pathsCovered(fit) && s.appsCovered(fit) && (s.preview.URL != "" || len(s.preview.Paths)+len(s.preview.Apps) > 0)
}

// pathsCovered reports whether each path of a call is allowed.
func (s *subject) pathsCovered(fit []pattern) bool {
	for _, use := range s.preview.Paths {
		if !slices.ContainsFunc(fit, func(p pattern) bool { return p.kind == matchPath && s.pathFits(p, use.Path, false) }) {
			return false
		}
	}
	return true
}

// fits reports whether a rule for tools is about this one. What holds for the
// shell holds for every tool that runs a command line.
func (s *subject) fits(pattern string) bool {
	return toolFits(pattern, s.tool.Name) || s.line != nil && toolFits(pattern, "shell")
}

func toolFits(pattern, name string) bool {
	if stem, ok := strings.CutSuffix(pattern, "*"); ok {
		return strings.HasPrefix(name, stem)
	}
	return pattern == name
}

func (s *subject) inScope(p pattern) bool {
	if p.Scope == "" {
		return true
	}
	dir := s.policy.Resolve(s.call.Turn, p.Scope)
	at := s.policy.Resolve(s.call.Turn, s.call.Turn.Workspace)
	return at == dir || strings.HasPrefix(at, strings.TrimSuffix(dir, string(filepath.Separator))+string(filepath.Separator))
}

// touches reports whether a pattern fits any part of the call.
func (s *subject) touches(p pattern) bool {
	switch p.kind {
	case matchAll:
		return true
	case matchHost:
		return s.hostFits(p)
	case matchApp:
		return slices.ContainsFunc(s.preview.Apps, p.appFits)
	case matchCommand:
		return s.line != nil && slices.ContainsFunc(s.line.Commands, func(c Command) bool { return p.fitsAnyForm(&c) })
	}
	if slices.ContainsFunc(s.preview.Paths, func(u capability.PathUse) bool { return s.pathFits(p, u.Path, true) }) {
		return true
	}
	if s.line == nil {
		return false
	}
	for i := range s.line.Commands {
		for _, place := range s.floor.words(&s.line.Commands[i]) {
			if s.pathFits(p, place, true) {
				return true
			}
		}
	}
	return false
}

// words are the absolute paths that the words of a command may name.
func (f *floor) words(c *Command) []string {
	var out []string
	for _, a := range c.args[min(1, len(c.args)):] {
		parts := append([]string{a.text}, strings.FieldsFunc(a.text, func(r rune) bool { return strings.ContainsRune("=:,@", r) })...)
		for _, p := range parts {
			word := a
			word.text = p
			for _, place := range f.places(c, word) {
				out = append(out, place, f.policy.Resolve(f.turn, place))
			}
		}
	}
	return append(append(out, c.Reads...), c.Writes...)
}

// pathFits compares an absolute path with a pattern. Wide also takes what lies
// below, and other spellings: how deny and ask are meant.
func (s *subject) pathFits(p pattern, abs string, wide bool) bool {
	abs = filepath.ToSlash(abs)
	for _, glob := range s.globs(p.text) {
		folder := strings.HasSuffix(glob, "/")
		glob = strings.TrimSuffix(glob, "/")
		if wide {
			glob, abs = strings.ToLower(glob), strings.ToLower(abs)
		}
		if ok, err := doublestar.Match(glob, abs); err == nil && ok {
			return true
		}
		if !folder && !wide {
			continue
		}
		if ok, err := doublestar.Match(glob+"/**", abs); err == nil && ok {
			return true
		}
	}
	return false
}

// globs are the absolute spellings of a path pattern: as written, and with the
// links before its first wildcard followed.
func (s *subject) globs(text string) []string {
	home := plainGlob(s.policy.Home())
	text = filepath.ToSlash(strings.NewReplacer("${HOME}", home, "$HOME", home).Replace(text))
	switch {
	case text == "~", strings.HasPrefix(text, "~/"):
		text = filepath.ToSlash(home) + text[1:]
	case strings.HasPrefix(text, "./"):
		text = path.Join(plainGlob(filepath.ToSlash(s.call.Turn.Workspace)), text) + strings.Repeat("/", strings.Count(text[len(text)-1:], "/"))
	}
	fixed, rest := text, ""
	if i := strings.IndexAny(text, "*?[{\\"); i >= 0 {
		cut := strings.LastIndexByte(text[:i], '/') + 1
		fixed, rest = text[:cut], text[cut:]
	}
	led := filepath.ToSlash(s.policy.Resolve(s.call.Turn, fixed))
	if rest != "" || strings.HasSuffix(fixed, "/") {
		led = strings.TrimSuffix(led, "/") + "/"
	}
	if led += rest; led != text {
		return []string{text, led}
	}
	return []string{text}
}

// plainGlob writes a path so that no part of it is a wildcard.
func plainGlob(p string) string {
	return strings.NewReplacer("*", `\*`, "?", `\?`, "[", `\[`, "{", `\{`).Replace(p)
}

// hostFits compares the address of a call with a host pattern.
func (s *subject) hostFits(p pattern) bool {
	if p.kind != matchHost || s.preview.URL == "" {
		return false
	}
	u, err := url.Parse(s.preview.URL)
	if err != nil {
		return p.Action == Deny
	}
	host, name := normalHost(u.Host), normalHost(u.Hostname())
	if port := u.Port(); p.Action != Deny && (port == "" || port == "80" && u.Scheme == "http" || port == "443" && u.Scheme == "https") {
		host = name
	}
	fits := func(host string) bool {
		if stem, ok := strings.CutPrefix(p.text, "*"); ok {
			return strings.HasSuffix(host, stem) && len(host) > len(stem)
		}
		return host == p.text
	}
	return fits(host) || p.Action != Allow && fits(name)
}

// lineCovered reports whether every command of a line is allowed, and nothing
// in it is unknown.
func (s *subject) lineCovered(fit []pattern) bool {
	if s.line.Unknown || len(s.line.Commands) == 0 {
		return false
	}
	for i := range s.line.Commands {
		if !s.commandCovered(&s.line.Commands[i], fit) {
			return false
		}
	}
	return true
}

func (s *subject) commandCovered(c *Command, fit []pattern) bool {
	if !s.writesCovered(c, fit) {
		return false // where it writes to is not said by a command pattern
	}
	if s.neutral(c) {
		return true
	}
	return slices.ContainsFunc(fit, func(p pattern) bool {
		return p.kind == matchAll || p.kind == matchCommand && p.allows(c)
	})
}

// neutrals are builtins that stand between commands and do nothing themselves.
var neutrals = set("true", "false", ":", "echo", "printf", "pwd", "test", "[", "exit", "return", "break", "continue", "wait", "sleep")

// neutral reports whether a command needs no rule. To change the folder is one
// when it stays where the agent may be.
func (s *subject) neutral(c *Command) bool {
	if len(c.args) == 0 || len(c.Via) > 0 {
		return false
	}
	switch name := c.args[0].text; {
	case name != "echo" && name != "printf" && slices.ContainsFunc(c.args, func(a arg) bool { return strings.ContainsAny(a.text, "[") && len(a.text) > 1 }):
		return false // an index in the name of a variable can run commands
	case neutrals[name]:
		return tameCommands[name].fits(staticOnly(c.args[1:]))
	case name == "cd" && len(c.args) == 2 && !c.args[1].dynamic:
		for _, place := range s.floor.places(c, c.args[1]) {
			if _, err := s.policy.Try(s.call.Turn, place, sandbox.Read); err != nil {
				return false
			}
		}
		return len(c.Dirs) > 0 || filepath.IsAbs(c.args[1].text)
	}
	return false
}

// staticOnly drops the words that are not known: echo may print anything.
func staticOnly(args []arg) []arg {
	return slices.DeleteFunc(slices.Clone(args), func(a arg) bool { return a.dynamic })
}

// allows reports whether an allow pattern fits a command: the command itself
// where its wrappers change nothing, else the whole with its wrappers.
func (p pattern) allows(c *Command) bool {
	if p.fits(c.args, false) && !c.root && transparent(c.Via) {
		return true
	}
	return len(c.Via) > 0 && p.fits(c.forms[0], false)
}

// clearWrappers are wrappers that change nothing about a command but when and
// how fast it runs.
var clearWrappers = set("env", "nohup", "nice", "ionice", "timeout", "time", "stdbuf", "setsid", "command", "builtin", "exec", "caffeinate", "sh", "bash", "dash", "zsh")

// transparent reports whether wrappers leave a command what it is.
func transparent(via []string) bool {
	return !slices.ContainsFunc(via, func(v string) bool { return !clearWrappers[v] })
}

// fitsAnyForm is for deny and ask: with any of its wrappers, under any path.
func (p pattern) fitsAnyForm(c *Command) bool {
	return slices.ContainsFunc(c.forms, func(form []arg) bool { return p.fits(form, true) })
}

func (p pattern) fits(args []arg, wide bool) bool {
	if len(args) < len(p.argv) || len(args) > len(p.argv) && !p.open {
		return false
	}
	for i, want := range p.argv {
		got := args[i].text
		switch {
		case i == 0 && wide && base(got) == base(want):
		case i == 0 && got == want, i == 0 && !wide && systemProgram(got, want):
		case i == 0, args[i].dynamic, !wordFits(want, got):
			return false
		}
	}
	return true
}

// systemProgram reports whether got is the program want in a folder of the
// system, which only its administrator can change.
func systemProgram(got, want string) bool {
	dir, name := path.Split(got)
	return name == want && slices.Contains([]string{"/bin/", "/usr/bin/", "/usr/local/bin/", "/sbin/", "/usr/sbin/"}, dir)
}

// wordFits compares one word; * stands for any text within it.
func wordFits(want, got string) bool {
	parts := strings.Split(want, "*")
	if len(parts) == 1 {
		return want == got
	}
	if !strings.HasPrefix(got, parts[0]) {
		return false
	}
	got = got[len(parts[0]):]
	last := len(parts) - 1
	for _, part := range parts[1:last] {
		i := strings.Index(got, part)
		if i < 0 {
			return false
		}
		got = got[i+len(part):]
	}
	return strings.HasSuffix(got, parts[last])
}
