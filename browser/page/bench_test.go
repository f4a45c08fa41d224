package page

import (
	"fmt"
	"strings"
	"testing"

	"github.com/hobkin/hobkin/browser/browsertest"
)

// bigPage has about n elements, as a shop or a mailbox has them.
func bigPage(n int) string {
	var b strings.Builder
	b.WriteString(`<title>Big</title><nav><ul>`)
	for i := range 20 {
		fmt.Fprintf(&b, `<li><a href="/s/%d">Section %d</a></li>`, i, i)
	}
	b.WriteString(`</ul></nav><main>`)
	for i := range n / 10 {
		fmt.Fprintf(&b, `<div class=card><h3><a href="/p/%d">Product number %d</a></h3><p>A fine thing, <b>made</b> in <i>Brest</i>.</p><span>%d kr</span><label><input type=checkbox> Compare</label><button>Buy</button></div>`, i, i, i)
	}
	b.WriteString(`</main>`)
	return b.String()
}

// BenchmarkSnapshot reads a page of 5,000 elements; the time has a bound of 300 ms
// on two quiet cores.
func BenchmarkSnapshot(b *testing.B) {
	p, tab := show(b, bigPage(5000))
	elements := browsertest.Evaluate[int](b, tab.Session, "document.querySelectorAll('*').length")
	var s *Snapshot
	for b.Loop() {
		s = snap(b, p, SnapshotOptions{})
	}
	b.ReportMetric(float64(elements), "elements")
	b.ReportMetric(float64(len(s.Text)), "characters")
}

// BenchmarkSnapshotWhole is without a budget.
func BenchmarkSnapshotWhole(b *testing.B) {
	p, _ := show(b, bigPage(5000))
	var s *Snapshot
	for b.Loop() {
		s = snap(b, p, SnapshotOptions{Budget: 10_000_000})
	}
	b.ReportMetric(float64(len(s.Text)), "characters")
}

// BenchmarkAccessibilityTree is the browser's own call on the same page, for
// comparison.
func BenchmarkAccessibilityTree(b *testing.B) {
	_, tab := show(b, bigPage(5000))
	for b.Loop() {
		var tree struct {
			Nodes []axNode `json:"nodes"`
		}
		must(b, tab.Call(background(b), "Accessibility.getFullAXTree", nil, &tree))
	}
}

// BenchmarkClick is a click on a small page, from the reference to the answer.
func BenchmarkClick(b *testing.B) {
	p, _ := show(b, `<button>One</button>`)
	r := ref(b, p, "One")
	for b.Loop() {
		act(b, p, Act{Kind: "click", Ref: r})
	}
}

// BenchmarkFill fills a field.
func BenchmarkFill(b *testing.B) {
	p, _ := show(b, `<input aria-label=Text>`)
	r := ref(b, p, "Text")
	for b.Loop() {
		act(b, p, Act{Kind: "fill", Ref: r, Text: "some words"})
	}
}
