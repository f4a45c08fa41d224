package browser_test

import (
	"bytes"
	"errors"
	"fmt"
	"image"
	_ "image/png" // what screenshots are
	"math"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/hobkin/hobkin/browser"
	"github.com/hobkin/hobkin/browser/browsertest"
)

// Pictures show what they say, scaled to what models take, of tabs in the
// background too.
func TestScreenshot(t *testing.T) {
	b := common(t)
	tab := open(t, b, browsertest.Serve(t, "a.example", "<body style='margin:0;background:#00f'><div style='position:absolute;left:100px;top:3000px;width:200px;height:100px;background:#f00'></div><div style='height:5000px'>"))
	open(t, b, "about:blank") // now in front
	for name, tt := range map[string]struct {
		shot browser.Shot
		w, h int // before it is scaled
	}{
		"in view": {browser.Shot{}, 1280, 800},
		"full":    {browser.Shot{Full: true}, 1280, 5000},
		"element": {browser.Shot{Clip: &browser.Box{X: 100, Y: 3000, Width: 200, Height: 100}}, 200, 100},
	} {
		p, err := tab.Screenshot(within(t), tt.shot)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if p.WasW != tt.w || p.WasH != tt.h || max(p.Width, p.Height) > 1568 {
			t.Errorf("%s: %s", name, p)
		}
		im, _, err := image.Decode(bytes.NewReader(p.Data))
		if err != nil {
			t.Fatal(err)
		}
		r, _, blue, _ := im.At(p.Width/2, p.Height/4).RGBA()
		if red := name == "element"; (r > 0x8000) != red || (blue > 0x8000) == red {
			t.Errorf("%s: red %x, blue %x", name, r, blue)
		}
	}
	for _, box := range []browser.Box{{}, {Width: -1, Height: 5}, {X: math.NaN(), Width: 5, Height: 5}, {X: math.Inf(1), Width: 5, Height: 5}} {
		if _, err := tab.Screenshot(within(t), browser.Shot{Clip: &box}); !errors.Is(err, browser.TooLarge) {
			t.Errorf("%+v: %v", box, err)
		}
	}
	eval(t, tab, "document.body.style.height = '3000000px'")
	if p, err := tab.Screenshot(within(t), browser.Shot{Full: true}); err != nil || p.WasH > 16000 {
		t.Errorf("of an endless page: %v, %v", p, err)
	}
}

func TestPDF(t *testing.T) {
	b := common(t)
	tab := open(t, b, browsertest.Serve(t, "a.example", "<p>printed"))
	data, err := tab.PDF(within(t), browser.Print{})
	if err != nil || !bytes.HasPrefix(data, []byte("%PDF-")) {
		t.Errorf("%d bytes, %v", len(data), err)
	}
	if _, err := tab.PDF(within(t), browser.Print{Pages: "7-9"}); !errors.Is(err, browser.ScriptFailed) {
		t.Errorf("pages that are not there: %v", err)
	}
}

// The console and the requests are told, with what failed; a flood keeps the
// last and counts all.
func TestConsoleAndNetwork(t *testing.T) {
	b := common(t)
	data := browsertest.Handle(t, "a.example", http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusTeapot) }))
	tab := open(t, b, browsertest.Serve(t, "a.example", `<script>console.log('a', 1, {x: 2}); console.error('bad'); setTimeout(() => { throw new Error('thrown') })</script>`))
	settle(t, tab, fmt.Sprintf("fetch(%q, {method: 'POST'}); fetch('http://none.invalid/').catch(() => 0)", data))
	list, _ := tab.Console()
	var said, asked strings.Builder
	for _, m := range list {
		said.WriteString(m.Level + ": " + m.Text + "\n")
	}
	text := said.String()
	for _, want := range []string{"log: a 1 Object\n", "error: bad\n", "exception: Error: thrown"} {
		if !strings.Contains(text, want) {
			t.Errorf("the console lacks %q:\n%s", want, text)
		}
	}
	requests, total := tab.Network()
	for _, r := range requests {
		_, _ = fmt.Fprintf(&asked, "%s %s %d %s\n", r.Method, r.URL, r.Status, r.Type)
	}
	text = asked.String()
	if !strings.Contains(text, "POST "+data+" 418 Fetch") || !strings.Contains(text, "GET http://none.invalid/") || total < 3 {
		t.Errorf("the requests:\n%s", text)
	}
	begin := time.Now()
	eval(t, tab, "for (let i = 0; i < 20000; i++) console.log('message', i)")
	browsertest.Until(t, func() bool {
		list, total := tab.Console()
		return total > 20000 && list[len(list)-1].Text == "message 19999" && len(list) == 200
	})
	t.Logf("20,000 messages in %v", time.Since(begin))
}

