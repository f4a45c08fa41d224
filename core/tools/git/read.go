package git

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/hobkin/hobkin/core/capability"
	"github.com/hobkin/hobkin/core/sandbox"
)

func init() {
	capability.Add(&Tools, capability.Capability{
		Name:  "git_read",
		Title: "Look into git",
		Description: "Looks into a git repository: status, log, diff, show, branch (lists branches) and blame. " +
			"args are what stands behind the command, each an entry of its own; paths are relative to repo. " +
			"log shows 20 commits unless told otherwise. Nothing is changed, and nothing is fetched.",
		Class:     capability.ReadOnly,
		Category:  capability.CategoryGit,
		OwnerData: true,
		Hints:     capability.Hints{ReadOnly: capability.Yes, Idempotent: capability.Yes, OpenWorld: capability.No},
		Docs: capability.Docs{
			When: "to see what changed in a repository, when and by whom; for the files themselves use file_read",
			Examples: []capability.Example{
				{When: "what has changed", In: readIn{Command: "status"}},
				{When: "the last commits of a file", In: readIn{Command: "log", Args: []string{"-n", "5", "--stat", "--", "main.go"}}},
				{When: "what a commit would hold", In: readIn{Command: "diff", Repo: "~/project", Args: []string{"--staged"}}},
			},
			Fails: readFails,
		},
	}, (*Host).read)
}

var readFails = failures(locked)

type readIn struct {
	Command string   `json:"command" enum:"status,log,diff,branch,show,blame" jsonschema:"what to look at"`
	Repo    string   `json:"repo,omitempty" jsonschema:"a folder in the repository; the workspace unless given"`
	Args    []string `json:"args,omitempty" jsonschema:"options, revisions and paths, each an entry of its own"`
}

func (h *Host) read(ctx context.Context, call capability.Call, in readIn) (capability.Result, error) {
	c, err := reading[in.Command].check(in.Command, in.Args)
	if err != nil {
		return capability.Result{}, err
	}
	r, err := h.place(call.Turn, in, c)
	if err != nil {
		return capability.Result{}, err
	}
	if in.Command == "status" {
		return h.status(ctx, r, c)
	}
	d, err := h.run(ctx, r, job{args: readArgs(c), reads: true, limit: h.limits().Time})
	switch {
	case err != nil:
		return capability.Result{}, err
	case d.code == 0, foundSome(c, d):
		return readResult(c, d), nil
	case in.Command == "log" && strings.Contains(d.err, "does not have any commits yet"):
		return capability.Result{Text: "There are no commits yet.", Summary: "no commits"}, nil
	}
	return capability.Result{}, failed(d, readFails)
}

// place finds the repository and holds that what the call names is in there.
func (h *Host) place(turn capability.Turn, in readIn, c *checked) (*repository, error) {
	r, err := h.locate(turn, in.Repo, sandbox.Read)
	switch {
	case err != nil:
		return nil, err
	case r.worktree == "" && (in.Command == "status" || in.Command == "diff" && len(c.rest) == 0):
		return nil, bare.Becausef("%s is a bare repository", r.gitDir)
	}
	return r, h.within(r, c)
}

// foundSome reports whether a diff ended as one does that was asked to tell
// about differences by its exit code.
func foundSome(c *checked, d done) bool {
	return c.command == "diff" && d.err == "" && (d.code == 1 || d.code == 2 && c.has["--check"])
}

// readArgs is what git gets: what keeps it from running programs, how to show
// things, and what was asked for.
func readArgs(c *checked) []string {
	args := []string{c.command}
	switch c.command {
	case "log", "show":
		args = append(args, quietDiff...)
		if c.command == "log" && !c.has["--max-count"] {
			args = append(args, "--max-count=20")
		}
		if !c.any("--format", "--pretty", "--oneline") {
			args = append(args, layout(c)...)
		}
	case "diff":
		args = append(append(args, quietDiff...), "--ignore-submodules=dirty")
	case "blame":
		args = append(args, "--no-textconv")
		if !c.any("--date", "--porcelain", "-p", "--line-porcelain") {
			args = append(args, "--date=short")
		}
	case "branch":
		if !c.has["--show-current"] {
			args = append(args, "--list") // else a name would make a branch
		}
	}
	return append(args, c.args...)
}

// quietDiff keeps differences from being shown by programs.
var quietDiff = []string{"--no-ext-diff", "--no-textconv", "--submodule=short"}

// layout is how a commit is shown unless the call says so.
func layout(c *checked) []string {
	args := []string{"--format=%h  %ad  %an  %s%d"}
	if c.command == "show" {
		args = []string{"--format=commit %H%d%nAuthor: %an <%ae>%nDate: %ad%n%n%w(0,4,4)%B"}
	}
	if !c.any("--date", "--relative-date") {
		args = append(args, "--date=iso")
	}
	return args
}

// words say what came out when there is nothing to show, and what a line is.
var words = map[string]struct{ line, none, summary string }{
	"log":    {"line", "No commit fits.", "no commits"},
	"show":   {"line", "There is nothing to show.", "nothing"},
	"diff":   {"line", "There are no differences.", "no differences"},
	"branch": {"branch", "There is no such branch.", "no branches"},
	"blame":  {"line", "The file is empty.", "no lines"},
}

func readResult(c *checked, d done) capability.Result {
	text := strings.TrimRight(d.out, "\n")
	w := words[c.command]
	switch {
	case text == "" && d.code == 1:
		return capability.Result{Text: "There are differences.", Summary: "differences"}
	case text == "":
		return capability.Result{Text: w.none, Summary: w.summary}
	}
	if c.command == "log" && (len(c.has) == 0 || len(c.has) == 1 && c.any("--max-count", "--oneline")) {
		w.line = "commit"
	}
	return capability.Result{Text: text + offNote(d.filters), Summary: plural(strings.Count(text, "\n")+1, w.line)}
}

// offNote says which filters of the repository did not run.
func offNote(filters []string) string {
	if len(filters) == 0 {
		return ""
	}
	return "\n(the repository's own filters were off: " + strings.Join(filters, ", ") + ")"
}

func plural(n int, what string) string {
	switch {
	case n == 1:
	case strings.HasSuffix(what, "h"):
		what += "es"
	default:
		what += "s"
	}
	return strconv.Itoa(n) + " " + what
}

// maxStatus bounds how much of git's status is read, in bytes.
const maxStatus = 8 << 20

func (h *Host) status(ctx context.Context, r *repository, c *checked) (capability.Result, error) {
	args := []string{"status", "--porcelain=v2", "--branch", "-z", "--ignore-submodules=dirty"}
	if !c.has["--untracked-files"] {
		args = append(args, "--untracked-files=normal")
	}
	var out []byte
	d, err := h.run(ctx, r, job{args: slices.Concat(args, c.args), reads: true, limit: h.limits().Time, raw: func(chunk []byte) {
		out = append(out, chunk[:min(len(chunk), maxStatus-len(out))]...)
	}})
	switch {
	case err != nil:
		return capability.Result{}, err
	case d.code != 0:
		return capability.Result{}, failed(d, readFails)
	}
	s := parseStatus(string(out), h.limits().Listed)
	data, err := json.Marshal(s)
	if err != nil {
		return capability.Result{}, fmt.Errorf("git: the status: %w", err)
	}
	return capability.Result{Text: s.text() + offNote(d.filters), Summary: s.summary(), Data: data}, nil
}
