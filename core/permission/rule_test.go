//go:build !windows

package permission

import (
	"strings"
	"testing"

	"github.com/hobkin/hobkin/core/capability"
)

func TestRuleCheck(t *testing.T) {
	for name, c := range map[string]struct {
		rule Rule
		want string // part of the complaint; empty when the rule is fine
	}{
		"command":               {Rule{Tool: "shell", Match: "git log *", Action: Allow}, ""},
		"command with quotes":   {Rule{Tool: "shell", Match: "git commit -m 'a b'", Action: Allow}, ""},
		"command, said so":      {Rule{Tool: "*", Match: "command:rm *", Action: Deny}, ""},
		"path":                  {Rule{Tool: "file_read", Match: "~/Documents/**", Action: Allow}, ""},
		"path with variable":    {Rule{Tool: "file_read", Match: "$HOME/x", Action: Deny}, ""},
		"path in the workspace": {Rule{Tool: "file_write", Match: "./src/**", Action: Allow}, ""},
		"host":                  {Rule{Tool: "web_fetch", Match: "*.example.org", Action: Allow}, ""},
		"host with port":        {Rule{Tool: "web_fetch", Match: "host:localhost:8080", Action: Allow}, ""},
		"whole tool":            {Rule{Tool: "mcp__github__*", Action: AskFirst}, ""},
		"scope":                 {Rule{Tool: "shell", Match: "make", Action: Allow, Scope: "~/work"}, ""},
		"no action":             {Rule{Tool: "shell"}, "not allow, ask or deny"},
		"no tool":               {Rule{Action: Allow}, "no name of a tool"},
		"star inside":           {Rule{Tool: "a*b", Action: Allow}, "no name of a tool"},
		"relative scope":        {Rule{Tool: "shell", Action: Allow, Scope: "work"}, "absolute folder"},
		"two commands":          {Rule{Tool: "shell", Match: "a; b", Action: Allow}, "one command"},
		"pipe":                  {Rule{Tool: "shell", Match: "a | b", Action: Allow}, "plain words"},
		"and":                   {Rule{Tool: "shell", Match: "a && b", Action: Allow}, "plain words"},
		"background":            {Rule{Tool: "shell", Match: "a &", Action: Allow}, "one command"},
		"redirection":           {Rule{Tool: "shell", Match: "a > b", Action: Allow}, "redirections"},
		"substitution":          {Rule{Tool: "shell", Match: "a $(b)", Action: Allow}, "variables or substitutions"},
		"variable":              {Rule{Tool: "shell", Match: "a $X", Action: Allow}, "variables or substitutions"},
		"assignment":            {Rule{Tool: "shell", Match: "X=1 a", Action: Allow}, "plain words"},
		"not shell":             {Rule{Tool: "shell", Match: "a 'b", Action: Allow}, "not understood"},
		"any program":           {Rule{Tool: "shell", Match: "command:* x", Action: Allow}, "name its program"},
		"floating path":         {Rule{Tool: "file_read", Match: "path:src/**", Action: Allow}, "must start with"},
		"floating stars":        {Rule{Tool: "file_read", Match: "**/src", Action: Allow}, "must start with"},
		"dots in a path":        {Rule{Tool: "file_read", Match: "~/../x", Action: Allow}, "upwards"},
		"bad glob":              {Rule{Tool: "file_read", Match: "/a/[", Action: Allow}, "malformed"},
		"other variable":        {Rule{Tool: "file_read", Match: "$HOME/$X", Action: Allow}, "variable"},
		"star in a host":        {Rule{Tool: "web_fetch", Match: "a.*.org", Action: Allow}, "no host"},
		"address":               {Rule{Tool: "web_fetch", Match: "https://example.org/", Action: Allow}, "no host"},
		"words":                 {Rule{Tool: "file_read", Match: "some words", Action: Allow}, "command:, path: or host:"},
	} {
		err := c.rule.Check()
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: Check(%v) = %v, want %q", name, c.rule, err, c.want)
		}
	}
}

