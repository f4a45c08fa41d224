package config

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/pelletier/go-toml/v2"
)

// put writes a config file and returns it.
func place(t *testing.T, text string) File {
	t.Helper()
	f := File{filepath.Join(t.TempDir(), "config.toml")}
	if err := os.WriteFile(f.Path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return f
}

func text(t *testing.T, f File) string {
	t.Helper()
	b, err := os.ReadFile(f.Path)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func TestSet(t *testing.T) {
	tests := map[string]struct{ before, key, value, want string }{
		"in place":                {"[log]\nlevel  =  \"info\"  # loud\n", "log.level", `"debug"`, "[log]\nlevel  =  \"debug\"  # loud\n"},
		"a bare word":             {"[log]\nlevel = 'info'\n", "log.level", "warn", "[log]\nlevel = \"warn\"\n"},
		"a number as text":        {"[models.main]\nmodel = 'x'\n", "models.main.model", "4", "[models.main]\nmodel = \"4\"\n"},
		"a time span":             {"[tools.shell]\ntimeout = '1m'\n", "tools.shell.timeout", "90s", "[tools.shell]\ntimeout = \"90s\"\n"},
		"new key in a table":      {"[agent]\nmax_steps = 5\n\n# about logs\n[log]\n", "agent.workspace", `"/w"`, "[agent]\nmax_steps = 5\nworkspace = \"/w\"\n\n# about logs\n[log]\n"},
		"below its default":       {"[log]\n# Least.\n# level = \"info\"\n\n[agent]\n", "log.level", `"warn"`, "[log]\n# Least.\n# level = \"info\"\nlevel = \"warn\"\n\n[agent]\n"},
		"new table":               {"version = 1\n", "log.level", `"warn"`, "version = 1\n\n[log]\nlevel = \"warn\"\n"},
		"into an empty file":      {"", "log.level", `"warn"`, "[log]\nlevel = \"warn\"\n"},
		"no final line end":       {"[log]", "log.level", `"warn"`, "[log]\nlevel = \"warn\"\n"},
		"dotted":                  {"log.level = 'info' # x\n", "log.level", `"warn"`, "log.level = \"warn\" # x\n"},
		"beside a dotted key":     {"models.main.model = 'x'\n[log]\n", "models.main.effort", `"low"`, "models.main.model = 'x'\nmodels.main.effort = \"low\"\n[log]\n"},
		"dotted in a table":       {"[models]\nmain.model = 'x'\n", "models.main.effort", `"low"`, "[models]\nmain.model = 'x'\nmain.effort = \"low\"\n"},
		"into an inline table":    {"models.main = { model = 'x' } # m\n", "models.main.effort", `"low"`, "models.main = { model = 'x', effort = \"low\" } # m\n"},
		"in an inline table":      {"models.main = { model = 'x', effort = 'high' }\n", "models.main.model", `"y"`, "models.main = { model = \"y\", effort = 'high' }\n"},
		"into an empty inline":    {"models.main = {}\n", "models.main.effort", `"low"`, "models.main = {effort = \"low\" }\n"},
		"a list over lines":       {"[sandbox]\nblocked_roots = [\n  '/a', # a\n]\nnetwork = 'off' # n\n", "sandbox.blocked_roots", `["/b"]`, "[sandbox]\nblocked_roots = [\"/b\"]\nnetwork = 'off' # n\n"},
		"quoted name":             {"[providers.\"a b\"]\nkind = 'openai'\n", `providers."a b".key`, "env:KEY", "[providers.\"a b\"]\nkind = 'openai'\nkey = \"env:KEY\"\n"},
		"line ends":               {"[log]\r\nlevel = 'info'\r\n[agent]\r\n", "agent.max_steps", "7", "[log]\r\nlevel = 'info'\r\n[agent]\r\nmax_steps = 7\r\n"},
		"byte order mark":         {"\ufeff[log]\nlevel = 'info'\n", "log.level", "warn", "\ufeff[log]\nlevel = \"warn\"\n"},
		"element of a list":       {"[[permission.rules]]\ntool = 'a' # a\naction = 'ask'\n[[permission.rules]]\ntool = 'b'\naction = 'ask'\n", "permission.rules.1.action", "deny", "[[permission.rules]]\ntool = 'a' # a\naction = 'ask'\n[[permission.rules]]\ntool = 'b'\naction = \"deny\"\n"},
		"new key of an element":   {"[[permission.rules]]\ntool = 'a'\naction = 'ask'\n[log]\n", "permission.rules.0.match", "x", "[[permission.rules]]\ntool = 'a'\naction = 'ask'\nmatch = \"x\"\n[log]\n"},
		"one word for a list":     {"[tools]\n", "tools.disabled", "shell", "[tools]\ndisabled = [\"shell\"]\n"},
		"parent after its child":  {"[models.main]\nmodel = 'x'\n", "models.job", "{ model = 'y' }", "[models.main]\nmodel = 'x'\n\n[models]\njob = { model = 'y' }\n"},
		"version before anything": {"# mine\n\n[log]\n", "version", "1", "version = 1\n# mine\n\n[log]\n"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			f := place(t, tt.before)
			if err := f.Set(t.Context(), tt.key, tt.value); err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(tt.want, text(t, f)); d != "" {
				t.Errorf("(-want +got)\n%s", d)
			}
			backup, err := os.ReadFile(f.Path + ".bak")
			if err != nil || string(backup) != tt.before {
				t.Errorf("backup: got %q, %v", backup, err)
			}
		})
	}
}

func TestSetRefuses(t *testing.T) {
	before := "[log]\nlevel = 'info' # mine\n"
	tests := map[string]struct{ key, value, want string }{
		"unknown key":  {"log.lvel", "x", "no such setting: log.lvel; did you mean log.level?"},
		"wrong choice": {"log.level", "loud", "must be one of debug, info, warn, error"},
		"wrong type":   {"agent.max_steps", `"5"`, "agent.max_steps must be a whole number"},
		"not TOML":     {"tools.disabled", "[", "the value is not TOML"},
		"two values":   {"log.level", "\"info\"\nversion = 3", "the value is not TOML"},
		"a comment":    {"agent.max_steps", "5 # five", "the value is not TOML"},
		"not a key":    {"log level", "x", "is not a key"},
		"key breaks":   {"log.level = 1\nx", "x", "is not a key"},
		"a secret":     {"providers.openai.key", "sk-1234567890", "must say where the secret is"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			f := place(t, before)
			err := f.Set(t.Context(), tt.key, tt.value)
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got %v, want %q", err, tt.want)
			}
			if got := text(t, f); got != before {
				t.Errorf("the file changed: %q", got)
			}
		})
	}
	f := place(t, "[log\n")
	if err := f.Set(t.Context(), "log.level", "warn"); err == nil {
		t.Error("a broken file was edited")
	}
	f = place(t, "[models.main]\nmodel = 'x'\n")
	if err := f.Set(t.Context(), "models.main", "{ model = 'y' }"); err == nil {
		t.Error("a table under a header was replaced, or silently was not")
	}
	if err := (File{"config.toml"}).Set(t.Context(), "log.level", "warn"); err == nil {
		t.Error("a relative path was taken")
	}
}

