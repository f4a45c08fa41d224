package tool

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/hobkin/hobkin/browser"
	"github.com/hobkin/hobkin/browser/browsertest"
	"github.com/hobkin/hobkin/core/capability"
	"github.com/hobkin/hobkin/core/picture"
)

// A bench makes calls as one conversation does.
type bench struct {
	*Host

	t       *testing.T
	dir     string
	session string
	calls   int
	runner  capability.Runner
	asked   capability.Preview               // of the last call
	between func()                           // runs once, between the question and the call
	deny    func(p capability.Preview) error // nil agrees
}

func newBench(t *testing.T, change func(*Settings)) *bench {
	t.Helper()
	dir := workspace(t, t.TempDir())
	return onBench(t, newHost(t, dir, change), dir)
}

// sharedBench is newBench on the host that tests share: its tabs are not t1 and t2.
func sharedBench(t *testing.T) *bench {
	t.Helper()
	if together.host == nil {
		dir, err := os.MkdirTemp("", "together-") //nolint:usetesting // it outlives the test
		if err != nil {
			t.Fatal(err)
		}
		together.dir = workspace(t, dir)
		together.host = hostIn(t, together.dir, nil)
	}
	return onBench(t, together.host, together.dir)
}

func workspace(t *testing.T, base string) string {
	t.Helper()
	base, err := filepath.EvalSymlinks(base)
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(base, "code")
	if err := os.Mkdir(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	return dir
}

func onBench(t *testing.T, h *Host, dir string) *bench {
	t.Helper()
	serve(t)
	b := &bench{Host: h, t: t, dir: dir, session: t.Name()}
	b.runner.Registry = &capability.Registry{}
	if err := b.runner.Registry.RegisterAll(Tools.Bind(b.Host)...); err != nil {
		t.Fatal(err)
	}
	b.runner.Approve = func(_ context.Context, _ *capability.Capability, _ capability.Call, p capability.Preview) error {
		b.asked = p
		if b.between != nil {
			b.between()
			b.between = nil
		}
		if b.deny != nil {
			return b.deny(p)
		}
		return nil
	}
	return b
}

// call makes a call, whatever comes of it.
func (b *bench) call(args string) *capability.Outcome {
	b.t.Helper()
	b.calls++
	b.asked = capability.Preview{}
	return b.runner.Run(b.t.Context(), capability.Request{
		ID: fmt.Sprint("c", b.calls), Name: "browser", Args: json.RawMessage(args),
		Filter: capability.Filter{Turn: capability.Turn{Session: b.session, ID: "turn", Workspace: b.dir, Trust: capability.Operator, Attended: true}},
	})
}

// must makes a call that must go well, and returns what the model reads.
func (b *bench) must(args string) string {
	b.t.Helper()
	o := b.call(args)
	if o.Failed() {
		b.t.Fatalf("%s: %v", args, o.Err)
	}
	return o.Result.Text
}

// fails makes a call that must fail in a certain way, and returns its message
// and advice.
func (b *bench) fails(args string, want *capability.Failure) string {
	b.t.Helper()
	o := b.call(args)
	u, _ := capability.AsUserError(o.Err)
	if u == nil || u.Code != want.Code {
		b.t.Fatalf("%s: %v, want %s\n%s", args, o.Err, want.Code, o.Result.Text)
	}
	return u.Message + " | " + u.Try
}

func (b *bench) has(text string, want ...string) {
	b.t.Helper()
	for _, w := range want {
		if !strings.Contains(text, w) {
			b.t.Errorf("%q lacks %q", text, w)
		}
	}
}

func TestPictures(t *testing.T) {
	b := newBench(t, func(s *Settings) { s.Width, s.Height = 2000, 1000 })
	b.must(`{"action":"open","url":"http://shop.example/kinds","snapshot":true}`)
	for args, want := range map[string][2]int{
		`{"action":"screenshot"}`:            {1568, 784}, // scaled to what models take
		`{"action":"screenshot","ref":"e1"}`: {1568, 0},
	} {
		o := b.call(args)
		if o.Failed() || len(o.Result.Images) != 1 || len(o.Result.Files) != 1 {
			t.Fatalf("%s: %v, %d images, %d files", args, o.Err, len(o.Result.Images), len(o.Result.Files))
		}
		p, err := picture.Fit(o.Result.Images[0].Data, picture.Limits{})
		if err != nil || p.Width != want[0] || want[1] > 0 && p.Height != want[1] {
			t.Errorf("%s: %v, %v", args, p, err)
		}
		if saved, err := os.ReadFile(o.Result.Files[0]); err != nil || string(saved) != string(o.Result.Images[0].Data) {
			t.Errorf("%s: what is saved is not what is shown: %v", args, err)
		}
		b.has(o.Result.Text, "saved as "+o.Result.Files[0], "times 1.2")
	}
	o := b.call(`{"action":"screenshot","full_page":true}`)
	if o.Failed() {
		t.Fatal(o.Err)
	}
	b.has(o.Result.Text, "the whole page: PNG, 2000×")
	o = b.call(`{"action":"pdf","name":"kinds"}`)
	if o.Failed() || len(o.Result.Files) != 1 {
		t.Fatal(o.Err)
	}
	if data, err := os.ReadFile(o.Result.Files[0]); err != nil || !strings.HasPrefix(string(data), "%PDF-") || filepath.Base(o.Result.Files[0]) != "kinds.pdf" {
		t.Errorf("the PDF %s: %v", o.Result.Files[0], err)
	}
}

// TestPageThatChangesAfterTheQuestion: what was agreed to is not what would be
// done, so that nothing is.
func TestPageThatChangesAfterTheQuestion(t *testing.T) {
	b := sharedBench(t)
	b.must(`{"action":"open","url":"http://shop.example/kinds","snapshot":true}`)
	script := func(code string) func() {
		return func() {
			_, tab, err := b.tab(t.Context(), capability.Call{Turn: capability.Turn{Session: b.session}}, &input{})
			if err == nil {
				_, err = tab.Evaluate(t.Context(), "", code)
			}
			if err != nil {
				t.Error(err)
			}
		}
	}
	b.between = script(`once.textContent = "Delete all"`)
	b.has(b.fails(`{"action":"act","kind":"click","ref":"e6"}`, pageChanged), "Once", "Delete all")
	b.between = script(`document.querySelector("form").action = "https://evil.example/"`)
	b.fails(`{"action":"act","kind":"submit","ref":"e11"}`, pageChanged)
	b.between = script(`said.textContent = "something else"`) // what does not matter is no reason
	b.must(`{"action":"act","kind":"click","ref":"e6"}`)
	b.between = script(`once.textContent = "Once (3 s left)"`)
	b.fails(`{"action":"act","kind":"click","ref":"e6"}`, pageChanged)
	b.between = script(`once.textContent = "Once (2 s left)"`) // what is counted is no reason
	b.must(`{"action":"act","kind":"click","ref":"e6"}`)
	b.between = script(`text.type = "file"`)
	b.must(`{"action":"act","kind":"hover","ref":"e2"}`)
}

// TestTwoConversations holds that each goes on with its own tab, and is told of
// its own events.
func TestTwoConversations(t *testing.T) {
	b := newBench(t, nil)
	b.must(`{"action":"open","url":"http://shop.example/"}`)
	b.session = "two"
	b.must(`{"action":"open","url":"http://shop.example/list"}`)
	b.session = t.Name()
	b.has(b.must(`{"action":"act","kind":"get","what":"url"}`), "http://shop.example/\n")
	b.session = "two"
	b.has(b.must(`{"action":"act","kind":"get","what":"url"}`), "http://shop.example/list")
	b.must(`{"action":"open","url":"http://shop.example/open","profile":"work","snapshot":true}`)
	b.has(b.must(`{"action":"act","kind":"click","ref":"e1"}`), "The page opened the tab t2.")
	b.session = t.Name()
	if text := b.must(`{"action":"tabs"}`); strings.Contains(text, "opened") || !strings.Contains(text, "2 tabs open") {
		t.Errorf("the first conversation reads %q", text)
	}
}

func TestPopupsAndTheCap(t *testing.T) {
	b := newBench(t, nil) // three tabs at most
	b.must(`{"action":"open","url":"http://shop.example/open","snapshot":true}`)
	b.has(b.must(`{"action":"act","kind":"click","ref":"e1"}`), "The page opened the tab t2.")
	b.must(`{"action":"open","url":"http://shop.example/list"}`)
	b.has(b.must(`{"action":"open","url":"http://shop.example/"}`), "The tab t2 is gone: it was the oldest of more than 3 tabs.")
	b.fails(`{"action":"focus","tab":"t2"}`, browser.TabGone)
}

func TestDialogsAreTold(t *testing.T) {
	b := newBench(t, nil)
	b.must(`{"action":"open","url":"http://shop.example/ask","snapshot":true}`)
	b.must(`{"action":"act","kind":"click","ref":"e1"}`)
	for _, args := range []string{`{"action":"console"}`, `{"action":"network"}`} {
		b.has(b.must(args), `The page shows a dialog and can do nothing else until it is answered: confirm "Really?"`)
	}
	for _, args := range []string{`{"action":"act","kind":"get"}`, `{"action":"act","kind":"click","ref":"e1"}`, `{"action":"screenshot"}`, `{"action":"evaluate","script":"1"}`} {
		b.fails(args, browser.DialogOpen)
	}
	b.must(`{"action":"open","url":"http://shop.example/list"}`) // other tabs go on
	b.must(`{"action":"focus","tab":"t1"}`)
	b.fails(`{"action":"navigate","url":"http://shop.example/"}`, browser.DialogOpen)
	b.must(`{"action":"close","tab":"t1"}`)
}

func TestSecretsAreNotSeen(t *testing.T) {
	b := sharedBench(t)
	b.runner.Redact = func(text string) string { return strings.ReplaceAll(text, "s3cret-shop", "[hidden]") }
	b.must(`{"action":"open","url":"http://shop.example/login","snapshot":true}`)
	text := b.must(`{"action":"act","kind":"fill","ref":"e2","secret":"keyring:shop","snapshot":true}`) // a field that shows it
	if strings.Contains(text, "s3cret") || !strings.Contains(text, "[hidden]") {
		t.Errorf("the model reads %q", text)
	}
	if b.asked.Effect != capability.EffectUse || b.asked.Alone {
		t.Errorf("a tied secret on its host is asked about: %+v", b.asked)
	}
	b.must(`{"action":"open","url":"http://pay.example/","snapshot":true}`)
	b.deny = func(capability.Preview) error { return capability.Denied.Becausef("no") }
	b.call(`{"action":"act","kind":"fill","ref":"e2","secret":"keyring:shop"}`)
	if b.asked.Effect != capability.EffectSend || !b.asked.Alone || !strings.Contains(b.asked.Summary, "the secret shop into textbox \"Card\" on pay.example") {
		t.Errorf("a tied secret elsewhere: %+v", b.asked)
	}
}

func TestSettings(t *testing.T) {
	b := newBench(t, nil)
	b.fails(`{"action":"start","window":true}`, &capability.Failure{Code: "browser_no_display"})
	text := b.must(`{"action":"start"}`)
	b.has(text, "The browser runs:", "profile default, without a window")
	b.has(b.must(`{"action":"status"}`), "The browser runs:", "The browser's own sandbox is")
	b.must(`{"action":"stop"}`)
	b.has(b.must(`{"action":"status"}`), "does not run")
	b.has(b.must(`{"action":"doctor"}`), "The browser works:")
	b.fails(`{"action":"tabs","profile":"attached"}`, notAttached)
	b.fails(`{"action":"open","url":"http://shop.example/","profile":"../x"}`, &capability.Failure{Code: "bad_profile"})

	b = newBench(t, func(s *Settings) { s.Enabled = false })
	b.fails(`{"action":"open","url":"http://shop.example/"}`, switchedOff)
	b.has(b.must(`{"action":"status"}`), "switched off")

	b = newBench(t, func(s *Settings) { s.Path = "/nowhere/chromium" })
	b.has(b.fails(`{"action":"open","url":"http://shop.example/"}`, &capability.Failure{Code: "browser_not_found"}), "sudo apt install chromium")
	b.fails(`{"action":"doctor"}`, &capability.Failure{Code: "browser_not_found"})
}

// TestSettingsChange: a browser that was made with other settings is made anew.
func TestSettingsChange(t *testing.T) {
	width := 1000
	b := newBench(t, nil)
	s := b.Settings()
	b.Host.Settings = func() Settings { s.Width = width; return s }
	size := func() string {
		b.must(`{"action":"open","url":"http://shop.example/"}`)
		text := b.must(`{"action":"evaluate","script":"innerWidth"}`)
		return text[strings.Index(text, "\n\n"):]
	}
	b.has(size(), "1000")
	width = 700
	b.has(size(), "700")
	if n := len(b.Running()); n != 1 {
		t.Errorf("%d browsers are known", n)
	}
}

// TestBeginning: nothing lies before the first page of a tab.
func TestBeginning(t *testing.T) {
	b := sharedBench(t)
	b.must(`{"action":"open","url":"http://shop.example/list"}`)
	b.fails(`{"action":"back"}`, browser.NoHistory)
	b.has(b.must(`{"action":"act","kind":"get"}`), "Shoes")
	b.fails(`{"action":"forward"}`, browser.NoHistory)
}

// TestFormThatLeadsNowhere: that the page after a form does not come is told.
func TestFormThatLeadsNowhere(t *testing.T) {
	b := sharedBench(t)
	text := b.must(`{"action":"open","url":"http://lost.example/","snapshot":true}`)
	o := b.call(`{"action":"act","kind":"click","ref":"` + regexp.MustCompile(`"Go" (e\d+)`).FindStringSubmatch(text)[1] + `"}`)
	if u, ok := capability.AsUserError(o.Err); ok {
		b.has(u.Message, "nowhere.invalid")
		return
	}
	b.has(o.Result.Text, "that page could not be loaded: net::ERR")
}

func TestWaiting(t *testing.T) {
	b := sharedBench(t)
	browsertest.HandlePath(t, "shop.example", "/late", http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		_, _ = w.Write([]byte(`<p id=p>soon</p><script>setTimeout(() => { p.textContent = "there" }, 300)</script>`))
	}))
	b.must(`{"action":"open","url":"http://shop.example/late"}`)
	b.has(b.must(`{"action":"act","kind":"wait","text":"there","snapshot":true}`), `the page says "there"`, `"there" e`)
	b.must(`{"action":"act","kind":"wait","gone":"soon"}`)
	b.must(`{"action":"act","kind":"wait","url":"/late"}`)
	b.has(b.fails(`{"action":"act","kind":"wait","text":"never","timeout_ms":150}`, &capability.Failure{Code: "not_in_time"}), "never")
}

