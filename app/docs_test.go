package app

import (
	"flag"
	"os"
	"path/filepath"
	"testing"
)

var update = flag.Bool("update", false, "rewrite the reference pages")

// TestReferencePages keeps the committed pages in step with the code.
func TestReferencePages(t *testing.T) {
	pages, err := ReferencePages()
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range pages {
		path := filepath.Join("..", "docs", name)
		if *update {
			if err := os.WriteFile(path, []byte(want), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		if got, err := os.ReadFile(path); err != nil || string(got) != want {
			t.Errorf("%s has drifted from the code (%v); write it again with: make docs", path, err)
		}
	}
}
