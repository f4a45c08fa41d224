package git

import (
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// A trap is a repository that tries to run a program: it makes a file named
// marker outside of the workspace.
type trap struct {
	set   func(b *bench, evil string) // arms the repository; evil is a script that leaves the mark
	tool  string
	line  []string // command and arguments
	plain []string // what plain git would run of it; nil means line
	quiet bool     // this git does not fall for it, or nothing can be shown here
	repo  string   // empty is the workspace
	code  string   // the failure that is expected; empty means that the call works or that any will do
}

// config sets a key to the script.
func config(key string) func(b *bench, evil string) {
	return func(b *bench, evil string) { b.git("config", key, evil) }
}

// driver names a driver in .gitattributes and sets it to the script.
func driver(attribute string, keys ...string) func(b *bench, evil string) {
	return func(b *bench, evil string) {
		b.put(".gitattributes", "*.txt "+attribute+"\n")
		for _, key := range keys {
			b.git("config", key, evil)
		}
		b.put("a.txt", "changed\n")
	}
}

// sub adds a submodule with a setting of its own.
func sub(key string) func(b *bench, evil string) {
	return func(b *bench, evil string) {
		inner := filepath.Join(b.dir, "sub")
		b.gitIn(b.dir, "init", "-q", "-b", "main", "sub")
		b.put("sub/s.txt", "one\n")
		b.gitIn(inner, "add", "-A")
		b.gitIn(inner, "commit", "-q", "-m", "inner")
		b.git("add", "sub")
		b.git("commit", "-q", "-m", "outer")
		b.put("sub/.gitattributes", "*.txt filter=evil\n")
		b.put("sub/s.txt", "two\n")
		b.gitIn(inner, "config", key, evil)
		b.put(".gitmodules", "[submodule \"sub\"]\n\tpath = sub\n\turl = ./sub\n\tignore = none\n")
		b.git("config", "submodule.sub.ignore", "none")
	}
}

func hook(name string) func(b *bench, evil string) {
	return func(b *bench, evil string) {
		at := filepath.Join(b.dir, ".git", "hooks", name)
		b.put(at, "#!/bin/sh\n"+evil+"\n")
		if err := os.Chmod(at, 0o755); err != nil {
			b.t.Fatal(err)
		}
	}
}

// conflicting makes a branch other that changes a.txt in another way.
func conflicting(set func(b *bench, evil string)) func(b *bench, evil string) {
	return func(b *bench, evil string) {
		b.git("switch", "-q", "-c", "other")
		b.commit("a.txt", "theirs\n", "theirs")
		b.git("switch", "-q", "main")
		b.commit("a.txt", "ours\n", "ours")
		set(b, evil)
	}
}

// conflictingNot makes a branch other that has a commit of its own, as main has.
func conflictingNot(set func(b *bench, evil string)) func(b *bench, evil string) {
	return func(b *bench, evil string) {
		b.git("switch", "-q", "-c", "other")
		b.commit("theirs.txt", "theirs\n", "theirs")
		b.git("switch", "-q", "main")
		b.commit("ours.txt", "ours\n", "ours")
		set(b, evil)
	}
}

// otherWith makes a branch other in which a.txt differs.
func otherWith(set func(b *bench, evil string)) func(b *bench, evil string) {
	return func(b *bench, evil string) {
		b.git("switch", "-q", "-c", "other")
		b.commit("a.txt", "theirs\n", "theirs")
		b.git("switch", "-q", "main")
		set(b, evil)
		b.put("a.txt", "one\n")
		b.put(".git/info/attributes", "*.txt filter=evil\n")
		_ = os.Remove(filepath.Join(b.dir, ".gitattributes"))
	}
}

// nested puts a git folder, as a commit can carry it, into a folder.
func nested(b *bench, evil string) {
	b.git("clone", "-q", "--bare", ".", "vendor")
	at := filepath.Join(b.dir, "vendor", "config")
	b.put(at, "[core]\nrepositoryformatversion = 0\nbare = false\nworktree = ..\nfsmonitor = "+evil+"\n")
}

var traps = map[string]trap{
	"hooksPath":                  {set: func(b *bench, evil string) { hook("pre-commit")(b, evil) }, tool: "git_write", line: []string{"commit", "--allow-empty", "-m", "x"}},
	"hook post-checkout":         {set: hook("post-checkout"), tool: "git_write", line: []string{"switch", "-c", "n"}},
	"hook reference-transaction": {set: hook("reference-transaction"), tool: "git_write", line: []string{"branch", "n"}},
	"core.hooksPath": {set: func(b *bench, evil string) {
		hook("pre-commit")(b, evil)
		if err := os.Rename(filepath.Join(b.dir, ".git", "hooks"), filepath.Join(b.dir, "h")); err != nil {
			b.t.Fatal(err)
		}
		b.git("config", "core.hooksPath", "h")
	}, tool: "git_write", line: []string{"commit", "--allow-empty", "-m", "x"}},
	"hook post-index-change":  {set: hook("post-index-change"), tool: "git_write", line: []string{"restore", "--staged", "a.txt"}, plain: []string{"reset", "-q", "--mixed"}},
	"hook prepare-commit-msg": {set: hook("prepare-commit-msg"), tool: "git_write", line: []string{"commit", "--allow-empty", "-m", "x"}},
	"hook commit-msg":         {set: hook("commit-msg"), tool: "git_write", line: []string{"commit", "--allow-empty", "-m", "x"}},
	"hook post-commit":        {set: hook("post-commit"), tool: "git_write", line: []string{"commit", "--allow-empty", "-m", "x"}},
	"hook post-rewrite":       {set: hook("post-rewrite"), tool: "git_write", line: []string{"commit", "--amend", "--no-edit", "--allow-empty"}},
	"hook post-merge":         {set: conflictingNot(hook("post-merge")), tool: "git_write", line: []string{"pull", "--no-rebase", ".", "other"}},
	"hook pre-merge-commit":   {set: conflictingNot(hook("pre-merge-commit")), tool: "git_write", line: []string{"pull", "--no-rebase", ".", "other"}},
	"hook pre-rebase":         {set: conflictingNot(hook("pre-rebase")), tool: "git_write", line: []string{"pull", "--rebase", ".", "other"}},
	"hook of checkout":        {set: hook("post-checkout"), tool: "git_write", line: []string{"checkout", "-b", "n"}},
	"hook of tag":             {set: hook("reference-transaction"), tool: "git_write", line: []string{"tag", "v1"}},
	"hook of stash":           {set: func(b *bench, evil string) { hook("reference-transaction")(b, evil); b.put("a.txt", "x\n") }, tool: "git_write", line: []string{"stash"}},
	"core.fsmonitor, stash":   {set: func(b *bench, evil string) { config("core.fsmonitor")(b, evil); b.put("a.txt", "x\n") }, tool: "git_write", line: []string{"stash"}},
	"core.fsmonitor, restore": {set: config("core.fsmonitor"), tool: "git_write", line: []string{"restore", "a.txt"}},
	"core.fsmonitor, switch":  {set: config("core.fsmonitor"), tool: "git_write", line: []string{"switch", "-c", "n"}, quiet: true},
	"core.fsmonitor, commit":  {set: config("core.fsmonitor"), tool: "git_write", line: []string{"commit", "--allow-empty", "-m", "x"}},
	"filter smudge, switch":   {set: otherWith(driver("filter=evil", "filter.evil.smudge")), tool: "git_write", line: []string{"switch", "other"}},
	"filter smudge, checkout": {set: otherWith(driver("filter=evil", "filter.evil.smudge")), tool: "git_write", line: []string{"checkout", "other"}},
	"submodule update": {set: func(b *bench, evil string) {
		sub("core.fsmonitor")(b, evil)
		b.git("config", "submodule.sub.update", "!"+evil)
		b.git("config", "submodule.recurse", "true")
	}, tool: "git_write", line: []string{"checkout", "HEAD"}, quiet: true},
	"submodule outside": {set: func(b *bench, _ string) {
		b.put(".gitmodules", "[submodule \"../../x\"]\n\tpath = ../x\n\turl = ext::x\n")
	}, tool: "git_read", line: []string{"status"}, quiet: true},
	"sequence.editor": {set: conflictingNot(config("sequence.editor")), tool: "git_write", line: []string{"pull", "--rebase", ".", "other"}, quiet: true},
	"core.askPass": {set: func(b *bench, evil string) {
		credential("credential.none")(b, evil)
		b.git("config", "core.askPass", evil)
	}, tool: "git_write", line: []string{"pull", "origin", "main"}, code: "remote_failed"},
	"core.attributesFile": {set: func(b *bench, evil string) {
		driver("x=y", "filter.evil.clean")(b, evil)
		b.put("attrs", "*.txt filter=evil\n")
		b.git("config", "core.attributesFile", filepath.Join(b.dir, "attrs"))
	}, tool: "git_write", line: []string{"add", "a.txt"}},
	"sizes beyond reason": {set: func(b *bench, _ string) {
		appendConfig(b, "[core]\npackedGitWindowSize = 1024g\npackedGitLimit = 1024g\ndeltaBaseCacheLimit = 1024g\n[pack]\nthreads = 100000\nwindowMemory = 1024g\n[index]\nthreads = 100000\n")
	}, tool: "git_read", line: []string{"status"}, quiet: true},
	"git folder in a folder": {set: nested, tool: "git_read", line: []string{"status"}, repo: "vendor", plain: []string{"-C", "vendor", "status"}, code: "outside_repository"},
	"core.fsmonitor":         {set: config("core.fsmonitor"), tool: "git_read", line: []string{"status"}},
	"core.fsmonitor, diff":   {set: config("core.fsmonitor"), tool: "git_read", line: []string{"diff"}},
	"core.fsmonitor, add":    {set: config("core.fsmonitor"), tool: "git_write", line: []string{"add", "-A"}},
	"core.pager":             {set: config("core.pager"), tool: "git_read", line: []string{"log"}, plain: []string{"--paginate", "log"}, quiet: true},
	"pager.log":              {set: config("pager.log"), tool: "git_read", line: []string{"log"}, quiet: true},
	"core.editor":            {set: config("core.editor"), tool: "git_write", line: []string{"commit", "--amend"}, quiet: true},
	"alias":                  {set: config("alias.status"), tool: "git_read", line: []string{"status"}, quiet: true},
	"diff.external":          {set: func(b *bench, evil string) { config("diff.external")(b, evil); b.put("a.txt", "changed\n") }, tool: "git_read", line: []string{"diff"}},
	"diff driver":            {set: driver("diff=evil", "diff.evil.command"), tool: "git_read", line: []string{"diff"}},
	"textconv, diff":         {set: driver("diff=evil", "diff.evil.textconv"), tool: "git_read", line: []string{"diff"}},
	"textconv, show":         {set: driver("diff=evil", "diff.evil.textconv"), tool: "git_read", line: []string{"show", "HEAD"}},
	"textconv, log -p":       {set: driver("diff=evil", "diff.evil.textconv"), tool: "git_read", line: []string{"log", "-p"}},
	"textconv, blame":        {set: driver("diff=evil", "diff.evil.textconv"), tool: "git_read", line: []string{"blame", "a.txt"}},
	"textconv, stash": {set: func(b *bench, evil string) {
		b.put("a.txt", "x\n")
		b.git("stash")
		driver("diff=evil", "diff.evil.textconv")(b, evil)
	}, tool: "git_write", line: []string{"stash", "show", "-p"}, quiet: true},
	"filter clean": {set: driver("filter=evil", "filter.evil.clean"), tool: "git_write", line: []string{"add", "a.txt"}},
	"filter clean, status": {set: func(b *bench, evil string) {
		driver("filter=evil", "filter.evil.clean")(b, evil)
		b.put("a.txt", "two\n")
	}, tool: "git_read", line: []string{"status"}},
	"filter clean, diff":  {set: driver("filter=evil", "filter.evil.clean"), tool: "git_read", line: []string{"diff"}},
	"filter clean, blame": {set: driver("filter=evil", "filter.evil.clean"), tool: "git_read", line: []string{"blame", "a.txt"}},
	"filter smudge":       {set: driver("filter=evil", "filter.evil.smudge"), tool: "git_write", line: []string{"restore", "a.txt"}},
	"filter process":      {set: driver("filter=evil", "filter.evil.process"), tool: "git_write", line: []string{"restore", "a.txt"}},
	"filter required": {set: func(b *bench, evil string) {
		driver("filter=evil", "filter.evil.clean")(b, evil)
		b.git("config", "filter.evil.required", "true")
	}, tool: "git_write", line: []string{"add", "a.txt"}},
	"filter in old style": {set: func(b *bench, evil string) {
		driver("filter=evil")(b, evil)
		appendConfig(b, "[FILTER.Evil]\nClean = "+evil+"\n")
	}, tool: "git_write", line: []string{"add", "a.txt"}},
	"filter odd name": {set: func(b *bench, evil string) {
		driver("filter=e.v:i")(b, evil)
		appendConfig(b, "[filter \"e.v:\\i\"] clean = "+evil+"\n")
	}, tool: "git_write", line: []string{"add", "a.txt"}},
	"filter equals name": {set: func(b *bench, evil string) {
		driver("filter=e=v")(b, evil)
		appendConfig(b, "[filter \"e=v\"]clean="+evil+"\n")
	}, tool: "git_write", line: []string{"add", "a.txt"}, code: "unsafe_config"},
	"filter included": {set: func(b *bench, evil string) {
		driver("filter=evil")(b, evil)
		b.put("inc", "[filter \"evil\"]\nclean = "+evil+"\n")
		b.git("config", "include.path", "../inc")
	}, tool: "git_write", line: []string{"add", "a.txt"}},
	"filter included if": {set: func(b *bench, evil string) {
		driver("filter=evil")(b, evil)
		b.put("inc", "[filter \"evil\"]\nclean = "+evil+"\n")
		b.git("config", "includeIf.onbranch:main.path", "../inc")
	}, tool: "git_write", line: []string{"add", "a.txt"}},
	"filter from outside": {set: func(b *bench, evil string) {
		driver("filter=evil")(b, evil)
		b.put(filepath.Join(b.base, "inc"), "[filter \"evil\"]\nclean = "+evil+"\n")
		b.git("config", "include.path", filepath.Join(b.base, "inc"))
	}, tool: "git_write", line: []string{"add", "a.txt"}, code: "unsafe_config"},
	"filter of worktree": {set: func(b *bench, evil string) {
		driver("filter=evil")(b, evil)
		b.git("config", "extensions.worktreeConfig", "true")
		b.git("config", "--worktree", "filter.evil.clean", evil)
	}, tool: "git_write", line: []string{"add", "a.txt"}},
	"merge driver": {set: conflicting(func(b *bench, evil string) {
		b.put(".gitattributes", "*.txt merge=evil\n")
		b.git("config", "merge.evil.driver", evil)
	}), tool: "git_write", line: []string{"pull", "--no-rebase", ".", "other"}},
	"merge.default": {set: conflicting(func(b *bench, evil string) {
		b.git("config", "merge.evil.driver", evil)
		b.git("config", "merge.default", "evil")
	}), tool: "git_write", line: []string{"pull", "--no-rebase", ".", "other"}},
	"stash, merge driver": {set: func(b *bench, evil string) {
		b.put("a.txt", "stashed\n")
		b.git("stash")
		b.commit("a.txt", "new\n", "new")
		b.put(".git/info/attributes", "*.txt merge=evil\n")
		b.git("config", "merge.evil.driver", evil)
	}, tool: "git_write", line: []string{"stash", "apply"}},
	"gpg, log":    {set: signed("gpg.program"), tool: "git_read", line: []string{"log"}},
	"gpg, %G?":    {set: signed("gpg.program"), tool: "git_read", line: []string{"log", "--format=%G?"}},
	"gpg.openpgp": {set: signed("gpg.openpgp.program"), tool: "git_read", line: []string{"log", "--format=%G?"}},
	"gpg, commit": {set: func(b *bench, evil string) { config("gpg.program")(b, evil); b.git("config", "commit.gpgSign", "true") }, tool: "git_write", line: []string{"commit", "--allow-empty", "-m", "x"}},
	"gpg, tag":    {set: func(b *bench, evil string) { config("gpg.program")(b, evil); b.git("config", "tag.gpgSign", "true") }, tool: "git_write", line: []string{"tag", "-a", "v1", "-m", "x"}},
	"gpg.ssh": {set: func(b *bench, evil string) {
		b.git("config", "gpg.format", "ssh")
		config("gpg.ssh.program")(b, evil)
		b.git("config", "user.signingKey", "k")
		b.git("config", "commit.gpgSign", "true")
	}, tool: "git_write", line: []string{"commit", "--allow-empty", "-m", "x"}},
	"gpg.ssh key command": {set: func(b *bench, evil string) {
		b.git("config", "gpg.format", "ssh")
		config("gpg.ssh.defaultKeyCommand")(b, evil)
		b.git("config", "commit.gpgSign", "true")
	}, tool: "git_write", line: []string{"commit", "--allow-empty", "-m", "x"}},
	"core.sshCommand": {set: func(b *bench, evil string) {
		config("core.sshCommand")(b, evil)
		b.git("remote", "add", "origin", "ssh://nobody@localhost:1/x")
	}, tool: "git_write", line: []string{"pull", "origin", "main"}, code: "remote_failed"},
	"core.gitProxy": {set: func(b *bench, evil string) {
		config("core.gitProxy")(b, evil)
		b.git("remote", "add", "origin", "git://localhost:1/x")
	}, tool: "git_write", line: []string{"pull", "origin", "main"}, code: "remote_failed"},
	"ext remote": {set: func(b *bench, evil string) {
		b.git("remote", "add", "origin", "ext::"+evil)
		b.git("config", "protocol.ext.allow", "always")
	}, tool: "git_write", line: []string{"pull", "origin", "main"}, code: "remote_failed"},
	"ext by insteadOf": {set: func(b *bench, evil string) {
		b.git("config", "url.ext::.insteadOf", "https://x/")
		b.git("remote", "add", "origin", "https://x/"+evil)
	}, tool: "git_write", line: []string{"pull", "origin", "main"}, code: "remote_failed"},
	"remote.vcs": {set: func(b *bench, evil string) {
		b.git("remote", "add", "origin", evil)
		b.git("config", "remote.origin.vcs", "ext")
	}, tool: "git_write", line: []string{"pull", "origin", "main"}, code: "unsafe_config"},
	"uploadpack": {set: func(b *bench, evil string) {
		b.git("remote", "add", "origin", ".")
		b.git("config", "remote.origin.uploadpack", evil)
	}, tool: "git_write", line: []string{"pull", "origin", "main"}, code: "unsafe_config"},
	"remote of .git/remotes": {set: func(b *bench, evil string) { b.put(".git/remotes/x", "URL: ext::"+evil+"\n") }, tool: "git_write", line: []string{"pull", "x", "main"}, code: "remote_failed"},
	"promisor, read":         {set: promisor, tool: "git_read", line: []string{"show", "HEAD"}},
	"promisor, write":        {set: promisor, tool: "git_write", line: []string{"restore", "--source=HEAD", "b.txt"}},
	"alternateRefsCommand":   {set: alternateRefs, tool: "git_write", line: []string{"pull", "./far", "main"}},
	"trailer": {set: func(b *bench, evil string) {
		b.git("config", "trailer.x.key", "X")
		b.git("config", "trailer.x.command", evil)
	}, tool: "git_write", line: []string{"commit", "--allow-empty", "-m", "x", "--trailer", "X=1"}, code: "option_refused"},
	"mergeOptions": {set: conflicting(func(b *bench, evil string) {
		b.git("config", "branch.main.mergeOptions", "-S")
		b.git("config", "gpg.program", evil)
		b.git("config", "merge.conflictStyle", "merge")
		b.git("reset", "-q", "--hard", "HEAD~1")
		b.commit("z.txt", "z\n", "z")
	}), tool: "git_write", line: []string{"pull", "--no-rebase", ".", "other"}},
	"submodule, add":       {set: sub("filter.evil.clean"), tool: "git_write", line: []string{"add", "-u"}},
	"submodule, status":    {set: sub("filter.evil.clean"), tool: "git_read", line: []string{"status"}},
	"submodule, diff":      {set: sub("filter.evil.clean"), tool: "git_read", line: []string{"diff"}},
	"submodule, commit":    {set: sub("filter.evil.clean"), tool: "git_write", line: []string{"commit", "-a", "-m", "x"}},
	"submodule, switch":    {set: sub("filter.evil.clean"), tool: "git_write", line: []string{"switch", "-c", "n"}, quiet: true},
	"submodule, checkout":  {set: sub("filter.evil.clean"), tool: "git_write", line: []string{"checkout", "main"}},
	"submodule, stash":     {set: sub("filter.evil.clean"), tool: "git_write", line: []string{"stash"}},
	"submodule, fsmonitor": {set: sub("core.fsmonitor"), tool: "git_read", line: []string{"status"}},
	"submodule summary": {set: func(b *bench, evil string) {
		sub("filter.evil.clean")(b, evil)
		b.git("config", "status.submoduleSummary", "true")
	}, tool: "git_read", line: []string{"status"}},
	"diff.submodule": {set: func(b *bench, evil string) {
		sub("filter.evil.clean")(b, evil)
		b.git("config", "diff.submodule", "diff")
	}, tool: "git_read", line: []string{"diff"}},
	"rebase todo": {set: func(b *bench, evil string) {
		b.put(".git/rebase-merge/git-rebase-todo", "exec "+evil+"\n")
		b.put(".git/rebase-merge/head-name", "refs/heads/main\n")
		b.put(".git/rebase-merge/onto", b.git("rev-parse", "HEAD")+"\n")
		b.put(".git/rebase-merge/interactive", "")
	}, tool: "git_write", line: []string{"commit", "--allow-empty", "-m", "x"}, quiet: true},
	"credential.helper":     {set: credential("credential.helper"), tool: "git_write", line: []string{"pull", "origin", "main"}, code: "remote_failed"},
	"credential of address": {set: credential(""), tool: "git_write", line: []string{"pull", "origin", "main"}, code: "remote_failed"},
	"hook.command": {set: func(b *bench, evil string) {
		b.git("config", "hook.x.command", evil)
		b.git("config", "hook.x.event", "pre-commit")
	}, tool: "git_write", line: []string{"commit", "--allow-empty", "-m", "x"}, quiet: true},
}

// credential makes a remote that asks for a password.
func credential(key string) func(b *bench, evil string) {
	return func(b *bench, evil string) {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("WWW-Authenticate", `Basic realm="x"`)
			w.WriteHeader(http.StatusUnauthorized)
		}))
		b.t.Cleanup(server.Close)
		b.git("remote", "add", "origin", server.URL)
		if key == "" {
			key = "credential." + server.URL + ".helper"
		}
		b.git("config", key, evil)
	}
}

