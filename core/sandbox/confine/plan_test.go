//go:build unix

package confine

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// tree makes files below a new folder; a name that ends with / is a folder, one
// with -> a link.
func tree(t *testing.T, names ...string) string {
	t.Helper()
	base, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		name, to, link := strings.Cut(name, "->")
		path := filepath.Join(base, name)
		err := os.MkdirAll(filepath.Dir(path), 0o755)
		switch {
		case err != nil:
		case link:
			err = os.Symlink(to, path)
		case strings.HasSuffix(name, "/"):
			err = os.MkdirAll(path, 0o755)
		default:
			err = os.WriteFile(path, []byte(name), 0o644)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	return base
}

// lines writes down what of a plan lies in base.
func lines(base string, p Plan) (out []string) {
	rel := func(path string) (string, bool) {
		r, err := filepath.Rel(base, path)
		return r, err == nil && !strings.HasPrefix(r, "..")
	}
	for _, g := range p.Grants {
		if r, ok := rel(g.Path); ok {
			out = append(out, map[bool]string{true: "write ", false: "read "}[g.Write]+r)
		}
	}
	for _, dir := range p.Passages {
		if r, ok := rel(dir); ok {
			out = append(out, "through "+r)
		}
	}
	for _, l := range p.Links {
		if r, ok := rel(l.Path); ok {
			out = append(out, "link "+r)
		}
	}
	slices.Sort(out)
	return out
}

func TestPlan(t *testing.T) {
	for name, tt := range map[string]struct {
		files         []string
		write, read   []string
		secrets, path []string
		want          []string
	}{
		"a folder is granted whole":              {[]string{"ws/a", "other/"}, []string{"ws"}, nil, nil, nil, []string{"write ws"}},
		"what does not exist is left out":        {[]string{"ws/"}, []string{"ws", "gone"}, nil, nil, nil, []string{"write ws"}},
		"a file":                                 {[]string{"a.txt"}, []string{"a.txt"}, nil, nil, nil, []string{"write a.txt"}},
		"a secret in it makes it a passage":      {[]string{"h/.ssh/id", "h/a/", "h/b"}, []string{"h"}, nil, []string{"h/.ssh"}, nil, []string{"through h", "write h/a", "write h/b"}},
		"also one that is not there":             {[]string{"h/a/"}, []string{"h"}, nil, []string{"h/.ssh"}, nil, []string{"through h", "write h/a"}},
		"a secret further down":                  {[]string{"h/c/gh/x", "h/c/y", "h/z"}, []string{"h"}, nil, []string{"h/c/gh"}, nil, []string{"through h", "through h/c", "write h/c/y", "write h/z"}},
		"a link in a passage":                    {[]string{"h/l->.ssh", "h/.ssh/"}, []string{"h"}, nil, []string{"h/.ssh"}, nil, []string{"link h/l", "through h"}},
		"reading inside of writing adds nothing": {[]string{"ws/r/"}, []string{"ws"}, []string{"ws/r"}, nil, nil, []string{"write ws"}},
		"writing inside of reading":              {[]string{"r/ws/"}, []string{"r/ws"}, []string{"r"}, nil, nil, []string{"read r", "write r/ws"}},
		"a secret is not granted by itself":      {[]string{"h/.ssh/"}, []string{"h/.ssh"}, nil, []string{"h/.ssh"}, nil, nil},
		"the name of a secret begins another's":  {[]string{"h/.ssh-tools/"}, []string{"h/.ssh-tools"}, nil, []string{"h/.ssh"}, nil, []string{"write h/.ssh-tools"}},
		"a tool chain with what stands beside":   {[]string{"h/sdk/bin/x", "h/sdk/lib/y", "h/sdk/notes/"}, nil, nil, nil, []string{"h/sdk/bin"}, []string{"read h/sdk/bin", "read h/sdk/lib"}},
		"nothing stands beside a folder of home": {[]string{"h/bin/x", "h/lib/", "h/share/"}, nil, nil, nil, []string{"h/bin"}, []string{"read h/bin"}},
		"cargo without its credentials":          {[]string{"h/.cargo/bin/x", "h/.cargo/credentials.toml", "h/.rustup/toolchains/t"}, nil, nil, []string{"h/.cargo/credentials.toml"}, []string{"h/.cargo/bin"}, []string{"read h/.cargo/bin", "read h/.rustup"}},
		"pyenv is behind its shims":              {[]string{"h/.pyenv/shims/python", "h/.pyenv/versions/3/bin/python"}, nil, nil, nil, []string{"h/.pyenv/shims"}, []string{"read h/.pyenv", "read h/.pyenv/shims"}},
		"the home on PATH is no tool chain":      {[]string{"h/x"}, nil, nil, nil, []string{"h"}, nil},
		"a hidden folder on PATH":                {[]string{"h/.claude/local/x"}, nil, nil, []string{"h/.claude"}, []string{"h/.claude/local"}, nil},
		"the settings of git, not its keys":      {[]string{"h/.gitconfig", "h/.git-credentials", "h/.config/git/ignore"}, nil, nil, []string{"h/.git-credentials"}, nil, []string{"read h/.config/git/ignore", "read h/.gitconfig"}},
	} {
		t.Run(name, func(t *testing.T) {
			base := tree(t, tt.files...)
			in := func(list []string) (out []string) {
				for _, one := range list {
					out = append(out, filepath.Join(base, one))
				}
				return out
			}
			spec := Spec{Home: filepath.Join(base, "h"), Write: in(tt.write), Read: in(tt.read), Secrets: in(tt.secrets), Path: strings.Join(in(tt.path), ":")}
			spec.Hidden = func(abs string) bool {
				return slices.ContainsFunc(spec.Secrets, func(s string) bool { return within(s, abs) })
			}
			if d := cmp.Diff(tt.want, lines(base, newPlan(spec, true, func() []string { return nil }))); d != "" {
				t.Errorf("plan (-want +got):\n%s", d)
			}
		})
	}
}

func TestExplain(t *testing.T) {
	p := Plan{Grants: []Grant{{Path: "/r"}, {Path: "/r/ws", Write: true}}, Masks: []string{"/r/shadow"}}
	for path, want := range map[string]string{"/r/a": "read", "/r/ws": "write", "/r/ws/a/b": "write", "/r/wsx": "read", "/x": "no", "/r/shadow": "no", "/r/shadow/a": "no"} {
		g, ok := p.Explain(path)
		got := "no"
		if ok {
			got = map[bool]string{true: "write", false: "read"}[g.Write]
		}
		if got != want {
			t.Errorf("%s: %s, want %s", path, got, want)
		}
	}
}

// What of /etc is not for everyone is granted to no one, however it is done.
func TestSettingsOfTheSystem(t *testing.T) {
	base := tree(t, "etc/passwd", "etc/shadow", "etc/ssl/private/key", "etc/ssl/certs/a", "etc/sudoers.d/x", "etc/l->passwd")
	for _, closed := range []string{"etc/ssl/private", "etc/sudoers.d"} {
		if err := os.Chmod(filepath.Join(base, closed), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	p := &planner{seen: map[string]int{}}
	p.public(filepath.Join(base, "etc"), closedIn(filepath.Join(base, "etc")))
	want := []string{"link etc/l", "read etc/passwd", "read etc/ssl/certs", "through etc", "through etc/ssl"}
	if d := cmp.Diff(want, lines(base, p.plan)); d != "" {
		t.Errorf("one by one (-want +got):\n%s", d)
	}
	p = &planner{seen: map[string]int{}, masks: true}
	p.public(filepath.Join(base, "etc"), closedIn(filepath.Join(base, "etc")))
	masks := []string{filepath.Join(base, "etc/shadow"), filepath.Join(base, "etc/ssl/private"), filepath.Join(base, "etc/sudoers.d")}
	if d := cmp.Diff(masks, p.plan.Masks); d != "" || !slices.Equal(lines(base, p.plan), []string{"read etc"}) {
		t.Errorf("masked %v, (-want +got):\n%s", lines(base, p.plan), d)
	}
}

func TestEnvironment(t *testing.T) {
	s := Spec{Home: "/nowhere", Cache: "/c"}
	got := s.environment([]string{"A=1", "TMPDIR=/x", "CARGO_HOME=/mine"}, "/tmp")
	for _, want := range []string{"A=1", "TMPDIR=/tmp", "CARGO_HOME=/mine", "XDG_CACHE_HOME=/c", "GOMODCACHE=/c/go-mod"} {
		if !slices.Contains(got, want) {
			t.Errorf("%s is not among %v", want, got)
		}
	}
	if slices.Contains(got, "TMPDIR=/x") || slices.Contains(got, "CARGO_HOME=/c/cargo") {
		t.Errorf("both old and new: %v", got)
	}
}

func TestSeatbelt(t *testing.T) {
	spec := Spec{Secrets: []string{"/Users/u/.ssh", "/Users/u/Library/hobkin", `/Users/u/a "b`}, Write: []string{"/Users/u/Library/hobkin/skills"}, Network: NetworkOff}
	plan := Plan{Grants: []Grant{{Path: "/usr"}, {Path: "/Users/u/ws", Write: true}}, Passages: []string{"/Users/u"}}
	got := profile(&spec, &plan)
	for _, want := range []string{
		"(version 1)\n(deny default)\n", `(allow file-read* (subpath "/usr"))`, `(allow file-write* (subpath "/Users/u/ws"))`, `(allow file-read* (literal "/Users/u"))`,
		`(deny file-read* file-write* (subpath "/Users/u/.ssh"))`, `(deny file-read* file-write* (subpath "/Users/u/a \"b"))`, "(deny network*)", "(deny file-write-setugid)",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("the profile has no %s:\n%s", want, got)
		}
	}
	for _, bad := range []string{`file-write* (subpath "/usr")`, `(deny file-read* file-write* (subpath "/Users/u/Library/hobkin"))`, "(allow network"} {
		if strings.Contains(got, bad) {
			t.Errorf("the profile has %s:\n%s", bad, got)
		}
	}
	if strings.Index(got, "/Users/u/.ssh") < strings.Index(got, "/Users/u/ws") {
		t.Error("what is denied must come last: the last rule counts")
	}
	if spec.Network = NetworkOn; !strings.Contains(profile(&spec, &plan), "(allow network-outbound (remote ip))") {
		t.Error("the network is on, and the profile does not say so")
	}
}

// FuzzQuoted holds that a path cannot end its string in a profile.
func FuzzQuoted(f *testing.F) {
	f.Add(`/a b`)
	f.Add("/a\"(allow default)\\\n")
	f.Fuzz(func(t *testing.T, path string) {
		q := quoted(path)
		inner := q[1 : len(q)-1]
		for i := 0; i < len(inner); i++ {
			switch inner[i] {
			case '\\':
				i++
			case '"', '\n':
				t.Errorf("%q ends the string %q", path, q)
			}
		}
	})
}
