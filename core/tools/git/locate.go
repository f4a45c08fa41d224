package git

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/hobkin/hobkin/core/capability"
	"github.com/hobkin/hobkin/core/sandbox"
)

// A repository is one that was found and may be used. All paths are absolute
// and without links.
type repository struct {
	start    string // the folder that git runs in
	worktree string // top of the working files; empty for a bare repository
	gitDir   string
	common   string // where refs, objects and config are; gitDir but for linked worktrees
	settings []setting
	turn     capability.Turn // that it was found for
}

// top is the folder that holds the repository, for messages.
func (r *repository) top() string {
	if r.worktree != "" {
		return r.worktree
	}
	return r.gitDir
}

// A finder looks for a repository for one turn.
type finder struct {
	paths Paths
	turn  capability.Turn
	use   sandbox.Use
}

// locate finds the repository of a folder in the way that git does, without
// running it, and checks that all of it may be used.
func (h *Host) locate(turn capability.Turn, repo string, use sandbox.Use) (*repository, error) {
	if repo == "" {
		repo = turn.Workspace
	}
	f := &finder{paths: h.Paths, turn: turn, use: use}
	start, err := h.Paths.Judge(turn, repo, sandbox.Read)
	if err != nil {
		return nil, err
	}
	info, err := os.Stat(start)
	switch {
	case err != nil:
		return nil, notRepository.Becausef("the folder %s does not exist", start)
	case !info.IsDir():
		start = filepath.Dir(start)
	}
	for dir := start; ; dir = filepath.Dir(dir) {
		r, err := f.at(dir)
		if err != nil {
			return nil, err
		}
		if r != nil {
			r.start, r.turn = start, turn
			return r, f.check(r)
		}
		if filepath.Dir(dir) == dir {
			return nil, notRepository.Becausef("%s is in no git repository", start)
		}
	}
}

// at finds the repository whose top is dir; nil when there is none.
func (f *finder) at(dir string) (*repository, error) {
	dot := filepath.Join(dir, ".git")
	info, err := os.Stat(dot)
	switch {
	case errors.Is(err, fs.ErrNotExist) && looksLikeGitDir(dir):
		return &repository{gitDir: dir}, nil
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil
	case err != nil:
		return nil, notRepository.Becausef("%s cannot be looked at", dot)
	case looksLikeGitDir(dir):
		// Which of the two git would take depends on small things.
		return nil, unsafeConfig.Becausef("%s is a git folder itself and has a .git as well", dir)
	}
	r := &repository{worktree: dir}
	switch {
	case info.IsDir():
		r.gitDir = dot
	case info.Mode().IsRegular():
		if r.gitDir, err = gitFile(dir, dot); err != nil {
			return nil, err
		}
	default:
		return nil, notRepository.Becausef("%s is neither a folder nor a file", dot)
	}
	if r.gitDir, err = f.inside(r.gitDir, "the git folder"); err != nil {
		return nil, err
	}
	if !looksLikeGitDir(r.gitDir) {
		return nil, notRepository.Becausef("%s is not a usable git folder", r.gitDir)
	}
	return r, nil
}

// looksLikeGitDir reports whether git might take dir for a git folder. What it
// holds may itself be wrong; git says so then.
func looksLikeGitDir(dir string) bool {
	if _, err := os.Lstat(filepath.Join(dir, "HEAD")); err != nil {
		return false
	}
	if _, err := os.Lstat(filepath.Join(dir, "commondir")); err == nil {
		return true
	}
	for _, name := range []string{"objects", "refs"} {
		if info, err := os.Stat(filepath.Join(dir, name)); err != nil || !info.IsDir() {
			return false
		}
	}
	return true
}

// gitFile reads a .git that is a file: of a submodule or a linked worktree.
func gitFile(dir, file string) (string, error) {
	line, err := readSmall(file, 8<<10)
	if err != nil {
		return "", notRepository.Becausef("%s does not read", file)
	}
	to, ok := strings.CutPrefix(string(line), "gitdir: ")
	to = strings.TrimRight(to, "\r\n")
	if !ok || to == "" {
		return "", notRepository.Becausef("%s does not name a git folder", file)
	}
	return absolute(dir, to), nil
}

// inside judges a part of a repository and returns where it leads.
func (f *finder) inside(path, what string) (string, error) {
	abs, err := f.paths.Judge(f.turn, path, f.use)
	if _, refused := capability.AsUserError(err); refused {
		return "", outside.Becausef("%s %s lies outside of what may be used", what, path)
	}
	return abs, err
}

// check finds what else belongs to r, and holds that all of it is inside.
func (f *finder) check(r *repository) (err error) {
	if r.worktree != "" {
		if r.worktree, err = f.inside(r.worktree, "the repository"); err != nil {
			return err
		}
	}
	if r.gitDir, err = f.inside(r.gitDir, "the git folder"); err != nil {
		return err
	}
	r.common = r.gitDir
	if to, err := readSmall(filepath.Join(r.gitDir, "commondir"), 8<<10); err == nil {
		path := absolute(r.gitDir, strings.TrimRight(string(to), "\r\n"))
		if r.common, err = f.inside(path, "the common git folder"); err != nil {
			return err
		}
	} else if !errors.Is(err, fs.ErrNotExist) {
		return notRepository.Becausef("%s does not read", filepath.Join(r.gitDir, "commondir"))
	}
	for _, dir := range []string{r.gitDir, r.common} {
		if err := f.links(dir); err != nil {
			return err
		}
	}
	if err := f.alternates(filepath.Join(r.common, "objects"), 0); err != nil {
		return err
	}
	if r.settings, err = f.settings(r); err != nil {
		return err
	}
	return f.coreWorktree(r)
}

