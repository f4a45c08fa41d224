package git

import "maps"

// The allowed options of each command. An option belongs here only if it can
// neither run a program, nor read or write a file that it names, nor ask.

// set makes options from names; short=long passes a short one on as the long.
func set(takes taking, names ...string) options {
	out := options{}
	for _, n := range names {
		out[n] = option{takes: takes}
	}
	return out
}

// with joins options.
func with(list ...options) options {
	out := options{}
	for _, o := range list {
		maps.Copy(out, o)
	}
	return out
}

var (
	// shape is how differences are shown.
	shape = with(
		set(nothing, "-p", "-u", "--patch", "-s", "--no-patch", "--raw", "--patch-with-raw", "--patch-with-stat", "--numstat", "--shortstat",
			"--summary", "--name-only", "--name-status", "--compact-summary", "--binary", "--full-index", "--minimal", "--patience", "--histogram",
			"-w", "--ignore-all-space", "-b", "--ignore-space-change", "--ignore-space-at-eol", "--ignore-cr-at-eol", "--ignore-blank-lines",
			"-W", "--function-context", "--no-renames", "--check", "-R", "--text", "-a", "--cumulative", "--pickaxe-all", "--pickaxe-regex",
			"--no-prefix", "--find-copies-harder", "--no-relative", "--no-color", "--no-ext-diff", "--no-textconv", "-r", "-t", "-m", "-c", "--cc"),
		set(attached, "--stat", "--dirstat", "--word-diff", "--abbrev", "--relative", "-M", "-C", "-B", "--find-renames", "--find-copies"),
		set(value, "-S", "-G", "-U", "--unified", "--diff-filter", "--word-diff-regex", "--diff-algorithm", "--inter-hunk-context",
			"--src-prefix", "--dst-prefix", "--stat-width", "--stat-count", "--find-object", "--anchored"),
	)
	// walk is which commits are shown, and how.
	walk = with(shape,
		set(nothing, "--oneline", "--graph", "--all", "--reverse", "--merges", "--no-merges", "--first-parent", "--follow",
			"--topo-order", "--date-order", "--author-date-order", "--left-right", "--cherry-pick", "--cherry-mark", "--cherry", "--left-only", "--right-only", "--boundary",
			"--not", "--no-decorate", "--abbrev-commit", "--no-abbrev-commit", "--full-history", "--simplify-merges", "--ancestry-path", "-g", "--walk-reflogs",
			"-i", "--regexp-ignore-case", "-E", "--extended-regexp", "-F", "--fixed-strings", "-P", "--perl-regexp", "--all-match", "--invert-grep",
			"--parents", "--children", "--no-notes", "--source", "--relative-date", "--no-mailmap", "--merge", "--no-walk", "--clear-decorations"),
		set(attached, "--decorate", "--branches", "--tags", "--remotes", "--pretty", "--diff-merges"),
		set(value, "--since", "--after", "--until", "--before", "--author", "--committer", "--grep", "--grep-reflog", "--skip", "--max-count",
			"--min-parents", "--max-parents", "--format", "--date", "--glob", "--exclude", "--decorate-refs", "--decorate-refs-exclude", "-L"),
		options{"-n": {takes: value, long: "--max-count"}, "-5": {}},
	)
	// list is how branches and tags are listed.
	list = with(
		set(nothing, "--ignore-case", "-i", "--no-column", "--no-color", "-l", "--list"),
		set(perhaps, "--contains", "--no-contains", "--merged", "--no-merged", "--points-at"),
		set(value, "--sort", "--format"),
	)
	// moving is how a checkout or switch goes on.
	moving = with(
		set(nothing, "-q", "--quiet", "-f", "--force", "-d", "--detach", "-m", "--merge", "--guess", "--no-guess", "--no-track", "--no-progress", "--no-recurse-submodules"),
		options{"-t": {}, "--track": {takes: attached, only: []string{"direct", "inherit"}}},
		options{"--conflict": {takes: value, only: []string{"merge", "diff3", "zdiff3"}}, "--orphan": {takes: value}},
	)
)

// reading are the allowed options of git_read's commands.
var reading = map[string]options{
	"status": with(
		set(dropped, "-s", "--short", "-b", "--branch", "--long", "-v", "--verbose", "-z", "--show-stash", "--ahead-behind", "--no-column"),
		set(nothing, "--renames", "--no-renames", "--no-ahead-behind"),
		set(attached, "--find-renames"),
		options{
			"-u": {takes: attached, long: "--untracked-files", only: []string{"no", "normal", "all"}}, "--untracked-files": {takes: attached, only: []string{"no", "normal", "all"}},
			"--ignored": {takes: attached, only: []string{"traditional", "no", "matching"}}, "--porcelain": {takes: dropped},
		}),
	"log":  walk,
	"show": walk,
	"diff": with(shape, set(nothing, "--cached", "--staged", "--merge-base", "--ours", "--theirs", "--base", "-1", "-2", "-3", "-0", "--exit-code", "--quiet")),
	"branch": with(list,
		set(nothing, "-a", "--all", "-r", "--remotes", "-v", "--verbose", "--show-current"),
		set(attached, "--abbrev")),
	"blame": with(
		set(nothing, "-w", "-l", "-t", "-s", "-e", "--show-email", "-f", "--show-name", "-n", "--show-number", "-c", "--root", "-b", "--porcelain", "-p", "--line-porcelain", "--first-parent", "--reverse"),
		set(attached, "-M", "-C", "--abbrev"),
		set(value, "-L", "--since", "--date", "--ignore-rev")),
}

