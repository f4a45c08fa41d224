package chromium

import (
	"cmp"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
)

// A Binary is a browser program on this machine.
type Binary struct {
	Path   string // the program itself, not a script that starts it where that can be told
	Shell  bool   // a headless shell: it can show no window, and starts in a third of the time
	Source string // how it was found, such as "CHROME_PATH"
}

// A Search says where to look. The zero value looks where browsers usually are.
type Search struct {
	Path     string // configured; nothing else is looked at when it is set
	Headless bool   // no window is wanted: a headless shell is taken before a full browser

	Getenv func(string) string // nil is os.Getenv
}

// The names of the programs, the better first.
var (
	shellNames = []string{"chromium-headless-shell", "chrome-headless-shell", "headless_shell"}
	fullNames  = []string{"chromium", "chromium-browser", "google-chrome-stable", "google-chrome", "chrome", "microsoft-edge-stable", "microsoft-edge", "brave-browser"}
)

// Find finds a browser: the configured path, CHROME_PATH, the names on PATH, the
// usual folders, and what Playwright has downloaded, in that order. It fails with
// [NotFound].
func Find(s Search) (Binary, error) {
	if s.Getenv == nil {
		s.Getenv = os.Getenv
	}
	if s.Path != "" {
		return s.named(s.Path, "the settings")
	}
	if path := s.Getenv("CHROME_PATH"); path != "" {
		return s.named(path, "CHROME_PATH")
	}
	for _, c := range s.candidates() {
		if b, ok := binary(c.path, c.source); ok && (s.Headless || !b.Shell) {
			return b, nil
		}
	}
	return Binary{}, NotFound.Becausef("no Chromium or Chrome is installed")
}

// named takes a path that a person gave: it must be a program.
func (s Search) named(path, source string) (Binary, error) {
	if b, ok := binary(path, source); ok {
		if b.Shell && !s.Headless {
			return Binary{}, NoDisplay.Becausef("%s, from %s, is a headless shell and can show no window", path, source)
		}
		return b, nil
	}
	if found, err := exec.LookPath(path); err == nil && !strings.ContainsRune(path, filepath.Separator) {
		return s.named(found, source)
	}
	return Binary{}, NotFound.Becausef("%s, from %s, is no program that can be run", path, source)
}

type candidate struct{ path, source string }

func (s Search) candidates() (list []candidate) {
	names := fullNames
	if s.Headless {
		names = slices.Concat(shellNames, fullNames)
	}
	for _, dir := range filepath.SplitList(s.Getenv("PATH")) {
		if !filepath.IsAbs(dir) {
			continue // a program of the working folder is nobody's browser
		}
		for _, name := range names {
			list = append(list, candidate{filepath.Join(dir, name+exeSuffix), "PATH"})
		}
	}
	// The better name in any folder is better than the worse one in the first.
	slices.SortStableFunc(list, func(a, b candidate) int {
		rank := func(c candidate) int {
			return slices.Index(names, strings.TrimSuffix(filepath.Base(c.path), exeSuffix))
		}
		return cmp.Compare(rank(a), rank(b))
	})
	for _, path := range s.usual() {
		list = append(list, candidate{path, "the usual folders"})
	}
	for _, path := range s.playwright() {
		list = append(list, candidate{path, "Playwright's downloads"})
	}
	return list
}

// playwright lists the browsers that Playwright keeps, the newest first.
func (s Search) playwright() (list []string) {
	root := s.Getenv("PLAYWRIGHT_BROWSERS_PATH")
	if root == "" || root == "0" {
		root = filepath.Join(s.cache(), "ms-playwright")
	}
	if !filepath.IsAbs(root) {
		return nil
	}
	patterns := []string{"chromium-*/chrome-*/*"}
	if s.Headless {
		patterns = []string{"chromium_headless_shell-*/chrome-*/*", "chromium-*/chrome-*/*"}
	}
	for _, p := range patterns {
		found, _ := filepath.Glob(filepath.Join(root, filepath.FromSlash(p))) // the pattern is well formed
		slices.SortFunc(found, func(a, b string) int { return cmp.Or(len(b)-len(a), strings.Compare(b, a)) })
		for _, path := range found {
			switch strings.TrimSuffix(filepath.Base(path), exeSuffix) {
			case "chrome", "headless_shell", "chrome-headless-shell":
				list = append(list, path)
			case "Chromium.app":
				list = append(list, filepath.Join(path, "Contents", "MacOS", "Chromium"))
			}
		}
	}
	return list
}

func (s Search) cache() string {
	switch runtime.GOOS {
	case "windows":
		return s.Getenv("LOCALAPPDATA")
	case "darwin":
		return filepath.Join(s.Getenv("HOME"), "Library", "Caches")
	}
	return cmp.Or(s.Getenv("XDG_CACHE_HOME"), filepath.Join(s.Getenv("HOME"), ".cache"))
}

// binary looks at one path. Of a script that starts a browser, as distributions
// and vendors install them, the program behind it is taken: such scripts add
// extensions and flags of their own.
func binary(path, source string) (Binary, bool) {
	abs, err := filepath.Abs(path)
	if err != nil || !runnable(abs) {
		return Binary{}, false
	}
	if script(abs) {
		abs = behind(abs)
	}
	name := strings.ToLower(filepath.Base(abs))
	return Binary{Path: abs, Shell: strings.Contains(name, "headless-shell") || strings.Contains(name, "headless_shell"), Source: source}, true
}

func runnable(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular() && (runtime.GOOS == "windows" || info.Mode()&0o111 != 0)
}

func script(path string) bool {
	f, err := os.Open(path)
	if err != nil {
		return false
	}
	defer func() { _ = f.Close() }() // only read
	head := make([]byte, 2)
	_, err = io.ReadFull(f, head)
	return err == nil && string(head) == "#!"
}

// behind is the program that a script of this name starts; the script itself
// when that is not known, as for a snap.
func behind(path string) string {
	whole := path
	if r, err := filepath.EvalSymlinks(path); err == nil {
		whole = r
	}
	name := filepath.Base(path)
	for _, try := range []string{
		filepath.Join(filepath.Dir(whole), "chrome"), // google-chrome in /opt/google/chrome
		filepath.Join(filepath.Dir(whole), "msedge"),
		filepath.Join(filepath.Dir(whole), "brave"),
		filepath.Join("/usr/lib/chromium", name), filepath.Join("/usr/lib64/chromium-browser", name),
		filepath.Join("/usr/lib/chromium-browser", name), filepath.Join("/usr/lib/chromium", "chrome"),
	} {
		if try != whole && runnable(try) && !script(try) {
			return try
		}
	}
	return path
}