func TestKilledBrowser(t *testing.T) {
	b := newBench(t, nil)
	b.must(`{"action":"open","url":"http://shop.example/list"}`)
	pid := b.Running()["default"].PID
	p, err := os.FindProcess(pid)
	if err != nil || pid == 0 {
		t.Fatal(pid, err)
	}
	if err := p.Kill(); err != nil {
		t.Fatal(err)
	}
	for end := time.Now().Add(20 * time.Second); b.Running()["default"].PID == pid && time.Now().Before(end); {
		b.call(`{"action":"act","kind":"get"}`) // may still meet the dead one
	}
	b.has(b.must(`{"action":"snapshot"}`), "Shoes")
	b.has(b.must(`{"action":"status"}`), "It last ended by itself")
}

func TestOutsideText(t *testing.T) {
	b := sharedBench(t)
	o := b.call(`{"action":"open","url":"http://shop.example/","snapshot":true}`)
	if !o.Result.Untrusted || !strings.HasPrefix(o.Result.Text, "<untrusted id=") {
		t.Errorf("a page is not marked: %q", o.Result.Text)
	}
	if o = b.call(`{"action":"tabs"}`); !o.Result.Untrusted {
		t.Error("titles are not marked")
	}
	if o = b.call(`{"action":"navigate","url":"http://nowhere.invalid/"}`); !o.Result.Untrusted {
		t.Error("what a page had to do with is not marked")
	}
}

