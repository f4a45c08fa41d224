//go:build !windows

package login

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
)

// A file is a place that is a file.
type file struct {
	path    string
	content func(program string) []byte
	off     func(content []byte) bool // whether the desktop has switched it off
	starts  func(content []byte, program string) bool
}

// String implements [fmt.Stringer].
func (f file) String() string { return f.path }

func (f file) write(program string) error {
	if err := os.MkdirAll(filepath.Dir(f.path), 0o700); err != nil {
		return err
	}
	return os.WriteFile(f.path, f.content(program), 0o600)
}

func (f file) remove() error {
	err := os.Remove(f.path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

func (f file) state(program string) (State, error) {
	b, err := os.ReadFile(f.path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return Off, nil
	case err != nil:
		return Off, err
	case f.off(b):
		return Disabled, nil
	case !f.starts(b, program):
		return Elsewhere, nil
	}
	return On, nil
}

// line reports whether one of the lines of a text is that one.
func line(text []byte, want string) bool {
	for l := range bytes.Lines(text) {
		if string(bytes.TrimSpace(l)) == want {
			return true
		}
	}
	return false
}
