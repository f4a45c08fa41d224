package git

import (
	"slices"
	"strings"
	"testing"
)

// TestOptions holds what of a command line is let through, and as what.
func TestOptions(t *testing.T) {
	for line, want := range map[string]string{ // what git gets; ! is refused
		// read: let through
		"log":                     "",
		"log -5":                  "--max-count=5",
		"log -n 5":                "--max-count=5",
		"log -n5":                 "--max-count=5",
		"log --max-count 5":       "--max-count=5",
		"log --oneline --graph":   "--oneline --graph",
		"log --since yesterday":   "--since=yesterday",
		"log --since=yesterday":   "--since=yesterday",
		"log --author --output=x": "--author=--output=x",
		"log --grep --exec":       "--grep=--exec",
		"log -S needle":           "-Sneedle",
		"log -S --output=x":       "-S--output=x",
		"log -G --output":         "-G--output",
		"log -L 1,2:a.go":         "-L1,2:a.go",
		"log -pw":                 "-p -w",
		"log --format=%h":         "--format=%h",
		"log --format %h":         "--format=%h",
		"log --pretty=oneline":    "--pretty=oneline",
		"log --stat=80":           "--stat=80",
		"log --stat":              "--stat",
		"log a..b":                "a..b",
		"log HEAD~2 -- a.txt":     "HEAD~2 -- a.txt",
		"log :/text":              ":/text",
		"log -- --output=x":       "-- --output=x",
		"log --all --not v1":      "--all --not v1",
		"log --follow -- a":       "--follow -- a",
		"log -M50%":               "-M50%",
		"show HEAD:a.txt":         "HEAD:a.txt",
		"show --stat HEAD":        "--stat HEAD",
		"diff --cached":           "--cached",
		"diff --staged a":         "--staged a",
		"diff -U3":                "-U3",
		"diff -U 3":               "-U3",
		"diff --unified 3":        "--unified=3",
		"diff --word-diff=color":  "--word-diff=color",
		"diff --name-only":        "--name-only",
		"status -sb":              "",
		"status --porcelain=v1":   "",
		"status -uall":            "--untracked-files=all",
		"status -u":               "--untracked-files",
		"status --ignored":        "--ignored",
		"branch -av":              "-a -v",
		"branch -vv":              "-v -v",
		"branch --contains HEAD":  "--contains=HEAD",
		"branch --contains":       "--contains",
		"branch --merged -D":      "--merged=-D",
		"blame -L 1,5 a.txt":      "-L1,5 a.txt",
		"blame -w -C a.txt":       "-w -C a.txt",
		// write: let through
		"add -A":                   "-A",
		"add --chmod=+x a":         "--chmod=+x a",
		"commit -am msg":           "-a --message=msg",
		"commit -m --exec":         "--message=--exec",
		"commit -mmsg":             "--message=msg",
		"commit --amend --no-edit": "--amend --no-edit",
		"checkout -b new":          "-bnew",
		"checkout -":               "-",
		"switch -c new":            "--create=new",
		"switch -C --orphan":       "--force-create=--orphan",
		"restore -s HEAD a":        "--source=HEAD a",
		"restore -SW a":            "-S -W a",
		"stash push -um x":         "-u --message=x",
		"stash pop --index":        "--index",
		"pull --rebase":            "--rebase",
		"pull -r":                  "--rebase",
		"pull --rebase=merges":     "--rebase=merges",
		"tag -am x v1":             "-a --message=x v1",
		"tag -n3":                  "-n3",
		"tag -d v1":                "-d v1",
		// names, revisions and paths are passed on as they are, and never as options
		"log @{-1}":                  "@{-1}",
		"log @{u}..HEAD":             "@{u}..HEAD",
		"log HEAD^{/fix}":            "HEAD^{/fix}",
		"log :(exclude)a.txt":        ":(exclude)a.txt",
		"log -- :(top,glob)**/a":     "-- :(top,glob)**/a",
		"log -- -p":                  "-- -p",
		"diff -- --ext-diff":         "-- --ext-diff",
		"show HEAD -- -O":            "HEAD -- -O",
		"checkout -- -f":             "-- -f",
		"checkout @{-1}":             "@{-1}",
		"switch -":                   "-",
		"switch -c --force":          "--create=--force",
		"restore -- --source=x":      "-- --source=x",
		"tag -- -d":                  "-- -d",
		"add -- -p":                  "-- -p",
		"add -u":                     "-u",
		"diff -u":                    "-u",
		"log -u":                     "-u",
		"stash push -u":              "-u",
		"log -c":                     "-c",
		"log --cc":                   "--cc",
		"blame -c a":                 "-c a",
		"commit -m -c":               "--message=-c",
		"commit -m core.pager=x":     "--message=core.pager=x",
		"log --grep=--upload-pack=x": "--grep=--upload-pack=x",
		"branch new @{-1}":           "new @{-1}",
		// refused: everything with which git runs or writes something, spelled oddly
		"log -Oorder":                         "!",
		"diff -Oorder":                        "!",
		"diff -pOorder":                       "!",
		"diff --output-indicator-new=x":       "!",
		"diff --outpu=x":                      "!",
		"log --open-files-in-pager":           "!",
		"show -O less":                        "!",
		"show --ext-dif":                      "!",
		"show --tex":                          "!",
		"show --exec=x":                       "!",
		"log --exec-path=/x":                  "!",
		"log --config-env=a=b":                "!",
		"log --paginate":                      "!",
		"log --no-index":                      "!",
		"log --remote=x":                      "!",
		"log --upload-p x":                    "!",
		"pull --upload-p=x":                   "!",
		"pull --exec=x":                       "!",
		"pull -o x":                           "!",
		"pull --receive-pack=x":               "!",
		"pull --ssh-command=x":                "!",
		"pull -4 --upload-pack=x":             "!",
		"pull --rebase=i":                     "!",
		"pull --strategy-option=x":            "!",
		"pull --recurse-sub":                  "!",
		"commit -C HEAD":                      "--reuse-message=HEAD",
		"commit --gpg":                        "!",
		"commit --templ=x":                    "!",
		"commit --interactive":                "!",
		"commit --patch":                      "!",
		"commit -p":                           "!",
		"commit --pathspec-from-file=x":       "!",
		"commit --cleanup=x":                  "!",
		"checkout --pathspec-from-file x":     "!",
		"checkout --recurse-sub":              "!",
		"checkout --patc":                     "!",
		"switch --recurse-submodules":         "!",
		"switch --conflict=x":                 "!",
		"restore --recurse-submodules":        "!",
		"restore --patc":                      "!",
		"tag --local-user=x v1":               "!",
		"tag --fil=x v1":                      "!",
		"tag --sig v1":                        "!",
		"tag --edit v1":                       "!",
		"tag --verify v1":                     "!",
		"branch --edit-desc":                  "!",
		"branch --set-upstream-to=x --edit-d": "!",
		"add --edit":                          "!",
		"add --interact":                      "!",
		"add --pathspec-file-nul":             "!",
		"stash push --patch":                  "!",
		"stash pop --quie":                    "!",
		"status --output=x":                   "!",
		"status -c core.fsmonitor=x":          "!",
		"status --git-dir=x":                  "!",
		"blame --output=x a":                  "!",
		"blame --content=x a":                 "!",
		"blame --ignore-revs-f=x a":           "!",
		"blame -Srevs a":                      "!",
		// refused
		"log --output=x":                       "!",
		"log --output x":                       "!",
		"log --outp=x":                         "!",
		"log --outpu x":                        "!",
		"log --ext-diff":                       "!",
		"log --textconv":                       "!",
		"log --textc":                          "!",
		"log --stdin":                          "!",
		"log --show-signature":                 "!",
		"log --end-of-options x":               "!",
		"log -O order":                         "!",
		"log --submodule=diff":                 "!",
		"log -pOorder":                         "!",
		"log --since":                          "!",
		"log -S":                               "!",
		"log --oneline=x":                      "!",
		"log --onelin":                         "!",
		"log -5x":                              "!",
		"diff --no-index a b":                  "!",
		"diff --no-ind a b":                    "!",
		"diff --output=x":                      "!",
		"diff --ext-diff":                      "!",
		"diff --submodule=log":                 "!",
		"diff --ignore-submodules=none":        "!",
		"diff -c core.pager=x":                 "-c core.pager=x", // combined diff, of a path with that name
		"show -c=x":                            "!",
		"show --textconv":                      "!",
		"show --git-dir=/":                     "!",
		"show --work-tree=/":                   "!",
		"show -C/tmp --exec-path=/":            "!",
		"status --exec-path=/":                 "!",
		"status -uevil":                        "!",
		"blame --contents /etc/passwd":         "!",
		"blame -S revs":                        "!",
		"blame --ignore-revs-file=/etc/passwd": "!",
		"blame --textconv a":                   "!",
		"branch -D main":                       "!",
		"branch --edit-description":            "!",
		"add -p":                               "!",
		"add -i":                               "!",
		"add -e":                               "!",
		"add -Ap":                              "!",
		"add --pathspec-from-file=x":           "!",
		"commit -F /etc/passwd":                "!",
		"commit --file=/etc/passwd":            "!",
		"commit --fil=/etc/passwd":             "!",
		"commit -t x":                          "!",
		"commit --template=x":                  "!",
		"commit -S":                            "!",
		"commit --gpg-sign":                    "!",
		"commit -e":                            "!",
		"commit -v":                            "!",
		"commit --trailer X=1":                 "!",
		"commit -aF x":                         "!",
		"checkout -p":                          "!",
		"checkout --recurse-submodules":        "!",
		"checkout --conflict=evil":             "!",
		"restore --pathspec-from-file=x":       "!",
		"restore -p":                           "!",
		"stash push -p":                        "!",
		"stash push --pathspec-from-file=x":    "!",
		"pull --upload-pack=x":                 "!",
		"pull --upload-pack x":                 "!",
		"pull --upl=x":                         "!",
		"pull --rebase=interactive":            "!",
		"pull --strategy=evil":                 "!",
		"pull -s evil":                         "!",
		"pull -Xours":                          "!",
		"pull --recurse-submodules":            "!",
		"pull --server-option=x":               "!",
		"pull --all":                           "!",
		"tag -s v1":                            "!",
		"tag -u key v1":                        "!",
		"tag -v v1":                            "!",
		"tag -F x v1":                          "!",
	} {
		t.Run(line, func(t *testing.T) {
			command, args := splitLine(line)
			allowed, ok := reading[command]
			if !ok {
				allowed = writing[command]
			}
			c, err := allowed.check(command, args)
			switch {
			case strings.HasPrefix(want, "!") && err == nil:
				t.Errorf("let through as %q", c.args)
			case !strings.HasPrefix(want, "!") && err != nil:
				t.Errorf("refused: %v", err)
			case err == nil && strings.Join(c.args, " ") != want:
				t.Errorf("got %q, want %q", strings.Join(c.args, " "), want)
			}
		})
	}
}

