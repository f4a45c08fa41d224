package sandbox

import (
	"path/filepath"
	"strings"

	"github.com/hobkin/hobkin/core/capability"
)

// CheckGrant reports whether the owner may be asked to grant path at all, and
// the absolute path that a grant would be for. /, the home, folders of the
// system, blocked and protected paths are refused, and what does not exist.
// Nothing is granted by it.
func (p *Policy) CheckGrant(path string) (abs string, err error) {
	r := p.rules.Load()
	abs, err = r.checkGrant(path)
	if err != nil {
		return "", err
	}
	written, err := r.absolute(path, "")
	if err != nil {
		return "", err
	}
	t, err := resolve(written, nil)
	if err != nil {
		return "", err
	}
	if !t.found {
		return "", NotFound.Becausef("%s does not exist", t.abs).Trying("check the spelling; a grant is for a folder that exists")
	}
	return abs, nil
}

// checkGrant is CheckGrant for a path that may be missing: a drive that is not
// plugged in must not keep Hobkin from starting.
func (r *rules) checkGrant(path string) (string, error) {
	abs, err := r.absolute(path, "")
	if err != nil {
		return "", err
	}
	t, err := resolve(abs, func(at string) error {
		if r.protects(at) && !r.leadsToOpen(at) {
			return r.refuseProtected(at)
		}
		return nil
	})
	if err != nil {
		return "", err
	}
	return t.abs, r.checkRoot(t.abs)
}

// checkRoot reports why a resolved path can be no root.
func (r *rules) checkRoot(abs string) error {
	switch {
	case abs == r.home:
		return TooWide.Becausef("%s is the whole home folder", abs)
	case within(abs, r.home):
		return TooWide.Becausef("%s holds the home folder", abs)
	case filepath.Dir(abs) == abs, isTop(abs):
		return TooWide.Becausef("%s holds files of the system and of everyone", abs)
	case r.protects(abs):
		return r.refuseProtected(abs)
	case under(r.blocked, abs) != "":
		return BlockedRoot.Becausef("%s lies in %s, which the owner has blocked", abs, under(r.blocked, abs)).With("path", abs)
	}
	return nil
}

func isTop(abs string) bool {
	for _, top := range tops() {
		if fold(abs) == fold(top) {
			return true
		}
	}
	return false
}

// refuseOutside says where the path leads, what may be used, and which grant
// would open it.
func (r *rules) refuseOutside(t target, turn capability.Turn, roots []string) error {
	u := OutsideRoot.Becausef("%s lies outside the folders that may be used (%s)", t.abs, listRoots(roots)).With("path", t.abs)
	dir := t.parent
	if t.dir() {
		dir = t.abs
	}
	if r.checkRoot(dir) != nil {
		if !t.found || r.checkRoot(t.abs) != nil {
			return u.Trying("copy what is needed into the workspace; no grant can open " + dir)
		}
		dir = t.abs
	}
	u = u.With("grant", dir)
	if turn.Trust != capability.Operator || !turn.Attended {
		return u.Trying("the owner can allow it with: hobkin grant " + quote(dir))
	}
	return u.Trying("ask for " + dir + " with request_directory_access, or the owner runs: hobkin grant " + quote(dir))
}

func listRoots(roots []string) string {
	roots = outermost(roots)
	if len(roots) == 0 {
		return "there are none"
	}
	const most = 4
	if len(roots) > most {
		return strings.Join(roots[:most], ", ") + ", …"
	}
	return strings.Join(roots, ", ")
}

// quote writes a path so that a shell reads it as one word.
func quote(path string) string {
	plain := func(c rune) bool {
		return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || strings.ContainsRune(`/._-+,@%:\`, c)
	}
	if strings.IndexFunc(path, func(c rune) bool { return !plain(c) }) < 0 {
		return path
	}
	return "'" + strings.ReplaceAll(path, "'", `'\''`) + "'"
}
