package git

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// TestPlace holds which repositories are used: all of one must lie inside.
func TestPlace(t *testing.T) {
	link := func(b *bench, to, at string) {
		b.t.Helper()
		if err := os.Symlink(to, filepath.Join(b.dir, at)); err != nil {
			b.t.Fatal(err)
		}
	}
	away := func(b *bench, name string) {
		b.t.Helper()
		if err := os.Rename(filepath.Join(b.dir, name), filepath.Join(b.base, "away")); err != nil {
			b.t.Fatal(err)
		}
	}
	for name, tt := range map[string]struct {
		set  func(b *bench)
		repo string
		code string // empty: it works
		args []string
	}{
		"plain":            {set: func(*bench) {}},
		"from a folder":    {set: func(b *bench) { b.put("d/e/f.txt", "") }, repo: "d/e"},
		"from a file":      {set: func(b *bench) { b.put("d/e/f.txt", "") }, repo: "d/e/f.txt"},
		"linked worktree":  {set: func(b *bench) { b.git("worktree", "add", "-q", "linked") }, repo: "linked"},
		"worktree outside": {set: func(b *bench) { b.git("worktree", "add", "-q", "../away") }, repo: "../away", code: "outside_root"},
		"submodule": {set: func(b *bench) {
			b.git("clone", "-q", ".", "src")
			b.git("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", "./src", "sub")
		}, repo: "sub"},
		".git file out":   {set: func(b *bench) { away(b, ".git"); b.put(".git", "gitdir: ../away\n") }, code: "outside_repository"},
		".git link out":   {set: func(b *bench) { away(b, ".git"); link(b, "../away", ".git") }, code: "outside_repository"},
		"objects out":     {set: func(b *bench) { away(b, ".git/objects"); link(b, "../../away", ".git/objects") }, code: "outside_repository"},
		"refs out":        {set: func(b *bench) { away(b, ".git/refs/heads"); link(b, "../../../away", ".git/refs/heads") }, code: "outside_repository"},
		"config link":     {set: func(b *bench) { away(b, ".git/config"); link(b, "../../away", ".git/config") }, code: "outside_repository"},
		"commondir out":   {set: func(b *bench) { b.put(".git/commondir", "../../away\n") }, code: "outside_repository"},
		"alternates out":  {set: func(b *bench) { b.put(".git/objects/info/alternates", "# x\n"+b.base+"/away\n") }, code: "outside_repository"},
		"alternates, odd": {set: func(b *bench) { b.put(".git/objects/info/alternates", "\"x\"\n") }, code: "outside_repository"},
		"core.worktree":   {set: func(b *bench) { b.git("config", "core.worktree", b.base) }, code: "outside_repository"},
		"worktree inside": {set: func(b *bench) { b.put("d/x", ""); b.git("config", "core.worktree", "../d") }, code: "outside_repository"},
		"config damaged":  {set: func(b *bench) { appendConfig(b, "[broken\n") }, code: "unsafe_config"},
		"two in one":      {set: func(b *bench) { b.put("HEAD", "x"); b.put("objects/x", ""); b.put("refs/x", "") }, code: "unsafe_config"},
		"no repository":   {set: func(b *bench) { away(b, ".git") }, code: "not_a_repository"},
		"bare":            {set: func(b *bench) { b.git("clone", "-q", "--bare", ".", "bare.git") }, repo: "bare.git"},
		"two outside":     {set: func(*bench) {}, args: []string{"/etc/hostname", "/dev/null"}, code: "outside_repository"},
		"two outside, --": {set: func(*bench) {}, args: []string{"--", "../x", "../y"}, code: "outside_repository"},
		"magic outside":   {set: func(*bench) {}, args: []string{"--", ":(top)../x"}, code: "outside_repository"},
		"magic":           {set: func(*bench) {}, args: []string{"--", ":(top)a.txt", ":!b.txt", ":/a.txt"}},
		"range":           {set: func(*bench) {}, args: []string{"HEAD..HEAD", "--", "a.txt"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBench(t)
			b.commit("a.txt", "one\n", "one")
			tt.set(b)
			command := "log"
			if tt.args != nil {
				command = "diff"
			}
			if tt.code != "" {
				b.fails(tt.code, "git_read", tt.repo, command, tt.args...)
				return
			}
			if o := b.call(t.Context(), "git_read", tt.repo, command, tt.args...); o.Failed() {
				t.Error(o.Err)
			}
		})
	}
}

func TestBare(t *testing.T) {
	b := newBench(t)
	b.commit("a.txt", "one\n", "one")
	b.git("clone", "-q", "--bare", ".", "bare.git")
	b.fails("bare_repository", "git_read", "bare.git", "status")
	b.fails("bare_repository", "git_write", "bare.git", "commit", "-m", "x")
}

