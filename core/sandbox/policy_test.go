//go:build unix

package sandbox

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hobkin/hobkin/core/capability"
)

// house is a home with a workspace, a grant and secrets, and files outside.
type house struct {
	*Policy
	home, ws, granted, outside string
	turn                       capability.Turn
}

func build(tb testing.TB, change func(*Config)) house {
	tb.Helper()
	base, err := filepath.EvalSymlinks(tb.TempDir())
	if err != nil {
		tb.Fatal(err)
	}
	h := house{home: filepath.Join(base, "home", "me"), granted: filepath.Join(base, "granted"), outside: filepath.Join(base, "outside")}
	h.ws = filepath.Join(h.home, "code")
	for path, text := range map[string]string{
		"home/me/code/a.txt": "inside", "home/me/code/sub/b.txt": "inside", "home/me/other/c.txt": "outside",
		"home/me/.ssh/id_ed25519": "outside", "home/me/.netrc": "outside", "home/me/app/config.toml": "outside",
		"home/me/app/skills/s/SKILL.md": "inside", "home/me/app/outputs/1.txt": "inside",
		"granted/g.txt": "inside", "granted/no/x.txt": "outside", "outside/o.txt": "outside",
	} {
		write(tb, filepath.Join(base, path), text)
	}
	cfg := Config{
		Home: h.home, Workspace: h.ws, AllowedRoots: []string{h.granted}, BlockedRoots: []string{filepath.Join(h.granted, "no")},
		Own: []string{"~/app"}, Skills: "~/app/skills", Shared: []string{"~/app/outputs"},
	}
	if change != nil {
		change(&cfg)
	}
	if h.Policy, err = New(cfg); err != nil {
		tb.Fatal(err)
	}
	h.turn = capability.Turn{Workspace: h.ws, Trust: capability.Operator, Attended: true, Channel: "desktop"}
	return h
}

func write(tb testing.TB, path, text string) {
	tb.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		tb.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		tb.Fatal(err)
	}
}

func link(tb testing.TB, to, at string) {
	tb.Helper()
	if err := os.Symlink(to, at); err != nil {
		tb.Fatal(err)
	}
}

