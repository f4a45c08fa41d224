package browser_test

import (
	"context"
	"fmt"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/hobkin/hobkin/browser"
	"github.com/hobkin/hobkin/browser/browsertest"
)

func bench(b *testing.B) (*browser.Browser, *browser.Tab) {
	b.Helper()
	br := browser.New(browser.Options{Profiles: filepath.Join(b.TempDir(), "p"), Path: browsertest.Binary(b).Path, Guard: browsertest.Guard(b)})
	b.Cleanup(func() { _ = br.Close(context.Background()) })
	tab, _, err := br.Open(b.Context(), browsertest.Serve(b, "a.example", "<title>x</title><button onclick='document.title += 1'>x</button>"))
	if err != nil {
		b.Fatal(err)
	}
	return br, tab
}

// BenchmarkColdStart is from nothing to a page that can be read.
func BenchmarkColdStart(b *testing.B) {
	url := browsertest.Serve(b, "a.example", "<title>x</title>")
	for b.Loop() {
		br := browser.New(browser.Options{Profiles: filepath.Join(b.TempDir(), "p"), Path: browsertest.Binary(b).Path, Guard: browsertest.Guard(b)})
		tab, _, err := br.Open(b.Context(), url)
		if err != nil {
			b.Fatal(err)
		}
		if _, err := tab.Evaluate(b.Context(), "", "document.title"); err != nil {
			b.Fatal(err)
		}
		b.StopTimer()
		if err := br.Close(context.Background()); err != nil {
			b.Fatal(err)
		}
		b.StartTimer()
	}
}

// BenchmarkSettle is an act on a page that is quiet, with all that waits for it.
func BenchmarkSettle(b *testing.B) {
	_, tab := bench(b)
	for b.Loop() {
		if _, err := tab.Settle(b.Context(), script(tab, "document.querySelector('button').click()")); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkScreenshot is a picture of a tab in the background.
func BenchmarkScreenshot(b *testing.B) {
	br, tab := bench(b)
	if _, err := br.New(b.Context()); err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if _, err := tab.Screenshot(b.Context(), browser.Shot{}); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkDialog is from the act to the word that there is a dialog.
func BenchmarkDialog(b *testing.B) {
	_, tab := bench(b)
	for b.Loop() {
		if e, err := tab.Settle(b.Context(), script(tab, "alert(1)")); err != nil || e.Dialog == nil {
			b.Fatal(err)
		}
		b.StopTimer()
		if _, err := tab.AnswerDialog(b.Context(), true, nil); err != nil {
			b.Fatal(err)
		}
		b.StartTimer()
	}
}

// BenchmarkMemory is how our own heap grows over 200 navigations and 100,000
// messages on the console, in bytes.
func BenchmarkMemory(b *testing.B) {
	_, tab := bench(b)
	url := browsertest.Serve(b, "a.example", "<title>x</title><script>fetch('/none')</script>")
	for b.Loop() {
		before := heap()
		for range 200 {
			if _, err := tab.Navigate(b.Context(), url); err != nil {
				b.Fatal(err)
			}
		}
		pages := heap()
		_, err := tab.Evaluate(b.Context(), "", "(function more(i) { for (let j = 0; j < 1000; j++) console.log('message', i, j); if (i < 100) setTimeout(more, 0, i + 1) })(1), 0")
		if err != nil {
			b.Fatal(err)
		}
		tick := time.NewTicker(50 * time.Millisecond)
		for total, begin := 0, time.Now(); total < 100_000 && time.Since(begin) < time.Minute; <-tick.C {
			_, total = tab.Console()
		}
		tick.Stop()
		b.ReportMetric(float64(pages-before), "heap-200-navigations")
		b.ReportMetric(float64(heap()-pages), "heap-100000-messages")
	}
}

func heap() int64 {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

// BenchmarkFrames lists the frames of a page with five of another origin.
func BenchmarkFrames(b *testing.B) {
	_, tab := bench(b)
	var html strings.Builder
	for i := range 5 {
		_, _ = fmt.Fprintf(&html, "<iframe src=%q></iframe>", browsertest.Serve(b, fmt.Sprintf("f%d.example", i), "<p>x"))
	}
	if _, err := tab.Navigate(b.Context(), browsertest.Serve(b, "a.example", html.String())); err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if list, err := tab.Frames(b.Context()); err != nil || len(list) != 6 {
			b.Fatal(len(list), err)
		}
	}
}
