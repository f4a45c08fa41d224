package helper

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
)

// program is the name of the helper's file.
func program() string {
	if runtime.GOOS == "windows" {
		return "hobkin-helper.exe"
	}
	return "hobkin-helper"
}

// Places are where the helper may lie, in the order in which they are looked at.
type Places struct {
	Configured string // path from the settings; where it is set no other place counts
	Beside     string // folder of this program
	Cache      string // folder that [Install] puts it in
	Release    Release
}

// ErrMissing is returned by [Places.Find] when the helper is in no place.
var ErrMissing = errors.New("the native helper is not installed")

// Find returns the path of the helper. What was fetched is used only as long as
// it is the very file that this build knows.
func (p Places) Find(context.Context) (string, error) {
	if p.Configured != "" {
		if err := runnable(p.Configured); err != nil {
			return "", fmt.Errorf("the native helper of the settings, %s, cannot be used: %w", p.Configured, err)
		}
		return p.Configured, nil
	}
	beside := filepath.Join(p.Beside, program())
	if p.Beside != "" && runnable(beside) == nil {
		return beside, nil
	}
	if p.Cache == "" || p.Release.SHA256 == "" {
		return "", ErrMissing
	}
	cached := p.Release.path(p.Cache)
	if err := runnable(cached); err != nil {
		return "", ErrMissing
	}
	sum, err := digest(cached)
	switch {
	case err != nil:
		return "", fmt.Errorf("the native helper %s cannot be read: %w", cached, err)
	case sum != p.Release.SHA256:
		return "", fmt.Errorf("the native helper %s is not the file that was fetched any more; remove it and fetch it again on the setup page", cached)
	}
	return cached, nil
}

// runnable reports why a path is no program.
func runnable(path string) error {
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return err
	case !info.Mode().IsRegular():
		return errors.New("it is no file")
	case runtime.GOOS != "windows" && info.Mode()&0o111 == 0:
		return errors.New("it may not be run")
	case runtime.GOOS != "windows" && info.Mode()&0o022 != 0:
		return errors.New("others may write it")
	}
	return nil
}

// digest is the SHA-256 of a file, in hex.
func digest(path string) (string, error) {
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer func() { _ = f.Close() }()
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return "", err
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}