func appendConfig(b *bench, text string) {
	b.t.Helper()
	at := filepath.Join(b.dir, ".git", "config")
	old, err := os.ReadFile(at)
	if err != nil {
		b.t.Fatal(err)
	}
	b.put(at, string(old)+text)
}

// signed gives the newest commit a signature, so that it would be checked.
func signed(key string) func(b *bench, evil string) {
	return func(b *bench, evil string) {
		raw := b.git("cat-file", "commit", "HEAD")
		head, message, _ := strings.Cut(raw, "\n\n")
		b.put("raw", head+"\ngpgsig -----BEGIN PGP SIGNATURE-----\n \n iQ==\n -----END PGP SIGNATURE-----\n\n"+message+"\n")
		b.git("reset", "-q", "--soft", b.git("hash-object", "-t", "commit", "-w", "raw"))
		b.git("config", key, evil)
		b.git("config", "log.showSignature", "true")
	}
}

// promisor makes a repository that misses an object and names who has it.
func promisor(b *bench, evil string) {
	b.commit("b.txt", "missing\n", "two")
	id := b.git("rev-parse", "HEAD:b.txt")
	if err := os.Remove(filepath.Join(b.dir, ".git", "objects", id[:2], id[2:])); err != nil {
		b.t.Fatal(err)
	}
	b.git("config", "core.repositoryFormatVersion", "1")
	b.git("config", "extensions.partialClone", "p")
	b.git("config", "remote.p.url", ".")
	b.git("config", "remote.p.promisor", "true")
	b.git("config", "remote.p.uploadpack", evil)
}

