package sandbox

import (
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"golang.org/x/text/unicode/norm"
)

// A tree is a set of protected paths, looked up by folder: each lookup costs
// one map access per component, however long the list is. Names are compared
// folded, because some folders ignore case on every system.
type tree map[string][]string // folded folder → folded names in it

func (t tree) add(abs string) {
	dir, name := filepath.Split(fold(abs))
	dir = trimEnd(dir)
	if name != "" && !slices.Contains(t[dir], name) {
		t[dir] = append(t[dir], name)
	}
}

// holds returns the part of abs that is in the tree, or "". A copy that editors
// and databases keep beside a file, such as x.bak or x-wal, counts as x.
func (t tree) holds(abs string) string {
	folded := fold(abs)
	for end := 0; end < len(folded); {
		start := end + 1
		next := strings.IndexByte(folded[start:], filepath.Separator)
		stop := len(folded)
		if next >= 0 {
			stop = start + next
		}
		dir := trimEnd(folded[:start])
		for _, name := range t[dir] {
			if sameOrCopy(folded[start:stop], name) {
				return folded[:stop]
			}
		}
		end = stop
	}
	return ""
}

// trimEnd cuts the separator that ends a folder, so that / is "".
func trimEnd(dir string) string { return strings.TrimSuffix(dir, string(filepath.Separator)) }

// copyEnd matches what is put behind a name to make that of a copy.
var copyEnd = regexp.MustCompile(`^([-._ ]?(wal|shm|journal|bak|bck|backup|old|orig|original|prev|save|saved|sav|tmp|temp|copy|new|swp|swo|swn|lock|rej|dpkg-old|dpkg-dist|rpmsave|rpmnew|[0-9]+)|\.?~[0-9]*| ?\([0-9]+\)|#)+$`)

// sameOrCopy reports whether name is that of protected or of a copy of it.
func sameOrCopy(name, protected string) bool {
	if rest, ok := strings.CutPrefix(name, protected); ok {
		return rest == "" || copyEnd.MatchString(rest)
	}
	// vim and emacs put something before the name too: .x.swp, .#x, #x#.
	for _, lead := range []string{".#", "#", "."} {
		if rest, ok := strings.CutPrefix(name, lead+protected); ok {
			return rest == "" && lead != "." || copyEnd.MatchString(rest)
		}
	}
	return false
}

// fold makes spellings equal that a file system may take for one.
func fold(path string) string {
	for i := range len(path) {
		if c := path[i]; c >= 0x80 {
			return norm.NFC.String(strings.ToLower(norm.NFC.String(path)))
		}
	}
	return strings.ToLower(path)
}

// protect fills the trees. What a protected name links to is protected too.
func (r *rules) protect() error {
	r.protected, r.own = tree{}, tree{}
	homes := []string{filepath.Clean(r.cfg.Home), r.home}
	for _, name := range secrets {
		for _, home := range homes {
			r.add(r.protected, filepath.Join(home, filepath.FromSlash(name)))
		}
	}
	for _, dir := range systemFolders() {
		if !within(dir, r.home) {
			r.add(r.protected, dir)
		}
	}
	for _, path := range r.cfg.Own {
		abs, err := r.absolute(path, r.cfg.Home)
		if err != nil {
			return err
		}
		r.add(r.own, filepath.Clean(abs))
	}
	return nil
}

// add protects a path and the place it leads to now.
func (r *rules) add(t tree, abs string) {
	t.add(abs)
	if to, err := resolve(abs, nil); err == nil && to.abs != abs && !within(to.abs, r.home) {
		t.add(to.abs)
	}
}

// protects reports whether abs, resolved, is out of bounds for every tool.
func (r *rules) protects(abs string) bool {
	if r.protected.holds(abs) != "" {
		return true
	}
	mine := r.own.holds(abs)
	if mine == "" {
		return false
	}
	for _, open := range r.open() {
		if within(open, abs) && len(open) > len(mine) && prefixed(mine, fold(open)) {
			return false
		}
	}
	return true
}

// open lists the folders that stay usable inside the app's own.
func (r *rules) open() []string {
	out := slices.Clone(r.shared)
	for _, dir := range []string{r.workspace, r.skills} {
		if dir != "" {
			out = append(out, dir)
		}
	}
	return out
}

// leadsToOpen reports whether one must pass at to reach such a folder.
func (r *rules) leadsToOpen(at string) bool {
	if r.protected.holds(at) != "" {
		return false
	}
	return slices.ContainsFunc(r.open(), func(open string) bool { return within(at, open) })
}

func (r *rules) refuseProtected(abs string) error {
	why := "it holds secrets or belongs to the system"
	if r.own.holds(abs) != "" {
		why = "it belongs to Hobkin itself"
	}
	return ProtectedPath.Becausef("%s is protected: %s", abs, why).With("path", abs)
}
