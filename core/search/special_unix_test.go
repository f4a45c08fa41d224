//go:build unix

package search

import (
	"net"
	"os"
	"path/filepath"
	"slices"
	"syscall"
	"testing"

	"github.com/hobkin/hobkin/test/suite"
)

// A FIFO, a socket, a device and loops of links are seen and never opened;
// opening the FIFO would wait for ever.
func TestSpecialFiles(t *testing.T) {
	dir := tree(t, map[string]string{"file": "needle\n", "d/file": "needle\n"})
	if err := syscall.Mkfifo(filepath.Join(dir, "fifo"), 0o600); err != nil {
		t.Fatal(err)
	}
	t.Chdir(dir) // a socket's path must be short
	var lc net.ListenConfig
	l, err := lc.Listen(t.Context(), "unix", "sock")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	for link, to := range map[string]string{"loop": "loop", "up": ".", "d/up": "..", "away": "/", "dev": "/dev/zero"} {
		if err := os.Symlink(to, filepath.Join(dir, link)); err != nil {
			t.Fatal(err)
		}
	}
	if os.Getuid() == 0 { // only root may make a device
		const zero = 1<<8 | 5
		if err := syscall.Mknod(filepath.Join(dir, "zero"), syscall.S_IFCHR|0o600, zero); err != nil {
			t.Logf("no device here: %v", err)
		}
	}
	got, troubles := visited(t, &Walker{Abs: dir})
	got = slices.DeleteFunc(got, func(p string) bool { return p == "zero?" })
	want := []string{"away@", "d/", "d/file", "d/up@", "dev@", "fifo?", "file", "loop@", "sock?", "up@"}
	if !slices.Equal(got, want) || troubles.Count != 0 {
		t.Errorf("got %q %v, want %q", got, troubles, want)
	}
	hits := flatHits(run(t, dir, Query{Text: "needle"}, Search{}))
	if want := []string{"d/file:1:needle", "file:1:needle"}; !slices.Equal(hits, want) {
		t.Errorf("got %q, want %q", hits, want)
	}
}

// A file that turns into a FIFO between listing and opening does not hang.
func TestSwappedForFIFO(t *testing.T) {
	dir := t.TempDir()
	if err := syscall.Mkfifo(filepath.Join(dir, "f"), 0o600); err != nil {
		t.Fatal(err)
	}
	p, err := Compile(Query{Text: "x"})
	if err != nil {
		t.Fatal(err)
	}
	found, err := (&Search{Pattern: p}).File(t.Context(), openRoot(t, dir), "f")
	if err != nil || len(found.Files) != 0 {
		t.Errorf("got %+v, %v", found, err)
	}
}

// What may not be read is reported, and the rest is found.
func TestUnreadable(t *testing.T) {
	if suite.AsNobody(t) {
		return
	}
	dir := tree(t, map[string]string{"a": "x\n", "secret": "x\n", "d/b": "x\n"})
	for _, name := range []string{"secret", "d"} {
		if err := os.Chmod(filepath.Join(dir, name), 0); err != nil {
			t.Fatal(err)
		}
	}
	t.Cleanup(func() { _ = os.Chmod(filepath.Join(dir, "d"), 0o700) })
	found := run(t, dir, Query{Text: "x"}, Search{})
	if got := flatHits(found); !slices.Equal(got, []string{"a:1:x"}) {
		t.Errorf("got %q", got)
	}
	slices.Sort(found.Troubles.First)
	if want := []string{"d: permission denied", "secret: permission denied"}; !slices.Equal(found.Troubles.First, want) {
		t.Errorf("troubles %q, want %q", found.Troubles.First, want)
	}
}
