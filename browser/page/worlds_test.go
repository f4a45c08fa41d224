package page

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/hobkin/hobkin/browser/browsertest"
)

// TestWorldsOfPagesThatGo: a tab that moves on under our hands is read as it is
// now, and the script never lands in the world of the page's own script.
func TestWorldsOfPagesThatGo(t *testing.T) {
	const hosts = 3
	var urls []string
	for i := range hosts { // pages of other origins come from other processes, which count their worlds anew
		urls = append(urls, browsertest.Serve(t, fmt.Sprintf("host%d.example", i), fmt.Sprintf(`<h1>Page %d</h1><button onclick="1">Go</button>`, i)))
	}
	p, tab := open(t, urls[0])
	snap(t, p, SnapshotOptions{})
	for i := range 30 {
		must(t, tab.Call(background(t), "Page.navigate", map[string]any{"url": urls[i%hosts]}, nil))
		at := 0
		for try := 0; ; try++ {
			s := snap(t, p, SnapshotOptions{}) // at once: the old page may still be there
			if strings.Contains(s.Text, fmt.Sprintf("Page %d", i%hosts)) {
				break
			}
			if at++; at > 200 {
				t.Fatalf("the page of visit %d never came:\n%s", i, s.Text)
			}
		}
		if seen := browsertest.Evaluate[string](t, tab.Session, "typeof globalThis.hobkin"); seen != "undefined" {
			t.Fatalf("the page sees the script: %s", seen)
		}
	}
}

// TestChangesBesideReading: what began to listen since the last snapshot, and
// frames that came since, are in the next one, under references of their own.
func TestChangesBesideReading(t *testing.T) {
	inner := browsertest.Serve(t, "a.example", `<p id=low>Low</p><label>Inner <input></label><script>low.addEventListener('click', () => {})</script>`)
	p, tab := show(t, `<h1>Top</h1><p id=late>Late</p><label>Outer <input></label>`)
	if s := snap(t, p, SnapshotOptions{}); strings.Contains(s.Text, "clickable") {
		t.Fatalf("nothing listens so far:\n%s", s.Text)
	}
	browsertest.Evaluate[bool](t, tab.Session, "late.addEventListener('click', () => {}); true")
	if s := snap(t, p, SnapshotOptions{}); !strings.Contains(s.Text, `clickable "Late"`) {
		t.Errorf("what listens now is missing:\n%s", s.Text)
	}
	browsertest.Evaluate[bool](t, tab.Session, fmt.Sprintf(`new Promise((done) => {
		const f = document.createElement('iframe');
		f.src = %q; f.width = 600; f.height = 400; f.onload = () => done(true);
		document.body.append(f);
	})`, inner))
	for range 2 {
		s := snap(t, p, SnapshotOptions{})
		for _, want := range []string{`clickable "Late"`, `clickable "Low"`, `textbox "Outer"`, `textbox "Inner"`} {
			if !strings.Contains(s.Text, want) {
				t.Errorf("no %s in\n%s", want, s.Text)
			}
		}
		seen := map[string]bool{}
		for _, r := range regexp.MustCompile(`\be\d+\b`).FindAllString(s.Text, -1) {
			if seen[r] {
				t.Errorf("%s is there twice:\n%s", r, s.Text)
			}
			seen[r] = true
		}
	}
}