func splitLine(line string) (command string, args []string) {
	words := strings.Fields(line)
	if words[0] == "stash" {
		return "stash " + words[1], words[2:]
	}
	return words[0], words[1:]
}

// dangerous are options that must never reach git, in full.
var dangerous = []string{
	"--output", "--ext-diff", "--textconv", "--no-index", "--exec", "--upload-pack", "--receive-pack", "--git-dir", "--work-tree",
	"--exec-path", "--config-env", "--file", "--template", "--pathspec-from-file", "--contents", "--ignore-revs-file", "--edit-description",
	"--interactive", "--gpg-sign", "--sign", "--local-user", "--trailer", "--strategy", "--strategy-option", "--server-option",
	"--recurse-submodules", "--submodule", "--show-signature", "--stdin", "--end-of-options", "--verify-signatures", "--ignore-submodules",
}

// TestDangerousIsNotAllowed holds that no list allows what runs programs.
func TestDangerousIsNotAllowed(t *testing.T) {
	for _, lists := range []map[string]options{reading, writing} {
		for command, allowed := range lists {
			for _, name := range dangerous {
				if _, ok := allowed[name]; ok {
					t.Errorf("git %s allows %s", command, name)
				}
			}
		}
	}
}

// FuzzOptions holds that whatever is let through starts with an option that is
// allowed in full, with its value attached, or is no option at all.
func FuzzOptions(f *testing.F) {
	for _, s := range []string{"log\n--output=x", "diff\n-pO\nx", "commit\n-am\n--file=x", "branch\n--contains\n--output", "log\n-5", "status\n-uall", "log\n--\n--output", "pull\n--upl\nx", "tag\n-n\n--file=x", "stash push\n-m\n-p"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, in string) {
		args := strings.Split(in, "\n")
		for _, lists := range []map[string]options{reading, writing} {
			allowed, ok := lists[args[0]]
			if !ok {
				continue
			}
			c, err := allowed.check(args[0], args[1:])
			if err != nil {
				continue
			}
			for _, a := range c.args {
				if a == "--" {
					break
				}
				if len(a) > 1 && a[0] == '-' && !known(allowed, a) {
					t.Errorf("%q let through %q of %q", args, a, c.args)
				}
			}
		}
	})
}

func known(allowed options, arg string) bool {
	if strings.HasPrefix(arg, "--") {
		name, _, _ := strings.Cut(arg, "=")
		_, ok := allowed[name]
		return !slices.Contains(dangerous, name) && (ok || name == "--max-count")
	}
	for name, o := range allowed {
		if len(name) > 1 && name[1] != '-' && strings.HasPrefix(arg, name) && (arg == name || o.takes != nothing) {
			return true
		}
	}
	return false
}