// TestCommandRules judges lines with one allow rule, in ask mode.
func TestCommandRules(t *testing.T) {
	for rule, cases := range map[string]map[string]string{
		"git log *": {
			"git log": "auto", "git log -5": "auto", "git log $X": "auto", "git log `git log`": "auto", "/usr/bin/git log": "auto",
			"git  log  -5": "auto", "'git' \"log\"": "auto", "g\\it log": "auto", "git log | git log": "auto", "git log; git log": "auto",
			"cd src && git log": "auto", "echo x; git log": "auto", "timeout 5 git log": "auto", "env LANG=C git log": "auto", "LANG=C git log": "auto",
			"sh -c 'git log'": "auto", "git log 2>/dev/null": "auto", "(git log)": "auto", "if git log; then echo yes; fi": "auto",
			"git push": "ask", "git": "ask", "git -c x=y log": "ask", "./git log": "ask", "/tmp/git log": "ask", "gitx log": "ask", "git logx": "ask",
			"git log; touch y": "ask", "git log && touch y": "ask", "git log | sh": "ask", "git log > y": "ask", "git log >> y": "ask", "git log $(touch y)": "ask",
			"git log <(touch y)": "ask", "{ git log; touch y; }": "ask", "PATH=. git log": "ask", "GIT_PAGER=x git log": "ask", "sudo git log": "ask", "env PATH=. git log": "ask",
			"./timeout 5 git log": "ask", "cd ~/other && git log": "ask", "cd \"$X\" && git log": "ask", "git $X": "ask", "$X log": "ask", "git log\ntouch y": "ask",
			"alias git=rm; git log": "ask", "git() { touch y; }; git log": "ask", "eval git log": "ask", "xargs git log": "ask", "ssh host git log": "ask",
			"x=1; git log $x": "auto", "git log $((1+2))": "auto", "a=(1 2); git log ${a[@]}": "auto", "local=1; git log ${local:-2}": "auto", "git log ${x:0:5}": "auto",
			"x='a[$(touch y)]'; git log $((x))": "ask", "x='a[$(touch y)]'; git log $((1 + x))": "ask", "x='a[$(touch y)]'; git log ${z[x]}": "ask", "x='a[$(touch y)]'; git log ${z:x}": "ask",
			"x='$(touch y)'; git log ${x@P}": "ask", "x='a[$(touch y)]'; git log ${!x}": "ask", "x='a[$(touch y)]'; z[x]=1; git log": "ask", "z[$(touch y)]=1; git log": "ask",
			"declare 'a[$(touch y)]=1'; git log": "ask", "export 'a[$(touch y)]=1'; git log": "ask", "declare -n r=x; git log": "ask", "[[ 'a[$(touch y)]' -eq 1 ]]; git log": "ask",
			"[[ -v 'a[$(touch y)]' ]]; git log": "ask", "[ -v 'a[$(touch y)]' ]; git log": "ask", "test -v 'a[$(touch y)]'; git log": "ask", "wait -p 'a[$(touch y)]'; git log": "ask",
			"((x)); git log": "ask", "let x; git log": "ask", "unset 'a[$(touch y)]'; git log": "ask", "read 'a[$(touch y)]'; git log": "ask", "printf -v 'a[$(touch y)]' x; git log": "ask",
			"git log @($(touch y))": "ask", "for ((i=x;;)); do git log; done": "ask", "a[0]=1; git log": "auto", "[[ -f x ]] && git log": "auto",
			"git log; rm -rf ~": "floor",
		},
		"npm run test:*":  {"npm run test:unit": "auto", "npm run test:": "auto", "npm run test:unit x": "ask", "npm run build": "ask", "npm run test:$X": "ask"},
		"npm test":        {"npm test": "auto", "npm test -- x": "ask", "npm  test": "auto", "CI=1 npm test": "auto", "FOO=1 npm test": "ask", "npm $X": "ask"},
		"sudo apt update": {"sudo apt update": "auto", "sudo -u x apt update": "ask", "apt update": "ask", "sudo apt install x": "ask"},
		"apt *":           {"apt update": "auto", "sudo apt update": "ask"},
		"echo *":          {"echo x && ls": "ask", "echo x": "auto", "echo $(ls)": "ask", "echo x > y": "ask"},
		"bash x.sh":       {"bash x.sh": "auto", "bash x.sh y": "ask", "bash -c x.sh": "ask", "bash": "ask"},
		"python3 *":       {"python3 x.py": "auto", "python3 -c 1": "ask", "python3 <<< x": "ask", "python3 -": "auto"},
	} {
		b := newBench(t, Rule{Tool: "shell", Match: rule, Action: Allow})
		for line, want := range cases {
			v := b.shell(Ask, line)
			if got := outcome(v); got != want {
				t.Errorf("allow %q: %q: got %s (%s), want %s", rule, line, got, v.Reason, want)
			}
		}
	}
}

