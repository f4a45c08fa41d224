package helper

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"runtime"

	"aead.dev/minisign"
)

// What a release build knows of its helper. The linker sets them (-X); a build
// of one's own leaves them empty, and then nothing is fetched.
var (
	releaseURL    string // folder that the files of the release lie in
	releaseSHA256 string // of the helper for this system, in hex
	releaseKey    string // minisign key that the release is signed with
)

// A Release is where the helper of a build is fetched from, and how it is known
// to be that.
type Release struct {
	URL    string // folder with the helper and its signature, see Name
	SHA256 string // of the helper, in hex, baked into the build
	Key    string // public key of minisign that signs releases
}

// Baked is the release that this build knows. Its SHA256 is empty where the
// build knows none.
func Baked() Release { return Release{URL: releaseURL, SHA256: releaseSHA256, Key: releaseKey} }

// Name is the name of the helper's file in a release; its signature has .minisig
// behind it.
func Name() string {
	name := "hobkin-helper-" + runtime.GOOS + "-" + runtime.GOARCH
	if runtime.GOOS == "windows" {
		name += ".exe"
	}
	return name
}

// path is where the helper of the release lies in a cache.
func (r Release) path(cache string) string {
	return filepath.Join(cache, "helper", r.SHA256[:min(len(r.SHA256), 16)], program())
}

const (
	maxHelper    = 200 << 20 // bytes
	maxSignature = 8 << 10
)

// The ways that a fetched helper is not used.
var (
	ErrNoRelease = errors.New("this build does not know where its native helper is to be had: it was not made by a release; build it with make, or install the package")
	ErrDigest    = errors.New("what was fetched is not the native helper of this version: its digest differs")
	ErrSignature = errors.New("what was fetched is not signed by Hobkin")
)

// Install fetches the helper of a release, checks its digest and its signature
// and puts it into a cache. Nothing is left of what does not pass. Progress may
// be nil; total is -1 when it is not known.
func Install(ctx context.Context, client *http.Client, r Release, cache string, progress func(done, total int64)) (path string, err error) {
	if r.URL == "" || r.SHA256 == "" || r.Key == "" {
		return "", ErrNoRelease
	}
	var key minisign.PublicKey
	if err := key.UnmarshalText([]byte(r.Key)); err != nil {
		return "", fmt.Errorf("helper: the key of the release: %w", err)
	}
	from, err := url.JoinPath(r.URL, Name())
	if err != nil {
		return "", fmt.Errorf("helper: the address of the release: %w", err)
	}
	g := getter{client: client, progress: progress}
	data, err := g.get(ctx, from, maxHelper)
	if err != nil {
		return "", err
	}
	if sum := sha256.Sum256(data); hex.EncodeToString(sum[:]) != r.SHA256 {
		return "", ErrDigest
	}
	g.progress = nil
	sig, err := g.get(ctx, from+".minisig", maxSignature)
	if err != nil {
		return "", err
	}
	if !minisign.Verify(key, data, sig) {
		return "", ErrSignature
	}
	path = r.path(cache)
	return path, place(path, data)
}

// getter fetches files.
type getter struct {
	client   *http.Client
	progress func(done, total int64)
}

// get is a whole file of at most so many bytes.
func (g getter) get(ctx context.Context, from string, most int64) ([]byte, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, from, nil)
	if err != nil {
		return nil, fmt.Errorf("helper: %w", err)
	}
	resp, err := g.client.Do(req)
	if err != nil {
		return nil, fmt.Errorf("helper: fetching %s: %w", from, err)
	}
	defer func() { _ = resp.Body.Close() }()
	switch {
	case resp.StatusCode != http.StatusOK:
		return nil, fmt.Errorf("helper: fetching %s: the server answers %s", from, resp.Status)
	case resp.ContentLength > most:
		return nil, fmt.Errorf("helper: fetching %s: it has %d bytes, over %d", from, resp.ContentLength, most)
	}
	var b bytes.Buffer
	n, err := io.Copy(&b, io.TeeReader(io.LimitReader(resp.Body, most+1), &meter{g.progress, 0, resp.ContentLength}))
	switch {
	case err != nil:
		return nil, fmt.Errorf("helper: fetching %s: %w", from, err)
	case n > most:
		return nil, fmt.Errorf("helper: fetching %s: it has over %d bytes", from, most)
	}
	return b.Bytes(), nil
}

// meter tells how far a download is.
type meter struct {
	tell        func(done, total int64)
	done, total int64
}

// Write implements [io.Writer].
func (m *meter) Write(p []byte) (int, error) {
	if m.done += int64(len(p)); m.tell != nil {
		m.tell(m.done, m.total)
	}
	return len(p), nil
}

// place writes a program where it is to lie, whole or not at all.
func place(path string, data []byte) (err error) {
	dir := filepath.Dir(path)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return fmt.Errorf("helper: %w", err)
	}
	f, err := os.CreateTemp(dir, ".new-*")
	if err != nil {
		return fmt.Errorf("helper: %w", err)
	}
	defer func() {
		if err != nil {
			_ = os.Remove(f.Name())
		}
	}()
	_, err = f.Write(data)
	if err == nil {
		err = f.Chmod(0o700)
	}
	if err == nil {
		err = f.Sync()
	}
	if err = errors.Join(err, f.Close()); err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		return fmt.Errorf("helper: putting it into its place: %w", err)
	}
	return nil
}