// writing are the allowed options of git_write's commands; a subcommand of
// stash has its own.
var writing = map[string]options{
	"add": with(
		set(nothing, "-A", "--all", "--no-all", "-u", "--update", "-n", "--dry-run", "-v", "--verbose", "-f", "--force", "-N", "--intent-to-add",
			"--refresh", "--ignore-errors", "--ignore-missing", "--renormalize", "--ignore-removal", "--no-ignore-removal", "--sparse"),
		options{"--chmod": {takes: value, only: []string{"+x", "-x"}}}),
	"commit": with(
		set(nothing, "-a", "--all", "--amend", "--no-edit", "--allow-empty", "-s", "--signoff", "--no-signoff", "-n", "--no-verify", "-o", "--only", "-i", "--include",
			"-q", "--quiet", "--reset-author", "--no-gpg-sign", "--no-post-rewrite", "--dry-run"),
		set(value, "--message", "--author", "--date", "--reuse-message", "--fixup", "--squash"),
		options{
			"-m": {takes: value, long: "--message"}, "-C": {takes: value, long: "--reuse-message"},
			"--cleanup": {takes: value, only: []string{"strip", "whitespace", "verbatim", "scissors", "default"}},
		}),
	"checkout": with(moving,
		set(nothing, "--ours", "--theirs", "--overlay", "--no-overlay", "--overwrite-ignore", "--no-overwrite-ignore", "-l"),
		set(value, "-b", "-B")),
	"switch": with(moving,
		set(nothing, "--discard-changes"),
		set(value, "--create", "--force-create"),
		options{"-c": {takes: value, long: "--create"}, "-C": {takes: value, long: "--force-create"}}),
	"restore": with(
		set(nothing, "-S", "--staged", "-W", "--worktree", "-q", "--quiet", "--ours", "--theirs", "-m", "--merge", "--ignore-unmerged", "--overlay", "--no-overlay", "--no-progress"),
		options{"-s": {takes: value, long: "--source"}, "--source": {takes: value}, "--conflict": {takes: value, only: []string{"merge", "diff3", "zdiff3"}}}),
	"stash push": with(
		set(nothing, "-k", "--keep-index", "--no-keep-index", "-u", "--include-untracked", "-a", "--all", "-S", "--staged", "-q", "--quiet"),
		options{"-m": {takes: value, long: "--message"}, "--message": {takes: value}}),
	"stash pop":    set(nothing, "--index", "-q", "--quiet"),
	"stash apply":  set(nothing, "--index", "-q", "--quiet"),
	"stash drop":   set(nothing, "-q", "--quiet"),
	"stash clear":  {},
	"stash branch": {},
	"stash list":   walk,
	"stash show":   with(shape, set(nothing, "--include-untracked", "--only-untracked")),
	"pull": with(
		set(nothing, "--ff", "--no-ff", "--ff-only", "--no-rebase", "--autostash", "--no-autostash", "-q", "--quiet", "-v", "--verbose", "--stat", "-n", "--no-stat",
			"--tags", "--no-tags", "-p", "--prune", "--squash", "--no-squash", "--no-commit", "--commit", "--allow-unrelated-histories", "--no-edit", "--no-recurse-submodules", "--unshallow"),
		options{"-r": {long: "--rebase"}, "--rebase": {takes: attached, only: []string{"true", "false", "merges"}}, "--depth": {takes: value}, "--deepen": {takes: value}}),
	"branch": with(list,
		set(nothing, "-d", "--delete", "-D", "-m", "--move", "-M", "-c", "--copy", "-C", "-f", "--force", "--unset-upstream", "--no-track", "-t", "-q", "--quiet",
			"-a", "--all", "-r", "--remotes", "-v", "--verbose", "--show-current", "--create-reflog"),
		set(attached, "--abbrev"),
		options{"-u": {takes: value, long: "--set-upstream-to"}, "--set-upstream-to": {takes: value}, "--track": {takes: attached, only: []string{"direct", "inherit"}}}),
	"tag": with(list,
		set(nothing, "-a", "--annotate", "-d", "--delete", "-f", "--force", "--no-sign", "--create-reflog"),
		set(attached, "-n"),
		options{"-m": {takes: value, long: "--message"}, "--message": {takes: value}}),
}