func TestUnset(t *testing.T) {
	f := place(t, "# top\n[log]\n# why\nlevel = 'warn' # loud\n\n[agent]\nmax_steps = 5\n")
	if err := f.Unset(t.Context(), "agent.max_steps"); err != nil {
		t.Fatal(err)
	}
	if err := f.Unset(t.Context(), "agent.max_steps"); err != nil {
		t.Fatalf("twice: %v", err)
	}
	if err := f.Unset(t.Context(), "log.level"); err != nil {
		t.Fatal(err)
	}
	if got, want := text(t, f), "# top\n[log]\n# why\n\n[agent]\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestAppendRule(t *testing.T) {
	rule := Rule{Tool: "shell", Match: `git "status"`, Action: "allow"}
	tests := map[string]struct{ before, want string }{
		"no rules": {"[log]\nlevel = 'info'\n", "[log]\nlevel = 'info'\n\n[[permission.rules]]\ntool = \"shell\"\nmatch = \"git \\\"status\\\"\"\naction = \"allow\"\n"},
		"behind the others": {
			"[permission]\n[[permission.rules]]\ntool = 'a'\naction = 'ask'\n\n# logs\n[log]\n",
			"[permission]\n[[permission.rules]]\ntool = 'a'\naction = 'ask'\n\n[[permission.rules]]\ntool = \"shell\"\nmatch = \"git \\\"status\\\"\"\naction = \"allow\"\n\n# logs\n[log]\n",
		},
		"an inline list": {
			"[permission]\nrules = [ { tool = 'a', action = 'ask' } ] # r\n",
			"[permission]\nrules = [ { tool = 'a', action = 'ask' }, { tool = \"shell\", match = \"git \\\"status\\\"\", action = \"allow\" } ] # r\n",
		},
		"there already": {
			"[[permission.rules]]\naction = 'allow'\ntool = 'shell'\nmatch = 'git \"status\"'\n",
			"[[permission.rules]]\naction = 'allow'\ntool = 'shell'\nmatch = 'git \"status\"'\n",
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			f := place(t, tt.before)
			if err := f.AppendRule(t.Context(), rule); err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(tt.want, text(t, f)); d != "" {
				t.Errorf("(-want +got)\n%s", d)
			}
			c, err := f.Load()
			if err != nil || !slices.Contains(c.Permission.Rules, rule) {
				t.Errorf("got %+v, %v", c, err)
			}
		})
	}
	f := place(t, "")
	if err := f.AppendRule(t.Context(), Rule{Tool: "shell"}); err == nil {
		t.Error("a rule without an action was written")
	}
	if err := f.AppendRule(t.Context(), Rule{Tool: "shell", Action: "perhaps"}); err == nil {
		t.Error("a rule with an unknown action was written")
	}
}

