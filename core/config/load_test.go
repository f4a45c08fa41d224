package config

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestParseRefuses(t *testing.T) {
	tests := map[string]struct {
		text string
		want []string // each line of the error, in order
	}{
		"unknown key": {
			"[models.main]\nmdoel = \"x\"\n",
			[]string{"/c.toml:2:1: unknown key models.main.mdoel; did you mean models.main.model?"},
		},
		"unknown key with capitals": {
			"[models.main]\nModel = \"x\"\n",
			[]string{"/c.toml:2:1: unknown key models.main.Model; did you mean models.main.model?"},
		},
		"key of another table": {
			"max_steps = 5\n",
			[]string{"/c.toml:1:1: unknown key max_steps; did you mean agent.max_steps?"},
		},
		"unknown table, said once": {
			"[sandbx]\nmode = \"strict\"\nnetwork = \"off\"\n",
			[]string{"/c.toml:1:2: unknown key sandbx; did you mean sandbox?"},
		},
		"unknown in an inline table": {
			"providers.a = { kind = \"openai\", bse_url = \"x\" }\n",
			[]string{"/c.toml:1:34: unknown key providers.a.bse_url; did you mean providers.a.base_url?"},
		},
		"unknown like nothing": {
			"[log]\nwhatsoever = 1\n",
			[]string{"/c.toml:2:1: unknown key log.whatsoever; known here: level"},
		},
		"inside a value": {
			"[log]\nlevel.x = 1\n",
			[]string{"/c.toml:2:1: log.level is a single value; nothing can stand inside it"},
		},
		"wrong type": {
			"[agent]\nmax_steps = \"many\"\n[desktop]\nbackground = 1\n",
			[]string{"/c.toml:2:1: agent.max_steps must be a whole number, not text in quotes", "/c.toml:4:1: desktop.background must be true or false, not a whole number"},
		},
		"wrong type of an element": {
			"[sandbox]\nallowed_roots = [\"/a\", 5]\n",
			[]string{"/c.toml:2:24: sandbox.allowed_roots.1 must be text in quotes, not a whole number"},
		},
		"a list where a table belongs": {
			"sandbox = [1]\n",
			[]string{"/c.toml:1:1: sandbox must be a table, not a list"},
		},
		"choice": {
			"[permission]\nmode = \"acept_edits\"\n",
			[]string{"/c.toml:2:1: permission.mode must be one of plan, ask, accept_edits, auto; did you mean accept_edits?"},
		},
		"range": {
			"[agent]\nmax_steps = 0\n",
			[]string{"/c.toml:2:1: agent.max_steps must be at least 1"},
		},
		"number too large": {
			"[tools.file]\nread_bytes = 9223372036854775807\n",
			[]string{"/c.toml:2:1: tools.file.read_bytes is a number that is out of range"},
		},
		"time span": {
			"[tools.shell]\ntimeout = \"2 minutes\"\n",
			[]string{"/c.toml:2:1: tools.shell.timeout must be a time span such as \"90s\" or \"2m\""},
		},
		"relative path": {
			"[sandbox]\nallowed_roots = [\"work\"]\n",
			[]string{"/c.toml:2:18: sandbox.allowed_roots.0 must be an absolute path (or start with ~/): a relative one would depend on where Hobkin is started"},
		},
		"host of the network": {
			"[net]\nallow_hosts = [\"nas.lan:8080\", \"http://nas.lan\"]\n",
			[]string{"/c.toml:2:32: net.allow_hosts.1 is wrong: \"http://nas.lan\" is no host that can be allowed: leave out the scheme and the path, such as nas.lan:8080"},
		},
		"the whole network": {
			"[net]\nallow_hosts = [\"0.0.0.0/0\"]\n",
			[]string{"/c.toml:2:16: net.allow_hosts.0 is wrong: \"0.0.0.0/0\" is no host that can be allowed: it is the whole network; name the part that is meant"},
		},
		"a key in the file is not repeated": {
			"[providers.openai]\nkey = \"sk-proj-1234567890abcdef\"\n",
			[]string{"/c.toml:2:1: providers.openai.key must say where the secret is, not what it is: keyring:NAME, env:NAME or file:/PATH. Store it with: hobkin secrets set NAME"},
		},
		"address": {
			"[providers.x]\nbase_url = \"localhost:8080\"\n",
			[]string{"/c.toml:2:1: providers.x.base_url must be an address that starts with http:// or https://"},
		},
		"provider that is not there": {
			"[models.main]\nprovider = \"opnai\"\n",
			[]string{"/c.toml:2:1: no provider is named \"opnai\"; add [providers.opnai]; did you mean openai?"},
		},
		"rule without an action": {
			"[[permission.rules]]\ntool = \"shell\"\n",
			[]string{"/c.toml:1:3: permission.rules.0 needs action"},
		},
		"newer version": {
			"version = 2\n",
			[]string{"/c.toml:1:1: this file is of version 2, made by a newer Hobkin; this one reads version 1"},
		},
		"column counts characters": {
			"providers = { \"äöü\" = { kidn = \"openai\" } }\n",
			[]string{"/c.toml:1:25: unknown key providers.\"äöü\".kidn; did you mean providers.\"äöü\".kind?"},
		},
		"several sources": {
			"[sandbox.env.sources]\nA = { env = \"B\", keyring = \"c\" }\n",
			[]string{"/c.toml:2:1: sandbox.env.sources.A needs exactly one of env, keyring, command"},
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			_, err := Parse("/c.toml", []byte(tt.text))
			e, ok := errors.AsType[*Error](err)
			if !ok {
				t.Fatalf("got %v, want an *Error", err)
			}
			if d := cmp.Diff(tt.want, strings.Split(e.Error(), "\n")); d != "" {
				t.Errorf("(-want +got)\n%s", d)
			}
		})
	}
}