// TestDenyRules: no spelling gets round a rule that denies.
func TestDenyRules(t *testing.T) {
	b := newBench(t, Rule{Tool: "*", Action: Allow}, Rule{Tool: "shell", Match: "npm publish *", Action: Deny}, Rule{Tool: "*", Match: "path:~/other/", Action: Deny})
	for _, line := range []string{
		"npm publish", "npm publish --x", "ls; npm publish", "ls && npm publish", "{ npm publish; }", "(npm publish)", "cat <(npm publish)", "echo $(npm publish)", "echo `npm publish`",
		"/usr/bin/npm publish", "./npm publish", "'npm' publish", "n\\pm pub''lish", "env npm publish", "sudo npm publish", "timeout 5 npm publish", "sh -c 'npm publish'", "eval npm publish",
		"xargs npm publish", "find . -exec npm publish \\;", "if true; then npm publish; fi", "while npm publish; do :; done", "f() { npm publish; }; f", "npm publish &", "! npm publish",
		"X=publish; npm $X", "npm {publish,}", "nohup npm publish", "echo 'npm publish' | sh", "trap 'npm publish' EXIT", "case x in *) npm publish;; esac",
		"cat ~/other/b.txt", "cat $HOME/other/b.txt", "cat ../other/b.txt", "cat homelink/other/b.txt", "cd ..; cat other/b.txt", "cat < ~/other/b.txt", "cp a --to=../other/c", "ls ~/other", "ls ~/other/",
	} {
		if got := outcome(b.shell(Auto, line)); got != "deny" {
			t.Errorf("%q: got %s, want deny", line, got)
		}
	}
	for _, line := range []string{"npm test", "ls", "cat a.txt", "echo npm publish", "ls ../otherwise"} {
		if got := outcome(b.shell(Ask, line)); got != "auto" {
			t.Errorf("%q: got %s, want auto", line, got)
		}
	}
}

func TestPathRules(t *testing.T) {
	b := newBench(t)
	read := tool("view_image", capability.ReadOnly)
	for rule, cases := range map[Rule]map[string]string{
		{Tool: "view_image", Match: "~/Pictures/**", Action: Allow}:   {"~/Pictures/a.png": "auto", "~/Pictures/x/y.png": "auto", "~/Pictures2/a.png": "ask", "~/other/Pictures/a.png": "ask"},
		{Tool: "view_image", Match: "~/Pictures/*", Action: Allow}:    {"~/Pictures/a.png": "auto", "~/Pictures/x/y.png": "ask"},
		{Tool: "view_image", Match: "~/Pictures/", Action: Allow}:     {"~/Pictures/a.png": "auto", "~/Pictures/x/y.png": "auto"},
		{Tool: "view_image", Match: "$HOME/P?c/*.png", Action: Allow}: {"~/Pic/a.png": "auto", "~/Pic/a.jpg": "ask", "~/Pi/c/a.png": "ask"},
		{Tool: "view_image", Match: "./src/**", Action: Allow}:        {"~/project/src/a": "auto", "~/project/x/src/a": "ask", "~/src/a": "ask"},
		{Tool: "view_image", Match: "~/Pictures", Action: Deny}:       {"~/Pictures": "deny", "~/Pictures/x/y.png": "deny", "~/PICTURES/a": "deny", "~/Pic": "ask"},
		{Tool: "view_image", Match: "~/Pictures/", Action: Deny}:      {"~/Pictures": "deny", "~/Pictures/x": "deny"},
		{Tool: "view_*", Match: "path:~/homelinked/*", Action: Deny}:  {"~/homelinked/a": "deny"},
		{Tool: "other", Match: "path:/**", Action: Allow}:             {"~/Pictures/a.png": "ask"},
	} {
		b.rules.list = []Rule{rule}
		for path, want := range cases {
			p := capability.Preview{Paths: []capability.PathUse{{Path: strings.Replace(path, "~", b.home, 1)}}}
			if got := outcome(b.Decide(read, capability.Call{Name: read.Name, Turn: b.turn}, p)); got != want {
				t.Errorf("%v: %s: got %s, want %s", rule, path, got, want)
			}
		}
	}
	b.rules.list = []Rule{{Tool: "view_image", Match: "~/a/*", Action: Allow}}
	both := capability.Preview{Paths: []capability.PathUse{{Path: b.home + "/a/1"}, {Path: b.home + "/b/1"}}}
	if got := outcome(b.Decide(read, capability.Call{Name: read.Name, Turn: b.turn}, both)); got != "ask" {
		t.Errorf("one of two paths allowed: got %s, want ask", got)
	}
}

