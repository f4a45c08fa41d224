package offline

import (
	"slices"
	"strconv"
	"strings"
)

var (
	gitReads  = []string{"status", "log", "diff", "branch", "show", "blame"}
	gitWrites = []string{"add", "commit", "checkout", "switch", "restore", "stash", "pull", "tag"}
)

// gitRead is a call of git_read.
func gitRead(command string, more ...string) call {
	a := args{"command": command}
	if len(more) > 0 {
		a["args"] = more
	}
	return call{"git_read", a}
}

func gitWrite(command string, more ...string) call {
	a := args{"command": command}
	if len(more) > 0 {
		a["args"] = more
	}
	return call{"git_write", a}
}

func steps(each ...[]call) (intent, bool) { return intent{steps: each}, true }

// changes asks for the state and for how much changed, side by side.
func changes(captures) (intent, bool) {
	return steps([]call{gitRead("status", "--porcelain", "--branch"), gitRead("diff", "--stat")})
}

func gitForms() []*form {
	read := func(command string, more ...string) func(captures) (intent, bool) {
		return func(captures) (intent, bool) { return steps([]call{gitRead(command, more...)}) }
	}
	const repo = "[in|of|on [the|this|my] [git] [git|repo|repository|project|code|folder|here]]"
	return []*form{
		{say: "what|what's|what_has|what_have|what_is changed|change|new|modified|different " + repo, make: changes},
		{say: "what_changed|what_has_changed|what_did_i_change|what_have_i_changed|what_was_changed|anything_changed|what_changes_are_there|any_changes|are_there_changes " + repo, make: changes},
		{say: "[show] [me] [the] git_status|status_of_the_repo|status_of_git|repo_status|repository_status", make: changes},
		{say: "show|list|see [me] [the|all|my] [uncommitted|local|git] changes " + repo, make: changes},
		{say: "was_hat_sich [in|im] [git|repo] [geändert]", make: changes},
		{say: "was_hat_sich geändert", make: changes},
		{say: "[show] [me] [the] diff|git_diff " + repo, make: read("diff")},
		{say: "[show] [me] [the] staged diff|changes", make: read("diff", "--staged")},
		{say: "[show] [me] [the] diff|changes of|in|for|to [the] [file] {path}", make: func(c captures) (intent, bool) {
			if !c.aPath(true) {
				return no()
			}
			return steps([]call{gitRead("diff", "--", c.get("path"))})
		}},
		{say: "[show|list] [me] [the] last|latest|recent|newest {n} commits|commit " + repo, make: lastCommits},
		{say: "[show|list] [me] [the] [last|latest|recent|newest|git] commits|history|log|git_log " + repo, make: read("log", "--oneline", "-n", "10")},
		{say: "[show] [me] [the] last|latest|newest commit", make: read("show", "--stat", "HEAD")},
		{say: "[show|list|what_are] [me] [the|all|my] [git] branches " + repo, make: read("branch", "--all")},
		{say: "which|what|what_is_the|on_which|on_what branch|current_branch [am_i_on|is_this|are_we_on|is_it|am_i]", make: read("status", "--porcelain", "--branch")},
		{say: "who_changed|who_wrote|who_edited|blame [the] [file] {path}", make: func(c captures) (intent, bool) {
			if !c.aPath(true) {
				return no()
			}
			return steps([]call{gitRead("blame", "--", c.get("path"))})
		}},
		{say: "git {command} [{rest*}]", make: rawGit},
		{say: "commit [everything|all|it|that|this|my|the|all_my|all_the] [changes|work|files] with|as [the|a] [commit] [message|text] {message*}", make: commitAll},
		{say: "commit [everything|all|it|my|the|all_my|all_the] [changes|work|files] {message}", make: func(c captures) (intent, bool) {
			if !c.quoted["message"] {
				return no()
			}
			return commitAll(c)
		}},
		{say: "commit [everything|all|it|that|this|my|the|all_my|all_the] [changes|work|files]", make: commitAll},
		{say: "stage|add [everything|all|all_changes|all_files] [to_git|to_the_index|for_commit]", make: func(captures) (intent, bool) {
			return steps([]call{gitWrite("add", "--all")})
		}},
		{say: "create|make|start [a] [new] [git] branch [named|called] {name}", make: func(c captures) (intent, bool) {
			return steps([]call{gitWrite("switch", "-c", c.get("name"))})
		}},
		{say: "switch|change|go|checkout|check_out to [the] [branch] {name} [branch]", make: func(c captures) (intent, bool) {
			if strings.ContainsAny(c.get("name"), " \t") {
				return no()
			}
			return steps([]call{gitWrite("switch", c.get("name"))})
		}},
		{say: "stash [my|the|all] [changes|work]", make: func(captures) (intent, bool) { return steps([]call{gitWrite("stash")}) }},
		{say: "push [it|this|everything|my_changes|the_changes|the_branch|to_github|to_origin]", make: noPush},
	}
}

func noPush(captures) (intent, bool) {
	return intent{reply: "I never push: what leaves this computer is for you to send. In a terminal: `git push`."}, true
}

func lastCommits(c captures) (intent, bool) {
	n, err := strconv.Atoi(c.get("n"))
	if word := slices.Index(strings.Fields("zero one two three four five six seven eight nine ten"), strings.ToLower(c.get("n"))); err != nil && word > 0 {
		n, err = word, nil
	}
	if err != nil || n < 1 || n > 1000 {
		return no()
	}
	return steps([]call{gitRead("log", "--oneline", "-n", strconv.Itoa(n))})
}

// rawGit passes a git command on as it was written.
func rawGit(c captures) (intent, bool) {
	command := strings.ToLower(c.get("command"))
	var more []string
	for _, w := range split(c.raw["rest"]).words {
		more = append(more, w.text)
	}
	switch {
	case command == "push":
		return noPush(c)
	case command == "status" && len(more) == 0:
		return changes(c)
	case command == "commit" && len(more) == 0:
		return commitAll(c)
	case slices.Contains(gitReads, command):
		return steps([]call{gitRead(command, more...)})
	case slices.Contains(gitWrites, command):
		return steps([]call{gitWrite(command, more...)})
	}
	return one("shell", args{"command": strings.TrimSpace("git " + c.raw["command"] + " " + c.raw["rest"])})
}

// commitAll stages everything, then commits it.
func commitAll(c captures) (intent, bool) {
	if !c.has("message") {
		return ask("git_write", "message", "With which message?")
	}
	return steps([]call{gitWrite("add", "--all")}, []call{gitWrite("commit", "-m", c.get("message"))})
}
