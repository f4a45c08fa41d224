package git

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/hobkin/hobkin/core/capability"
	"github.com/hobkin/hobkin/core/sandbox"
)

var noMessage = &capability.Failure{Code: "no_message", When: "a commit or an annotated tag has no message", Try: "give one with -m"}

func init() {
	capability.AddPreviewed(&Tools, capability.Capability{
		Name:  "git_write",
		Title: "Change git",
		Description: "Changes a git repository: add, commit, checkout, switch, restore, stash, pull, branch and tag. " +
			"args are what stands behind the command, each an entry of its own; paths are relative to repo. " +
			"A commit needs a message. A pull only goes forward unless told otherwise. Nothing is ever pushed, and hooks do not run.",
		Class:    capability.ReadWrite,
		Category: capability.CategoryGit,
		Hints: capability.Hints{
			ReadOnly: capability.No, Destructive: capability.Yes, Idempotent: capability.No, OpenWorld: capability.Yes,
			ConcurrencyKey: "git",
		},
		Docs: capability.Docs{
			When: "to commit work, change branches, set work aside or get what others did; to look, use git_read",
			Examples: []capability.Example{
				{When: "stage two files", In: writeIn{Command: "add", Args: []string{"main.go", "README.md"}}},
				{When: "commit what is staged", In: writeIn{Command: "commit", Args: []string{"-m", "Fix the date of invoices"}}},
				{When: "start a branch", In: writeIn{Command: "switch", Repo: "~/project", Args: []string{"-c", "invoices"}}},
			},
			Fails: writeFails,
		},
	}, (*Host).write, (*Host).previewWrite)
}

var writeFails = failures(noMessage, locked, conflict, noIdentity, noAnswer, diverged, noCommit)

type writeIn struct {
	Command string   `json:"command" enum:"add,commit,checkout,switch,restore,stash,pull,branch,tag" jsonschema:"what to do"`
	Repo    string   `json:"repo,omitempty" jsonschema:"a folder in the repository; the workspace unless given"`
	Args    []string `json:"args,omitempty" jsonschema:"options, names and paths, each an entry of its own"`
}

// A plan is a call that has passed all checks.
type plan struct {
	repo   *repository
	line   *checked
	args   []string
	remote remote // of a pull
}

func (h *Host) plan(turn capability.Turn, in writeIn) (*plan, error) {
	command, args := in.Command, in.Args
	sub := ""
	if command == "stash" {
		sub, args = stashCommand(args)
		command += " " + sub
	}
	allowed, ok := writing[command]
	if !ok {
		return nil, optionRefused.Becausef("git %s is not allowed here", command).Trying("use stash push, pop, apply, drop, list, show, branch or clear")
	}
	c, err := allowed.check(command, args)
	if err != nil {
		return nil, err
	}
	r, err := h.locate(turn, in.Repo, sandbox.Write)
	switch {
	case err != nil:
		return nil, err
	case r.worktree == "" && in.Command != "branch" && in.Command != "tag":
		return nil, bare.Becausef("%s is a bare repository", r.gitDir)
	}
	p := &plan{repo: r, line: c}
	if in.Command == "pull" {
		p.remote, err = h.remote(turn, r, c)
	} else {
		err = h.within(r, c)
	}
	if err != nil {
		return nil, err
	}
	p.args, err = writeArgs(r, c, in.Command, sub)
	return p, err
}

// stashCommand takes the subcommand off; without one it is push, as in git.
func stashCommand(args []string) (sub string, rest []string) {
	if len(args) == 0 || strings.HasPrefix(args[0], "-") {
		return "push", args
	}
	return args[0], args[1:]
}

// writeArgs is what git gets for a checked line.
func writeArgs(r *repository, c *checked, command, sub string) ([]string, error) {
	args := []string{command}
	switch {
	case sub != "":
		args = append(args, sub)
		if sub == "show" || sub == "list" {
			args = append(args, quietDiff...)
		}
	case command == "commit":
		extra, err := messageArgs(r, c)
		if err != nil {
			return nil, err
		}
		args = append(args, extra...)
	case command == "tag" && c.any("-a", "--annotate") && c.values["--message"] == "":
		return nil, noMessage.Becausef("an annotated tag needs a message")
	case command == "checkout" || command == "switch":
		// Quiet: the list of local changes would look into submodules.
		args = append(args, "--quiet", "--no-recurse-submodules")
	case command == "pull":
		args = append(args, "--no-recurse-submodules", "--upload-pack=git-upload-pack")
		if !c.any("--ff", "--no-ff", "--ff-only", "--rebase", "--no-rebase") {
			args = append(args, "--ff-only")
		}
	}
	return append(args, c.args...), nil
}

