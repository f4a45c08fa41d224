package git

import (
	"cmp"
	"io"
	"os"
	"path/filepath"
	"strings"
)

// ExcludesFile is where git looks for the ignore file of a person: at what
// core.excludesFile of their configurations says, or else at git/ignore in the
// folder of configurations (git-config(1), gitignore(5)). home and configHome
// are absolute; an empty configHome is that in home. What configurations include
// is not followed.
func ExcludesFile(home, configHome string) string {
	configHome = cmp.Or(configHome, filepath.Join(home, ".config"))
	path := filepath.Join(configHome, "git", "ignore")
	for _, name := range []string{"/etc/gitconfig", filepath.Join(configHome, "git", "config"), filepath.Join(home, ".gitconfig")} {
		settings, err := parseConfig(readConfig(name))
		if err != nil {
			continue // git refuses to work with it; a search goes on without
		}
		for _, s := range settings {
			if s.fullName() == "core.excludesfile" {
				path = s.value
			}
		}
	}
	if rest, ok := strings.CutPrefix(path, "~/"); ok {
		return filepath.Join(home, rest)
	}
	return path
}

// readConfig reads a configuration; nothing when there is none, or it is no
// file. It is never longer than a megabyte.
func readConfig(name string) []byte {
	const most = 1 << 20
	if info, err := os.Stat(name); err != nil || !info.Mode().IsRegular() {
		return nil
	}
	f, err := os.Open(name)
	if err != nil {
		return nil
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, most))
	if err != nil {
		return nil
	}
	return data
}