func TestRoots(t *testing.T) {
	t.Setenv("HOME", "/home/ada")
	tests := map[string]struct{ before, add, remove, want string }{
		"first":                    {"[sandbox]\n", "/a", "", "[sandbox]\nallowed_roots = [\"/a\"]\n"},
		"one line":                 {"sandbox.allowed_roots = ['/a'] # r\n", "/b", "", "sandbox.allowed_roots = ['/a', \"/b\"] # r\n"},
		"empty list":               {"[sandbox]\nallowed_roots = [ ]\n", "/b", "", "[sandbox]\nallowed_roots = [\"/b\" ]\n"},
		"over lines":               {"[sandbox]\nallowed_roots = [\n    '/a', # one\n]\n", "/b", "", "[sandbox]\nallowed_roots = [\n    '/a', # one\n    \"/b\"\n]\n"},
		"over lines, no comma":     {"[sandbox]\nallowed_roots = [\n    '/a' # one\n]\n", "/b", "", "[sandbox]\nallowed_roots = [\n    '/a', # one\n    \"/b\"\n]\n"},
		"there in another way":     {"[sandbox]\nallowed_roots = ['~/x/']\n", "/home/ada/x", "", "[sandbox]\nallowed_roots = ['~/x/']\n"},
		"remove the only one":      {"[sandbox]\nallowed_roots = ['/a'] # r\n", "", "/a", "[sandbox]\nallowed_roots = [] # r\n"},
		"remove the first":         {"[sandbox]\nallowed_roots = ['/a', '/b']\n", "", "/a", "[sandbox]\nallowed_roots = ['/b']\n"},
		"remove the last":          {"[sandbox]\nallowed_roots = ['/a', '/b']\n", "", "/b", "[sandbox]\nallowed_roots = ['/a']\n"},
		"remove a line":            {"[sandbox]\nallowed_roots = [\n  '/a',\n  '/b',\n]\n", "", "/a", "[sandbox]\nallowed_roots = [\n  '/b',\n]\n"},
		"remove twice, any way":    {"[sandbox]\nallowed_roots = ['/home/ada', '/b', '~']\n", "", "/home/ada/", "[sandbox]\nallowed_roots = ['/b']\n"},
		"remove what is not there": {"[sandbox]\nallowed_roots = ['/a']\n", "", "/b", "[sandbox]\nallowed_roots = ['/a']\n"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			f := place(t, tt.before)
			if tt.add != "" {
				if err := f.AppendRoot(t.Context(), tt.add); err != nil {
					t.Fatal(err)
				}
			}
			if tt.remove != "" {
				if err := f.RemoveRoot(t.Context(), tt.remove); err != nil {
					t.Fatal(err)
				}
			}
			if d := cmp.Diff(tt.want, text(t, f)); d != "" {
				t.Errorf("(-want +got)\n%s", d)
			}
		})
	}
	if err := place(t, "").AppendRoot(t.Context(), "work"); err == nil {
		t.Error("a relative folder was granted")
	}
}

