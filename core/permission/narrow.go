package permission

import (
	"path/filepath"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"github.com/hobkin/hobkin/core/capability"
	"github.com/hobkin/hobkin/core/sandbox"
)

// narrowest is the narrowest rule that covers a call and others of its very
// kind: the inner command and subcommand, the folder of the files, the host.
// Nil when no rule can say it: for what runs any code at all, trust in the
// program would be trust in everything.
func narrowest(s *subject, action Action) *Rule {
	r := Rule{Tool: s.tool.Name, Action: action}
	switch {
	case s.line != nil:
		match := s.narrowLine()
		if match == "" {
			return nil
		}
		r.Match = matchCommand + ":" + match
		if r.Tool == "shell" {
			r.Match = match
		}
	case len(s.preview.Paths) > 0:
		match := s.narrowPath()
		if match == "" {
			return nil
		}
		r.Match = matchPath + ":" + match
	case s.preview.URL != "":
		p, err := Rule{Tool: r.Tool, Match: matchHost + ":" + hostOf(s.preview.URL), Action: action}.compile()
		if err != nil {
			return nil
		}
		r.Match = matchHost + ":" + p.text
	case len(s.preview.Apps) == 1 && s.preview.Apps[0] != "" && !s.preview.Destructive:
		r.Match = matchApp + ":" + s.preview.Apps[0]
	case action == Allow && (s.tool.Class == capability.GUIControl || s.preview.Destructive):
		return nil
	}
	if r.Check() != nil {
		return nil
	}
	return &r
}

func hostOf(address string) string {
	_, rest, _ := strings.Cut(address, "://")
	host, _, _ := strings.Cut(rest, "/")
	host, _, _ = strings.Cut(host, "?")
	return host
}

// narrowLine is the pattern for the one command of a line that needs a rule.
// With several, one rule could not say it all.
func (s *subject) narrowLine() string {
	if s.line.Unknown {
		return ""
	}
	found := ""
	for i := range s.line.Commands {
		c := &s.line.Commands[i]
		if s.commandCovered(c, nil) {
			continue
		}
		pattern := narrowCommand(c)
		if pattern == "" || found != "" && found != pattern {
			return ""
		}
		found = pattern
	}
	return found
}

// subcommands are programs whose second word says what they do, and that word
// does not run code of anyone's choice.
var subcommands = map[string]map[string]bool{
	"git": set("add", "commit", "status", "log", "diff", "show", "branch", "checkout", "switch", "restore", "merge", "stash", "fetch", "pull", "push", "tag", "blame", "rm", "mv", "init"),
	"go":  set("test", "build", "vet", "fmt", "list", "doc", "mod", "version", "env"), "cargo": set("build", "test", "check", "clippy", "fmt", "doc"),
	"npm": set("install", "ci", "test", "ls", "outdated", "audit"), "yarn": set("install", "test"), "pnpm": set("install", "test"), "pip": set("install", "list", "show", "freeze"),
	"pip3": set("install", "list", "show", "freeze"), "brew": set("install", "list", "info", "search", "update"), "apt": set("list", "search", "show"),
	"docker": set("ps", "images", "logs", "inspect"), "kubectl": set("get", "describe", "logs"), "systemctl": set("status"), "gh": set("pr", "issue", "repo", "run"),
}

// developers are programs that act on the project alone.
var developers = set("pytest", "ruff", "black", "mypy", "eslint", "prettier", "tsc", "gofmt", "gofumpt", "rustfmt", "jest", "vitest", "mkdir", "touch", "shellcheck", "yamllint", "hadolint", "golangci-lint", "staticcheck", "ctest", "ninja", "pandoc")

// runners run code that their words, or the project, choose freely.
var runners = set("npx", "uvx", "bunx", "pipx", "uv", "poetry", "make", "just", "task", "docker-compose", "nix", "nix-shell", "direnv", "mise", "asdf", "entr", "crontab", "env",
	"xargs", "find", "fd", "fdfind", "expect", "tmux", "screen", "vim", "vi", "nvim", "emacs", "ed", "ex", "gdb", "sqlite3", "psql", "mysql", "awk", "gawk", "mawk", "sed", "tee")

// narrowCommand is the pattern for one command; empty when none is offered.
func narrowCommand(c *Command) string {
	if len(c.args) == 0 || c.root || !transparent(c.Via) || len(c.code) > 0 || slices.ContainsFunc(c.Writes, func(w string) bool { return !isSink(w) }) {
		return ""
	}
	name := c.args[0].text
	plain := base(name)
	stem := strings.TrimRight(plain, "0123456789.")
	_, isInterpreter := interpreters[stem]
	if isInterpreter || runners[plain] || wrapped(plain) != nil || builtin(name) != nil || strings.ContainsAny(name, "*?[") {
		return ""
	}
	words := []string{name}
	switch {
	case len(c.args) > 1 && subcommands[name][c.args[1].text]:
		words = append(words, c.args[1].text, "*")
	case developers[name], tameCommands[name].wild:
		words = append(words, "*")
	default:
		exact, ok := exactWords(c.args)
		if !ok {
			return ""
		}
		words = exact
	}
	return spell(words)
}

// exactWords are all the words of a command, when they are known and hold no *.
func exactWords(args []arg) ([]string, bool) {
	out := make([]string, len(args))
	for i, a := range args {
		if a.dynamic || strings.Contains(a.text, "*") {
			return nil, false
		}
		out[i] = a.text
	}
	return out, true
}

// spell writes words so that they read as the same words.
func spell(words []string) string {
	out := make([]string, len(words))
	for i, w := range words {
		if w == "*" {
			out[i] = w
			continue
		}
		q, err := syntax.Quote(w, syntax.LangBash)
		if err != nil || strings.HasPrefix(q, "$'") {
			return ""
		}
		out[i] = q
	}
	return strings.Join(out, " ")
}

// narrowPath is the pattern for the files of a call: their folder where it lies
// inside a root, else the one file itself.
func (s *subject) narrowPath() string {
	dir := filepath.Dir(s.preview.Paths[0].Path)
	same := true
	for _, use := range s.preview.Paths {
		same = same && filepath.Dir(use.Path) == dir
	}
	if _, err := s.policy.Try(s.call.Turn, dir, sandbox.Write); err == nil && same {
		return plainGlob(filepath.ToSlash(dir)) + "/*"
	}
	if len(s.preview.Paths) == 1 {
		return plainGlob(filepath.ToSlash(s.preview.Paths[0].Path))
	}
	return ""
}
