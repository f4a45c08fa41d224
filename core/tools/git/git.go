// Package git holds the tools that look into a git repository and change it:
// git_read and git_write.
//
// They run the system's git with a list of arguments, never through a shell.
// Three things keep a call harmless, and each holds alone:
//
//   - Options are taken from a list of allowed ones a command (allow.go); all
//     others are refused, and what is let through is written so that git can
//     read it in one way only (options.go).
//   - The repository is found without git (locate.go). Its working files, its
//     git folder and all that this points to must lie where the turn may go.
//   - A repository's own settings can name programs. They are read without git
//     (config.go), and each that could run something is overridden (tame.go).
//
// Nothing is ever pushed.
package git

import (
	"cmp"
	"path/filepath"
	"strings"
	"time"

	"github.com/hobkin/hobkin/core/capability"
	"github.com/hobkin/hobkin/core/sandbox"
	"github.com/hobkin/hobkin/core/sandbox/confine"
)

// Tools is the group's set. Each tool file adds itself.
var Tools capability.Set[*Host]

// Paths decides about paths. It is what [sandbox.Policy] does.
type Paths interface {
	Judge(turn capability.Turn, path string, use sandbox.Use) (abs string, err error)
}

// A Host is what the git tools work with. Paths must be set; its fields are not
// changed after the first call.
type Host struct {
	Paths   Paths
	Env     func() []string // base environment of git; nil means that of [sandbox.Env] alone
	Confine Confine         // nil confines no git
	Program string          // empty means git, looked up on PATH
	Home    string          // shown as ~ to people; empty shows paths in full
	Limits  Limits
}

// Limits bound the tools. A zero field means its default.
type Limits struct {
	Keep     int           // bytes of output that are kept; 1 MiB
	Listed   int           // paths of each kind that a status names; 1,000
	Time     time.Duration // for one command; 30 s
	PullTime time.Duration // for a pull; 2 min
}

func (h *Host) limits() Limits {
	l := h.Limits
	return Limits{
		Keep:     cmp.Or(l.Keep, 1<<20),
		Listed:   cmp.Or(l.Listed, 1000),
		Time:     cmp.Or(l.Time, 30*time.Second),
		PullTime: cmp.Or(l.PullTime, 2*time.Minute),
	}
}

// short writes a folder for people.
func (h *Host) short(abs string) string {
	rest, ok := strings.CutPrefix(abs, h.Home)
	if h.Home == "" || !ok || rest != "" && rest[0] != filepath.Separator {
		return abs
	}
	return "~" + rest
}

// The failures that both tools share.
var (
	notRepository = &capability.Failure{Code: "not_a_repository", When: "the folder is in no git repository", Try: "give the folder of a repository as repo; list_dir shows which folders have a .git"}
	outside       = &capability.Failure{Code: "outside_repository", When: "the repository, its git folder or a path lies outside of what may be used", Try: "use paths inside the repository, or ask for the folder with request_directory_access"}
	unsafeConfig  = &capability.Failure{Code: "unsafe_config", When: "the repository has settings that cannot be made harmless", Try: "ask the owner to look at the repository's .git/config"}
	noGit         = &capability.Failure{Code: "no_git", When: "git is not installed", Try: "ask the owner to install git: the package git on Linux, xcode-select --install on macOS, git-scm.com on Windows"}
	optionRefused = &capability.Failure{Code: "option_refused", When: "an option is not among those that are allowed", Try: "use the allowed options, written in full"}
	bare          = &capability.Failure{Code: "bare_repository", When: "the repository is bare: it has no working files", Try: "use log, show or branch, or a repository with working files"}
	notOwner      = &capability.Failure{Code: "not_owner", When: "the repository belongs to another user, so git does not trust it", Try: "ask the owner to run: git config --global --add safe.directory FOLDER"}
	gitFailed     = &capability.Failure{Code: "git_failed", When: "git itself reported an error", Try: "read what git said and change the call"}
)

// failures joins what a tool declares with what every path can fail with.
func failures(own ...*capability.Failure) []*capability.Failure {
	own = append(own, notRepository, outside, unsafeConfig, noGit, optionRefused, bare, notOwner, gitFailed, confine.Unavailable)
	return append(own, sandbox.Failures()...)
}
