package sandbox

import (
	"io"
	"os"
	"path/filepath"
	"testing"

	"golang.org/x/sys/unix"
)

func TestRegular(t *testing.T) {
	h := build(t, nil)
	link(t, "sub/b.txt", h.ws+"/near")
	link(t, h.outside+"/o.txt", h.ws+"/far")
	if err := unix.Mkfifo(h.ws+"/fifo", 0o600); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{
		"sub/b.txt": h.ws + "/sub/b.txt", "./sub/../a.txt": h.ws + "/a.txt", "near": h.ws + "/sub/b.txt", "~/code/a.txt": h.ws + "/a.txt",
		"~/app/skills/s/SKILL.md": h.home + "/app/skills/s/SKILL.md", h.granted + "/g.txt": h.granted + "/g.txt",
		"far": "", "fifo": "", "sub": "", "none": "", "a.txt/x": "", "": "", "/dev/null": "", "~/.netrc": "", "~/app/config.toml": "",
		h.outside + "/o.txt": "", h.granted + "/no/x.txt": "",
	} {
		f, info, ok := h.Regular(h.turn, path)
		if ok != (want != "") {
			t.Errorf("%q: got %v, want %v", path, ok, want != "")
		}
		if !ok {
			continue
		}
		if f.Name() != want || info.Name() != filepath.Base(want) || !info.Mode().IsRegular() {
			t.Errorf("%q: got %s, %s, want %s", path, f.Name(), info.Mode(), want)
		}
		if err := f.Close(); err != nil {
			t.Error(err)
		}
	}
	if got := h.Refusals(); len(got) > 0 {
		t.Errorf("what Place is asked again was recorded already: %v", got)
	}
}

// A folder that was read from before, also one that is a root, and that is now a
// link to a place that may not be read, is noticed.
func TestSwappedBetween(t *testing.T) {
	for name, swap := range map[string]struct{ dir, to string }{
		"the workspace":            {"", ".ssh"},
		"the workspace, to home":   {"", "."},
		"a folder":                 {"sub", ".ssh"},
		"a folder, to the outside": {"sub", "../../outside"},
	} {
		t.Run(name, func(t *testing.T) {
			h := build(t, nil)
			for _, path := range []string{h.home + "/.ssh/", h.home + "/", h.outside + "/"} {
				write(t, path+"a.txt", "outside")
				write(t, path+"b.txt", "outside")
				write(t, path+"sub/b.txt", "outside")
			}
			read := func() string {
				f, _, ok := h.Regular(h.turn, "sub/b.txt")
				if !ok {
					return ""
				}
				defer func() { _ = f.Close() }()
				got, err := io.ReadAll(f)
				if err != nil {
					t.Fatal(err)
				}
				return string(got)
			}
			if got := read(); got != "inside" {
				t.Fatalf("before: %q", got)
			}
			dir := filepath.Join(h.ws, swap.dir)
			if err := os.Rename(dir, dir+".kept"); err != nil {
				t.Fatal(err)
			}
			link(t, filepath.Join(h.home, swap.to), dir)
			if got := read(); got != "" {
				t.Errorf("after: read %q", got)
			}
			if _, err := h.Place(h.turn, "sub/b.txt", Read); err == nil {
				t.Error("after: a place was given")
			}
		})
	}
}
