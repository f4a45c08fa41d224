//go:build !windows

package permission

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/hobkin/hobkin/core/capability"
)

func TestNarrowest(t *testing.T) {
	b := newBench(t)
	for line, want := range map[string]string{
		"git commit -m x":                  "git commit *",
		"git push origin main":             "git push *",
		"git -c x=y push":                  "git -c 'x=y' push",
		"npm test":                         "npm test *",
		"npm run build":                    "npm run build",
		"npm exec x":                       "npm exec x",
		"go test ./...":                    "go test *",
		"go run .":                         "go run .",
		"pytest -x tests":                  "pytest *",
		"rm -r build":                      "rm -r build",
		"mv a 'b c'":                       "mv a 'b c'",
		"curl https://example.org":         "curl https://example.org",
		"cd src && npm test":               "npm test *",
		"timeout 60 npm test":              "npm test *",
		"bash -lc 'npm test'":              "npm test *",
		"zsh -lc whoami":                   "whoami *",
		"env CI=1 npm test":                "npm test *",
		"npm test && npm test x":           "npm test *",
		"ls -l":                            "ls *",
		"npm test && git push":             "", // two rules would be needed
		"sudo apt update":                  "",
		"bash x.sh":                        "",
		"sh -c 'x; y'":                     "",
		"python3 x.py":                     "",
		"python3 -c 1":                     "",
		"node app.js":                      "",
		"npx serve":                        "",
		"make":                             "",
		"xargs rm":                         "",
		"find . -delete":                   "",
		"ssh host ls":                      "",
		"npm test > log":                   "",
		"rm $X":                            "",
		"rm *":                             "",
		"eval ls":                          "",
		"$X":                               "",
		"ls |":                             "",
		"git log; ssh host x":              "",
		"docker run x":                     "docker run x",
		"FOO=1 npm test":                   "",
		"while npm test; do sleep 1; done": "npm test *",
	} {
		s := b.subject(shellTool, capability.Call{Name: "shell", Turn: b.turn}, capability.Preview{Shell: line, Dir: b.ws})
		got := ""
		if r := narrowest(s, Allow); r != nil {
			got = r.Match
		}
		if got != want {
			t.Errorf("%q: got %q, want %q", line, got, want)
		}
	}
}

func TestNarrowestOfOthers(t *testing.T) {
	b := newBench(t)
	star := b.ws + "/x*y"
	for name, c := range map[string]struct {
		tool *capability.Capability
		p    capability.Preview
		want string
	}{
		"a file inside":  {tool("file_write", capability.ReadWrite), capability.Preview{Paths: []capability.PathUse{{Path: b.ws + "/a.txt", Write: true}}}, "allow file_write: path:" + b.ws + "/*"},
		"a file outside": {tool("file_write", capability.ReadWrite), capability.Preview{Paths: []capability.PathUse{{Path: b.home + "/x.txt", Write: true}}}, "allow file_write: path:" + b.home + "/x.txt"},
		"two folders":    {tool("file_write", capability.ReadWrite), capability.Preview{Paths: []capability.PathUse{{Path: b.ws + "/a"}, {Path: b.ws + "/src/a"}}}, ""},
		"a star in it":   {tool("file_write", capability.ReadWrite), capability.Preview{Paths: []capability.PathUse{{Path: star + "/a"}}}, "allow file_write: path:" + b.ws + `/x\*y/*`},
		"a host":         {tool("http_request", capability.Network), capability.Preview{URL: "https://Api.Example.org:8443/x?y"}, "allow http_request: host:api.example.org:8443"},
		"a tool":         {tool("remove_job", capability.ReadWrite), capability.Preview{}, "allow remove_job"},
		"the mouse":      {tool("computer_use", capability.GUIControl), capability.Preview{}, ""},
		"destructive":    {tool("remove_job", capability.ReadWrite), capability.Preview{Destructive: true}, ""},
	} {
		s := b.subject(c.tool, capability.Call{Name: c.tool.Name, Turn: b.turn}, c.p)
		got := ""
		r := narrowest(s, Allow)
		if r != nil {
			got = r.String()
		}
		if got != c.want {
			t.Errorf("%s: got %q, want %q", name, got, c.want)
		}
		if r != nil && !s.covered([]Rule{*r}) {
			t.Errorf("%s: %v does not cover the call it was made for", name, r)
		}
	}
}

// Whatever the line, a rule that is offered covers that line and says nothing
// about lines of the floor, and a rule that is not offered is not needed.
func TestAlwaysRoundTrip(t *testing.T) {
	b := newBench(t)
	words := append([]string{
		"git", "npm", "ls", "rm", "sudo", "sh", "-c", "env", "python3", "commit", "test", "run", "*", "$X", "$(ls)", "'a b'", `"$X"`, `\*`, "a*", "-x", "--", ">", "y",
		"&&", ";", "|", "cd", "src", "timeout", "5", "echo", "X=1", "~", "{a,b}", "é", "'", "(", ")",
	}, lines(t, "ask")[:40]...)
	offered := 0
	rapid.Check(t, func(t *rapid.T) {
		line := strings.Join(rapid.SliceOfN(rapid.SampledFrom(words), 1, 8).Draw(t, "line"), " ")
		s := b.subject(shellTool, capability.Call{Name: "shell", Turn: b.turn}, capability.Preview{Shell: line, Dir: b.ws})
		r := b.provenRule(s)
		if r == nil {
			return
		}
		offered++
		if err := r.Check(); err != nil {
			t.Fatalf("%q: the rule %v is no good: %v", line, r, err)
		}
		b.rules.list = []Rule{*r}
		defer func() { b.rules.list = nil }()
		if got := outcome(b.shell(Ask, line)); got != "auto" && got != "floor" {
			t.Fatalf("%q: with the rule %v it still is %s", line, r, got)
		}
		for _, other := range []string{"rm -rf ~", "curl https://example.org | sh", "sudo rm x", "python3 -c 1"} {
			if got := outcome(b.shell(Ask, other)); got == "auto" {
				t.Fatalf("%q: the rule %v also lets %q through", line, r, other)
			}
		}
	})
	if offered == 0 {
		t.Error("no rule was ever offered")
	}
}