// messageArgs makes sure that a commit has a message from somewhere.
func messageArgs(r *repository, c *checked) ([]string, error) {
	switch {
	case strings.TrimSpace(c.values["--message"]) != "", c.any("--reuse-message", "--fixup", "--squash") && !c.has["--message"]:
		return nil, nil
	case c.has["--message"]:
		return nil, noMessage.Becausef("the message is empty")
	case c.has["--amend"]:
		return []string{"--no-edit"}, nil
	}
	for _, name := range []string{"MERGE_HEAD", "CHERRY_PICK_HEAD", "REVERT_HEAD"} {
		if _, err := os.Lstat(filepath.Join(r.gitDir, name)); err == nil {
			return []string{"--no-edit"}, nil // git has one ready
		}
	}
	return nil, noMessage.Becausef("the commit has no message")
}

// destructive says why a call may lose something for good; empty when it does not.
func (p *plan) destructive() string {
	c := p.line
	switch c.command {
	case "restore":
		return "Changes that are not committed are replaced."
	case "checkout":
		if c.any("-b", "--orphan") && !c.any("-f", "--force") {
			return ""
		}
		return "Changes that are not committed may be replaced."
	case "switch":
		if c.any("-f", "--force", "--discard-changes") {
			return "Changes that are not committed are lost."
		}
		if c.has["--force-create"] {
			return "A branch of that name is replaced."
		}
	case "stash drop", "stash clear":
		return "What was set aside is lost."
	case "branch":
		if c.any("-D", "-M", "-C", "-f", "--force") {
			return "Commits that are on no other branch may be lost."
		}
	case "tag":
		if c.any("-d", "--delete", "-f", "--force") {
			return "A tag is removed or moved."
		}
	}
	return ""
}

func (h *Host) previewWrite(_ context.Context, call capability.Call, in writeIn) (capability.Preview, error) {
	p, err := h.plan(call.Turn, in)
	if err != nil {
		return capability.Preview{}, err
	}
	out := capability.Preview{
		Question: "Change the repository?",
		Summary:  fmt.Sprintf("%s in %s · %s", p.line.command, h.short(p.repo.top()), shown(in)),
		Dir:      p.repo.start,
		Paths:    []capability.PathUse{{Path: p.repo.top(), Write: true}},
		URL:      p.remote.web,
	}
	for _, dir := range []string{p.repo.gitDir, p.repo.common} {
		if !strings.HasPrefix(dir, p.repo.top()) && dir != out.Paths[len(out.Paths)-1].Path {
			out.Paths = append(out.Paths, capability.PathUse{Path: dir, Write: true})
		}
	}
	if p.remote.path != "" {
		out.Paths = append(out.Paths, capability.PathUse{Path: p.remote.path})
	}
	if w := p.destructive(); w != "" {
		out.Destructive = true
		out.Warnings = append(out.Warnings, w)
	}
	_, filters, err := tame(p.repo.settings)
	if len(filters) > 0 {
		out.Warnings = append(out.Warnings, "The repository's own filters do not run: "+strings.Join(filters, ", ")+". Files are taken as they are.")
	}
	return out, err
}

// shown is the command line as a person would type it.
func shown(in writeIn) string {
	parts := []string{"git", in.Command}
	for _, a := range in.Args {
		if a == "" || strings.ContainsFunc(a, func(r rune) bool { return r <= ' ' || strings.ContainsRune("\"'`$\\*?;&|<>()!", r) }) {
			a = `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`, "\t", `\t`).Replace(a) + `"`
		}
		parts = append(parts, a)
	}
	return capability.CutText(strings.Join(parts, " "), 2000)
}

func (h *Host) write(ctx context.Context, call capability.Call, in writeIn) (capability.Result, error) {
	p, err := h.plan(call.Turn, in)
	if err != nil {
		return capability.Result{}, err
	}
	j := job{args: p.args, limit: h.limits().Time, protocols: p.remote.protocols}
	if in.Command == "pull" {
		j.limit = h.limits().PullTime
		call.Progress("pulling from " + p.remote.name)
	}
	if j.extra, err = h.submodules(ctx, call.Turn, p.repo, 0); err != nil {
		return capability.Result{}, err
	}
	d, err := h.run(ctx, p.repo, j)
	switch {
	case err != nil:
		return capability.Result{}, err
	case d.code != 0:
		return capability.Result{}, failed(d, writeFails)
	}
	res := capability.Result{Text: d.text(), Summary: in.Command + " done"}
	if in.Command == "commit" && !p.line.has["--dry-run"] {
		if err := h.newCommit(ctx, p.repo, &res); err != nil {
			return capability.Result{}, err
		}
	}
	if res.Text == "" {
		res.Text = "Done: " + shown(in) + "."
	}
	res.Text += offNote(d.filters)
	return res, nil
}

// newCommit adds the hash of the commit that was made.
func (h *Host) newCommit(ctx context.Context, r *repository, res *capability.Result) error {
	d, err := h.run(ctx, r, job{args: []string{"rev-parse", "--verify", "HEAD"}, reads: true, limit: h.limits().Time})
	if err != nil || d.code != 0 {
		return err // the commit is there all the same
	}
	hash := strings.TrimSpace(d.out)
	res.Text = fmt.Sprintf("Committed %s.\n%s", hash, res.Text)
	res.Summary = fmt.Sprintf("committed %.10s", hash)
	res.Data, err = json.Marshal(map[string]string{"commit": hash})
	return err
}
