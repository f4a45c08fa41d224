package browser_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/hobkin/hobkin/browser"
	"github.com/hobkin/hobkin/browser/browsertest"
)

// script is an act that runs code in the tab's page, as a click would.
func script(tab *browser.Tab, code string) func(context.Context) error {
	return func(ctx context.Context) error {
		frames, err := tab.Frames(ctx)
		if err != nil {
			return err
		}
		return frames[0].Session.Call(ctx, "Runtime.evaluate", map[string]any{"expression": code, "userGesture": true}, nil)
	}
}

func settle(t *testing.T, tab *browser.Tab, code string) *browser.Effect {
	t.Helper()
	e, err := tab.Settle(within(t), script(tab, code))
	if err != nil {
		t.Fatalf("%s: %v", code, err)
	}
	return e
}

// A dialog is told of at once, holds up what else is asked, and is answered.
func TestDialogs(t *testing.T) {
	b := common(t)
	inner := browsertest.Serve(t, "b.example", "<p>inner")
	tab := open(t, b, browsertest.Serve(t, "a.example", fmt.Sprintf("<p>x<iframe src=%q></iframe>", inner)))
	text := "Zoë 🎉"
	for name, tt := range map[string]struct {
		code   string
		kind   string
		accept bool
		text   *string
		want   string // what the page got
	}{
		"alert":   {"alert('hello'); got = 'over'", "alert", true, nil, `"over"`},
		"confirm": {"got = confirm('sure?')", "confirm", true, nil, "true"},
		"refusal": {"got = confirm('sure?')", "confirm", false, nil, "false"},
		"prompt":  {"got = prompt('name?', 'x')", "prompt", true, &text, `"Zoë 🎉"`},
		"default": {"got = prompt('name?', 'x')", "prompt", true, nil, `"x"`},
	} {
		begin := time.Now()
		e := settle(t, tab, "var got; "+tt.code)
		if e.Dialog == nil || e.Dialog.Kind != tt.kind {
			t.Fatalf("%s: %+v", name, e)
		}
		if took := time.Since(begin); took > 4*time.Second {
			t.Errorf("%s: told of after %v", name, took)
		}
		_, err := tab.Evaluate(within(t), "", "1")
		if !errors.Is(err, browser.DialogOpen) || !strings.Contains(err.Error(), e.Dialog.Message) {
			t.Errorf("%s: a call meanwhile: %v", name, err)
		}
		if _, err := tab.Navigate(within(t), inner); !errors.Is(err, browser.DialogOpen) {
			t.Errorf("%s: to leave meanwhile: %v", name, err)
		}
		if tab.Dialog() == nil {
			t.Errorf("%s: the tab shows no dialog", name)
		}
		if e, err = tab.AnswerDialog(within(t), tt.accept, tt.text); err != nil || e.Dialog != nil {
			t.Fatalf("%s: %+v, %v", name, e, err)
		}
		if got := eval(t, tab, "got"); got != tt.want {
			t.Errorf("%s: the page got %s; want %s", name, got, tt.want)
		}
	}
	if _, err := tab.AnswerDialog(within(t), true, nil); !errors.Is(err, browser.NoDialog) {
		t.Errorf("without a dialog: %v", err)
	}
	frames, err := tab.Frames(within(t))
	if err != nil {
		t.Fatal(err)
	}
	e, err := tab.Settle(within(t), func(ctx context.Context) error {
		return frames[1].Session.Call(ctx, "Runtime.evaluate", map[string]any{"expression": "alert('from a frame')"}, nil)
	})
	if err != nil || e.Dialog == nil || e.Dialog.Message != "from a frame" {
		t.Fatalf("of a frame of another origin: %+v, %v", e, err)
	}
	if e, err := tab.AnswerDialog(within(t), true, nil); err != nil || e.Dialog != nil {
		t.Fatalf("of a frame of another origin: %+v, %v", e, err)
	}
}

// A page that does not want to be left is asked about; staying and leaving both
// work.
func TestBeforeUnload(t *testing.T) {
	b := common(t)
	tab := open(t, b, browsertest.Serve(t, "a.example", "<title>first</title><script>onbeforeunload = e => { e.preventDefault(); return '?' }</script>"))
	settle(t, tab, "1") // the page was used
	next := browsertest.Serve(t, "a.example", "<title>second</title>")
	if _, err := tab.Navigate(within(t), next); !errors.Is(err, browser.DialogOpen) {
		t.Fatalf("to leave: %v", err)
	}
	if d := tab.Dialog(); d == nil || d.Kind != "beforeunload" {
		t.Fatalf("%+v", d)
	}
	if e, err := tab.AnswerDialog(within(t), false, nil); err != nil || e.Arrival != nil || eval(t, tab, "document.title") != `"first"` {
		t.Fatalf("to stay: %+v, %v", e, err)
	}
	if _, err := tab.Navigate(within(t), next); !errors.Is(err, browser.DialogOpen) {
		t.Fatalf("to leave again: %v", err)
	}
	if e, err := tab.AnswerDialog(within(t), true, nil); err != nil || e.Arrival == nil || e.Arrival.Title != "second" {
		t.Fatalf("to leave: %+v, %v", e, err)
	}
}