func TestWhole(t *testing.T) {
	for given, want := range map[string]string{
		"example.org": "https://example.org", " example.org/a b ": "https://example.org/a b", "localhost:3000": "http://localhost:3000", "nas": "http://nas",
		"example.org:443/x": "https://example.org:443/x", "127.0.0.1:8080": "http://127.0.0.1:8080", "http://x.y": "http://x.y", "file:///etc": "file:///etc",
		"javascript:alert(1)": "javascript:alert(1)", "about:blank": "about:blank", "mailto:a@b": "mailto:a@b", "data:text/html,x": "data:text/html,x", "": "",
	} {
		if got := whole(given); got != want {
			t.Errorf("whole(%q) = %q, want %q", given, got, want)
		}
	}
}

// TestLinksInPlaceOfFiles: a file that was judged and is then swapped for a link
// sends nothing else.
func TestLinksInPlaceOfFiles(t *testing.T) {
	b := sharedBench(t)
	at := filepath.Join(b.dir, "note.txt")
	hidden := filepath.Join(b.dir, "..", "hidden.txt")
	for path, text := range map[string]string{at: "the tide", hidden: "a key"} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	b.must(`{"action":"open","url":"http://shop.example/files","snapshot":true}`)
	b.between = func() {
		if err := errors.Join(os.Remove(at), os.Symlink(hidden, at)); err != nil {
			t.Error(err)
		}
	}
	o := b.call(`{"action":"upload","ref":"e1","paths":["note.txt"],"snapshot":true}`)
	if !o.Failed() || strings.Contains(o.Result.Text, "a key") {
		t.Errorf("%v\n%s", o.Err, o.Result.Text)
	}
}
