package file

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/dustin/go-humanize"

	"github.com/hobkin/hobkin/core/capability"
	"github.com/hobkin/hobkin/core/sandbox"
)

// A spot is a place with what stands there.
type spot struct {
	*sandbox.Place
	info fs.FileInfo // nil when nothing does
}

// look opens a path's place and looks at what it is. Close the spot when done.
func (h *Host) look(turn capability.Turn, path string, use sandbox.Use) (*spot, error) {
	place, err := h.Paths.Place(turn, path, use)
	if err != nil {
		return nil, err
	}
	info, err := place.Root.Lstat(place.Name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return &spot{Place: place}, nil
	case err != nil:
		return nil, errors.Join(explain(place.Abs, err), place.Close())
	}
	return &spot{Place: place, info: info}, nil
}

// lookFile is look for something that must be a regular file.
func (h *Host) lookFile(turn capability.Turn, path string, use sandbox.Use) (*spot, error) {
	s, err := h.look(turn, path, use)
	if err != nil {
		return nil, err
	}
	if s.info == nil {
		err = h.missing(s)
	} else {
		err = regular(s.Abs, s.info)
	}
	if err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}

// missing explains that nothing is there, and names what is near.
func (h *Host) missing(s *spot) error {
	fail := notFound.Becausef("there is nothing at %s", s.Abs)
	dir, err := s.Root.Open(".")
	if err != nil || filepath.Base(s.Name) != s.Name {
		return fail
	}
	defer dir.Close()
	const some = 1000
	entries, _ := dir.ReadDir(some) // no names, no hint
	var names []string
	for _, e := range entries {
		if near(e.Name(), s.Name) && !h.Paths.Hidden(filepath.Join(filepath.Dir(s.Abs), e.Name())) {
			names = append(names, e.Name())
		}
	}
	if closest := capability.Nearest(s.Name, names, 3); len(closest) > 0 {
		fail = fail.With("closest", closest)
	}
	return fail
}

// near reports whether two names are alike enough to be worth a hint.
func near(a, b string) bool {
	a, b = strings.ToLower(a), strings.ToLower(b)
	stem := func(s string) string { return strings.TrimSuffix(s, filepath.Ext(s)) }
	return stem(a) == stem(b) || strings.HasPrefix(a, stem(b)) || strings.HasPrefix(b, stem(a)) || len(a) > 3 && len(b) > 3 && a[:3] == b[:3]
}

// regular explains what is wrong with a path that is no regular file.
func regular(abs string, info fs.FileInfo) error {
	var what string
	switch m := info.Mode(); {
	case m.IsRegular():
		return nil
	case m.IsDir():
		return isFolder.Becausef("%s is a folder", abs)
	case m&fs.ModeNamedPipe != 0:
		what = "a FIFO (named pipe)"
	case m&fs.ModeSocket != 0:
		what = "a socket"
	case m&fs.ModeDevice != 0:
		what = "a device"
	default:
		what = "not an ordinary file"
	}
	return notRegular.Becausef("%s is %s", abs, what)
}

// An opened is a regular file that is open to be read.
type opened struct {
	*os.File
	abs  string // without links
	info fs.FileInfo
}

// openFile opens a regular file that the turn may read.
func (h *Host) openFile(turn capability.Turn, path string) (*opened, error) {
	if f, info, ok := h.Paths.Regular(turn, path); ok {
		return &opened{f, f.Name(), info}, nil
	}
	s, err := h.lookFile(turn, path, sandbox.Read)
	if err != nil {
		return nil, err
	}
	defer func() { _ = s.Close() }() // a read handle
	return s.open()
}

// open opens the file for reading. It waits for nothing, and refuses what
// turned into something else meanwhile.
func (s *spot) open() (*opened, error) {
	f, err := s.OpenFile(s.Name, os.O_RDONLY|nonblock, 0)
	if err != nil {
		return nil, explain(s.Abs, err)
	}
	info, err := f.Stat()
	if err == nil {
		err = regular(s.Abs, info)
	}
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return &opened{f, s.Abs, info}, nil
}

// read reads the whole file, at most limit bytes.
func (s *spot) read(limit int64) ([]byte, fs.FileInfo, error) {
	f, err := s.open()
	if err != nil {
		return nil, nil, err
	}
	defer f.Close()
	data, err := f.whole(limit)
	return data, f.info, err
}

// whole reads the file from its start, at most limit bytes.
func (o *opened) whole(limit int64) ([]byte, error) {
	if o.info.Size() > limit {
		return nil, tooBig.Becausef("%s has %s, the most is %s", o.abs, size(o.info.Size()), size(limit))
	}
	data, err := io.ReadAll(io.LimitReader(o, limit+1)) // it may be growing
	switch {
	case err != nil:
		return nil, explain(o.abs, err)
	case int64(len(data)) > limit:
		return nil, tooBig.Becausef("%s grew beyond %s while it was read", o.abs, size(limit))
	}
	return data, nil
}

// explain turns an error of the file system into a failure of the group.
func explain(abs string, err error) error {
	if _, ok := capability.AsUserError(err); ok || err == nil {
		return err
	}
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return notFound.Becausef("%s is not there any more", abs)
	case errors.Is(err, syscall.EROFS):
		return readOnly.Becausef("%s lies on a file system that is mounted read-only", abs)
	case errors.Is(err, syscall.ENOSPC), errors.Is(err, errQuota):
		return noSpace.Becausef("there is no space left for %s", abs)
	case errors.Is(err, fs.ErrPermission):
		return sandbox.NoAccess.Becausef("the system does not let this user open %s", abs)
	case errors.Is(err, syscall.ELOOP):
		return sandbox.TooManySymlinks.Becausef("%s is a loop of links", abs)
	case errors.Is(err, syscall.ENOTDIR):
		return notFound.Becausef("a part of %s is not a folder", abs)
	}
	return fmt.Errorf("file: %w", err)
}

// size is a number of bytes for people.
func size(n int64) string { return humanize.Bytes(uint64(max(n, 0))) }

// count is a number with its noun: "1 line", "2,000 lines".
func count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	if base, ok := strings.CutSuffix(noun, "y"); ok {
		noun = base + "ie"
	}
	return humanize.Comma(int64(n)) + " " + noun + "s"
}

// short writes the home as ~.
func (h *Host) short(abs string) string {
	home := h.home()
	if home == "" {
		return abs
	}
	if rest, ok := strings.CutPrefix(abs, home); ok && (rest == "" || rest[0] == filepath.Separator) {
		return "~" + rest
	}
	return abs
}

// shower writes paths as the model may use them again: relative to the
// workspace when they lie in there.
func shower(turn capability.Turn) func(abs string) string {
	ws := turn.Workspace
	if resolved, err := filepath.EvalSymlinks(ws); err == nil {
		ws = resolved
	}
	return func(abs string) string {
		if rel, err := filepath.Rel(ws, abs); ws != "" && err == nil && filepath.IsLocal(rel) {
			return filepath.ToSlash(rel)
		}
		return abs
	}
}

// shown is [shower] for one path.
func shown(turn capability.Turn, abs string) string { return shower(turn)(abs) }
