package permission

import (
	"fmt"
	"net/url"
	"path/filepath"
	"strings"

	"github.com/bmatcuk/doublestar/v4"
	"golang.org/x/net/idna"
	"mvdan.cc/sh/v3/syntax"

	"github.com/hobkin/hobkin/core/capability"
)

// An Action is what a rule says. Where several rules fit, deny beats ask and
// ask beats allow.
type Action string

// The actions.
const (
	Allow    Action = "allow"
	AskFirst Action = "ask"
	Deny     Action = "deny"
)

// A Rule is one standing answer of the owner's.
//
// Tool is the name of a tool; a * at its end stands for the rest, and * alone
// for all tools. Match narrows it further and is read by what it looks like:
//
//	git log *          command: each word, * at the end for any further words
//	~/Documents/**     path: anchored, * within a part, ** across parts
//	*.example.org      host of an address
//	app:gedit          program on the screen, * for any
//
// The prefixes command:, path: and host: say it outright, as app: always does. An empty Match fits
// every call of the tool.
type Rule struct {
	Tool   string `json:"tool" toml:"tool"`
	Match  string `json:"match,omitempty" toml:"match,omitempty"`
	Action Action `json:"action" toml:"action"`
	Scope  string `json:"scope,omitempty" toml:"scope,omitempty"` // a folder: only for work in it; empty means everywhere
}

// String is the rule in one line, as people are shown it.
func (r Rule) String() string {
	s := string(r.Action) + " " + r.Tool
	if r.Match != "" {
		s += ": " + r.Match
	}
	if r.Scope != "" {
		s += " (in " + r.Scope + ")"
	}
	return s
}

// Check reports what is wrong with the rule, in a sentence for its author.
func (r Rule) Check() error {
	_, err := r.compile()
	return err
}

// What a Match is about.
const (
	matchAll     = ""
	matchCommand = "command"
	matchPath    = "path"
	matchHost    = "host"
	matchApp     = "app"
)

// pattern is a Rule made ready.
type pattern struct {
	Rule
	kind string
	text string   // of a path or host
	argv []string // of a command
	open bool     // a command may have further words
}

func (r Rule) compile() (pattern, error) {
	p := pattern{Rule: r}
	switch {
	case r.Action != Allow && r.Action != AskFirst && r.Action != Deny:
		return p, fmt.Errorf("permission: rule for %q: the action is %q, not allow, ask or deny", r.Tool, r.Action)
	case !validTool(r.Tool):
		return p, fmt.Errorf("permission: rule: %q is no name of a tool; a * may stand at its end", r.Tool)
	case r.Scope != "" && !filepath.IsAbs(r.Scope) && !strings.HasPrefix(r.Scope, "~"):
		return p, fmt.Errorf("permission: rule for %q: the scope %q must be an absolute folder", r.Tool, r.Scope)
	}
	p.kind, p.text = matchKind(r)
	var err error
	switch p.kind {
	case matchCommand:
		p.argv, p.open, err = commandPattern(p.text)
	case matchPath:
		err = checkPathPattern(p.text)
	case matchHost:
		p.text, err = hostPattern(p.text)
	case matchApp:
		p.text, err = appPattern(p.text)
	}
	if err != nil {
		return p, fmt.Errorf("permission: rule for %q: %w", r.Tool, err)
	}
	return p, nil
}

func validTool(name string) bool {
	stem := strings.TrimSuffix(name, "*")
	return name == "*" || capability.ValidName(stem)
}