func TestNoGit(t *testing.T) {
	b := newBench(t)
	b.host.Program = "git-that-is-not-there"
	if u := b.fails("no_git", "git_read", "", "status"); !strings.Contains(u.Try, "install git") {
		t.Errorf("no help: %q", u.Try)
	}
}

func TestNames(t *testing.T) {
	b := newBench(t)
	for _, name := range []string{"with space", "new\nline", "ünïcode", `quo"te`, "-dash", "tab\tbed"} {
		b.put(name, "x")
	}
	b.write("add", "--", "with space", "new\nline", "ünïcode", `quo"te`, "-dash", "tab\tbed")
	s := b.state()
	got := map[string]bool{}
	for _, c := range s.Staged {
		got[c.Path] = true
	}
	for _, name := range []string{"with space", "new\nline", "ünïcode", `quo"te`, "-dash", "tab\tbed"} {
		if !got[name] {
			t.Errorf("%q is not among %+v", name, s.Staged)
		}
	}
}

func TestConflict(t *testing.T) {
	b := newBench(t)
	b.commit("a.txt", "one\n", "one")
	conflicting(func(*bench, string) {})(b, "")
	b.fails("diverged", "git_write", "", "pull", ".", "other")
	b.fails("conflict", "git_write", "", "pull", "--no-rebase", ".", "other")
	if s := b.state(); len(s.Conflicts) != 1 || s.Conflicts[0].Kind != "both modified" {
		t.Errorf("conflicts: %+v", s.Conflicts)
	}
	b.put("a.txt", "both\n")
	b.write("add", "a.txt")
	b.write("commit") // the message is ready
	if got := b.git("log", "-1", "--format=%p"); len(strings.Fields(got)) != 2 {
		t.Errorf("not a merge: %q", got)
	}
}

func TestPull(t *testing.T) {
	b := newBench(t)
	b.commit("a.txt", "one\n", "one")
	b.git("clone", "-q", ".", "copy")
	b.commit("a.txt", "two\n", "two")
	pull := func(code string, args ...string) {
		t.Helper()
		o := b.call(t.Context(), "git_write", "copy", "pull", args...)
		if code == "" && o.Failed() || code != "" && (o.Err == nil || !strings.HasPrefix(o.Err.Error(), code+":")) {
			t.Errorf("pull %q: %v, want %q", args, o.Err, code)
		}
	}
	pull("")
	if got := b.gitIn(filepath.Join(b.dir, "copy"), "log", "--format=%s"); got != "two\none" {
		t.Errorf("after the pull: %q", got)
	}
	if got := b.gitIn(filepath.Join(b.dir, "copy"), "status", "--porcelain"); got != "" {
		t.Errorf("after the pull: %q", got)
	}
	pull("outside_repository", b.base, "main")
	pull("outside_repository", "file://"+b.base+"/x", "main")
	pull("remote_failed", "ext::sh", "main")
	pull("remote_failed", "git://example.org/x", "main")
	pull("remote_failed", "nowhere")
	pull("option_refused", "origin", "+main:main")
}

func TestDestructive(t *testing.T) {
	b := newBench(t)
	b.commit("a.txt", "one\n", "one")
	for line, want := range map[string]bool{
		"add a.txt": false, "restore a.txt": true, "checkout main": true, "checkout -b n": false, "switch -c m": false, "switch --discard-changes main": true,
		"branch x": false, "branch -D n": true, "tag v": false, "tag -d v": true, "stash": false, "stash drop": true, "stash clear": true, "pull": false,
	} {
		fields := strings.Fields(line)
		b.call(t.Context(), "git_write", "", fields[0], fields[1:]...)
		if b.asked.Destructive != want || b.asked.Question == "" || want != (len(b.asked.Warnings) > 0) {
			t.Errorf("%s: asked %+v", line, b.asked)
		}
	}
}

func TestManyUntracked(t *testing.T) {
	b := newBench(t)
	for i := range 10_000 {
		b.put(fmt.Sprintf("f%05d", i), "")
	}
	start := time.Now()
	got := b.read("status")
	if got.Summary != "10000 untracked" || !strings.Contains(got.Text, "… and 9000 more") {
		t.Errorf("%q", got.Summary)
	}
	t.Logf("10,000 untracked files: %v", time.Since(start))
}

func BenchmarkStatus(b *testing.B) {
	w := newBench(b)
	w.commit("a.txt", "one\n", "one")
	for b.Loop() {
		w.read("status")
	}
}
