package sandbox

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/hobkin/hobkin/core/capability"
)

const (
	maxLinks = 64  // links followed for one path
	maxName  = 255 // bytes of one component; every file system in use refuses more
)

// A target is where a path leads.
type target struct {
	abs    string      // absolute, without links
	found  bool        // something is at abs
	kind   fs.FileMode // its type bits, when found
	parent string      // the deepest existing folder above abs, or abs itself when it is the top
	root   string      // the root that lets it through, set by judge
}

// dir reports whether the target is a folder.
func (t target) dir() bool { return t.found && t.kind.IsDir() }

// absolute makes an absolute path of what a model or a person wrote. The text
// is not cleaned: where "a/.." leads depends on what a is.
func (r *rules) absolute(path, base string) (string, error) {
	if path == "" {
		return "", BadPath.Becausef("the path is empty")
	}
	if strings.ContainsRune(path, 0) {
		return "", BadPath.Becausef("the path %q holds a NUL byte", path)
	}
	if err := checkSpelling(path); err != nil {
		return "", err
	}
	path, err := r.expandHome(path)
	if err != nil {
		return "", err
	}
	if filepath.IsAbs(path) {
		return path, nil
	}
	if base == "" {
		base = r.workspace
	}
	if base, err = r.expandHome(base); err != nil {
		return "", err
	}
	if !filepath.IsAbs(base) {
		return "", BadPath.Becausef("%s is a relative path and there is no workspace to start from", path).Trying("give an absolute path")
	}
	return base + string(filepath.Separator) + path, nil
}

// expandHome replaces a leading ~. Another user's home is not looked up.
func (r *rules) expandHome(path string) (string, error) {
	first, rest, _ := strings.Cut(filepath.ToSlash(path), "/")
	switch {
	case first == "~" && len(path) == 1:
		return r.cfg.Home, nil
	case first == "~":
		return r.cfg.Home + string(filepath.Separator) + filepath.FromSlash(rest), nil
	case isUserName(strings.TrimPrefix(first, "~")) && first[0] == '~':
		return "", BadPath.Becausef("%s names the home of another user", first).Trying("write the folder in full, or ./" + first + " for a file of that name")
	}
	return path, nil
}

func isUserName(s string) bool {
	for i, c := range s {
		letter := c >= 'a' && c <= 'z' || c == '_'
		if !letter && (i == 0 || (c < '0' || c > '9') && c != '-') {
			return false
		}
	}
	return s != ""
}

// A walker follows one path component by component.
type walker struct {
	at      target
	todo    []string
	links   int
	visit   func(at string) error // told of every place before it is looked at; may be nil
	missing bool                  // at.abs does not exist
}

// resolve follows an absolute path to where it leads. Each component is looked
// at by itself, so that every link is seen; what does not exist is kept as
// written below the folder that does. On error the target says how far it came.
func resolve(path string, visit func(string) error) (target, error) {
	if t, ok := short(path); ok {
		return visited(t, visit)
	}
	w := walker{visit: visit}
	if err := w.restart(path); err != nil {
		return w.at, err
	}
	for len(w.todo) > 0 {
		name := w.todo[0]
		w.todo = w.todo[1:]
		if err := w.step(name); err != nil {
			return w.at, err
		}
	}
	return w.at, nil
}

// short resolves a path that exists and has no links, as most.
func short(path string) (target, bool) {
	if filepath.Clean(path) != path || filepath.VolumeName(path) != "" || len(path) < 2 {
		return target{}, false
	}
	kind, ok := straight(path)
	return target{abs: path, found: ok, kind: kind, parent: filepath.Dir(path)}, ok
}

// visited shows a visitor every place on the way to t, as a walk does, and
// stands before the one that it turns down.
func visited(t target, visit func(string) error) (target, error) {
	if visit == nil {
		return t, nil
	}
	for i := 1; i <= len(t.abs); i++ {
		if i < len(t.abs) && t.abs[i] != filepath.Separator {
			continue
		}
		if err := visit(t.abs[:i]); err != nil {
			before := filepath.Dir(t.abs[:i])
			return target{abs: before, parent: filepath.Dir(before)}, err
		}
	}
	return t, nil
}

// restart begins at the top with an absolute path, what was still to do after it.
func (w *walker) restart(path string) error {
	top := filepath.VolumeName(path) + string(filepath.Separator)
	info, err := os.Lstat(top)
	if err != nil {
		return lookError(top, err)
	}
	w.at, w.missing = target{abs: top, found: true, kind: info.Mode().Type(), parent: top}, false
	w.todo = append(split(path[len(filepath.VolumeName(path)):]), w.todo...)
	return nil
}

// split keeps empty components: one at the end asks for a folder.
func split(path string) []string {
	return strings.Split(strings.Trim(filepath.ToSlash(path), "/")+strings.Repeat("/", trailing(path)), "/")
}

func trailing(path string) int {
	if p := filepath.ToSlash(path); strings.HasSuffix(p, "/") {
		return 1
	}
	return 0
}

func (w *walker) step(name string) error {
	if len(name) > maxName {
		return BadPath.Becausef("a part of the path is longer than %d bytes: %s…", maxName, capability.CutText(name, 40))
	}
	if !w.missing && !w.at.dir() {
		return NotFound.Becausef("%s is not a folder", w.at.abs)
	}
	switch name {
	case "":
		return nil
	case ".", "..":
		if w.missing {
			return NotFound.Becausef("%s does not exist", w.at.abs)
		}
		if name == ".." {
			return w.look(filepath.Dir(w.at.abs))
		}
		return nil
	}
	next := filepath.Join(w.at.abs, name)
	if w.missing {
		w.at.abs = next
		return w.see(next)
	}
	return w.look(next)
}

// see asks the visitor about a place.
func (w *walker) see(at string) error {
	if w.visit == nil {
		return nil
	}
	return w.visit(at)
}

// look moves to next, whose folder is known to be free of links.
func (w *walker) look(next string) error {
	if err := w.see(next); err != nil {
		return err
	}
	info, err := os.Lstat(next)
	if errors.Is(err, fs.ErrNotExist) {
		w.at = target{abs: next, parent: w.at.abs}
		w.missing = true
		return nil
	}
	if err != nil {
		return lookError(next, err)
	}
	if isLink(info) {
		return w.follow(next)
	}
	parent := filepath.Dir(next)
	w.at = target{abs: long(next), found: true, kind: info.Mode().Type(), parent: parent}
	return nil
}

// follow puts the words of a link before what is still to do.
func (w *walker) follow(link string) error {
	w.links++
	if w.links > maxLinks {
		return TooManySymlinks.Becausef("more than %d links follow one another at %s", maxLinks, link)
	}
	to, err := os.Readlink(link)
	if err != nil {
		return lookError(link, err)
	}
	if err := checkSpelling(to); err != nil {
		return err
	}
	if filepath.IsAbs(to) {
		return w.restart(to)
	}
	w.todo = append(split(to), w.todo...)
	return nil
}

func lookError(path string, err error) error {
	switch {
	case errors.Is(err, fs.ErrPermission):
		return NoAccess.Becausef("the system refuses a look at %s", path)
	case errors.Is(err, syscall.ENAMETOOLONG), errors.Is(err, syscall.EINVAL):
		return BadPath.Becausef("the system does not take the path %s", capability.CutText(path, 200))
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, syscall.ENOTDIR), errors.Is(err, syscall.ELOOP):
		return NotFound.Becausef("%s changed while it was looked at", path).Trying("send the call again")
	}
	return err
}
