//go:build unix

package app

import (
	"bufio"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hobkin/hobkin/core/config"
)

// A folder, or the whole workspace, that becomes a link to what may not be read
// between two calls of one server is noticed by the very next.
func TestServedFoldersMayBecomeLinks(t *testing.T) {
	home, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	work := filepath.Join(home, "work")
	for path, text := range map[string]string{"work/sub/b.txt": "inside", ".ssh/b.txt": "a key", ".ssh/sub/b.txt": "a key"} {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(home, path)), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(home, path), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("HOME", home)
	t.Setenv(config.HomeVariable, filepath.Join(home, "hobkin"))
	t.Setenv("DBUS_SESSION_BUS_ADDRESS", "")
	call := serveFiles(t, work)
	steps := []struct {
		name string
		swap string // becomes a link, or what it was
		path string
		want string // part of the answer
	}{
		{"as it is", "", "sub/b.txt", "inside"},
		{"a folder that is a link", filepath.Join(work, "sub"), "sub/b.txt", "protected_path"},
		{"by its whole path", "", filepath.Join(work, "sub", "b.txt"), "protected_path"},
		{"as it was", filepath.Join(work, "sub"), "sub/b.txt", "inside"},
		{"a workspace that is a link", work, "sub/b.txt", "protected_path"},
		{"as it was again", work, "sub/b.txt", "inside"},
	}
	for _, s := range steps {
		if s.swap != "" {
			swap(t, s.swap, filepath.Join(home, ".ssh"))
		}
		if got := call(s.path); !strings.Contains(got, s.want) || strings.Contains(got, "a key") {
			t.Errorf("%s: %s, want %q in it", s.name, got, s.want)
		}
	}
}

// swap makes path a link to another place, or what it was before.
func swap(t *testing.T, path, to string) {
	t.Helper()
	kept := path + ".kept"
	var err error
	if _, lost := os.Lstat(kept); lost == nil {
		if err = os.Remove(path); err == nil {
			err = os.Rename(kept, path)
		}
	} else if err = os.Rename(path, kept); err == nil {
		err = os.Symlink(to, path)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// serveFiles serves file_read over pipes; call reads a file and returns the
// answer as it came.
func serveFiles(t *testing.T, workspace string) (call func(path string) string) {
	t.Helper()
	before := slog.Default()
	in, toServer := io.Pipe()
	fromServer, out := io.Pipe()
	done := make(chan error, 1)
	go func() {
		done <- ServeMCP(t.Context(), ServeOptions{Workspace: workspace, Tools: []string{"file_read"}, In: in, Out: out, LogTo: io.Discard})
		_ = out.Close() // a client that still reads sees the end
	}()
	t.Cleanup(func() {
		_ = toServer.Close()
		if err := <-done; err != nil {
			t.Error(err)
		}
		slog.SetDefault(before)
	})
	lines := bufio.NewReader(fromServer)
	ask := func(format string, args ...any) string {
		t.Helper()
		if _, err := fmt.Fprintf(toServer, format+"\n", args...); err != nil {
			t.Fatal(err)
		}
		answer, err := lines.ReadString('\n')
		if err != nil {
			t.Fatal(err)
		}
		return answer
	}
	ask(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`)
	return func(path string) string {
		t.Helper()
		return ask(`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"file_read","arguments":{"path":%q}}}`, path)
	}
}