// matchKind tells what a Match is about.
func matchKind(r Rule) (kind, text string) {
	m := strings.TrimSpace(r.Match)
	for _, kind := range []string{matchCommand, matchPath, matchHost, matchApp} {
		if rest, ok := strings.CutPrefix(m, kind+":"); ok {
			return kind, strings.TrimSpace(rest)
		}
	}
	switch {
	case m == "" || m == "*":
		return matchAll, ""
	case r.Tool == "shell" || strings.HasPrefix(r.Tool, "shell_") || strings.HasPrefix(r.Tool, "process_"), strings.HasPrefix(r.Tool, "command_"):
		return matchCommand, m
	case strings.HasPrefix(m, "/"), strings.HasPrefix(m, "~"), strings.HasPrefix(m, "$HOME"), strings.HasPrefix(m, "${HOME}"), strings.HasPrefix(m, "./"), strings.HasPrefix(m, "**/"),
		filepath.IsAbs(m):
		return matchPath, m
	}
	return matchHost, m
}

// commandPattern reads the words of a command pattern as a shell would, and
// refuses what is more than words.
func commandPattern(text string) (argv []string, open bool, err error) {
	file, err := parse(text)
	if err != nil {
		return nil, false, fmt.Errorf("%q is not understood as a command: %w", text, err)
	}
	if len(file.Stmts) != 1 || len(file.Stmts[0].Redirs) > 0 || file.Stmts[0].Background || file.Stmts[0].Negated {
		return nil, false, fmt.Errorf("%q must be one command, without ; | & or redirections", text)
	}
	call, ok := file.Stmts[0].Cmd.(*syntax.CallExpr)
	if !ok || len(call.Assigns) > 0 || len(call.Args) == 0 {
		return nil, false, fmt.Errorf("%q must be one command with plain words", text)
	}
	r := &reader{out: &Analysis{}}
	for _, w := range call.Args {
		for _, a := range r.word(w, &scope{}) {
			if a.dynamic {
				return nil, false, fmt.Errorf("%q may not hold variables or substitutions", text)
			}
			argv = append(argv, a.text)
		}
	}
	if last := len(argv) - 1; last > 0 && argv[last] == "*" {
		argv, open = argv[:last], true
	}
	if strings.Contains(argv[0], "*") {
		return nil, false, fmt.Errorf("%q must name its program", text)
	}
	return argv, open, nil
}

func checkPathPattern(text string) error {
	anchored := strings.HasPrefix(text, "~/") || text == "~" || strings.HasPrefix(text, "$HOME") || strings.HasPrefix(text, "${HOME}") || strings.HasPrefix(text, "./") || filepath.IsAbs(text)
	switch {
	case !anchored:
		return fmt.Errorf("the path %q must start with /, ~/ or ./ (the workspace), so that it fits one place only", text)
	case !doublestar.ValidatePattern(filepath.ToSlash(text)):
		return fmt.Errorf("the path pattern %q is malformed", text)
	case strings.Contains(strings.NewReplacer("$HOME", "", "${HOME}", "").Replace(text), "$"):
		return fmt.Errorf("the path %q holds a variable other than $HOME", text)
	}
	for part := range strings.SplitSeq(filepath.ToSlash(text), "/") {
		if part == ".." {
			return fmt.Errorf("the path %q may not lead upwards with dots", text)
		}
	}
	return nil
}

// hostPattern checks a host pattern and writes it the one way it is compared.
func hostPattern(text string) (string, error) {
	stem := strings.TrimPrefix(text, "*.")
	if stem == "" || strings.ContainsAny(stem, "*/ @?#") {
		return "", fmt.Errorf("%q is no host such as example.org or *.example.org; write command:, path: or host: before it to say what it is", text)
	}
	host := normalHost(stem)
	if host == "" {
		return "", fmt.Errorf("%q is no host name", text)
	}
	if stem != text {
		return "*." + host, nil
	}
	return host, nil
}

// normalHost is a host, with its port if it has one, the one way it is
// compared; empty when it is none.
func normalHost(host string) string {
	u, err := url.Parse("//" + host)
	if err != nil || u.Host == "" || u.User != nil {
		return ""
	}
	name := strings.TrimSuffix(strings.ToLower(u.Hostname()), ".")
	if ascii, err := idna.Lookup.ToASCII(name); err == nil {
		name = ascii
	}
	if name == "" {
		return ""
	}
	if port := u.Port(); port != "" {
		return name + ":" + port
	}
	return name
}