func TestParseSyntax(t *testing.T) {
	tests := map[string]struct {
		text         string
		line, column int
	}{
		"not TOML":      {"[log]\nlevel = yes\n", 2, 9},
		"unclosed":      {"[log\n", 1, 5},
		"twice":         {"version = 1\nversion = 1\n", 2, 1},
		"table twice":   {"[log]\n[log]\n", 2, 2},
		"not UTF-8":     {"# \xff\n", 1, 3},
		"UTF-16":        {"\xff\xfev\x00", 1, 1},
		"broken string": {"[log]\n\nlevel = \"info\n", 3, 14},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			_, err := Parse("/c.toml", []byte(tt.text))
			e, ok := errors.AsType[*Error](err)
			if !ok || len(e.Problems) != 1 {
				t.Fatalf("got %v, want one problem", err)
			}
			if p := e.Problems[0]; p.Line != tt.line || p.Column != tt.column {
				t.Errorf("got line %d, column %d, want %d, %d: %s", p.Line, p.Column, tt.line, tt.column, p.Message)
			}
		})
	}
}

func TestParse(t *testing.T) {
	t.Setenv("HOME", "/home/ada")
	text := "\ufeffversion = 1\r\n" + `
[models.main]
provider = "local"
model = "qwen"
effort = "low"
[models]
subagent = { model = "small" }
vision = { provider = "openai", model = "eyes" }
[providers.local]
base_url = "http://127.0.0.1:9/v1"
headers.X-Team = "env:TEAM"
[[permission.rules]]
tool = "shell"
match = "git status"
action = "allow"
scope = "~/work/"
[sandbox]
allowed_roots = ["~/Music", "/srv/../data"]
env = { allow = ["GH_TOKEN"], sources = { GH_TOKEN = { command = ["pass", "show", "gh"] } } }
[tools.shell]
timeout = "90s"
`
	got, err := Parse("/c.toml", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	want := Default()
	want.Models.Main = Role{"local", "qwen", "low"}
	want.Models.Subagent = Role{Model: "small"}
	want.Models.Vision = Role{Provider: "openai", Model: "eyes"}
	want.Providers = map[string]Provider{"local": {BaseURL: "http://127.0.0.1:9/v1", Headers: map[string]string{"X-Team": "env:TEAM"}}}
	want.Permission.Rules = []Rule{{Tool: "shell", Match: "git status", Action: "allow", Scope: "/home/ada/work"}}
	want.Sandbox.AllowedRoots = []string{"/home/ada/Music", "/data"}
	want.Sandbox.Env = Env{Allow: []string{"GH_TOKEN"}, Sources: map[string]EnvSource{"GH_TOKEN": {Command: []string{"pass", "show", "gh"}}}}
	want.Tools.Shell.Timeout = Duration(90 * time.Second)
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("(-want +got)\n%s", d)
	}
	roles := map[string]Role{
		"main": {"local", "qwen", "low"}, "subagent": {"local", "small", "low"}, "job": {"local", "qwen", "low"},
		"vision": {"openai", "eyes", ""}, "reviewer": {}, "nonsense": {"local", "qwen", "low"},
	}
	for name, want := range roles {
		if got := got.Models.Role(name); got != want {
			t.Errorf("role %s: got %+v, want %+v", name, got, want)
		}
	}
	if p, err := got.Provider("local"); err != nil || p.Kind != "openai_chat" {
		t.Errorf("provider local: got %+v, %v", p, err)
	}
	if p, err := got.Provider("anthropic"); err != nil || p.Key != "keyring:anthropic" || p.Kind != "anthropic" {
		t.Errorf("provider anthropic: got %+v, %v", p, err)
	}
	if _, err := got.Provider("nobody"); err == nil {
		t.Error("provider nobody: no error")
	}
}

