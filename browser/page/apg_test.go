package page

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// TestAriaPatterns compares our roles, names and states with the browser's own on
// pages that have one pattern of ARIA each.
func TestAriaPatterns(t *testing.T) {
	files, err := filepath.Glob("testdata/aria/*.html")
	must(t, err)
	var all verdict
	for _, file := range files {
		b, err := os.ReadFile(file)
		must(t, err)
		_, tab := show(t, string(b))
		v := compare(t, tab)
		for _, one := range slices.Concat(v.roles, v.names, v.states, v.missed) {
			t.Errorf("%s: %s", filepath.Base(file), one)
		}
		all.add(v)
	}
	t.Logf("%d pages, %v", len(files), all)
}
