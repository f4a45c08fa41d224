package sandbox

import (
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"golang.org/x/text/unicode/norm"
)

// A tree is a set of protected paths, looked up by folder: what a lookup costs
// does not grow with the list. Names are compared folded, because some folders
// ignore case on every system.
type tree map[string]map[string]string // folded folder → folded names in it → the path as it is written

func (t tree) add(abs string) {
	dir, name := filepath.Split(fold(abs))
	dir = trimEnd(dir)
	if t[dir] == nil {
		t[dir] = map[string]string{}
	}
	if name != "" {
		t[dir][name] = abs
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
		if names := t[dir]; names != nil && sameOrCopy(names, folded[start:stop]) {
			return folded[:stop]
		}
		end = stop
	}
	return ""
}

// trimEnd cuts the separator that ends a folder, so that / is "".
func trimEnd(dir string) string { return strings.TrimSuffix(dir, string(filepath.Separator)) }

// copyEnd matches what is put behind a name to make that of a copy.
var copyEnd = regexp.MustCompile(`^([-._ ]?(wal|shm|journal|bak|bck|backup|old|orig|original|prev|save|saved|sav|tmp|temp|copy|new|swp|swo|swn|lock|rej|dpkg-old|dpkg-dist|rpmsave|rpmnew|[0-9]+)[0-9]*|\.?~[0-9]*| ?\([0-9]+\)|#)+$`)

// sameOrCopy reports whether name is one of the protected or of a copy of one.
// vim and emacs put something before the name too: .x.swp, .#x, #x#.
func sameOrCopy(protected map[string]string, name string) bool {
	if protected[name] != "" || hasCopy(protected, name) {
		return true
	}
	for _, lead := range []string{".#", "#", "."} {
		rest, ok := strings.CutPrefix(name, lead)
		if ok && (lead != "." && protected[rest] != "" || hasCopy(protected, rest)) {
			return true
		}
	}
	return false
}

// hasCopy reports whether name is a protected one with the ending of a copy.
func hasCopy(protected map[string]string, name string) bool {
	for i := 1; i < len(name); i++ {
		if strings.IndexByte("-._ ~(#", name[i]) >= 0 && protected[name[:i]] != "" && copyEnd.MatchString(name[i:]) {
			return true
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
	r.secrets, r.system, r.own = tree{}, tree{}, tree{}
	seen := places{}
	homes := slices.Compact([]string{filepath.Clean(r.cfg.Home), r.home})
	for _, name := range secrets {
		for _, home := range homes {
			r.add(r.secrets, filepath.Join(home, filepath.FromSlash(name)), seen)
		}
	}
	for _, path := range r.cfg.Own {
		abs, err := r.absolute(path, r.cfg.Home)
		if err != nil {
			return err
		}
		r.add(r.own, filepath.Clean(abs), seen)
	}
	for _, dir := range systemFolders() {
		if !within(dir, r.home) {
			r.add(r.system, dir, seen)
		}
	}
	return nil
}

// add protects a path and the place it leads to now.
func (r *rules) add(t tree, abs string, seen places) {
	t.add(abs)
	if to := seen.of(abs); to.err == nil && to.abs != abs && !within(to.abs, r.home) {
		t.add(to.abs)
	}
}

// protects reports whether abs, resolved, is out of bounds for every tool.
func (r *rules) protects(abs string) bool {
	return r.system.holds(abs) != "" || r.secret(abs)
}

// secret reports whether abs holds credentials or belongs to this app.
func (r *rules) secret(abs string) bool {
	if r.secrets.holds(abs) != "" {
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
	if r.system.holds(at) != "" || r.secrets.holds(at) != "" {
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
