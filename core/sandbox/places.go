package sandbox

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
)

// places are where paths led to while one set of rules was made: the hundreds of
// paths that are protected lie in a few folders, and need not each be followed
// from the top. It is thrown away after that, since links change.
type places map[string]spot

// A spot is what [resolve] says of a path.
type spot struct {
	abs     string
	missing bool
	err     error
}

// of resolves an absolute, clean path.
func (p places) of(path string) spot {
	at, known := p[path]
	if !known {
		at = p.look(path)
		p[path] = at
	}
	return at
}

func (p places) look(path string) spot {
	dir := filepath.Dir(path)
	if dir == path {
		return spot{abs: path}
	}
	up := p.of(dir)
	at := filepath.Join(up.abs, filepath.Base(path))
	if up.missing || up.err != nil {
		return spot{at, up.missing, up.err}
	}
	info, err := os.Lstat(at)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return spot{abs: at, missing: true}
	case err != nil || isLink(info):
		t, err := resolve(at, nil)
		return spot{t.abs, !t.found, err}
	}
	return spot{abs: long(at)}
}