func alternateRefs(b *bench, evil string) {
	b.git("clone", "-q", ".", "far")
	b.gitIn(filepath.Join(b.dir, "far"), "commit", "-q", "--allow-empty", "-m", "far")
	b.git("clone", "-q", "--bare", ".", "near.git")
	b.put(".git/objects/info/alternates", filepath.Join(b.dir, "near.git", "objects")+"\n")
	b.git("config", "core.alternateRefsCommand", evil)
}

// TestHostile holds that no repository makes git run a program. A control run
// shows that plain git does, where it can be shown.
func TestHostile(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the traps are shell scripts")
	}
	for name, tt := range traps {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBench(t)
			b.commit("a.txt", "one\n", "one")
			mark := filepath.Join(b.base, "marker")
			script := filepath.Join(b.base, "evil.sh")
			b.put(script, "#!/bin/sh\n: >"+mark+"\nexit 0\n")
			if err := os.Chmod(script, 0o755); err != nil {
				t.Fatal(err)
			}
			tt.set(b, script)
			copied := filepath.Join(b.base, "control")
			if err := os.CopyFS(copied, os.DirFS(b.dir)); err != nil {
				t.Fatal(err)
			}
			_ = os.Remove(mark) // left by setting the trap
			o := b.call(t.Context(), tt.tool, tt.repo, tt.line[0], tt.line[1:]...)
			if _, err := os.Stat(mark); err == nil {
				t.Errorf("the program ran: %v %s", o.Err, o.Result.Text)
			}
			if tt.code != "" && (o.Err == nil || !strings.HasPrefix(o.Err.Error(), tt.code+":")) {
				t.Errorf("got %v, want %s", o.Err, tt.code)
			}
			if tt.quiet {
				return
			}
			plain := tt.plain
			if plain == nil {
				plain = tt.line
			}
			out, _ := b.tryGit(copied, plain...)
			if _, err := os.Stat(mark); err != nil {
				t.Errorf("the trap is none: plain git does not run the program either\n%s", out)
			}
		})
	}
}
