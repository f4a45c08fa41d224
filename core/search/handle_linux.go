package search

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// listBuffer is the size of a worker's buffer for listing folders.
const listBuffer = 64 << 10

// A handle is an open folder. Everything in it is reached by openat with
// O_NOFOLLOW: one system call, and no way out of the tree.
type handle struct{ fd int }

func openTop(root *os.Root) (*handle, error) {
	f, err := root.Open(".")
	if err != nil {
		return nil, err
	}
	defer f.Close()
	fd, err := unix.FcntlInt(f.Fd(), unix.F_DUPFD_CLOEXEC, 0)
	if err != nil {
		return nil, fmt.Errorf("search: %w", err)
	}
	return &handle{fd}, nil
}

func (h *handle) close() { _ = unix.Close(h.fd) } // nothing was written

func (h *handle) openat(name string, flags int) (int, error) {
	for {
		fd, err := unix.Openat(h.fd, name, flags|unix.O_NOFOLLOW|unix.O_NONBLOCK|unix.O_CLOEXEC, 0)
		if !errors.Is(err, unix.EINTR) {
			return fd, err
		}
	}
}

// sub opens a folder in h.
func (h *handle) sub(name string) (*handle, error) {
	fd, err := h.openat(name, unix.O_RDONLY|unix.O_DIRECTORY)
	if err != nil {
		return nil, err
	}
	return &handle{fd}, nil
}

// open opens a file in h for reading. It does not wait for a FIFO's writer.
func (h *handle) open(name string) (*file, error) {
	fd, err := h.openat(name, unix.O_RDONLY)
	if err != nil {
		return nil, err
	}
	return &file{fd}, nil
}

func (h *handle) lstat(name string) (st unix.Stat_t, err error) {
	for {
		if err = unix.Fstatat(h.fd, name, &st, unix.AT_SYMLINK_NOFOLLOW); !errors.Is(err, unix.EINTR) {
			return st, err
		}
	}
}

func (h *handle) stat(name string) (Info, error) {
	st, err := h.lstat(name)
	if err != nil {
		return Info{}, err
	}
	return Info{Size: st.Size, Time: time.Unix(st.Mtim.Unix())}, nil
}

// list calls f for every entry of h but . and .., with a name to be copied.
func (h *handle) list(buf []byte, f func(name []byte, kind Kind)) error {
	for {
		n, err := unix.Getdents(h.fd, buf)
		switch {
		case errors.Is(err, unix.EINTR):
			continue
		case err != nil:
			return err
		case n <= 0:
			return nil
		}
		for rest := buf[:n]; len(rest) > 0; {
			size := int(binary.NativeEndian.Uint16(rest[unsafe.Offsetof(unix.Dirent{}.Reclen):]))
			if size <= 0 || size > len(rest) {
				return io.ErrUnexpectedEOF
			}
			h.entry(rest[:size], f)
			rest = rest[size:]
		}
	}
}

// entry takes one record of the kernel's apart.
func (h *handle) entry(rec []byte, f func(name []byte, kind Kind)) {
	name := rec[unsafe.Offsetof(unix.Dirent{}.Name):]
	if end := bytes.IndexByte(name, 0); end >= 0 {
		name = name[:end]
	}
	if string(name) != "" && string(name) != "." && string(name) != ".." {
		f(name, h.kind(name, rec[unsafe.Offsetof(unix.Dirent{}.Type)]))
	}
}

func (h *handle) kind(name []byte, d byte) Kind {
	switch d {
	case unix.DT_REG:
		return Regular
	case unix.DT_DIR:
		return Folder
	case unix.DT_LNK:
		return Link
	case unix.DT_UNKNOWN: // the file system does not say
		st, err := h.lstat(string(name))
		if err != nil {
			return Other
		}
		switch st.Mode & unix.S_IFMT {
		case unix.S_IFREG:
			return Regular
		case unix.S_IFDIR:
			return Folder
		case unix.S_IFLNK:
			return Link
		}
	}
	return Other
}

// A file is an open file. It may be something else than it was listed as.
type file struct{ fd int }

func (f *file) close() { _ = unix.Close(f.fd) }

// regular reports whether f really is a regular file.
func (f *file) regular() bool {
	var st unix.Stat_t
	return unix.Fstat(f.fd, &st) == nil && st.Mode&unix.S_IFMT == unix.S_IFREG
}

// Read reads like an [io.Reader].
func (f *file) Read(p []byte) (int, error) {
	for {
		n, err := unix.Read(f.fd, p)
		switch {
		case errors.Is(err, unix.EINTR):
			continue
		case err != nil:
			return 0, err
		case n == 0 && len(p) > 0:
			return 0, io.EOF
		}
		return n, nil
	}
}

// ReadAt reads like an [io.ReaderAt].
func (f *file) ReadAt(p []byte, off int64) (int, error) {
	done := 0
	for done < len(p) {
		n, err := unix.Pread(f.fd, p[done:], off+int64(done))
		switch {
		case errors.Is(err, unix.EINTR):
			continue
		case err != nil:
			return done, err
		case n == 0:
			return done, io.EOF
		}
		done += n
	}
	return done, nil
}
