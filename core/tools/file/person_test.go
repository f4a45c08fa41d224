//go:build unix

package file

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hobkin/hobkin/core/capability"
)

// restore takes back the change c-1 as a person who is in another folder does.
func (b *workbench) restore(force bool) error {
	_, err := b.host.UndoChange(b.t.Context(), UndoRequest{Workspace: filepath.Dir(b.dir), Target: "c-1", Force: force})
	return err
}

// changed makes a file and the change c-1 of it.
func changed(t *testing.T) *workbench {
	t.Helper()
	b := newBench(t)
	b.put("a", "one\n")
	if err := os.Chmod(b.path("a"), 0o640); err != nil {
		t.Fatal(err)
	}
	b.ok("file_edit", `{"path": "a", "old_string": "one", "new_string": "two"}`)
	return b
}

// What became of the file since, and what bringing back its contents does.
func TestRestore(t *testing.T) {
	for name, c := range map[string]struct {
		since  func(a, b string) error // at the path of the file, and at another
		refuse *capability.Failure     // without force
		forced *capability.Failure     // with it; nil succeeds
	}{
		"nothing":    {since: func(string, string) error { return nil }},
		"deleted":    {since: func(a, _ string) error { return os.Remove(a) }},
		"renamed":    {since: os.Rename},
		"other bits": {since: func(a, _ string) error { return os.Chmod(a, 0o700) }},
		"changed":    {since: func(a, _ string) error { return os.WriteFile(a, []byte("later work\n"), 0o600) }, refuse: changedSince},
		"a folder now": {since: func(a, _ string) error {
			return errors.Join(os.Remove(a), os.Mkdir(a, 0o700))
		}, refuse: isFolder, forced: isFolder},
		"a link now": {since: func(a, b string) error {
			return errors.Join(os.Rename(a, b), os.Symlink("b", a))
		}, refuse: changedSince, forced: changedSince},
		"write-protected": {since: func(a, _ string) error { return os.Chmod(a, 0o400) }, refuse: readOnly, forced: readOnly},
	} {
		for _, force := range []bool{false, true} {
			t.Run(name, func(t *testing.T) {
				b := changed(t)
				if err := c.since(b.path("a"), b.path("b")); err != nil {
					t.Fatal(err)
				}
				want := c.refuse
				if force {
					want = c.forced
				}
				err := b.restore(force)
				if want != nil {
					if !errors.Is(err, want) {
						t.Errorf("force %v: got %v, want %s", force, err, want.Code)
					}
					return
				}
				if err != nil {
					t.Fatalf("force %v: %v", force, err)
				}
				b.holds("a", "one\n")
				if info, err := os.Stat(b.path("a")); err != nil || info.Mode().Perm() != 0o640 {
					t.Errorf("its bits are %v, %v", info.Mode(), err)
				}
				b.clean()
			})
		}
	}
}

// Contents that a forced restore goes over can be had back.
func TestForcedRestoreIsRecorded(t *testing.T) {
	b := changed(t)
	b.put("a", "later work\n")
	plan, err := b.host.PlanUndo(t.Context(), UndoRequest{Target: "c-1"})
	if err != nil || !plan.Forced || !strings.Contains(plan.Diff, "-later work\n+one\n") {
		t.Errorf("the plan is %+v, %v", plan, err)
	}
	b.holds("a", "later work\n")
	if err := b.restore(true); err != nil {
		t.Fatal(err)
	}
	b.holds("a", "one\n")
	back, err := b.host.UndoChange(t.Context(), UndoRequest{Workspace: b.dir, Target: "a"})
	if err != nil || back.Session != "s" {
		t.Errorf("got %+v, %v", back, err)
	}
	b.holds("a", "later work\n")

	made := newBench(t)
	made.ok("file_write", `{"path": "a", "content": "made\n"}`)
	made.put("a", "mine now\n")
	if err := made.restore(true); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Lstat(made.path("a")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("it was not removed: %v", err)
	}
	if _, err := made.host.UndoChange(t.Context(), UndoRequest{Target: made.path("a")}); err != nil {
		t.Fatal(err)
	}
	made.holds("a", "mine now\n")
}

// A folder that is gone is named; a folder that became a link is not followed.
func TestRestoreWithoutItsFolder(t *testing.T) {
	b := newBench(t)
	b.ok("file_write", `{"path": "d/a", "content": "one\n"}`)
	b.ok("file_write", `{"path": "d/a", "content": "two\n"}`)
	if err := os.Rename(b.path("d"), b.path("e")); err != nil {
		t.Fatal(err)
	}
	_, err := b.host.UndoChange(t.Context(), UndoRequest{Target: "c-2"})
	if err == nil || !strings.Contains(err.Error(), b.path("d")) {
		t.Errorf("got %v, want one that names the folder", err)
	}
	if err := os.Symlink("e", b.path("d")); err != nil {
		t.Fatal(err)
	}
	if _, err := b.host.UndoChange(t.Context(), UndoRequest{Target: "c-2", Force: true}); !errors.Is(err, changedSince) {
		t.Errorf("got %v, want changed_since", err)
	}
	b.holds("e/a", "two\n")
}
