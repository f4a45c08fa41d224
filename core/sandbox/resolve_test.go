//go:build unix

package sandbox

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/hobkin/hobkin/test/suite"
)

func TestLinkChains(t *testing.T) {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	write(t, dir+"/0", "end")
	for i := 1; i <= maxLinks+1; i++ {
		link(t, strconv.Itoa(i-1), filepath.Join(dir, strconv.Itoa(i)))
	}
	got, err := resolve(filepath.Join(dir, strconv.Itoa(maxLinks)), nil)
	if err != nil || got.abs != dir+"/0" {
		t.Errorf("%d links: %s, %v", maxLinks, got.abs, err)
	}
	if _, err := resolve(filepath.Join(dir, strconv.Itoa(maxLinks+1)), nil); !errors.Is(err, TooManySymlinks) {
		t.Errorf("%d links: %v, want too_many_symlinks", maxLinks+1, err)
	}
	// Links that double at every level end at the limit, not after 2^30 steps.
	for i := range 30 {
		link(t, fmt.Sprintf("d%d/d%d", i+1, i+1), fmt.Sprintf("%s/d%d", dir, i))
	}
	link(t, ".", dir+"/d30")
	if _, err := resolve(dir+"/d0", nil); !errors.Is(err, TooManySymlinks) {
		t.Errorf("doubling links: %v, want too_many_symlinks", err)
	}
}

func TestNoAccess(t *testing.T) {
	if suite.AsNobody(t) {
		return
	}
	dir := t.TempDir()
	write(t, dir+"/closed/in/a.txt", "")
	if err := os.Chmod(dir+"/closed", 0); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.Chmod(dir+"/closed", 0o700) })
	if _, err := resolve(dir+"/closed/in/a.txt", nil); !errors.Is(err, NoAccess) {
		t.Errorf("got %v, want no_access", err)
	}
}

func TestSameOrCopy(t *testing.T) {
	for name, want := range map[string]bool{
		"hobkin.db": true, "hobkin.db-wal": true, "hobkin.db-shm": true, "hobkin.db-journal": true, "hobkin.db.bak": true, "hobkin.db.old": true,
		"hobkin.db~": true, "hobkin.db.bak2": true, "hobkin.db.old.1": true, "hobkin.db (2)": true, "hobkin.db.2024": true, ".hobkin.db.swp": true,
		".#hobkin.db": true, "#hobkin.db#": true, "hobkin.db copy": true, "hobkin.db_old": true,
		"hobkin.dbx": false, "hobkin.d": false, "xhobkin.db": false, ".hobkin.db": false, "hobkin.db.md": false, "hobkin.db2": false, "hobkin": false,
	} {
		if got := sameOrCopy(map[string]string{"hobkin.db": "/hobkin.db"}, name); got != want {
			t.Errorf("sameOrCopy(%q) = %v, want %v", name, got, want)
		}
	}
}
