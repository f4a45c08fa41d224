package doctext

import (
	"archive/zip"
	"errors"
	"fmt"
	"io"
	"path"
	"strings"
)

// Bounds of what an archive may cost.
const (
	maxDirectory = 4 << 20   // bytes of the list of parts; some 60,000 of them
	maxUnpacked  = 256 << 20 // bytes of all parts that are read, unpacked
)

// An archive is an open document of parts.
type archive struct {
	parts map[string]*zip.File // by name without the slash at the start, in small letters
	left  int64                // bytes that may still be unpacked
}

// openArchive reads the list of parts.
func openArchive(r io.ReaderAt, size int64) (*archive, error) {
	m := &meter{r: r, left: maxDirectory}
	z, err := zip.NewReader(m, size)
	switch {
	case m.left <= 0:
		return nil, fmt.Errorf("%w: the list of its parts is larger than %d MB", ErrTooBig, maxDirectory>>20)
	case err != nil && !errors.Is(err, zip.ErrInsecurePath):
		return nil, damaged("%v", err)
	}
	m.open = true
	a := &archive{parts: make(map[string]*zip.File, len(z.File)), left: maxUnpacked}
	for _, f := range z.File {
		name := partName(f.Name)
		if _, twice := a.parts[name]; !twice { // the first counts, as for offices
			a.parts[name] = f
		}
	}
	return a, nil
}

// partName is how the name of a part is compared: offices differ in case, in
// slashes and in a slash at the start.
func partName(name string) string {
	name = strings.ReplaceAll(name, `\`, "/")
	return strings.ToLower(strings.TrimPrefix(path.Clean("/"+name), "/"))
}

func (a *archive) has(name string) bool { return a.parts[partName(name)] != nil }

// open gives a part's content. ok is false when there is no such part.
func (a *archive) open(name string) (r io.ReadCloser, ok bool, err error) {
	f := a.parts[partName(name)]
	if f == nil {
		return nil, false, nil
	}
	if f.Flags&1 != 0 {
		return nil, true, ErrLocked
	}
	in, err := f.Open()
	if err != nil {
		return nil, true, damaged("%s: %v", name, err)
	}
	return &part{archive: a, in: in}, true, nil
}

// small reads a part of at most so many bytes whole.
func (a *archive) small(name string, most int64) ([]byte, error) {
	r, ok, err := a.open(name)
	switch {
	case err != nil:
		return nil, err
	case !ok:
		return nil, damaged("it has no part %s", name)
	}
	defer r.Close()
	data, err := io.ReadAll(io.LimitReader(r, most+1))
	if err == nil && int64(len(data)) > most {
		err = fmt.Errorf("%w: its part %s is larger than %d bytes", ErrTooBig, name, most)
	}
	return data, err
}

// A part is the content of one part; what is read of it counts.
type part struct {
	*archive
	in io.ReadCloser
}

// Read reads like an [io.Reader].
func (p *part) Read(b []byte) (int, error) {
	if p.left <= 0 {
		return 0, fmt.Errorf("%w: %d MB", ErrTooBig, maxUnpacked>>20)
	}
	n, err := p.in.Read(b[:min(int64(len(b)), p.left)])
	p.left -= int64(n)
	if err != nil && !errors.Is(err, io.EOF) {
		err = damaged("%v", err)
	}
	return n, err
}

// Close ends the reading.
func (p *part) Close() error { return p.in.Close() }

// A meter bounds what is read until it is open.
type meter struct {
	r    io.ReaderAt
	left int64
	open bool
}

// ReadAt reads like an [io.ReaderAt].
func (m *meter) ReadAt(p []byte, off int64) (int, error) {
	if !m.open {
		if m.left -= int64(len(p)); m.left <= 0 {
			return 0, ErrTooBig
		}
	}
	return m.r.ReadAt(p, off)
}
