package chromium

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
)

// Empty deletes all that the profile holds but its lock: cookies, logins, cache.
// No browser may be on it.
func (p *Profile) Empty() error {
	entries, err := os.ReadDir(p.dir)
	if err != nil {
		return fmt.Errorf("chromium: emptying a profile: %w", err)
	}
	var errs []error
	for _, e := range entries {
		if e.Name() != lockName {
			errs = append(errs, os.RemoveAll(filepath.Join(p.dir, e.Name())))
		}
	}
	return errors.Join(errs...)
}
