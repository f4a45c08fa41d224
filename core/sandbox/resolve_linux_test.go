package sandbox

import (
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// maze is a tree with every kind of link.
func maze(tb testing.TB) string {
	tb.Helper()
	dir, err := filepath.EvalSymlinks(tb.TempDir())
	if err != nil {
		tb.Fatal(err)
	}
	write(tb, dir+"/a/b/c", "")
	write(tb, dir+"/a/f", "")
	write(tb, dir+"/g", "")
	for at, to := range map[string]string{
		"l": "a", "a/up": "..", "a/b/top": dir, "self": ".", "a/fl": "f", "dang": "none/x", "loop": "loop", "m": "l/b/", "n": "a/f/", "a/b/z": "../../l/up/m",
		"abs": "/", "o": "a//b/./..",
	} {
		link(tb, to, filepath.Join(dir, at))
	}
	return dir
}

// kernel asks the system where a path leads; "" when it leads nowhere.
func kernel(path string) (string, error) {
	fd, err := unix.Openat2(unix.AT_FDCWD, path, &unix.OpenHow{Flags: unix.O_PATH | unix.O_CLOEXEC})
	if err != nil {
		return "", err
	}
	defer func() { _ = unix.Close(fd) }()
	return os.Readlink("/proc/self/fd/" + strconv.Itoa(fd))
}

// FuzzResolve compares our way through links with the kernel's.
func FuzzResolve(f *testing.F) {
	for _, s := range []string{"a/b/c", "l/up/l/b", "m/../f", "dang", "loop/x", "self/self//g", "a/b/top/a", "n", "fl/..", "a/b/z/c", "g/", "g/.", "none/..", "abs/proc", "o/f", "", "/", "../..", "a/fl/"} {
		f.Add(s)
	}
	dir := maze(f)
	f.Fuzz(func(t *testing.T, path string) {
		if strings.ContainsRune(path, 0) || len(path) > 2000 || strings.Contains(path, "proc") {
			return
		}
		full := dir + "/" + path
		want, kerr := kernel(full)
		got, err := resolve(full, nil)
		switch {
		case errors.Is(kerr, unix.ENOSYS), errors.Is(kerr, unix.ELOOP): // the kernel stops at 40 links
			return
		case kerr == nil && (err != nil || got.abs != want || !got.found):
			t.Errorf("%q: got %q, %v, the kernel says %q", full, got.abs, err, want)
		case kerr != nil && err == nil && got.found:
			t.Errorf("%q: got %q, the kernel says %v", full, got.abs, kerr)
		}
		if err == nil && filepath.Clean(got.abs) != got.abs {
			t.Errorf("%q: %q is not clean", full, got.abs)
		}
	})
}

// The links of /proc lead to open files of any process.
func TestProc(t *testing.T) {
	h := build(t, nil)
	for _, path := range []string{"/proc/self/cwd/a.txt", "/proc/self/root/etc/passwd", "/proc/1/environ", "/dev/fd/0"} {
		if _, err := h.Judge(h.turn, path, Read); !errors.Is(err, ProtectedPath) {
			t.Errorf("%s: got %v, want protected_path", path, err)
		}
	}
}

// FuzzJudge: whatever the text, what is let through lies under a root, by the
// kernel's own account.
func FuzzJudge(f *testing.F) {
	h := build(f, nil)
	link(f, h.outside, h.ws+"/out")
	link(f, h.home, h.ws+"/home")
	link(f, "..", h.ws+"/sub/up")
	for _, s := range []string{"a.txt", "out/o.txt", "home/.ssh/id_ed25519", "~/.ssh", "sub/up/up/other", "/etc/passwd", "~", "~root", "home/code/../.netrc", "a\x00", "//", "sub/../../../../../../../etc"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, path string) {
		p, err := h.Place(h.turn, path, Read)
		if err != nil {
			return
		}
		defer func() { _ = p.Close() }()
		if h.Hidden(p.Abs) || under(h.Roots(h.turn), p.Abs) == "" && under(h.rules.Load().shared, p.Abs) == "" {
			t.Fatalf("%q was let through to %s", path, p.Abs)
		}
		if where, err := kernel(p.Abs); err == nil && where != p.Abs {
			t.Fatalf("%q: %s is really %s", path, p.Abs, where)
		}
	})
}
