package store

import (
	"bytes"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"os"
	"path/filepath"
)

// hashOf names contents.
func hashOf(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

// keepFile makes sure that path holds data, privately and on the disk. A file
// that holds it already is left alone.
func keepFile(path string, data []byte) error {
	have, err := os.ReadFile(path)
	switch {
	case err == nil && bytes.Equal(have, data):
		return nil
	case err == nil:
		return replaceFile(path, data) // it was damaged
	case !errors.Is(err, os.ErrNotExist):
		return err
	}
	if err := makeDir(filepath.Dir(path)); err != nil {
		return err
	}
	if err := linkNew(path, data); err != nil {
		return replaceFile(path, data)
	}
	return syncDir(filepath.Dir(path))
}

// replaceFile writes a private file, complete or not at all.
func replaceFile(path string, data []byte) error {
	if err := makeDir(filepath.Dir(path)); err != nil {
		return err
	}
	tmp := path + "." + rand.Text()[:8] + ".tmp"
	f, err := os.OpenFile(tmp, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	if err = errors.Join(err, f.Sync(), f.Close()); err == nil {
		err = os.Rename(tmp, path)
	}
	if err != nil {
		return errors.Join(err, os.Remove(tmp))
	}
	return syncDir(filepath.Dir(path))
}

// makeDir makes a private folder and those above it, on the disk.
func makeDir(dir string) error {
	if fi, err := os.Stat(dir); err == nil && fi.IsDir() {
		return nil
	}
	if up := filepath.Dir(dir); up != dir {
		if err := makeDir(up); err != nil {
			return err
		}
	}
	if err := os.Mkdir(dir, 0o700); err != nil && !errors.Is(err, os.ErrExist) {
		return err
	}
	return syncDir(filepath.Dir(dir))
}

// syncFile has the system write a file's contents to the disk.
func syncFile(path string) error {
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}
