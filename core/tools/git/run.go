package git

import (
	"context"
	"errors"
	"io/fs"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/hobkin/hobkin/core/capability"
	"github.com/hobkin/hobkin/core/process"
)

// parent is the folder above dir; empty for the topmost.
func parent(dir string) string {
	if up := filepath.Dir(dir); up != dir {
		return up
	}
	return ""
}

// A job is one run of git.
type job struct {
	args      []string // command and arguments
	protocols string   // that may be talked, joined by colons; none when empty
	extra     []setting
	reads     bool
	limit     time.Duration
	raw       func([]byte) // gets the output as it comes; may be nil
}

// A done is what became of a job.
type done struct {
	code    int
	out     string
	err     string
	filters []string // of the repository, that were off
}

// text is all that git said.
func (d done) text() string {
	out, errs := strings.TrimRight(d.out, "\n"), strings.TrimRight(d.err, "\n")
	if out != "" && errs != "" {
		return out + "\n" + errs
	}
	return out + errs
}

// noProtocol is the name of none: git then talks to nobody.
const noProtocol = "none"

// run runs git in a repository.
func (h *Host) run(ctx context.Context, r *repository, j job) (done, error) {
	settings, filters, err := tame(append(j.extra, r.settings...))
	if err != nil {
		return done{}, err
	}
	program := h.Program
	if program == "" {
		program = "git"
	}
	argv := []string{program, "--no-pager"}
	for _, s := range settings {
		argv = append(argv, "-c", s)
	}
	if r.worktree != "" {
		argv = append(argv, "-c", "safe.bareRepository=explicit")
	}
	protocols := j.protocols
	if protocols == "" {
		protocols = noProtocol
	}
	ctx, cancel := context.WithTimeout(ctx, j.limit)
	defer cancel()
	c := process.Command{
		Args: append(argv, j.args...), Dir: r.start,
		Env:   h.environment(r, protocols, j.reads), //nolint:contextcheck // its sources have a time limit of their own
		Brief: true, Keep: h.limits().Keep,
	}
	if j.raw != nil {
		c.Output = func(s process.Stream, chunk []byte) {
			if s == process.Stdout {
				j.raw(chunk)
			}
		}
	}
	if h.Confine != nil {
		if c.Confine, err = h.Confine(r.turn, c.Env, j.protocols != ""); err != nil {
			return done{}, err
		}
	}
	res, err := process.Run(ctx, c)
	switch {
	case errors.Is(err, exec.ErrNotFound), errors.Is(err, fs.ErrNotExist):
		return done{}, noGit.Becausef("there is no program %s", program)
	case err != nil:
		return done{}, err
	case res.Stopped && errors.Is(ctx.Err(), context.DeadlineExceeded):
		return done{}, capability.TimedOut.Becausef("git %s did not end within %s", j.args[0], j.limit)
	case res.Stopped:
		return done{}, context.Cause(ctx)
	}
	return done{code: res.ExitCode, out: res.Stdout.String(), err: res.Stderr.String(), filters: filters}, nil
}

// The failures that git's own words tell.
var (
	locked     = &capability.Failure{Code: "locked", When: "another git is at work in the repository, or was killed there", Try: "wait and try again; if no git runs, ask the owner to remove the lock file that is named"}
	conflict   = &capability.Failure{Code: "conflict", When: "changes contradict each other, or would be overwritten", Try: "look at status and diff; edit the files, add them and commit, or stash or commit your own changes first"}
	noIdentity = &capability.Failure{Code: "no_identity", When: "git does not know who commits", Try: "ask the owner to set user.name and user.email with git config --global"}
	noAnswer   = &capability.Failure{Code: "remote_failed", When: "the other repository does not answer, does not let us in, or is one that may not be used", Try: "check the address with the owner; sign-in by password is not possible here, a key of ssh-agent is"}
	diverged   = &capability.Failure{Code: "diverged", When: "the branch and its upstream both have commits of their own", Try: "pull with --rebase or --no-rebase, as the owner prefers"}
	noCommit   = &capability.Failure{Code: "nothing_to_commit", When: "there is nothing to commit", Try: "add the changed files first, or go on: all is committed"}
)

// said maps what git says to failures, the first that fits.
var said = []struct {
	part    string
	failure *capability.Failure
}{
	{"dubious ownership", notOwner},
	{"unsafe repository", notOwner},
	{"not a git repository", notRepository},
	{"must be run in a work tree", bare},
	{".lock': File exists", locked},
	{"Please tell me who you are", noIdentity},
	{"unable to auto-detect email", noIdentity},
	{"Not possible to fast-forward", diverged},
	{"nothing to commit", noCommit},
	{"nothing added to commit", noCommit},
	{"no changes added to commit", noCommit},
	{"CONFLICT", conflict},
	{"would be overwritten", conflict},
	{"unmerged", conflict},
	{"not allowed", noAnswer},
	{"Could not read from remote", noAnswer},
	{"could not read Username", noAnswer},
	{"unable to access", noAnswer},
	{"Authentication failed", noAnswer},
}

// failed makes the failure of a run that git reported an error for. Only codes
// of the given failures are used, so that each tool keeps to what it declares.
func failed(d done, declared []*capability.Failure) error {
	text := d.text()
	message := capability.CutMiddle(text, 4000)
	if message == "" {
		message = "git said nothing"
	}
	for _, s := range said {
		if !strings.Contains(text, s.part) {
			continue
		}
		for _, f := range declared {
			if f == s.failure {
				return f.Becausef("%s", message)
			}
		}
	}
	return gitFailed.Becausef("%s", message).With("exit_code", d.code)
}

// within holds that what a call names lies inside the repository. Any argument
// may be a path to git, so each is looked at as if it were one.
func (h *Host) within(r *repository, c *checked) error {
	for _, arg := range c.rest {
		path, fromTop := bareSpec(arg)
		base := r.start
		if fromTop && r.worktree != "" {
			base = r.worktree
		}
		abs := absolute(base, filepath.FromSlash(path))
		if strings.HasPrefix(path, "/") && !filepath.IsAbs(abs) {
			return outside.Becausef("%s lies outside of %s", arg, r.top())
		}
		rel, err := filepath.Rel(r.top(), abs)
		if err != nil || rel == ".." || strings.HasPrefix(rel, ".."+string(filepath.Separator)) {
			return outside.Becausef("%s lies outside of the repository %s", arg, r.top())
		}
	}
	return nil
}

// bareSpec takes the magic off a pathspec, such as :(top) or :!.
func bareSpec(arg string) (path string, fromTop bool) {
	rest, ok := strings.CutPrefix(arg, ":")
	if !ok {
		return arg, false
	}
	if long, ok := strings.CutPrefix(rest, "("); ok {
		magic, path, closed := strings.Cut(long, ")")
		if !closed {
			return arg, false
		}
		return path, strings.Contains(magic, "top")
	}
	path = strings.TrimLeft(rest, "/!^")
	return path, strings.Contains(rest[:len(rest)-len(path)], "/")
}
