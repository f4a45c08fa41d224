package sandbox

import (
	"errors"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/hobkin/hobkin/core/capability"
)

// names are few, so that paths meet; among them such as look like mounts,
// devices and homes.
var names = []string{"a", "b", "c", "mnt", "proc", "dev", "~", "..a", "a b", "é", "-", "x\ny"}

func pick(rnd *rand.Rand, list []string) string { return list[rnd.IntN(len(list))] }

// someWay is a path of a few parts, with dots, slashes and ways up.
func someWay(rnd *rand.Rand) string {
	parts := make([]string, 1+rnd.IntN(5))
	for i := range parts {
		switch rnd.IntN(8) {
		case 0:
			parts[i] = ".."
		case 1:
			parts[i] = "."
		case 2:
			parts[i] = ""
		default:
			parts[i] = pick(rnd, names)
		}
	}
	way := strings.TrimLeft(strings.Join(parts, "/"), "/")
	if way == "" {
		return "."
	}
	return way
}

// grow fills dir with folders, files and links drawn by lot: relative ones,
// absolute ones, ones to themselves and in circles, ones that lead out. What it
// makes lies in dir, also where the way to it goes through a link.
func grow(tb testing.TB, rnd *rand.Rand, dir string) {
	tb.Helper()
	root, err := os.OpenRoot(dir)
	if err != nil {
		tb.Fatal(err)
	}
	defer func() { _ = root.Close() }()
	for range 4 + rnd.IntN(10) {
		parts := make([]string, 1+rnd.IntN(4))
		for i := range parts {
			parts[i] = pick(rnd, names)
		}
		var err error
		switch to := filepath.Join(parts...); rnd.IntN(5) {
		case 0:
			err = root.WriteFile(to, nil, 0o600)
		case 1:
			err = root.MkdirAll(to, 0o700)
		case 2:
			err = root.Symlink(filepath.Join(dir, someWay(rnd)), to)
		case 3:
			err = root.Symlink(strings.Repeat("../", rnd.IntN(3))+someWay(rnd), to)
		default:
			err = root.Symlink(someWay(rnd), to)
		}
		if err != nil && !tolerated(err) {
			tb.Fatal(err)
		}
	}
}

// tolerated are the errors of a draw that does not fit what is there already,
// or would lie outside.
func tolerated(err error) bool {
	for _, one := range []error{fs.ErrExist, fs.ErrNotExist, unix.ENOTDIR, unix.ELOOP, unix.EISDIR} {
		if errors.Is(err, one) {
			return true
		}
	}
	return strings.Contains(err.Error(), "path escapes from parent") || strings.Contains(err.Error(), "too many")
}

// compare holds our way through one path against the kernel's. It reports
// whether both found something.
func compare(tb testing.TB, full string) bool {
	tb.Helper()
	want, kerr := kernel(full)
	got, err := resolve(full, nil)
	switch {
	case errors.Is(kerr, unix.ELOOP):
		if err == nil && got.found && !followsMany(full) {
			tb.Errorf("%q: got %q, the kernel goes in circles", full, got.abs)
		}
		return false
	case kerr == nil && (err != nil || got.abs != want || !got.found):
		tb.Errorf("%q: got %q, %v, the kernel says %q", full, got.abs, err, want)
	case kerr != nil && err == nil && got.found:
		tb.Errorf("%q: got %q, the kernel says %v", full, got.abs, kerr)
	}
	if err != nil || !got.found {
		return false
	}
	plain, perr := unix.Openat2(unix.AT_FDCWD, got.abs, &unix.OpenHow{Flags: unix.O_PATH | unix.O_CLOEXEC, Resolve: unix.RESOLVE_NO_SYMLINKS | unix.RESOLVE_NO_MAGICLINKS})
	if perr != nil {
		tb.Errorf("%q: %q has a link in it: %v", full, got.abs, perr)
		return false
	}
	return unix.Close(plain) == nil
}

// followsMany reports whether the kernel gives up at its 40 links where we go
// on to ours.
func followsMany(full string) bool {
	links := 0
	w := walker{}
	if w.restart(full) != nil {
		return false
	}
	for len(w.todo) > 0 {
		name := w.todo[0]
		w.todo = w.todo[1:]
		if w.step(name) != nil {
			break
		}
		links = w.links
	}
	return links >= 40
}

