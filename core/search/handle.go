package search

import (
	"io"
	"io/fs"
)

// readSmall reads a file that lies some folders below h, at most limit bytes.
func (h *handle) readSmall(parts []string, limit int64) ([]byte, error) {
	at := h
	for _, name := range parts[:len(parts)-1] {
		next, err := at.sub(name)
		if at != h {
			at.close()
		}
		if err != nil {
			return nil, err
		}
		at = next
	}
	if at != h {
		defer at.close()
	}
	f, err := at.open(parts[len(parts)-1])
	if err != nil {
		return nil, err
	}
	defer f.close()
	if !f.regular() {
		return nil, fs.ErrNotExist
	}
	return io.ReadAll(io.LimitReader(f, limit))
}
