package permission

import (
	"slices"
	"strings"
)

// gitReads are the subcommands of git that only read, with the long options
// that make them do more. Git takes abbreviations of options too.
var gitReads = map[string][]string{
	"status": nil, "log": gitOutput, "diff": gitOutput, "show": gitOutput, "shortlog": gitOutput, "whatchanged": gitOutput, "diff-tree": gitOutput,
	"diff-index": gitOutput, "diff-files": gitOutput, "rev-parse": nil, "describe": nil, "ls-files": nil, "ls-tree": nil, "blame": {"contents"},
	"annotate": {"contents"}, "cat-file": {"textconv", "filters", "batch-command"}, "rev-list": nil, "name-rev": nil, "merge-base": nil, "count-objects": nil,
	"for-each-ref": nil, "show-ref": nil, "show-branch": nil, "check-ignore": nil, "check-attr": nil, "cherry": nil, "range-diff": gitOutput, "var": nil, "version": nil, "--version": nil,
	"grep": {"open-files-in-pager", "ext-grep"}, "reflog": nil, "stash": nil, "branch": nil, "tag": nil, "remote": nil, "worktree": nil, "verify-commit": nil, "config": nil,
}

var gitOutput = []string{"output", "ext-diff", "textconv"}

// tameGit reports whether a git command only reads. Anything that could make
// git run a program of someone's choice (-c, pagers, external diffs) asks.
func tameGit(args []arg) bool {
	args = afterGitOptions(args)
	if len(args) == 0 {
		return false
	}
	sub, rest := args[0].text, args[1:]
	bad, ok := gitReads[sub]
	if !ok || !tameGitOptions(sub, bad, rest) {
		return false
	}
	return tameGitWords(sub, rest)
}

// tameGitWords judges the subcommands that read or change by their next words.
func tameGitWords(sub string, rest []arg) bool {
	word := ""
	if len(rest) > 0 {
		word = rest[0].text
	}
	switch sub {
	case "config":
		return gitConfigReads(rest)
	case "branch", "tag":
		return gitLists(rest)
	case "remote":
		return len(rest) == 0 || len(rest) == 1 && word == "-v" || len(rest) == 2 && word == "get-url"
	case "stash":
		return word == "list" || word == "show"
	case "worktree":
		return word == "list"
	case "reflog":
		return !slices.Contains([]string{"expire", "delete", "drop", "write"}, word)
	}
	return true
}

// afterGitOptions passes over the options before the subcommand that change
// nothing; it returns nothing when there is another.
func afterGitOptions(args []arg) []arg {
	for len(args) > 0 {
		switch o := args[0].text; {
		case o == "-C" && len(args) > 1:
			args = args[2:]
		case slices.Contains([]string{"--no-pager", "-P", "--no-optional-locks", "--literal-pathspecs"}, o):
			args = args[1:]
		default:
			return args
		}
	}
	return nil
}

func tameGitOptions(sub string, bad []string, rest []arg) bool {
	for _, a := range rest {
		if a.text == "--" {
			return true
		}
		t := tame{long: bad}
		switch {
		case sub == "grep" && strings.HasPrefix(a.text, "-O"), sub == "stash" && strings.HasPrefix(a.text, "--ou"):
			return false
		case strings.HasPrefix(a.text, "--") && t.forbids(a.text):
			return false
		}
	}
	return true
}

// gitLists reports whether branch or tag are only asked to list.
func gitLists(rest []arg) bool {
	listing := len(rest) == 0
	for _, a := range rest {
		o, _, _ := strings.Cut(a.text, "=")
		switch o {
		case "-a", "-r", "-v", "-vv", "-av", "-avv", "-l", "-n", "--all", "--remotes", "--verbose", "--list", "--show-current", "--sort", "--format", "--no-color", "--color",
			"--column", "--no-column", "--contains", "--merged", "--no-merged", "--points-at", "--no-contains":
			listing = true
		default:
			if strings.HasPrefix(o, "-") || !listing {
				return false
			}
		}
	}
	// A word after -v or -a would make a branch; after a filter or --list it is a pattern.
	last := len(rest) > 0 && !strings.HasPrefix(rest[len(rest)-1].text, "-")
	return listing && (!last || slices.ContainsFunc(rest, func(a arg) bool {
		return a.text == "-l" || a.text == "--list" || strings.Contains(a.text, "contains") || strings.Contains(a.text, "merged") || a.text == "--points-at"
	}))
}