// place holds a policy whose only root is below dir against the kernel, which
// is asked to stay beneath that root.
func place(tb testing.TB, h *Policy, root, way string) {
	tb.Helper()
	turn := turnIn(root)
	p, err := h.Place(turn, root+"/"+way, Read)
	if err != nil {
		return // refused: the other direction is compared by compare
	}
	defer func() { _ = p.Close() }()
	where, kerr := kernel(p.Abs)
	if kerr == nil && where != p.Abs || p.Abs != root && !strings.HasPrefix(p.Abs, root+"/") {
		tb.Errorf("%q was let through to %q, which is %q beside %s", way, p.Abs, where, root)
	}
	beneath, err := unix.Open(root, unix.O_PATH|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if err != nil {
		tb.Fatal(err)
	}
	defer func() { _ = unix.Close(beneath) }()
	rel, err := filepath.Rel(root, p.Abs)
	if err != nil {
		tb.Fatal(err)
	}
	fd, err := unix.Openat2(beneath, rel, &unix.OpenHow{Flags: unix.O_PATH | unix.O_CLOEXEC, Resolve: unix.RESOLVE_BENEATH | unix.RESOLVE_NO_SYMLINKS})
	if err != nil {
		if !errors.Is(err, unix.ENOENT) {
			tb.Errorf("%q: %q is not beneath %s for the kernel: %v", way, p.Abs, root, err)
		}
		return
	}
	defer func() { _ = unix.Close(fd) }()
	info, err := p.Root.Lstat(p.Name)
	var st unix.Stat_t
	if serr := unix.Fstat(fd, &st); err != nil || serr != nil || inode(info) != st.Ino {
		tb.Errorf("%q: the handle is not of %q: %v, %v", way, p.Abs, err, serr)
	}
}

// TestTrees goes through some thousand trees drawn by lot.
func TestTrees(t *testing.T) {
	const trees, ways = 2000, 8
	base := inMemory(t)
	seed := rand.Uint64()
	rnd := rand.New(rand.NewPCG(seed, 1))
	dir, found := filepath.Join(base, "tree"), 0
	h := policyOf(t, dir)
	for n := range trees {
		found += explore(t, h, rnd, dir, ways)
		if t.Failed() {
			t.Fatalf("seed %d, tree %d: %s", seed, n, describe(dir))
		}
		if err := os.RemoveAll(dir); err != nil {
			t.Fatal(err)
		}
	}
	if found < trees {
		t.Errorf("only %d paths of %d led anywhere: the draw is too poor", found, trees*ways)
	}
}

// explore grows one tree and goes some ways through it; it returns how many led
// somewhere.
func explore(tb testing.TB, h *Policy, rnd *rand.Rand, dir string, ways int) (found int) {
	tb.Helper()
	root := filepath.Join(dir, "root")
	if err := os.MkdirAll(root, 0o700); err != nil {
		tb.Fatal(err)
	}
	grow(tb, rnd, root)
	grow(tb, rnd, dir)
	for range ways {
		way := someWay(rnd)
		if compare(tb, root+"/"+way) {
			found++
		}
		place(tb, h, root, way)
	}
	return found
}

// describe lists a tree for the one who has to find out what went wrong.
func describe(dir string) string {
	var b strings.Builder
	_ = filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err == nil {
			to, _ := os.Readlink(path)
			b.WriteString("\n" + strconv.Quote(strings.TrimPrefix(path, dir)) + " " + d.Type().String() + " " + strconv.Quote(to))
		}
		return nil
	})
	return b.String()
}

// FuzzTrees draws the tree by seed and takes the way from the fuzzer.
func FuzzTrees(f *testing.F) {
	for i, s := range []string{"a/b", "a/../b", "c/./a/..", "mnt/proc", "..a/~", "a//b/", "é/-/x\ny"} {
		f.Add(uint64(i), s)
	}
	f.Fuzz(func(t *testing.T, seed uint64, way string) {
		if strings.ContainsRune(way, 0) || len(way) > 1000 || way == "" {
			return
		}
		dir := inMemory(t)
		explore(t, policyOf(t, dir), rand.New(rand.NewPCG(seed, 2)), dir, 3)
		if !strings.Contains(way, "..") || !strings.Contains(way, "proc") { // not into the live /proc
			compare(t, dir+"/root/"+way)
		}
	})
}

func inode(info fs.FileInfo) uint64 {
	if info == nil {
		return 0
	}
	if st, ok := info.Sys().(*syscall.Stat_t); ok {
		return st.Ino
	}
	return 0
}

func turnIn(root string) capability.Turn {
	return capability.Turn{Workspace: root, Trust: capability.Operator, Attended: true, Channel: "cli"}
}

// policyOf lets through what is below dir/root and nothing else.
func policyOf(tb testing.TB, dir string) *Policy {
	tb.Helper()
	h, err := New(Config{Mode: Strict, Home: filepath.Join(dir, "home"), Workspace: filepath.Join(dir, "root")})
	if err != nil {
		tb.Fatal(err)
	}
	return h
}

// inMemory is a folder on a disk in memory where there is one: thousands of
// trees are made and removed.
func inMemory(tb testing.TB) string {
	tb.Helper()
	dir, err := os.MkdirTemp("/dev/shm", "hobkin-trees-*") //nolint:usetesting // the folder of tests is on a disk
	if err != nil {
		dir = tb.TempDir()
	}
	tb.Cleanup(func() { _ = os.RemoveAll(dir) })
	if dir, err = filepath.EvalSymlinks(dir); err != nil {
		tb.Fatal(err)
	}
	return dir
}
