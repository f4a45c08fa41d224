//go:build unix

package file

import (
	"net"
	"os"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/hobkin/hobkin/test/suite"
)

// ageLink sets the time of a link itself.
func ageLink(path string, at time.Time) error {
	ts := unix.NsecToTimespec(at.UnixNano())
	return unix.UtimesNanoAt(unix.AT_FDCWD, path, []unix.Timespec{ts, ts}, unix.AT_SYMLINK_NOFOLLOW)
}

// No tool opens a FIFO, a socket or a device; opening a FIFO would wait for ever.
func TestSpecialFilesAreRefused(t *testing.T) {
	b := newBench(t)
	if err := syscall.Mkfifo(b.path("fifo"), 0o600); err != nil {
		t.Fatal(err)
	}
	t.Chdir(b.dir) // a socket's path must be short
	var lc net.ListenConfig
	l, err := lc.Listen(t.Context(), "unix", "sock")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	for _, name := range []string{"fifo", "sock"} {
		for tool, args := range map[string]string{
			"file_read":      `{"path": "` + name + `"}`,
			"file_write":     `{"path": "` + name + `", "content": "x"}`,
			"file_edit":      `{"path": "` + name + `", "old_string": "a", "new_string": "b"}`,
			"content_search": `{"path": "` + name + `", "pattern": "x"}`,
		} {
			b.fails(tool, args, "not_regular")
		}
	}
	b.put("a", "needle\n")
	if got := b.ok("content_search", `{"pattern": "needle"}`).Summary; got != "1 found" {
		t.Errorf("search beside special files: %s", got)
	}
	b.ok("list_dir", `{"path": "."}`)
}

// A path that turns into a FIFO between the look and the opening does not hang.
func TestSwappedForFIFO(t *testing.T) {
	b := newBench(t)
	b.put("f", "text\n")
	s, err := b.host.lookFile(b.turn(), "f", 0)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if err := os.Remove(b.path("f")); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mkfifo(b.path("f"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := s.open(); err == nil {
		t.Error("a FIFO was opened")
	}
}

// What the user may not read is said so; folders that are closed do not end a
// search or a listing.
func TestUnreadable(t *testing.T) {
	if suite.AsNobody(t) {
		return
	}
	b := newBench(t)
	b.put("secret", "needle\n")
	b.put("open", "needle\n")
	for _, dir := range []string{"closed", "sealed"} {
		if err := os.Mkdir(b.path(dir), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	b.put("sealed/x", "x")
	for name, mode := range map[string]os.FileMode{"secret": 0o200, "closed": 0, "sealed": 0o500} {
		if err := os.Chmod(b.path(name), mode); err != nil {
			t.Fatal(err)
		}
	}
	t.Cleanup(func() { _ = os.Chmod(b.path("closed"), 0o700); _ = os.Chmod(b.path("sealed"), 0o700) })
	b.fails("file_read", `{"path": "secret"}`, "no_access")
	b.fails("file_read", `{"path": "closed/x"}`, "no_access")
	b.fails("list_dir", `{"path": "closed"}`, "no_access")
	b.fails("file_write", `{"path": "sealed/new", "content": "x"}`, "no_access")
	b.fails("file_edit", `{"path": "sealed/x", "old_string": "x", "new_string": "y"}`, "no_access")
	b.holds("sealed/x", "x")
	r := b.ok("content_search", `{"pattern": "needle"}`)
	if want := "open\n     1: needle\n(2 places could not be read: closed: permission denied; secret: permission denied)\n"; r.Text != want {
		t.Errorf("got %q, want %q", r.Text, want)
	}
	b.ok("list_dir", `{"path": ".", "depth": 2}`)
}

// A hard link keeps the old contents under its other name, and that is said.
func TestHardLink(t *testing.T) {
	b := newBench(t)
	b.put("a", "old\n")
	if err := os.Link(b.path("a"), b.path("b")); err != nil {
		t.Fatal(err)
	}
	r := b.ok("file_edit", `{"path": "a", "old_string": "old", "new_string": "new"}`)
	if want := "The file had 1 other name (hard links)"; !contains(r.Text, want) {
		t.Errorf("got %q, want %q in it", r.Text, want)
	}
	b.holds("a", "new\n")
	b.holds("b", "old\n")
}

// Mode bits and the owner stay; new files follow the umask.
func TestModeAndOwnerStay(t *testing.T) {
	b := newBench(t)
	b.put("run.sh", "echo a\n")
	if err := os.Chmod(b.path("run.sh"), 0o751); err != nil {
		t.Fatal(err)
	}
	if os.Geteuid() == 0 {
		if err := os.Chown(b.path("run.sh"), 65534, 65534); err != nil {
			t.Fatal(err)
		}
	}
	before, err := os.Stat(b.path("run.sh"))
	if err != nil {
		t.Fatal(err)
	}
	b.ok("file_edit", `{"path": "run.sh", "old_string": "a", "new_string": "b"}`)
	b.ok("file_write", `{"path": "run.sh", "content": "echo c\n"}`)
	b.ok("file_undo", `{"path": "run.sh"}`)
	b.holds("run.sh", "echo b\n")
	after, err := os.Stat(b.path("run.sh"))
	if err != nil {
		t.Fatal(err)
	}
	uid, gid, _ := owner(before)
	if u, g, _ := owner(after); after.Mode() != before.Mode() || u != uid || g != gid {
		t.Errorf("mode %v, owner %d:%d; before %v, %d:%d", after.Mode(), u, g, before.Mode(), uid, gid)
	}
	old := syscall.Umask(0o027)
	defer syscall.Umask(old)
	b.ok("file_write", `{"path": "new.txt", "content": "x"}`)
	if info, err := os.Stat(b.path("new.txt")); err != nil || info.Mode().Perm() != 0o640 {
		t.Errorf("a new file has mode %v (%v), want 0640", info.Mode(), err)
	}
}