func TestHostRules(t *testing.T) {
	b := newBench(t)
	fetch := tool("http_request", capability.Network)
	for rule, cases := range map[Rule]map[string]string{
		{Tool: "http_request", Match: "example.org", Action: Allow}: {
			"https://example.org/x": "auto", "https://EXAMPLE.org./x": "auto", "http://example.org:80/": "auto", "https://example.org:443/": "auto", "https://example.org:8443/": "ask",
			"https://a.example.org/": "ask", "https://example.org.evil.com/": "ask", "https://evilexample.org/": "ask", "https://example.org@evil.com/": "ask", "https://evil.com/example.org": "ask",
		},
		{Tool: "http_request", Match: "*.example.org", Action: Allow}:  {"https://a.example.org/": "auto", "https://a.b.example.org/": "auto", "https://example.org/": "ask", "https://xexample.org/": "ask"},
		{Tool: "http_request", Match: "localhost:8080", Action: Allow}: {"http://localhost:8080/": "auto", "http://localhost:8081/": "ask", "http://localhost/": "ask"},
		{Tool: "http_request", Match: "example.org", Action: Deny}:     {"https://example.org:8443/": "deny", "https://EXAMPLE.ORG/": "deny", "https://a.example.org/": "ask"},
		{Tool: "http_request", Match: "bücher.example", Action: Deny}:  {"https://xn--bcher-kva.example/": "deny", "https://BÜCHER.example/": "deny"},
	} {
		b.rules.list = []Rule{rule}
		for address, want := range cases {
			if got := outcome(b.Decide(fetch, capability.Call{Name: fetch.Name, Turn: b.turn}, capability.Preview{URL: address})); got != want {
				t.Errorf("%v: %s: got %s, want %s", rule, address, got, want)
			}
		}
	}
}

func TestScope(t *testing.T) {
	b := newBench(t, Rule{Tool: "shell", Match: "make", Action: Allow, Scope: "~/project"})
	for workspace, want := range map[string]string{b.ws: "auto", b.ws + "/src": "auto", b.ws + "er": "ask", b.home: "ask", "": "ask"} {
		b.turn.Workspace = workspace
		if got := outcome(b.shell(Ask, "make")); got != want {
			t.Errorf("in %q: got %s, want %s", workspace, got, want)
		}
	}
}

func TestRulesPerServer(t *testing.T) {
	b := newBench(t, Rule{Tool: "mcp__github__*", Action: Allow}, Rule{Tool: "mcp__github__delete_repo", Action: Deny}, Rule{Tool: "mcp__mail__*", Action: AskFirst})
	for name, want := range map[string]string{"mcp__github__list": "auto", "mcp__github__delete_repo": "deny", "mcp__mail__send": "ask", "mcp__other__x": "ask"} {
		c := &capability.Capability{Name: name, Kind: capability.KindMCP, Class: capability.ExternalAPI}
		if got := outcome(b.Decide(c, capability.Call{Name: name, Turn: b.turn}, capability.Preview{})); got != want {
			t.Errorf("%s: got %s, want %s", name, got, want)
		}
	}
}
