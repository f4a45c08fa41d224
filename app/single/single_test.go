package single_test

import (
	"bufio"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/hobkin/hobkin/app/single"
)

const dirVar = "HOBKIN_TEST_LOCK_DIR"

// TestMain plays another desktop when the tests start this program again: it
// takes the lock, says so, and keeps it until its input ends.
func TestMain(m *testing.M) {
	dir := os.Getenv(dirVar)
	if dir == "" {
		m.Run()
		return
	}
	lock, err := single.Take(dir)
	if err != nil {
		_, _ = os.Stdout.WriteString(err.Error() + "\n")
		return
	}
	_, _ = os.Stdout.WriteString("taken\n")
	_, _ = os.Stdin.Read(make([]byte, 1))
	_ = lock.Release()
}

// A holder is another process that tried to take the lock.
type holder struct {
	cmd  *exec.Cmd
	said string
	end  func() error // lets it end by itself
}

func start(t *testing.T, dir string) *holder {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), os.Args[0])
	cmd.Env = append(os.Environ(), dirVar+"="+dir)
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	h := &holder{cmd: cmd, end: in.Close}
	t.Cleanup(func() { _ = in.Close(); _ = cmd.Wait() })
	if h.said, err = bufio.NewReader(out).ReadString('\n'); err != nil {
		t.Fatal(err)
	}
	return h
}

func wantRunning(t *testing.T, dir string) {
	t.Helper()
	if lock, err := single.Take(dir); lock != nil || !errors.Is(err, single.ErrRunning) {
		t.Fatalf("Take = %v, %v; want %v", lock, err, single.ErrRunning)
	}
}

func wantFree(t *testing.T, dir string) *single.Lock {
	t.Helper()
	lock, err := single.Take(dir)
	if err != nil {
		t.Fatalf("Take: %v; want the lock", err)
	}
	return lock
}

func release(t *testing.T, lock *single.Lock) {
	t.Helper()
	if err := lock.Release(); err != nil {
		t.Fatalf("Release: %v", err)
	}
}

func TestTake(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "not", "there", "yet")
	lock := wantFree(t, dir)
	wantRunning(t, dir)
	if h := start(t, dir); h.said != single.ErrRunning.Error()+"\n" {
		t.Errorf("the second desktop said %q; want %q", h.said, single.ErrRunning)
	}
	other := wantFree(t, t.TempDir()) // another person's
	release(t, other)
	release(t, lock)
	release(t, wantFree(t, dir))
}

func TestHolderEnds(t *testing.T) {
	for name, end := range map[string]func(*holder) error{
		"by itself": func(h *holder) error { return h.end() },
		"killed":    func(h *holder) error { return h.cmd.Process.Kill() },
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			h := start(t, dir)
			if h.said != "taken\n" {
				t.Fatalf("the other desktop said %q", h.said)
			}
			wantRunning(t, dir)
			if err := end(h); err != nil {
				t.Fatal(err)
			}
			_ = h.cmd.Wait() // an error when killed, as wanted
			release(t, wantFree(t, dir))
		})
	}
}

// A file of a desktop that is long gone, or anything else by that name, is no
// lock.
func TestStaleFile(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "desktop.lock"), []byte("4711\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	release(t, wantFree(t, dir))
}

func TestNoFolder(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	var want *fs.PathError
	if lock, err := single.Take(filepath.Join(file, "dir")); lock != nil || !errors.As(err, &want) || errors.Is(err, single.ErrRunning) {
		t.Errorf("Take = %v, %v; want that the folder cannot be made", lock, err)
	}
}
