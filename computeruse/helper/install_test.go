//go:build unix

package helper

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"aead.dev/minisign"
)

// release serves a folder of a release, as a server of files does.
type release struct {
	Release
	files map[string][]byte
	sign  func(data []byte) []byte
}

func newRelease(t *testing.T, program []byte) *release {
	t.Helper()
	public, private, err := minisign.GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	r := &release{files: map[string][]byte{}, sign: func(data []byte) []byte { return minisign.Sign(private, data) }}
	r.put(program)
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		data, ok := r.files[strings.TrimPrefix(req.URL.Path, "/v1/")]
		if !ok {
			http.NotFound(w, req)
			return
		}
		_, _ = w.Write(data)
	}))
	t.Cleanup(srv.Close)
	key, err := public.MarshalText()
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(string(key)), "\n")
	sum := sha256.Sum256(program)
	r.Release = Release{URL: srv.URL + "/v1", SHA256: hex.EncodeToString(sum[:]), Key: lines[len(lines)-1]} // as packaging/release.sh takes it from the file
	return r
}

func (r *release) put(program []byte) {
	r.files[Name()], r.files[Name()+".minisig"] = program, r.sign(program)
}

func client() *http.Client {
	return &http.Client{Timeout: 10 * time.Second, Transport: &http.Transport{DisableKeepAlives: true}}
}

// TestInstall: the helper is fetched, checked, found, and runs.
func TestInstall(t *testing.T) {
	script := []byte("#!/bin/sh\nexec \"" + executable(t) + "\" \"$@\"\n")
	r := newRelease(t, script)
	cache := filepath.Join(t.TempDir(), "data")
	places := Places{Cache: cache, Release: r.Release}
	if _, err := places.Find(t.Context()); !errors.Is(err, ErrMissing) {
		t.Fatalf("before: %v", err)
	}
	var last, all int64
	path, err := Install(t.Context(), client(), r.Release, cache, func(done, total int64) { last, all = done, total })
	if err != nil || last != int64(len(script)) || all != last {
		t.Fatalf("got %v, told %d of %d", err, last, all)
	}
	if found, err := places.Find(t.Context()); err != nil || found != path {
		t.Fatalf("found %q, %v", found, err)
	}
	b := newBench(t, "none", func(o *Options) { o.Find = places.Find })
	if _, err := b.Displays(t.Context()); err != nil {
		t.Errorf("it does not run: %v", err)
	}
	if err := os.WriteFile(path, append(script, '#'), 0o700); err != nil {
		t.Fatal(err)
	}
	if _, err := places.Find(t.Context()); err == nil || !strings.Contains(err.Error(), "not the file that was fetched") {
		t.Errorf("a file that was changed since: %v", err)
	}
}

func executable(t *testing.T) string {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return self
}

// TestInstallRefuses: of what is not the helper of this very build nothing is
// left.
func TestInstallRefuses(t *testing.T) {
	good := []byte("the helper")
	for name, tt := range map[string]struct {
		change func(r *release)
		want   string
	}{
		"another file":           {func(r *release) { r.put([]byte("another")) }, ErrDigest.Error()},
		"signed by another":      {func(r *release) { r.files[Name()+".minisig"] = newRelease(t, good).files[Name()+".minisig"] }, ErrSignature.Error()},
		"signature of another":   {func(r *release) { r.files[Name()+".minisig"] = r.sign([]byte("another")) }, ErrSignature.Error()},
		"signature is none":      {func(r *release) { r.files[Name()+".minisig"] = []byte("hello") }, ErrSignature.Error()},
		"no signature":           {func(r *release) { delete(r.files, Name()+".minisig") }, "404"},
		"no file":                {func(r *release) { delete(r.files, Name()) }, "404"},
		"a signature too long":   {func(r *release) { r.files[Name()+".minisig"] = make([]byte, maxSignature+1) }, "over"},
		"a build of one's own":   {func(r *release) { r.SHA256 = "" }, ErrNoRelease.Error()},
		"a key that is none":     {func(r *release) { r.Key = "key" }, "the key of the release"},
		"an address that isn't":  {func(r *release) { r.URL = "http://127.0.0.1:1/x" }, "fetching"},
		"an address of no sense": {func(r *release) { r.URL = "::" }, "address"},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRelease(t, good)
			tt.change(r)
			cache := t.TempDir()
			_, err := Install(t.Context(), client(), r.Release, cache, nil)
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got %v, want %q", err, tt.want)
			}
			if left := files(t, cache); left != "" {
				t.Errorf("left: %s", left)
			}
		})
	}
}