// Windows that a page opens become tabs, and one that closes itself is gone.
func TestPopups(t *testing.T) {
	t.Parallel()
	b := start(t, nil)
	child := browsertest.Serve(t, "a.example", "<title>child</title><script>console.log('early')</script>")
	tab := open(t, b, browsertest.Serve(t, "a.example", fmt.Sprintf("<a id=l target=_blank href=%q>x</a>", child)))
	for i, code := range []string{fmt.Sprintf("w = open(%q)", child), fmt.Sprintf("open(%q, '_blank', 'noopener')", child), "document.getElementById('l').click()"} {
		id := fmt.Sprintf("t%d", i+2)
		e := settle(t, tab, code)
		popup := awaitTab(t, b, id)
		if len(e.Notes) == 0 || e.Notes[0].Kind != browser.NotePopup || e.Notes[0].Tab != id {
			t.Errorf("%s: %+v", code, e.Notes)
		}
		if _, err := popup.Settle(within(t), func(context.Context) error { return nil }); err != nil {
			t.Fatal(err)
		}
		browsertest.Until(t, func() bool { return eval(t, popup, "document.title") == `"child"` })
		if list, _ := popup.Console(); len(list) != 1 || list[0].Text != "early" {
			t.Errorf("%s: console of the popup: %+v", code, list)
		}
	}
	e := settle(t, tab, "w.close()")
	browsertest.Until(t, func() bool { return len(b.Tabs()) == 3 })
	if _, err := b.Tab("t2"); !errors.Is(err, browser.TabGone) {
		t.Errorf("a tab that closed itself: %v; %+v", err, e)
	}
	if got, err := b.Tab(""); err != nil || got != tab {
		t.Errorf("active: %v, %v", got, err)
	}
}

func awaitTab(t *testing.T, b *browser.Browser, id string) (tab *browser.Tab) {
	t.Helper()
	browsertest.Until(t, func() bool {
		var err error
		tab, err = b.Tab(id)
		return err == nil
	})
	return tab
}

// The cap closes the oldest tab that is not active, and says which.
func TestTabCap(t *testing.T) {
	t.Parallel()
	b := start(t, func(o *browser.Options) { o.MaxTabs = 3 })
	for range 3 {
		open(t, b, "about:blank")
	}
	if _, err := b.Focus(within(t), "t1"); err != nil {
		t.Fatal(err)
	}
	_, serial := b.Since(0)
	open(t, b, "about:blank")
	notes, _ := b.Since(serial)
	if len(notes) != 1 || notes[0].Kind != browser.NoteClosed || notes[0].Tab != "t1" && notes[0].Tab != "t2" {
		t.Errorf("%+v", notes)
	}
	if n := len(b.Tabs()); n != 3 {
		t.Errorf("%d tabs", n)
	}
}

// What a click leads to is there when it is said to be done: a new page, what was
// fetched, or a new address of the same page.
func TestSettle(t *testing.T) {
	b := common(t)
	next := browsertest.Serve(t, "a.example", "<title>next</title>")
	data := browsertest.Handle(t, "a.example", http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte("fetched")) }))
	first := browsertest.Serve(t, "a.example", fmt.Sprintf("<title>first</title><p id=p></p><a id=l href=%q></a><form id=f action=%q></form>", next, next))
	tab := open(t, b, first)
	e := settle(t, tab, fmt.Sprintf("fetch(%q).then(r => r.text()).then(s => setTimeout(() => p.textContent = s))", data))
	if got := eval(t, tab, "p.textContent"); got != `"fetched"` || e.Arrival != nil {
		t.Errorf("after a fetch: %s, %+v", got, e)
	}
	if e := settle(t, tab, "history.pushState(null, '', '/pushed')"); e.Arrival != nil || !strings.HasSuffix(e.URL, "/pushed") {
		t.Errorf("after pushState: %+v", e)
	}
	for _, code := range []string{"document.getElementById('l').click()", "document.getElementById('f').submit()", fmt.Sprintf("setTimeout(() => location = %q)", next), fmt.Sprintf("location.replace(%q)", next)} {
		if e := settle(t, tab, code); e.Arrival == nil || e.Arrival.Title != "next" || e.Arrival.Status != 200 {
			t.Errorf("%s: %+v", code, e.Arrival)
		}
		if _, err := tab.Navigate(within(t), first); err != nil {
			t.Fatal(err)
		}
	}
	begin := time.Now()
	settle(t, tab, "location.href = 'javascript:void 0'; location.href = 'mailto:a@b.example'")
	if took := time.Since(begin); took > 8*time.Second {
		t.Errorf("what leads nowhere took %v", took)
	}
}

