package git

import (
	"context"
	"os"
	"path/filepath"
	"strings"

	"github.com/hobkin/hobkin/core/capability"
	"github.com/hobkin/hobkin/core/sandbox"
)

// A remote is what a pull would talk to.
type remote struct {
	name      string // for people
	web       string // address of a machine; empty for a folder
	path      string // a folder; empty for a machine
	protocols string // that git may talk
}

// afar are the protocols that reach other machines and neither run programs of
// the repository's choice nor send everything in the clear for all to change.
const afar = "https:http:ssh"

// remote finds what a pull talks to. A folder must be one that may be read, and
// have no settings that run programs: git starts a second git in there.
func (h *Host) remote(turn capability.Turn, r *repository, c *checked) (remote, error) {
	name := "origin"
	if b := r.setting("branch", r.branch(), "remote"); b != "" {
		name = b
	}
	if len(c.rest) > 0 {
		name = c.rest[0]
	}
	out := remote{name: name, protocols: afar}
	for _, s := range r.settings {
		// Of these git takes the first that is set, so they cannot be overridden.
		if s.section == "remote" && (s.key == "uploadpack" || s.key == "vcs") {
			return out, unsafeConfig.Becausef("the setting %s names a program to pull with", s.fullName())
		}
	}
	for _, ref := range c.rest[min(1, len(c.rest)):] {
		if strings.ContainsAny(ref, ":+^") {
			return out, optionRefused.Becausef("%s would change a branch of its own", ref).Trying("name the branch to pull, and nothing more")
		}
	}
	url, count := name, 0
	for _, s := range r.settings {
		if s.section == "remote" && s.sub == name && s.key == "url" {
			url, count = s.value, count+1
		}
	}
	if count > 1 {
		return out, noAnswer.Becausef("the remote %s has %d addresses", name, count)
	}
	return h.address(turn, r, out, url)
}

// address judges the address of a remote.
func (h *Host) address(turn capability.Turn, r *repository, out remote, url string) (remote, error) {
	scheme, rest, hasScheme := strings.Cut(url, "://")
	switch {
	case strings.Contains(url, "::"), strings.HasPrefix(url, "-"):
		return out, noAnswer.Becausef("the address %s would run a program", url)
	case hasScheme && scheme == "file":
		url = rest
	case hasScheme && strings.Contains(":"+afar+":", ":"+scheme+":"):
		out.web = url
		return out, nil
	case hasScheme:
		return out, noAnswer.Becausef("addresses that start with %s:// are not used", scheme)
	case scpLike(url):
		out.web = "ssh://" + strings.Replace(url, ":", "/", 1)
		return out, nil
	case url == out.name && !strings.ContainsAny(url, `/\`) && !exists(filepath.Join(r.top(), url)):
		return out, nil // git says that there is no such remote
	}
	return h.folder(turn, r, out, url)
}

// folder judges a remote that is a folder. Git starts a second git in there.
func (h *Host) folder(turn capability.Turn, r *repository, out remote, url string) (remote, error) {
	if r.rewrites() {
		return out, noAnswer.Becausef("the repository rewrites addresses, so it is not sure where %s leads", url)
	}
	folder := absolute(r.top(), filepath.FromSlash(url))
	abs, err := h.Paths.Judge(turn, folder, sandbox.Read)
	if err != nil {
		return out, outside.Becausef("the remote %s lies outside of what may be used", folder)
	}
	far, err := h.locate(turn, abs, sandbox.Read)
	switch {
	case err != nil:
		return out, err
	case far.top() != abs && far.gitDir != abs:
		return out, notRepository.Becausef("%s is no repository", abs)
	}
	if _, filters, err := tame(far.settings); err != nil || len(filters) > 0 || far.partial() {
		return out, unsafeConfig.Becausef("the repository %s has settings that could run programs", abs)
	}
	out.path, out.protocols = abs, afar+":file"
	return out, nil
}

// scpLike reports whether url is host:path.
func scpLike(url string) bool {
	host, _, ok := strings.Cut(url, ":")
	return ok && len(host) > 1 && !strings.ContainsAny(host, `/\`) // one letter is a drive
}

func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

// setting is the last value of a setting; empty when there is none.
func (r *repository) setting(section, sub, key string) (val string) {
	for _, s := range r.settings {
		if s.section == section && s.sub == sub && s.key == key {
			val = s.value
		}
	}
	return val
}

// rewrites reports whether the repository changes addresses, or names several
// remotes with one word.
func (r *repository) rewrites() bool {
	for _, s := range r.settings {
		if s.section == "url" || s.section == "remotes" {
			return true
		}
	}
	return false
}

// partial reports whether objects of r may have to be fetched.
func (r *repository) partial() bool {
	for _, s := range r.settings {
		if s.key == "promisor" || s.key == "partialclone" || s.key == "partialclonefilter" {
			return true
		}
	}
	return false
}

// branch is the branch that is checked out; empty when there is none.
func (r *repository) branch() string {
	head, err := readSmall(filepath.Join(r.gitDir, "HEAD"), 8<<10)
	if err != nil {
		return ""
	}
	name, _ := strings.CutPrefix(strings.TrimSpace(string(head)), "ref: refs/heads/")
	return name
}

// Bounds of the submodules that are looked at.
const (
	maxSubmodules = 1000
	maxDepth      = 10
)

// submodules gives the settings of all checked-out submodules: some commands
// that change things run git in there, which takes our settings along.
func (h *Host) submodules(ctx context.Context, turn capability.Turn, r *repository, depth int) (all []setting, err error) {
	if r.worktree == "" {
		return nil, nil
	}
	list := &gitlinks{}
	top := *r
	top.start = r.worktree
	d, err := h.run(ctx, &top, job{args: []string{"ls-files", "--stage", "-z"}, reads: true, limit: h.limits().Time, raw: list.add})
	switch {
	case err != nil:
		return nil, err
	case d.code != 0:
		return nil, failed(d, writeFails)
	case len(list.paths) > maxSubmodules, depth > maxDepth:
		return nil, unsafeConfig.Becausef("the repository has more than %d submodules, or more than %d inside one another", maxSubmodules, maxDepth)
	}
	for _, path := range list.paths {
		dir := filepath.Join(r.worktree, filepath.FromSlash(path))
		if !exists(filepath.Join(dir, ".git")) {
			continue
		}
		sub, err := h.locate(turn, dir, sandbox.Write)
		if err != nil {
			return nil, err
		}
		more, err := h.submodules(ctx, turn, sub, depth+1)
		if err != nil {
			return nil, err
		}
		all = append(append(all, sub.settings...), more...)
	}
	return all, nil
}

// gitlinks collects the paths of submodules from git ls-files --stage -z.
type gitlinks struct {
	part  []byte
	paths []string
}

func (g *gitlinks) add(chunk []byte) {
	for _, b := range chunk {
		if b != 0 {
			g.part = append(g.part, b)
			continue
		}
		if rest, ok := strings.CutPrefix(string(g.part), "160000 "); ok && len(g.paths) <= maxSubmodules {
			_, path, _ := strings.Cut(rest, "\t")
			g.paths = append(g.paths, path)
		}
		g.part = g.part[:0]
	}
}
