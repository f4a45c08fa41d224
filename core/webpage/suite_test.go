package webpage

import (
	"archive/tar"
	"bytes"
	"encoding/json"
	"io"
	"maps"
	"net/url"
	"os/exec"
	"path"
	"slices"
	"strings"
	"testing"
	"unicode"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/extension"
	"golang.org/x/net/html"

	"github.com/hobkin/hobkin/test/suite"
)

// TestSuiteReadability reads mozilla/readability's own test pages through the
// whole chain, Markdown and back, and compares title and words with what the
// project expects. The reference program, @mozilla/readability 0.6.0 under
// jsdom 29.1.1, was measured with the same score: 1.000, 28 pages, 27 titles.
func TestSuiteReadability(t *testing.T) {
	pages := readabilityPages(t)
	sum, good, titles := 0.0, 0, 0
	at := &url.URL{Scheme: "http", Host: "fakehost", Path: "/test/page.html"}
	for _, name := range sortedKeys(pages) {
		p := pages[name]
		var meta struct {
			Title string `json:"title"`
		}
		if err := json.Unmarshal(p["expected-metadata.json"], &meta); err != nil {
			t.Fatal(err)
		}
		source, _ := Decode(p["source.html"], "text/html", true)
		got := Read(source, at)
		score := f1(words(htmlText(t, rendered(t, got.Markdown))), words(htmlText(t, p["expected.html"])))
		same := got.Title == strings.Join(strings.Fields(meta.Title), " ")
		t.Logf("%-32s words %.3f  title %v", name, score, same)
		sum += score
		if score >= 0.9 {
			good++
		}
		if same {
			titles++
		} else {
			t.Logf("%-32s title %q, expected %q", name, got.Title, meta.Title)
		}
	}
	n := len(pages)
	t.Logf("mean %.4f; %d of %d pages at 0.9 or more; %d titles", sum/float64(n), good, n, titles)
	if n < 25 || sum/float64(n) < 0.98 || good < n-1 || titles < n-2 {
		t.Errorf("mean %.4f, %d of %d pages at 0.9, %d titles: worse than the gate", sum/float64(n), good, n, titles)
	}
}

// readabilityPages unpacks the suite: page, then file, to contents.
func readabilityPages(t *testing.T) map[string]map[string][]byte {
	t.Helper()
	xz := exec.CommandContext(t.Context(), "xz", "-dc", suite.Path(t, "readability-pages.tar.xz"))
	data, err := xz.Output()
	if err != nil {
		t.Fatalf("unpacking needs xz: %v", err)
	}
	pages := map[string]map[string][]byte{}
	for r := tar.NewReader(bytes.NewReader(data)); ; {
		h, err := r.Next()
		if err != nil {
			return pages
		}
		dir := path.Base(path.Dir(h.Name))
		if h.Typeflag != tar.TypeReg {
			continue
		}
		if pages[dir] == nil {
			pages[dir] = map[string][]byte{}
		}
		if pages[dir][path.Base(h.Name)], err = io.ReadAll(r); err != nil {
			t.Fatal(err)
		}
	}
}

// rendered is Markdown as HTML, as a reader of it understands it.
func rendered(t *testing.T, md string) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := goldmark.New(goldmark.WithExtensions(extension.GFM)).Convert([]byte(md), &b); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func htmlText(t *testing.T, src []byte) string {
	t.Helper()
	doc, err := html.Parse(bytes.NewReader(src))
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	for n := range doc.Descendants() {
		switch {
		case n.Type == html.TextNode && !unseen[n.Parent.Data]:
			b.WriteString(n.Data)
		case n.Type == html.ElementNode && !strings.Contains(" a b i em strong span code sup sub font small del s u ", " "+n.Data+" "):
			b.WriteString(" ")
		}
	}
	return b.String()
}

func words(s string) []string {
	return strings.FieldsFunc(strings.ToLower(s), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsNumber(r) })
}

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }

// f1 is the harmonic mean of how much of got is wanted and how much of want is there.
func f1(got, want []string) float64 {
	have := map[string]int{}
	for _, w := range want {
		have[w]++
	}
	common := 0.0
	for _, w := range got {
		if have[w] > 0 {
			have[w]--
			common++
		}
	}
	if common == 0 {
		return 0
	}
	return 2 * common / float64(len(got)+len(want))
}