func TestGet(t *testing.T) {
	f := place(t, "[providers.mine]\nbase_url = 'http://x/v1'\nheaders = { b = '2', a = '1' }\n[log]\nlevel = 'warn'\n")
	tests := map[string]Value{
		"log.level":          {"log.level", `"warn"`, true},
		"agent.max_steps":    {"agent.max_steps", "100", false},
		"providers.mine":     {"providers.mine", `{ base_url = "http://x/v1", headers = { a = "1", b = "2" } }`, true},
		"tools.tool_search":  {"tools.tool_search", "{ enabled = true, threshold = 15 }", false},
		"tools.shell":        {"tools.shell", `{ timeout = "2m", max_timeout = "10m", inline_success = 1024, inline_failure = 8192, kept_bytes = 1048576 }`, false},
		"sandbox.env":        {"sandbox.env", "{}", false},
		`providers."mine"`:   {"providers.mine", `{ base_url = "http://x/v1", headers = { a = "1", b = "2" } }`, true},
		"desktop.background": {"desktop.background", "true", false},
	}
	for key, want := range tests {
		got, err := f.Get(key)
		if err != nil || got != want {
			t.Errorf("%s: got %+v, %v, want %+v", key, got, err, want)
		}
	}
	for _, key := range []string{"log.x", "providers.other.kind", "permission.rules.0.tool", ""} {
		if _, err := f.Get(key); err == nil {
			t.Errorf("%q: no error", key)
		}
	}
	if _, err := f.Get("log.x"); !errors.Is(err, ErrUnknownKey) {
		t.Errorf("got %v", err)
	}
	all, err := f.All()
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Contains(all, Value{"providers.mine.base_url", `"http://x/v1"`, true}) || !slices.Contains(all, Value{"log.level", `"warn"`, true}) {
		t.Errorf("All lacks what is set: %v", all)
	}
	for _, v := range all {
		if strings.Contains(v.Key, "NAME") {
			t.Errorf("All has a placeholder: %s", v.Key)
		}
	}
}

// Every setting of the default file can be set, and each edit leaves all
// others and all comments alone.
func TestSetEveryKey(t *testing.T) {
	f := File{filepath.Join(t.TempDir(), "new", "config.toml")}
	if err := f.Create(t.Context()); err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(f.Path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("got %v, %v", info.Mode(), err)
	}
	for _, k := range Keys() {
		if strings.Contains(k.Name, "NAME") || strings.Contains(k.Name, ".N.") {
			continue
		}
		if err := f.Set(t.Context(), k.Name, k.Default); err != nil {
			t.Errorf("%s = %s: %v", k.Name, k.Default, err)
		}
	}
	got, err := f.Load()
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(Default(), got, cmp.Transformer("empty", func(s []string) []string { return append([]string{}, s...) })); d != "" {
		t.Errorf("(-want +got)\n%s", d)
	}
	var live []string
	for line := range strings.Lines(text(t, f)) {
		if !strings.HasPrefix(line, "#") && strings.TrimSpace(line) != "" {
			continue
		}
		live = append(live, line)
	}
	if got, want := strings.Join(live, ""), strings.Join(commentLines(string(DefaultFile())), ""); got != want {
		t.Errorf("comments changed:\n%s", cmp.Diff(want, got))
	}
}

