//go:build !linux

package search

import (
	"errors"
	"io"
	"io/fs"
	"os"
)

const listBuffer = 0 // folders are listed through package os

// A handle is an open folder.
type handle struct{ root *os.Root }

func openTop(root *os.Root) (*handle, error) {
	sub, err := root.OpenRoot(".")
	if err != nil {
		return nil, err
	}
	return &handle{sub}, nil
}

func (h *handle) close() { _ = h.root.Close() } // nothing was written

// sub opens a folder in h. A link is refused: following one could loop.
func (h *handle) sub(name string) (*handle, error) {
	want, err := h.root.Lstat(name)
	if err != nil {
		return nil, err
	}
	sub, err := h.root.OpenRoot(name)
	if err != nil {
		return nil, err
	}
	got, err := sub.Stat(".")
	if err != nil || !os.SameFile(want, got) {
		return nil, errors.Join(fs.ErrNotExist, err, sub.Close())
	}
	return &handle{sub}, nil
}

// open opens a file in h for reading. A link is refused.
func (h *handle) open(name string) (*file, error) {
	want, err := h.root.Lstat(name)
	if err != nil {
		return nil, err
	}
	if !want.Mode().IsRegular() {
		return nil, fs.ErrNotExist
	}
	f, err := h.root.OpenFile(name, os.O_RDONLY|nonblock, 0)
	if err != nil {
		return nil, err
	}
	got, err := f.Stat()
	if err != nil || !os.SameFile(want, got) {
		return nil, errors.Join(fs.ErrNotExist, err, f.Close())
	}
	return &file{f}, nil
}

func (h *handle) stat(name string) (Info, error) {
	info, err := h.root.Lstat(name)
	if err != nil {
		return Info{}, err
	}
	return Info{Size: info.Size(), Time: info.ModTime()}, nil
}

// list calls f for every entry of h.
func (h *handle) list(_ []byte, f func(name []byte, kind Kind)) error {
	dir, err := h.root.Open(".")
	if err != nil {
		return err
	}
	defer dir.Close()
	const some = 1024
	for {
		entries, err := dir.ReadDir(some)
		for _, e := range entries {
			f([]byte(e.Name()), kindOf(e.Type()))
		}
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

func kindOf(t fs.FileMode) Kind {
	switch {
	case t.IsRegular():
		return Regular
	case t.IsDir():
		return Folder
	case t&fs.ModeSymlink != 0:
		return Link
	}
	return Other
}

// A file is an open file.
type file struct{ *os.File }

func (f *file) close() { _ = f.Close() } // nothing was written

// regular reports whether f really is a regular file.
func (f *file) regular() bool {
	info, err := f.Stat()
	return err == nil && info.Mode().IsRegular()
}
