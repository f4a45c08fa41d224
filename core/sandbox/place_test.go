//go:build unix

package sandbox

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"sync"
	"testing"
)

func TestPlace(t *testing.T) {
	h := build(t, nil)
	single := filepath.Join(h.outside, "o.txt")
	cfg := h.rules.Load().cfg
	cfg.AllowedRoots = append(cfg.AllowedRoots, single)
	if err := h.Update(cfg); err != nil {
		t.Fatal(err)
	}
	cases := map[string]struct {
		path       string
		use        Use
		root, name string
	}{
		"file":                       {"sub/b.txt", Read, h.ws + "/sub", "b.txt"},
		"folder to read":             {"sub", Read, h.ws + "/sub", "."},
		"folder to change":           {"sub", Write, h.ws, "sub"},
		"workspace to change":        {".", Write, h.ws, "."},
		"new file":                   {"new.txt", Write, h.ws, "new.txt"},
		"new file in new folder":     {"x/y/new.txt", Write, h.ws, "x/y/new.txt"},
		"grant of a single file":     {single, Write, h.outside, "o.txt"},
		"through the app's own tree": {"~/app/skills/s/SKILL.md", Read, h.home + "/app/skills/s", "SKILL.md"},
	}
	for name, c := range cases {
		p, err := h.Place(h.turn, c.path, c.use)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if p.Root.Name() != c.root || p.Name != c.name || p.Abs != filepath.Join(c.root, c.name) {
			t.Errorf("%s: got %s, %s, %s, want %s, %s", name, p.Root.Name(), p.Name, p.Abs, c.root, c.name)
		}
		if err := p.Close(); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := h.Place(h.turn, filepath.Join(h.outside, "other.txt"), Read); !errors.Is(err, OutsideRoot) {
		t.Errorf("the neighbour of a granted file: %v, want outside_root", err)
	}
}

func TestPlaceWithoutWorkspaceFolder(t *testing.T) {
	h := build(t, func(c *Config) { c.Workspace = "~/later" })
	h.turn.Workspace = filepath.Join(h.home, "later")
	if _, err := h.Place(h.turn, "a.txt", Write); !errors.Is(err, NotFound) {
		t.Errorf("got %v, want not_found: the home must not be opened in its place", err)
	}
}

func TestOpenFile(t *testing.T) {
	h := build(t, nil)
	write(t, h.ws+"/secret.txt", "outside")
	link(t, "secret.txt", h.ws+"/near")
	link(t, "sub", h.ws+"/dirlink")
	p, err := h.Place(h.turn, ".", Write)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = p.Close() }()
	for _, name := range []string{"near", "dirlink/b.txt", "../other/c.txt", "/etc/passwd", "", "sub/../../other/c.txt"} {
		if f, err := p.OpenFile(name, os.O_RDWR|os.O_TRUNC, 0); err == nil {
			t.Errorf("OpenFile(%q) opened %s", name, f.Name())
			_ = f.Close()
		}
	}
	if got, _ := os.ReadFile(h.ws + "/secret.txt"); string(got) != "outside" {
		t.Errorf("a file behind a link was emptied: %q", got)
	}
	f, err := p.OpenFile("sub/b.txt", os.O_RDWR|os.O_TRUNC, 0)
	if err != nil {
		t.Fatal(err)
	}
	if info, err := f.Stat(); err != nil || info.Size() != 0 {
		t.Errorf("O_TRUNC left %v, %v", info.Size(), err)
	}
	if err := f.Close(); err != nil {
		t.Error(err)
	}
}

// TestOpenChain runs the way that is taken where the kernel cannot help.
func TestOpenChain(t *testing.T) {
	h := build(t, nil)
	link(t, h.outside, h.ws+"/out")
	link(t, "sub", h.ws+"/in")
	for dir, ok := range map[string]bool{h.ws: true, h.ws + "/sub": true, "/": true, h.ws + "/out": false, h.ws + "/in": false, h.ws + "/none": false, h.ws + "/a.txt": false} {
		for name, open := range map[string]func(string) (*os.Root, error){"chain": openChain, "plain": openPlain} {
			root, err := open(dir)
			if (err == nil) != ok {
				t.Errorf("%s %s: %v, want success %v", name, dir, err, ok)
			}
			if err == nil {
				if err := root.Close(); err != nil {
					t.Error(err)
				}
			}
		}
	}
}