func files(t *testing.T, dir string) (list string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			list += path + " "
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return list
}

// TestInstallCancelled: a download that is given up on leaves nothing.
func TestInstallCancelled(t *testing.T) {
	stop := make(chan struct{})
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		_, _ = fmt.Fprint(w, "some")
		w.(http.Flusher).Flush()
		select {
		case <-stop:
		case <-req.Context().Done():
		}
	}))
	t.Cleanup(srv.Close)
	defer close(stop)
	r := newRelease(t, []byte("x"))
	r.URL = srv.URL
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	cache := t.TempDir()
	if _, err := Install(ctx, client(), r.Release, cache, nil); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("got %v", err)
	}
	if left := files(t, cache); left != "" {
		t.Errorf("left: %s", left)
	}
}

// TestFind: the settings come first, then the folder of the program; what others
// could have changed is not run.
func TestFind(t *testing.T) {
	dir := t.TempDir()
	write := func(name string, mode fs.FileMode) string {
		path := filepath.Join(dir, name, program())
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte("x"), mode); err != nil {
			t.Fatal(err)
		}
		if err := os.Chmod(path, mode); err != nil { // whatever the umask
			t.Fatal(err)
		}
		return path
	}
	good, plain, open := write("good", 0o755), write("plain", 0o644), write("open", 0o777)
	for name, tt := range map[string]struct {
		p    Places
		want string // a path, or part of an error
	}{
		"settings":           {Places{Configured: good, Beside: dir}, good},
		"settings, not run":  {Places{Configured: plain, Beside: filepath.Dir(good)}, "may not be run"},
		"settings, open":     {Places{Configured: open, Beside: filepath.Dir(good)}, "others may write it"},
		"settings, a folder": {Places{Configured: dir}, "it is no file"},
		"settings, missing":  {Places{Configured: dir + "/none"}, "no such file"},
		"beside":             {Places{Beside: filepath.Dir(good)}, good},
		"beside, open":       {Places{Beside: filepath.Dir(open)}, ErrMissing.Error()},
		"nowhere":            {Places{}, ErrMissing.Error()},
	} {
		got, err := tt.p.Find(t.Context())
		if err != nil {
			got = err.Error()
		}
		if got != tt.want && (err == nil || !strings.Contains(got, tt.want)) {
			t.Errorf("%s: got %q, want %q", name, got, tt.want)
		}
	}
}

// TestBaked: the linker puts in what a release knows of its helper, under the
// names that packaging/release.sh uses; a build of one's own knows nothing.
func TestBaked(t *testing.T) {
	script, err := os.ReadFile(filepath.FromSlash("../../packaging/release.sh"))
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(script), "hobkin-helper-$(go env GOOS)-$(go env GOARCH)$(go env GOEXE)") {
		t.Errorf("the script does not name the helper %s", Name())
	}
	var flags []string
	for _, name := range []string{"releaseURL", "releaseSHA256", "releaseKey"} {
		if !strings.Contains(string(script), "-X $at."+name+"=") {
			t.Errorf("the script does not set %s", name)
		}
		flags = append(flags, "-X github.com/hobkin/hobkin/computeruse/helper."+name+"=the-"+name)
	}
	if got := Baked(); got != (Release{}) {
		t.Errorf("this build knows %+v", got)
	}
	bin := filepath.Join(t.TempDir(), "baked.exe")
	if out, err := exec.CommandContext(t.Context(), "go", "build", "-ldflags", strings.Join(flags, " "), "-o", bin, "./testdata/baked").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	out, err := exec.CommandContext(t.Context(), bin).Output()
	if err != nil {
		t.Fatal(err)
	}
	var got Release
	if err := json.Unmarshal(out, &got); err != nil || got != (Release{URL: "the-releaseURL", SHA256: "the-releaseSHA256", Key: "the-releaseKey"}) {
		t.Errorf("got %s, %v", out, err)
	}
}