// links holds that no link of a git folder leads out: git writes through them.
func (f *finder) links(dir string) error {
	return filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		rel, relErr := filepath.Rel(dir, path)
		if err != nil || relErr != nil {
			return nil //nolint:nilerr // git cannot read it either
		}
		if e.Type()&fs.ModeSymlink != 0 {
			_, err := f.inside(path, "the link")
			return err
		}
		if !e.IsDir() || rel == "." {
			return nil
		}
		if f.skips(filepath.ToSlash(rel)) {
			return fs.SkipDir
		}
		return nil
	})
}

// skips reports whether links does not look into a folder of a git folder.
func (f *finder) skips(rel string) bool {
	head, _, deep := strings.Cut(rel, "/")
	switch head {
	case "modules", "worktrees", "lfs":
		return true // repositories of their own
	case "objects":
		return deep && rel != "objects/pack" && rel != "objects/info" // up to 256 folders of objects
	case "refs", "logs":
		return deep && f.use == sandbox.Read // nothing is written there, and it must be quick
	}
	return false
}

// maxAlternates bounds how far object folders may point on; git's own is five.
const maxAlternates = 6

// alternates holds that the object folders that objects borrows from are inside.
func (f *finder) alternates(objects string, depth int) error {
	objects, err := f.inside(objects, "the object folder")
	if err != nil {
		return err
	}
	file := filepath.Join(objects, "info", "alternates")
	text, err := readSmall(file, 64<<10)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil || depth > maxAlternates {
		return outside.Becausef("%s does not read, or goes too deep", file)
	}
	for line := range strings.Lines(string(text)) {
		line = strings.TrimRight(line, "\n")
		switch {
		case line == "" || line[0] == '#':
			continue
		case line[0] == '"':
			return outside.Becausef("%s has a quoted path", file)
		}
		if err := f.alternates(absolute(objects, line), depth+1); err != nil {
			return err
		}
	}
	return nil
}

// coreWorktree holds that no setting moves the working files elsewhere.
func (f *finder) coreWorktree(r *repository) error {
	for _, s := range r.settings {
		if s.section != "core" || s.sub != "" || s.key != "worktree" {
			continue
		}
		abs, err := f.inside(absolute(r.gitDir, s.value), "the folder of the setting core.worktree,")
		if err != nil {
			return err
		}
		if abs != r.worktree {
			return outside.Becausef("the setting core.worktree puts the working files in %s", abs)
		}
	}
	return nil
}

// settings reads the config files of r.
func (f *finder) settings(r *repository) (all []setting, err error) {
	for _, file := range []string{filepath.Join(r.common, "config"), filepath.Join(r.gitDir, "config.worktree"), filepath.Join(r.common, "config.worktree")} {
		if all, err = f.config(all, file, 0); err != nil {
			return nil, err
		}
	}
	if r.worktree == "" {
		return all, nil
	}
	return f.config(all, filepath.Join(r.worktree, ".gitmodules"), 0)
}

// maxIncludes bounds how deep config files include one another; git's own is ten.
const maxIncludes = 10

// config reads one file and what it includes, conditions or not.
func (f *finder) config(all []setting, file string, depth int) ([]setting, error) {
	data, err := readSmall(file, 1<<20)
	if errors.Is(err, fs.ErrNotExist) {
		return all, nil
	}
	if err != nil || depth > maxIncludes {
		return nil, unsafeConfig.Becausef("%s is no plain file, is too large, or includes too much", file)
	}
	list, err := parseConfig(data)
	if err != nil {
		return nil, unsafeConfig.Becausef("%s does not read as a git config file", file)
	}
	all = append(all, list...)
	for _, s := range list {
		if s.key != "path" || s.section != "include" && s.section != "includeif" {
			continue
		}
		// Versions of git differ in how they read spaces at an end.
		if s.value == "" || strings.ContainsAny(s.value[:1], "~%") || strings.TrimSpace(s.value) != s.value || strings.Contains(s.value, "\t") {
			return nil, unsafeConfig.Becausef("%s includes %q, whose place is not sure", file, s.value)
		}
		path := absolute(filepath.Dir(file), s.value)
		if _, err := f.paths.Judge(f.turn, path, sandbox.Read); err != nil {
			return nil, unsafeConfig.Becausef("%s includes %s, which may not be read", file, path)
		}
		if all, err = f.config(all, path, depth+1); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// absolute is path as seen from dir.
func absolute(dir, path string) string {
	if filepath.IsAbs(path) {
		return filepath.Clean(path)
	}
	return filepath.Join(dir, path)
}

// readSmall reads a plain file of at most limit bytes. A link is refused.
func readSmall(path string, limit int64) ([]byte, error) {
	info, err := os.Lstat(path)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() || info.Size() > limit {
		return nil, errConfig
	}
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	data, err := io.ReadAll(io.LimitReader(file, limit+1))
	if int64(len(data)) > limit {
		return nil, errConfig
	}
	return data, err
}
