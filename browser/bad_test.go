package browser_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/hobkin/hobkin/browser"
	"github.com/hobkin/hobkin/browser/browsertest"
)

// works fails the test unless the browser can be used at the next call.
func works(t *testing.T, b *browser.Browser) {
	t.Helper()
	begin := time.Now()
	tab, a, err := b.Open(within(t), browsertest.Serve(t, "good.example", "<title>good</title>"))
	if err != nil || a.Title != "good" {
		t.Fatalf("the browser does not work at the next call: %+v, %v", a, err)
	}
	if err := b.CloseTab(within(t), tab.ID()); err != nil {
		t.Fatal(err)
	}
	if took := time.Since(begin); took > 10*time.Second {
		t.Errorf("the next call took %v", took)
	}
}

// A page that opens a hundred windows closes nobody's tabs but its own.
func TestHundredPopups(t *testing.T) {
	b := common(t)
	mine := open(t, b, browsertest.Serve(t, "a.example", "<title>mine</title>"))
	bad := open(t, b, browsertest.Serve(t, "b.example", "<title>bad</title>"))
	if _, err := bad.Settle(within(t), script(bad, "for (let i = 0; i < 100; i++) open('about:blank', '_blank')")); err != nil {
		t.Fatal(err)
	}
	if b.Status().Shell { // the full browser lets a page open one window a click
		browsertest.Until(t, func() bool { notes, _ := b.Since(0); return len(notes) >= 100 && len(b.Tabs()) == 10 })
	}
	if n := len(b.Tabs()); n > 10 {
		t.Errorf("%d tabs", n)
	}
	if got := eval(t, mine, "document.title"); got != `"mine"` {
		t.Error(got)
	}
	works(t, b)
}

// A page that asks without an end is left to ask; what it says first is told.
func TestAlertLoop(t *testing.T) {
	b := common(t)
	tab := open(t, b, browsertest.Serve(t, "a.example", "<title>bad</title>"))
	e := settle(t, tab, "setTimeout(() => { for (let i = 0; ; i++) alert('again ' + i) })")
	for i := 0; i < 15 && tab.Dialog() != nil; i++ {
		var err error
		if e, err = tab.AnswerDialog(within(t), true, nil); err != nil {
			t.Fatal(err)
		}
	}
	if e.Dialog != nil {
		t.Errorf("it still asks: %+v", e.Dialog)
	}
	browsertest.Until(t, func() bool { notes, _ := b.Since(0); return strings.Contains(fmt.Sprint(notes), "without an end") })
	if a, err := tab.Navigate(within(t), browsertest.Serve(t, "a.example", "<title>better</title>")); err != nil || a.Title != "better" {
		t.Errorf("to leave it: %+v, %v", a, err)
	}
	works(t, b)
}

// A page that computes without an end answers nothing, and can be left.
func TestEndlessScript(t *testing.T) {
	b := common(t)
	tab := open(t, b, browsertest.Serve(t, "a.example", "<title>bad</title>"))
	settle(t, tab, "setTimeout(() => { for (;;); })")
	begin := time.Now()
	ctx, cancel := context.WithTimeout(t.Context(), time.Second)
	defer cancel()
	if _, err := tab.Evaluate(ctx, "", "1"); err == nil { // while it computes
		t.Error("it answered")
	}
	if a, err := tab.Navigate(within(t), browsertest.Serve(t, "a.example", "<title>better</title>")); err != nil || a.Title != "better" {
		t.Errorf("to leave it: %+v, %v", a, err)
	}
	if took := time.Since(begin); took > 15*time.Second {
		t.Errorf("it took %v", took)
	}
	works(t, b)
}

// A script of ours that does not end is stopped, and the page lives on.
func TestEndlessEvaluate(t *testing.T) {
	b := common(t)
	tab := open(t, b, browsertest.Serve(t, "a.example", "<title>good</title>"))
	ctx, cancel := context.WithTimeout(t.Context(), 500*time.Millisecond)
	defer cancel()
	if _, err := tab.Evaluate(ctx, "", "for (;;);"); !errors.Is(err, browser.ScriptFailed) {
		t.Errorf("got %v", err)
	}
	if got := eval(t, tab, "document.title"); got != `"good"` {
		t.Error(got)
	}
}

// A page whose process dies, by a fault or for want of memory, says so; it can be
// loaded again and left.
func TestCrashedPage(t *testing.T) {
	b := common(t)
	url := browsertest.Serve(t, "a.example", "<title>bad</title>")
	tab := open(t, b, url)
	crash := func(ctx context.Context) error {
		frames, err := tab.Frames(ctx)
		if err != nil {
			return err
		}
		return frames[0].Session.Call(ctx, "Page.crash", nil, nil)
	}
	for name, leave := range map[string]func() (*browser.Arrival, error){
		"reload": func() (*browser.Arrival, error) { return tab.Reload(within(t)) },
		"leave":  func() (*browser.Arrival, error) { return tab.Navigate(within(t), url) },
	} {
		begin := time.Now()
		if _, err := tab.Settle(within(t), crash); !errors.Is(err, browser.Crashed) {
			t.Errorf("%s: the crash: %v", name, err)
		}
		if took := time.Since(begin); took > 5*time.Second {
			t.Errorf("%s: told of after %v", name, took)
		}
		if _, err := tab.Evaluate(within(t), "", "1"); !errors.Is(err, browser.Crashed) || !tab.Info().Crashed {
			t.Errorf("%s: a call afterwards: %v, %+v", name, err, tab.Info())
		}
		if a, err := leave(); err != nil || a.Title != "bad" {
			t.Errorf("%s: %+v, %v", name, a, err)
		}
		if got := eval(t, tab, "document.title"); got != `"bad"` {
			t.Errorf("%s: %s", name, got)
		}
	}
	works(t, b)
}

// A page that takes all memory loses its process, not the browser.
func TestMemoryEater(t *testing.T) {
	b := common(t)
	tab := open(t, b, browsertest.Serve(t, "a.example", "<title>bad</title>"))
	_, err := tab.Settle(within(t), script(tab, "let all = []; for (;;) all.push(new Array(1e7).fill(1.5))"))
	if !errors.Is(err, browser.Crashed) {
		t.Errorf("got %v", err)
	}
	works(t, b)
}

// A page of 200,000 elements that never rests does not hold others up.
func TestHugePage(t *testing.T) {
	b := common(t)
	huge := browsertest.Handle(t, "a.example", http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		_, _ = fmt.Fprint(w, "<title>huge</title>", strings.Repeat("<p><a href=x>text</a>", 100_000), "<script>setInterval(() => { for (let i = 0; i < 100; i++) { const p = document.createElement('p'); document.body.append(p); p.remove() } })</script>")
	}))
	tab, a, err := b.Open(within(t), huge)
	if err != nil || a.Title != "huge" {
		t.Fatalf("%+v, %v", a, err)
	}
	if got := eval(t, tab, "document.querySelectorAll('*').length > 200000"); got != "true" {
		t.Error(got)
	}
	if _, err := tab.Frames(within(t)); err != nil {
		t.Error(err)
	}
	if _, err := tab.Screenshot(within(t), browser.Shot{}); err != nil {
		t.Error(err)
	}
	works(t, b)
}