func commentLines(text string) []string {
	var out []string
	for line := range strings.Lines(text) {
		if strings.HasPrefix(line, "#") || strings.TrimSpace(line) == "" {
			out = append(out, line)
		}
	}
	return out
}

func TestSetThroughLink(t *testing.T) {
	dir := t.TempDir()
	target := filepath.Join(dir, "dotfiles", "hobkin.toml")
	if err := os.MkdirAll(filepath.Dir(target), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(target, []byte("[log]\n"), 0o640); err != nil {
		t.Fatal(err)
	}
	f := File{filepath.Join(dir, "config.toml")}
	if err := os.Symlink(target, f.Path); err != nil {
		t.Skipf("no links here: %v", err)
	}
	if err := f.Set(t.Context(), "log.level", "warn"); err != nil {
		t.Fatal(err)
	}
	if info, err := os.Lstat(f.Path); err != nil || info.Mode()&os.ModeSymlink == 0 {
		t.Errorf("the link is gone: %v, %v", info.Mode(), err)
	}
	if info, err := os.Stat(target); err != nil || info.Mode().Perm() != 0o640 {
		t.Errorf("the mode changed: %v, %v", info.Mode(), err)
	}
	if got := text(t, File{target}); got != "[log]\nlevel = \"warn\"\n" {
		t.Errorf("got %q", got)
	}
}

func TestSetSideBySide(t *testing.T) {
	f := File{filepath.Join(t.TempDir(), "config.toml")}
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			if err := f.AppendRoot(t.Context(), filepath.Join("/roots", string(rune('a'+i)))); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	c, err := f.Load()
	if err != nil || len(c.Sandbox.AllowedRoots) != 8 {
		t.Errorf("got %v, %v, want 8 roots", c, err)
	}
	left, err := filepath.Glob(filepath.Join(filepath.Dir(f.Path), ".config.toml.[0-9]*"))
	if err != nil || len(left) > 0 {
		t.Errorf("temporary files are left: %v, %v", left, err)
	}
}

func FuzzSet(f *testing.F) {
	f.Add([]byte("[log]\nlevel = 'info' # loud\n"), "log.level", "warn")
	f.Add([]byte("models.main = { model = 'x', } # m\n"), "models.main.effort", "'low'")
	f.Add(DefaultFile(), "sandbox.allowed_roots", `["/a", "/b"]`)
	f.Add([]byte("[[permission.rules]]\ntool='a' # a\naction='ask'\n"), "permission.rules.0.match", "x y")
	f.Add([]byte("[providers]\na.kind='openai' # x\n[tools]\n# t\n"), "providers.b", "{ kind = 'openai' }")
	f.Fuzz(func(t *testing.T, before []byte, key, value string) {
		path, err := splitKey(key)
		if err != nil {
			return
		}
		s, _, _, ok := slotOf(path)
		if !ok {
			return
		}
		if value, err = readValue(value, s.typ); err != nil {
			return
		}
		if _, err := Parse("/c.toml", before); err != nil {
			return
		}
		d, err := parse(withoutBOM(before))
		if err != nil {
			t.Fatalf("what loads does not parse: %v", err)
		}
		changes, err := d.set(path, value)
		if err != nil {
			return
		}
		after, err := d.apply("/c.toml", changes)
		if err != nil {
			return // refused: nothing is written
		}
		var was, is map[string]any
		if err := errors.Join(toml.Unmarshal(withoutBOM(before), &was), toml.Unmarshal(after, &is)); err != nil {
			t.Fatal(err)
		}
		v, err := decodeValue(value)
		if err != nil {
			t.Fatal(err)
		}
		if was == nil {
			was = map[string]any{}
		}
		if err := put(was, path, v); err != nil || !same(was, is) {
			t.Errorf("setting %s = %s in %q gave %q (%v)", key, value, before, after, err)
		}
	})
}
