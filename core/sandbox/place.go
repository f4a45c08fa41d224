package sandbox

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/hobkin/hobkin/core/capability"
)

// A Place is a path that the policy let through, opened beneath a root handle.
// Root is the folder that holds the path or, for a folder that is read, the
// folder itself. It was opened without following a link, so nothing that is
// swapped in later leads out of it. Close it when done.
type Place struct {
	Root *os.Root
	Name string // relative to Root, "." for Root itself; may not exist yet
	Abs  string // absolute, without links: for messages, never for opening
}

// Close closes the root handle. Files opened through it stay open.
func (p *Place) Close() error { return p.Root.Close() }

// Place decides about a path like [Policy.Judge] and opens what holds it.
func (p *Policy) Place(turn capability.Turn, path string, use Use) (*Place, error) {
	t, err := p.judge(turn, path, use)
	if err != nil {
		return nil, err
	}
	dir := t.parent
	if t.dir() && (use == Read || t.abs == t.root) {
		dir = t.abs
	}
	if !t.found && !within(t.root, dir) {
		return nil, NotFound.Becausef("the folder %s does not exist", t.root).Trying("make the folder " + t.root + " first")
	}
	root, err := openPlain(dir)
	if err != nil {
		return nil, err
	}
	name, err := filepath.Rel(dir, t.abs)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("sandbox: %w", err), root.Close())
	}
	return &Place{Root: root, Name: name, Abs: t.abs}, nil
}

// Regular opens a file for reading in the fewest steps, if the policy lets the
// path through and it leads to a regular file. Where ok is false anything may be
// wrong, or nothing but the system: [Policy.Place] says what, or goes the long
// way. Like a Place it is the file that the judged path without links stands
// for: the kernel follows none to it.
func (p *Policy) Regular(turn capability.Turn, path string) (f *os.File, info fs.FileInfo, ok bool) {
	if !opensStraight {
		return nil, nil, false
	}
	t, err := p.rules.Load().judge(turn, path, Read)
	if err != nil || !t.found || !t.kind.IsRegular() {
		return nil, nil, false // what is no regular file is not even opened
	}
	f, err = openStraight(t.abs)
	if err != nil {
		return nil, nil, false
	}
	info, err = f.Stat()
	if err != nil || !info.Mode().IsRegular() { // it is another file now
		_ = f.Close() // nothing was read
		return nil, nil, false
	}
	return f, info, true
}

// Open opens a file for reading. The name is relative to Root; no link in it is
// followed, not even one that stays inside.
func (p *Place) Open(name string) (*os.File, error) { return p.OpenFile(name, os.O_RDONLY, 0) }

// OpenFile is [os.Root.OpenFile] that follows no link in any part of the name:
// the file is the very one that the name stands for, or the call fails. A file
// is emptied for os.O_TRUNC only when that is sure.
func (p *Place) OpenFile(name string, flag int, perm fs.FileMode) (*os.File, error) {
	if !filepath.IsLocal(name) {
		return nil, OutsideRoot.Becausef("%s does not stay in %s", name, p.Root.Name())
	}
	dir, base := filepath.Split(filepath.Clean(name))
	root, err := descend(p.Root, dir)
	if err != nil {
		return nil, err
	}
	if root != p.Root {
		defer func() { _ = root.Close() }() // the file stays open without it
	}
	f, err := root.OpenFile(base, flag&^os.O_TRUNC, perm)
	if err != nil {
		return nil, err
	}
	if err := settle(root, f, base, flag); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}

// settle makes sure that f is what base stands for, and then empties it.
func settle(root *os.Root, f *os.File, base string, flag int) error {
	got, err := f.Stat()
	if err != nil {
		return err
	}
	if err := checkSame(root, base, got); err != nil {
		return err
	}
	if flag&os.O_TRUNC != 0 {
		return f.Truncate(0)
	}
	return nil
}

// checkSame reports an error unless name in root is the file got, and no link.
func checkSame(root *os.Root, name string, got fs.FileInfo) error {
	want, err := root.Lstat(name)
	if err != nil {
		return err
	}
	if isLink(want) || !os.SameFile(want, got) {
		return swapped(filepath.Join(root.Name(), name))
	}
	return nil
}

func swapped(path string) error {
	return OutsideRoot.Becausef("%s is a link, or changed while it was opened", path).Trying("use the path that the link leads to, or send the call again")
}

// descend opens a folder below root, one component at a time, and makes sure of
// each that it is no link. With nothing to descend it returns root itself.
func descend(root *os.Root, dir string) (*os.Root, error) {
	at := root
	for part := range strings.SplitSeq(filepath.ToSlash(dir), "/") {
		if part == "" || part == "." {
			continue
		}
		next, err := step(at, part)
		if at != root {
			err = errors.Join(err, at.Close())
		}
		if err != nil {
			return nil, err
		}
		at = next
	}
	return at, nil
}

func step(at *os.Root, part string) (*os.Root, error) {
	next, err := at.OpenRoot(part)
	if err != nil {
		return nil, err
	}
	got, err := next.Stat(".")
	if err == nil {
		err = checkSame(at, part, got)
	}
	if err != nil {
		return nil, errors.Join(err, next.Close())
	}
	return next, nil
}

// openChain opens a folder from the top, one component at a time.
func openChain(dir string) (*os.Root, error) {
	top := filepath.VolumeName(dir) + string(filepath.Separator)
	root, err := os.OpenRoot(top)
	if err != nil {
		return nil, openError(top, err)
	}
	at, err := descend(root, dir[len(filepath.VolumeName(dir)):])
	if err == nil && at == root {
		return root, nil
	}
	err = errors.Join(err, root.Close())
	if err != nil {
		return nil, openError(dir, err)
	}
	return at, nil
}

// openError explains why a folder that was there a moment ago does not open.
func openError(dir string, err error) error {
	if _, ok := capability.AsUserError(err); ok {
		return err
	}
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return NotFound.Becausef("%s does not exist any more", dir)
	case errors.Is(err, fs.ErrPermission):
		return NoAccess.Becausef("the system does not let this user open %s", dir)
	}
	return fmt.Errorf("sandbox: opening %s: %w", dir, err)
}