// judgeCases are paths and what becomes of them; {ws} and its like stand for the
// folders of a house.
var judgeCases = map[string]struct {
	path string
	want error  // nil: allowed
	abs  string // relative to the workspace; "" is not compared
}{
	"a file":                  {"a.txt", nil, "a.txt"},
	"dot":                     {".", nil, "."},
	"double slashes":          {"sub//b.txt", nil, "sub/b.txt"},
	"absolute":                {"{ws}/a.txt", nil, "a.txt"},
	"many slashes first":      {"///{ws}//a.txt", nil, "a.txt"},
	"home spelling":           {"~/code/a.txt", nil, "a.txt"},
	"up and down":             {"sub/../a.txt", nil, "a.txt"},
	"through a link inside":   {"in/b.txt", nil, "sub/b.txt"},
	"up after a link":         {"in/../a.txt", nil, "a.txt"},
	"self link":               {"self/self/./self/a.txt", nil, "a.txt"},
	"new file":                {"new.txt", nil, "new.txt"},
	"new file in new folder":  {"x/y/new.txt", nil, "x/y/new.txt"},
	"dangling inside":         {"dangling", nil, "nowhere"},
	"folder with slash":       {"sub/", nil, "sub"},
	"new folder with slash":   {"newdir/", nil, "newdir"},
	"grant":                   {"{granted}/g.txt", nil, ""},
	"skills inside own":       {"~/app/skills/s/SKILL.md", nil, ""},
	"shared inside own":       {"~/app/outputs/1.txt", nil, ""},
	"outside":                 {"{outside}/o.txt", OutsideRoot, ""},
	"missing outside":         {"{outside}/none/o.txt", OutsideRoot, ""},
	"missing then up outside": {"{outside}/none/../o.txt", OutsideRoot, ""},
	"below a file outside":    {"{outside}/o.txt/x", OutsideRoot, ""},
	"other in home":           {"~/other/c.txt", OutsideRoot, ""},
	"home":                    {"~", OutsideRoot, ""},
	"link out":                {"out/o.txt", OutsideRoot, ""},
	"link out, new":           {"out/new.txt", OutsideRoot, ""},
	"dangling out":            {"dangling-out", OutsideRoot, ""},
	"up and out":              {"../other/c.txt", OutsideRoot, ""},
	"up by a link":            {"out/../outside/o.txt", OutsideRoot, ""},
	"neighbour by prefix":     {"{ws}er/a.txt", OutsideRoot, ""},
	"ssh":                     {"~/.ssh/id_ed25519", ProtectedPath, ""},
	"ssh, absolute":           {"{home}/.ssh", ProtectedPath, ""},
	"ssh, missing key":        {"~/.ssh/none", ProtectedPath, ""},
	"ssh by a link":           {"home/.ssh/id_ed25519", ProtectedPath, ""},
	"ssh by dots":             {"sub/../../.ssh/./id_ed25519", ProtectedPath, ""},
	"ssh, capitals":           {"~/.SSH/id_ed25519", ProtectedPath, ""},
	"passing through ssh":     {"~/.ssh/../code/a.txt", ProtectedPath, ""},
	"netrc backup":            {"~/.netrc.bak", ProtectedPath, ""},
	"netrc old":               {"~/.netrc.old", ProtectedPath, ""},
	"netrc tilde":             {"~/.netrc~", ProtectedPath, ""},
	"netrc numbered":          {"~/.netrc.~1~", ProtectedPath, ""},
	"netrc swap":              {"~/.netrc.swp", ProtectedPath, ""},
	"ssh folder copy":         {"~/.ssh.bak/id_ed25519", ProtectedPath, ""},
	"own":                     {"~/app/config.toml", ProtectedPath, ""},
	"own, folder":             {"~/app", ProtectedPath, ""},
	"own, database log":       {"~/app-wal", ProtectedPath, ""},
	"own beside skills":       {"~/app/skills/../config.toml", ProtectedPath, ""},
	"system":                  {"/etc/passwd", ProtectedPath, ""},
	"system, missing":         {"/etc/none/none", ProtectedPath, ""},
	"blocked":                 {"{granted}/no/x.txt", BlockedRoot, ""},
	"blocked itself":          {"{granted}/no", BlockedRoot, ""},
	"loop":                    {"loop1", TooManySymlinks, ""},
	"loop, below":             {"loop1/x", TooManySymlinks, ""},
	"missing then up":         {"none/../a.txt", NotFound, ""},
	"missing then dot":        {"none/.", NotFound, ""},
	"file with slash":         {"a.txt/", NotFound, ""},
	"file with dot":           {"a.txt/.", NotFound, ""},
	"below a file":            {"a.txt/b", NotFound, ""},
	"empty":                   {"", BadPath, ""},
	"NUL":                     {"a\x00.txt", BadPath, ""},
	"another user":            {"~root/x", BadPath, ""},
	"another user, alone":     {"~bob", BadPath, ""},
	"file named like a user":  {"./~bob", nil, "~bob"},
	"lock file":               {"~$report.docx", nil, "~$report.docx"},
	"long name":               {strings.Repeat("n", 300), BadPath, ""},
	"long name in the tail":   {"none/" + strings.Repeat("n", 300), BadPath, ""},
	"newline":                 {"a\nb", nil, "a\nb"},
}

func TestJudge(t *testing.T) {
	h := build(t, nil)
	link(t, h.outside, filepath.Join(h.ws, "out"))
	link(t, "sub", filepath.Join(h.ws, "in"))
	link(t, "nowhere", filepath.Join(h.ws, "dangling"))
	link(t, filepath.Join(h.outside, "new"), filepath.Join(h.ws, "dangling-out"))
	link(t, "loop2", filepath.Join(h.ws, "loop1"))
	link(t, "loop1", filepath.Join(h.ws, "loop2"))
	link(t, h.home, filepath.Join(h.ws, "home"))
	link(t, ".", filepath.Join(h.ws, "self"))
	folders := strings.NewReplacer("{ws}", h.ws, "{home}", h.home, "{granted}", h.granted, "{outside}", h.outside)
	for name, c := range judgeCases {
		c.path = folders.Replace(c.path)
		for _, use := range []Use{Read, Write} {
			if use == Write && name == "shared inside own" {
				c.want = OutsideRoot
			}
			abs, err := h.Judge(h.turn, c.path, use)
			if !errors.Is(err, c.want) || (err == nil) != (c.want == nil) {
				t.Errorf("%s: Judge(%q, %v) = %q, %v, want %v", name, c.path, use, abs, err, c.want)
			}
			if c.abs != "" && err == nil && abs != filepath.Join(h.ws, c.abs) {
				t.Errorf("%s: Judge(%q, %v) = %q, want %q", name, c.path, use, abs, filepath.Join(h.ws, c.abs))
			}
		}
	}
}