func TestLoad(t *testing.T) {
	dir := t.TempDir()
	got, err := Load(filepath.Join(dir, "none.toml"))
	if err != nil {
		t.Fatalf("a file that is not there: %v", err)
	}
	if d := cmp.Diff(Default(), got); d != "" {
		t.Errorf("a file that is not there (-want +got):\n%s", d)
	}
	if _, err := Load(dir); err == nil || !strings.Contains(err.Error(), "this is not a file") {
		t.Errorf("a folder: got %v", err)
	}
	large := filepath.Join(dir, "large.toml")
	if err := os.WriteFile(large, []byte(strings.Repeat("# x\n", 300_000)), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Load(large); err == nil || !strings.Contains(err.Error(), "over 1 MiB") {
		t.Errorf("a huge file: got %v", err)
	}
}

func TestDuration(t *testing.T) {
	for text, want := range map[string]string{"120s": "2m", "90s": "1m30s", "60m": "1h", "1500ms": "1.5s", "1h30m": "1h30m", "10s": "10s", "100h": "100h"} {
		var d Duration
		if err := d.UnmarshalText([]byte(text)); err != nil {
			t.Fatal(err)
		}
		if got := d.String(); got != want {
			t.Errorf("%s: got %s, want %s", text, got, want)
		}
	}
	for _, text := range []string{"", "5", "-1s", "0s", "two"} {
		if err := new(Duration).UnmarshalText([]byte(text)); err == nil {
			t.Errorf("%q: no error", text)
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add(DefaultFile())
	f.Add([]byte("[[permission.rules]]\ntool='shell'\naction='deny'\n[providers.\"a b\"]\nheaders={a='b'}\n"))
	f.Add([]byte("[[guardrails]]\nname='k'\nstage='output'\ntype='regex'\npattern='[z-a]('\n[[guardrails]]\nname='k'\nstage='tool_use'\ntype='blocklist'\nwords=['']\n"))
	f.Add([]byte("guardrails=[{name='m',stage='output',type='moderation',source='x',tools=['[']}]"))
	f.Add([]byte("a.b.c=1\n[a]\n[[a.d]]\nx=[1,{y=2,},[3]]#c"))
	f.Fuzz(func(t *testing.T, text []byte) {
		c, err := Parse("/c.toml", text)
		if (c == nil) == (err == nil) {
			t.Fatalf("got config %v and error %v", c, err)
		}
		e, ok := errors.AsType[*Error](err)
		if !ok {
			return
		}
		lines := strings.Count(string(text), "\n") + 1
		for _, p := range e.Problems {
			if p.Line < 0 || p.Line > lines || p.Line > 0 && p.Column < 1 || p.Message == "" {
				t.Errorf("a problem out of place: %+v", p)
			}
		}
	})
}