func TestCookiesAndStorage(t *testing.T) {
	b := common(t)
	tab := open(t, b, browsertest.Handle(t, "a.example", http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		http.SetCookie(w, &http.Cookie{Name: "served", Value: "1", HttpOnly: true})
		_, _ = w.Write([]byte("<p>x"))
	})))
	if err := tab.SetCookie(within(t), browser.Cookie{Name: "set", Value: "2", Path: "/"}); err != nil {
		t.Fatal(err)
	}
	if err := tab.SetCookie(within(t), browser.Cookie{Name: "foreign", Value: "2", Domain: "b.example"}); !errors.Is(err, browser.ScriptFailed) {
		t.Errorf("a cookie of another host: %v", err)
	}
	list, err := tab.Cookies(within(t), "")
	if err != nil || len(list) != 2 {
		t.Fatalf("%+v, %v", list, err)
	}
	if got := eval(t, tab, "document.cookie"); got != `"set=2"` {
		t.Errorf("the page sees %s", got)
	}
	if n, err := tab.DeleteCookies(within(t), ""); err != nil || n != 2 {
		t.Errorf("%d deleted, %v", n, err)
	}
	text := "wörld"
	if err := tab.SetStorage(within(t), browser.Local, "hello", &text); err != nil {
		t.Fatal(err)
	}
	if items, err := tab.Storage(within(t), browser.Local); err != nil || items["hello"] != text || len(items) != 1 {
		t.Errorf("%v, %v", items, err)
	}
	if items, err := tab.Storage(within(t), browser.Session); err != nil || len(items) != 0 {
		t.Errorf("%v, %v", items, err)
	}
	if err := tab.ClearStorage(within(t), browser.Local); err != nil || eval(t, tab, "localStorage.length") != "0" {
		t.Error(err)
	}
	if _, err := tab.Storage(within(t), "document.cookie//"); err == nil {
		t.Error("an area that is none was read")
	}
}

// Scripts give values, and say what went wrong.
func TestEvaluate(t *testing.T) {
	b := common(t)
	tab := open(t, b, browsertest.Serve(t, "a.example", "<p>x"))
	for code, want := range map[string]string{
		"1 + 1": "2", "undefined": "null", "null": "null", "[1, 'é', {a: 1}]": `[1,"é",{"a":1}]`, "Promise.resolve(5)": "5", "await Promise.resolve(6)": "6",
		"NaN": `"NaN"`, "12345678901234567890n": `"12345678901234567890n"`, "'<&>'": `"<&>"`,
	} {
		if got := eval(t, tab, code); got != want {
			t.Errorf("%s: %s; want %s", code, got, want)
		}
	}
	for _, code := range []string{"throw new Error('no')", "syntax error here", "Promise.reject(1)", "(() => { const a = {}; a.a = a; return a })()"} {
		if got, err := tab.Evaluate(within(t), "", code); !errors.Is(err, browser.ScriptFailed) {
			t.Errorf("%s: %s, %v", code, got, err)
		}
	}
	if _, err := tab.Evaluate(within(t), "", "'x'.repeat(2e6)"); !errors.Is(err, browser.TooLarge) {
		t.Errorf("too large a value: %v", err)
	}
	if _, err := tab.Evaluate(within(t), "no-frame", "1"); !errors.Is(err, browser.NoTab) {
		t.Errorf("no such frame: %v", err)
	}
}
