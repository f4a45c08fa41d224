//go:build byhand

package page

import (
	"context"
	"fmt"
	"io/fs"
	"mime"
	"net/http"
	"os"
	"path/filepath"
	"sort"
	"strings"
	"testing"
	"time"

	"github.com/hobkin/hobkin/browser/browsertest"
)

// TestAriaPractices compares roles, names and states with the browser's own on the examples of the ARIA Authoring Practices Guide
// (https://github.com/w3c/aria-practices), whose content folder
// HOBKIN_ARIA_PAGES names: make by-hand.
func TestAriaPractices(t *testing.T) {
	dir := os.Getenv("HOBKIN_ARIA_PAGES")
	if dir == "" {
		t.Fatal("HOBKIN_ARIA_PAGES names no copy of the ARIA practices")
	}
	var examples []string
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		rel, err := filepath.Rel(dir, path)
		if err != nil {
			return err
		}
		url := browsertest.HandlePath(t, "apg.example", "/"+filepath.ToSlash(rel), http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", mime.TypeByExtension(filepath.Ext(path)))
			b, _ := os.ReadFile(path) // a file that is gone is an empty one, and the comparison tells
			_, _ = w.Write(b)
		}))
		if strings.Contains(rel, "/examples/") && strings.HasSuffix(rel, ".html") {
			examples = append(examples, url)
		}
		return nil
	})
	must(t, err)
	var all verdict
	for _, url := range examples {
		t.Run(strings.TrimPrefix(url, "http://apg.example/"), func(t *testing.T) {
			_, tab := open(t, url)
			atRest(t, tab)
			v := compare(t, tab)
			t.Logf("%v", v)
			all.add(v)
		})
	}
	t.Logf("%d pages: %v", len(examples), all)
	t.Logf("roles:\n%s", summary(all.roles))
	t.Logf("names:\n%s", summary(all.names))
	t.Logf("states:\n%s", summary(all.states))
	t.Logf("missed:\n%s", summary(all.missed))
	if len(all.roles)+len(all.names)+len(all.states)+len(all.missed) > 0 {
		t.Error("there are differences that nothing explains")
	}
}

// atRest waits until a page shows nothing more: the examples put buttons of their
// own in after they are loaded.
func atRest(t *testing.T, tab *testTab) {
	t.Helper()
	last, same := 0, 0
	must(t, poll(background(t), 20*time.Second, func(context.Context) (bool, error) {
		n := browsertest.Evaluate[int](t, tab.Session, "document.querySelectorAll('*').length + document.body.innerText.length") //nolint:contextcheck // it has a time-out of its own
		if same++; n != last {
			last, same = n, 0
		}
		return same >= 6, nil
	}))
}

// summary lists the differences, the same ones together.
func summary(list []string) string {
	count := map[string]int{}
	for _, s := range list {
		count[s]++
	}
	var lines []string
	for s, n := range count {
		lines = append(lines, fmt.Sprintf("%4d %s", n, s))
	}
	sort.Sort(sort.Reverse(sort.StringSlice(lines)))
	return strings.Join(lines, "\n")
}
