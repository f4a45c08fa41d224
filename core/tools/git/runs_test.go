package git

import (
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// What git would run by itself in a repository is found however it is written,
// and what any repository has is not.
func TestRuns(t *testing.T) {
	dir := t.TempDir()
	repo := filepath.Join(dir, "repo")
	git := func(args ...string) {
		t.Helper()
		cmd := exec.CommandContext(t.Context(), "git", append([]string{"-C", dir}, args...)...)
		cmd.Env = append(os.Environ(), "HOME="+dir, "GIT_CONFIG_NOSYSTEM=1")
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("git %v: %v %s", args, err, out)
		}
	}
	git("init", "-q", repo)
	git("-C", repo, "remote", "add", "origin", "https://example.com/x.git")
	git("-C", repo, "config", "user.name", "a")
	git("-C", repo, "config", "core.fsmonitor", "true")
	git("-C", repo, "config", "submodule.a.update", "checkout")
	git("-C", repo, "config", "alias.st", "status -s")
	if got := Runs(dir); len(got) != 0 {
		t.Fatalf("an ordinary repository: %v", got)
	}
	for _, key := range []string{
		"core.fsmonitor", "core.hooksPath", "core.sshCommand", "core.pager", "core.editor", "diff.external", "diff.a b.textconv", "filter.x.clean", "filter.x.process",
		"merge.m.driver", "credential.helper", "credential.https://example.com.helper", "gpg.program", "gpg.ssh.program", "include.path", "includeIf.gitdir:~/.path",
		"pager.log", "remote.origin.uploadpack", "url.https://evil.example/.insteadOf", "interactive.diffFilter", "sequence.editor",
	} {
		git("-C", repo, "config", key, "evil")
		got := slices.Collect(maps.Keys(Runs(dir)))
		if len(got) != 1 || !strings.HasPrefix(strings.ToLower(got[0]), strings.ToLower(key)) {
			t.Errorf("%s: %v", key, got)
		}
		git("-C", repo, "config", "--unset", key)
	}
	config := filepath.Join(repo, ".git/config")
	for _, text := range []string{
		"[core] fsmonitor = evil", "[CORE]\nFsMonitor=evil", "[core]\n\tfsmo\\\nnitor = evil", "[x \"]\"][core]fsmonitor=evil", "[filter.x]\nclean = evil", "[alias]\nst = !evil", "[alias]\nst = \"!evil\"",
		"[core]\nhookspath = evil # x",
	} {
		if err := os.WriteFile(config, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if got := Runs(repo); len(got) != 1 {
			t.Errorf("%q: %v", text, got)
		}
	}
	if err := os.WriteFile(filepath.Join(repo, ".git/hooks/post-checkout"), []byte("#!/bin/sh\n"), 0o700); err != nil { //nolint:gosec // a hook
		t.Fatal(err)
	}
	if got := Runs(dir); len(got) != 2 {
		t.Errorf("with a hook: %v", got)
	}
}

func FuzzRunning(f *testing.F) {
	f.Add("[core]\n\tfsmonitor = x\n[filter \"a\\\"]b\"]\nclean=y\\\nz")
	f.Add("[a.b]\n[")
	f.Fuzz(func(t *testing.T, config string) {
		before := running(config)
		after := running(config + "\n[core]\nfsmonitor = evil\n")
		if len(after) < len(before) || !strings.Contains(after["core.fsmonitor"], "evil\n") && !strings.HasSuffix(config, "\\") {
			t.Fatalf("%q hides what follows it: %v", config, after)
		}
	})
}