// TestRace swaps files and folders for links while they are read and written.
// Whatever the timing, nothing outside is read or changed.
func TestRace(t *testing.T) {
	rounds := 200
	if testing.Short() {
		rounds = 100
	}
	h := build(t, func(c *Config) { c.Mode = Open })
	for name, swap := range map[string]struct{ path, bad string }{
		"the file":            {h.ws + "/a.txt", h.home + "/.netrc"},
		"the file, relative":  {h.ws + "/a.txt", "../.netrc"},
		"the folder":          {h.ws + "/sub", h.outside},
		"the folder, to ssh":  {h.ws + "/sub", "../.ssh"},
		"the folder, in home": {h.ws + "/sub", h.home + "/.ssh"},
	} {
		t.Run(name, func(t *testing.T) {
			write(t, h.ws+"/a.txt", "inside")
			write(t, h.outside+"/b.txt", "outside")
			write(t, h.home+"/.ssh/b.txt", "outside")
			stop := swapper(t, swap.path, swap.bad)
			defer stop()
			for range rounds {
				for _, path := range []string{"a.txt", "sub/b.txt"} {
					readAndWrite(t, h, path)
				}
			}
			stop()
			for _, path := range []string{h.outside + "/b.txt", h.home + "/.ssh/b.txt", h.home + "/.netrc"} {
				if got, err := os.ReadFile(path); err != nil || string(got) != "outside" {
					t.Errorf("%s was changed: %q, %v", path, got, err)
				}
			}
		})
	}
}

// swapper keeps replacing path by a link to bad and back until stop is called.
func swapper(t *testing.T, path, bad string) (stop func()) {
	t.Helper()
	done := make(chan struct{})
	var wg sync.WaitGroup
	wg.Go(func() {
		for {
			select {
			case <-done:
				return
			default:
			}
			_ = os.Rename(path, path+".kept")
			_ = os.Symlink(bad, path)
			_ = os.Remove(path)
			_ = os.Rename(path+".kept", path)
		}
	})
	return sync.OnceFunc(func() { close(done); wg.Wait() })
}

func readAndWrite(t *testing.T, h house, path string) {
	t.Helper()
	if f, _, ok := h.Regular(h.turn, path); ok {
		if got, err := io.ReadAll(f); err == nil && string(got) == "outside" {
			t.Errorf("read %s in one step: the contents of a file outside", path)
		}
		_ = f.Close()
	}
	p, err := h.Place(h.turn, path, Read)
	if err != nil {
		return
	}
	defer func() { _ = p.Close() }()
	for _, open := range []func() (*os.File, error){
		func() (*os.File, error) { return p.Root.Open(p.Name) },
		func() (*os.File, error) { return p.OpenFile(p.Name, os.O_RDWR, 0) },
	} {
		f, err := open()
		if err != nil {
			continue
		}
		got, err := io.ReadAll(f)
		if err == nil && string(got) == "outside" {
			t.Errorf("read %s: the contents of a file outside", path)
		}
		_ = f.Close()
	}
	if f, err := p.OpenFile(p.Name, os.O_WRONLY|os.O_TRUNC|os.O_CREATE, 0o644); err == nil {
		_, _ = f.WriteString("inside")
		_ = f.Close()
	}
}

func BenchmarkPlace(b *testing.B) {
	h := build(b, nil)
	for b.Loop() {
		p, err := h.Place(h.turn, "sub/b.txt", Read)
		if err != nil {
			b.Fatal(err)
		}
		_ = p.Close()
	}
}

func BenchmarkHidden(b *testing.B) {
	h := build(b, nil)
	for b.Loop() {
		if h.Hidden(h.ws + "/sub/deeper/and/deeper/file.go") {
			b.Fatal("hidden")
		}
	}
}

func TestHiddenAgreesWithJudge(t *testing.T) {
	h := build(t, func(c *Config) { c.Mode = Open })
	for _, path := range []string{"/.ssh", "/.ssh/id_ed25519", "/.netrc", "/.netrc.bak", "/app/config.toml", "/code/a.txt", "/other", "/.config/google-chrome/Default/Cookies", "/.aws/credentials", "/app/skills"} {
		_, err := h.Judge(h.turn, h.home+path, Read)
		if got, want := h.Hidden(h.home+path), err != nil; got != want {
			t.Errorf("Hidden(%s) = %v, Judge says %v", path, got, err)
		}
	}
	if !h.Hidden(h.granted+"/no/x.txt") || h.Hidden(h.outside) {
		t.Error("blocked must be hidden, merely outside must not")
	}
}
