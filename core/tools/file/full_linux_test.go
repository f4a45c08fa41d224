package file

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"
)

// On a full disk the old contents cannot be brought back; the file stays as it
// is, and nothing is left. The disk is one that only a child process sees.
func TestRestoreOnAFullDisk(t *testing.T) {
	dir := os.Getenv("HOBKIN_TEST_FULL_DISK")
	if dir == "" {
		cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestRestoreOnAFullDisk$")
		cmd.Env = append(os.Environ(), "HOBKIN_TEST_FULL_DISK="+t.TempDir())
		cmd.SysProcAttr = &syscall.SysProcAttr{
			Cloneflags:  syscall.CLONE_NEWUSER | syscall.CLONE_NEWNS,
			UidMappings: []syscall.SysProcIDMap{{HostID: os.Getuid(), Size: 1}},
			GidMappings: []syscall.SysProcIDMap{{HostID: os.Getgid(), Size: 1}},
		}
		out, err := cmd.CombinedOutput()
		switch {
		case errors.Is(err, unix.EPERM), strings.Contains(string(out), "cannot mount"):
			t.Skipf("no disk can be mounted here: %v %s", err, out)
		case err != nil || !strings.Contains(string(out), "all of it held"):
			t.Errorf("%v: %s", err, out)
		}
		return
	}
	if err := unix.Mount("tmpfs", dir, "tmpfs", 0, "size=256k"); err != nil {
		t.Skipf("cannot mount: %v", err)
	}
	b := &workbench{t: t, dir: dir, host: newHost(t, dir)}
	big := strings.Repeat("old contents\n", 10_000)
	b.put("a", big)
	if _, err := b.host.write(t.Context(), b.callOf(1), writeIn{Path: "a", Content: "new\n"}); err != nil {
		t.Fatal(err)
	}
	b.put("other", strings.Repeat("x", 200<<10))
	if _, err := b.host.UndoChange(context.Background(), UndoRequest{Target: "c-1"}); !errors.Is(err, noSpace) {
		t.Errorf("got %v, want no_space", err)
	}
	b.holds("a", "new\n")
	b.clean()
	if err := os.Remove(b.path("other")); err != nil {
		t.Fatal(err)
	}
	if _, err := b.host.UndoChange(context.Background(), UndoRequest{Target: "c-1"}); err != nil {
		t.Fatal(err)
	}
	b.holds("a", big)
	if !t.Failed() {
		_, _ = os.Stdout.WriteString("all of it held")
	}
}
