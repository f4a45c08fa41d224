package chromium_test

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/hobkin/hobkin/browser/chromium"
)

// program writes an executable file.
func program(t *testing.T, text string, at ...string) string {
	t.Helper()
	path := filepath.Join(at...)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o700); err != nil { //nolint:gosec // a program of the test
		t.Fatal(err)
	}
	return path
}

// A browser is looked for where a person says, then by CHROME_PATH, then on
// PATH, and at last among what Playwright has downloaded.
func TestFind(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the names are those of Unix")
	}
	dir := t.TempDir()
	first, second := filepath.Join(dir, "first"), filepath.Join(dir, "second")
	chrome := program(t, "\x7fELF", first, "google-chrome")
	full := program(t, "\x7fELF", second, "chromium")
	shell := program(t, "\x7fELF", second, "chromium-headless-shell")
	vendor := program(t, "\x7fELF", dir, "opt", "chrome")
	wrapper := program(t, "#!/bin/sh\n", dir, "opt", "google-chrome")
	snap := program(t, "#!/bin/sh\n", dir, "snap", "some-browser")
	old := program(t, "\x7fELF", dir, "pw", "chromium-999", "chrome-linux", "chrome")
	newer := program(t, "\x7fELF", dir, "pw", "chromium-1200", "chrome-linux", "chrome")
	_ = old
	plain := filepath.Join(dir, "plain")
	if err := os.WriteFile(plain, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for name, tt := range map[string]struct {
		search chromium.Search
		env    map[string]string
		want   string // empty is a failure
	}{
		"settings win":                {search: chromium.Search{Path: chrome}, env: map[string]string{"CHROME_PATH": full}, want: chrome},
		"settings that are wrong":     {search: chromium.Search{Path: filepath.Join(dir, "none")}, env: map[string]string{"CHROME_PATH": full}},
		"settings name a folder":      {search: chromium.Search{Path: dir}},
		"settings name a plain file":  {search: chromium.Search{Path: plain}},
		"CHROME_PATH":                 {env: map[string]string{"CHROME_PATH": full, "PATH": first}, want: full},
		"the better name on PATH":     {env: map[string]string{"PATH": first + string(os.PathListSeparator) + second}, want: full},
		"no window is wanted":         {search: chromium.Search{Headless: true}, env: map[string]string{"PATH": first + string(os.PathListSeparator) + second}, want: shell},
		"a relative PATH":             {search: chromium.Search{Path: ""}, env: map[string]string{"PATH": ".", "CHROME_PATH": vendor}, want: vendor},
		"the program behind a script": {search: chromium.Search{Path: wrapper}, want: vendor},
		"a script without one":        {search: chromium.Search{Path: snap}, want: snap},
		"a window from a shell":       {search: chromium.Search{Path: shell}},
	} {
		t.Run(name, func(t *testing.T) {
			tt.search.Getenv = func(name string) string { return tt.env[name] }
			got, err := chromium.Find(tt.search)
			if tt.want == "" {
				if err == nil {
					t.Errorf("found %+v", got)
				}
				return
			}
			if err != nil || got.Path != tt.want {
				t.Errorf("got %+v, %v; want %s", got, err, tt.want)
			}
		})
	}
	usual, err := chromium.Find(chromium.Search{Getenv: func(name string) string {
		return map[string]string{"PLAYWRIGHT_BROWSERS_PATH": filepath.Join(dir, "pw")}[name]
	}})
	if errors.Is(err, chromium.NotFound) || usual.Source == "Playwright's downloads" && usual.Path != newer {
		t.Errorf("Playwright's downloads: %+v, %v", usual, err)
	}
}