// Files land under harmless names, whole, with their size; one's own file is
// never written over.
func TestDownloads(t *testing.T) {
	t.Parallel()
	b := start(t, nil)
	dir := ""
	content := bytes.Repeat([]byte("0123456789"), 30_000)
	file := browsertest.Handle(t, "a.example", http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Disposition", `attachment; filename="../../we:ird name.txt"`)
		_, _ = w.Write(content)
	}))
	tab := open(t, b, browsertest.Serve(t, "a.example", fmt.Sprintf("<title>stays</title><a id=l href=%q download></a>", file)))
	a, err := tab.Navigate(within(t), file)
	if err != nil || a.Download == nil {
		t.Fatalf("to a file: %+v, %v", a, err)
	}
	for i := range 2 {
		if i == 1 {
			settle(t, tab, "document.getElementById('l').click()")
			browsertest.Until(t, func() bool { return len(b.Downloads()) == 2 })
		}
		d, err := b.AwaitDownload(within(t), "")
		if err != nil || d.State != browser.Completed || d.Tab != tab.ID() {
			t.Fatalf("%+v, %v", d, err)
		}
		if got, err := os.ReadFile(d.Path); err != nil || !bytes.Equal(got, content) {
			t.Errorf("%d of %d bytes, %v", len(got), len(content), err)
		}
		dir = filepath.Dir(d.Path)
	}
	settle(t, tab, `const a = document.createElement('a'); a.download = 'blob.txt'; a.href = URL.createObjectURL(new Blob(['of a blob'])); a.click()`)
	browsertest.Until(t, func() bool { return len(b.Downloads()) == 3 })
	if d, err := b.AwaitDownload(within(t), ""); err != nil || d.Name != "blob.txt" || d.State != browser.Completed {
		t.Errorf("of a blob: %+v, %v", d, err)
	}
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) != 3 {
		t.Errorf("%v, %v", entries, err)
	}
	if eval(t, tab, "document.title") != `"stays"` {
		t.Error("the page was left")
	}
}

// Without a folder for downloads none lands anywhere.
func TestNoDownloads(t *testing.T) {
	t.Parallel()
	b := start(t, func(o *browser.Options) { o.Downloads = "" })
	file := browsertest.Handle(t, "a.example", http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Disposition", "attachment; filename=x.txt")
		_, _ = w.Write([]byte("x"))
	}))
	tab := open(t, b, "about:blank")
	if a, err := tab.Navigate(within(t), file); err == nil && (a.Download == nil || a.Download.State == browser.Completed) {
		t.Errorf("%+v, %v", a, err)
	}
	notes, _ := b.Since(0)
	if !strings.Contains(fmt.Sprint(notes), "refused") {
		t.Errorf("%+v", notes)
	}
}

// Files go to the dialog that an act opens, and nowhere else.
func TestUpload(t *testing.T) {
	b := common(t)
	tab := open(t, b, browsertest.Serve(t, "a.example", "<input id=one type=file hidden><input id=many type=file multiple hidden>"))
	dir := t.TempDir()
	files := []string{filepath.Join(dir, "a.txt"), filepath.Join(dir, "b.txt")}
	for _, f := range files {
		if err := os.WriteFile(f, []byte("content of "+filepath.Base(f)), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := tab.Upload(within(t), files, script(tab, "many.click()")); err != nil {
		t.Fatal(err)
	}
	if got := eval(t, tab, "Promise.all([...many.files].map(f => f.text())).then(l => l.join())"); got != `"content of a.txt,content of b.txt"` {
		t.Errorf("the page got %s", got)
	}
	if _, err := tab.Upload(within(t), files, script(tab, "one.click()")); !errors.Is(err, browser.BadFile) {
		t.Errorf("two files for one: %v", err)
	}
	if _, err := tab.Upload(within(t), files[:1], script(tab, "1")); !errors.Is(err, browser.NoFileChooser) {
		t.Errorf("an act that asks for no file: %v", err)
	}
	for _, bad := range []string{"a.txt", filepath.Join(dir, "none"), dir} {
		if _, err := tab.Upload(within(t), []string{bad}, script(tab, "one.click()")); !errors.Is(err, browser.BadFile) {
			t.Errorf("%s: %v", bad, err)
		}
	}
}
