package browser

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/hobkin/hobkin/browser/browsertest"
	"github.com/hobkin/hobkin/browser/chromium"
	"github.com/hobkin/hobkin/browser/tool"
	"github.com/hobkin/hobkin/core/capability"
	"github.com/hobkin/hobkin/core/sandbox"
)

// m is a call's arguments.
type m = map[string]any

// A kit makes calls of the tool for one browser, and knows what its pages said.
type kit struct {
	testing.TB // of the running check

	binary chromium.Binary
	host   *tool.Host
	runner capability.Runner
	base   string
	filter capability.Filter
	calls  int
	seen   string // the last snapshot
	log    *pageLog
}

const profile = "checks"

// serial numbers the pages.
var serial atomic.Int64

func newKit(t *testing.T, b chromium.Binary) *kit {
	t.Helper()
	base, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for _, dir := range []string{"work", "downloads", "media"} {
		if err := os.Mkdir(filepath.Join(base, dir), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	work := filepath.Join(base, "work")
	policy, err := sandbox.New(sandbox.Config{Home: filepath.Join(base, "home"), Workspace: work})
	if err != nil {
		t.Fatal(err)
	}
	k := &kit{TB: t, binary: b, base: base, log: &pageLog{news: make(chan struct{})}}
	k.host = &tool.Host{
		Settings: func() tool.Settings {
			return tool.Settings{Enabled: true, Path: b.Path, Headless: true, Profile: profile, Idle: time.Hour, MaxTabs: 4, Width: 1280, Height: 800}
		},
		Guard: browsertest.Guard(t), Policy: policy, Profiles: filepath.Join(base, "profiles"), Arrivals: filepath.Join(base, "arrivals"),
		Save: func(_ context.Context, _ capability.Call, name string, data []byte) (string, error) {
			to := filepath.Join(base, "media", name)
			return to, os.WriteFile(to, data, 0o600)
		},
		Folder: func(capability.Call) (string, error) { return filepath.Join(base, "downloads"), nil },
		Secret: func(_ context.Context, name string) (string, error) {
			if name != "shop" {
				return "", errors.New("there is none")
			}
			return "s3cret-Ünicode", nil
		},
	}
	k.runner.Registry = &capability.Registry{}
	if err := k.runner.Registry.RegisterAll(tool.Tools.Bind(k.host)...); err != nil {
		t.Fatal(err)
	}
	k.runner.Approve = func(context.Context, *capability.Capability, capability.Call, capability.Preview) error { return nil }
	k.filter.Turn = capability.Turn{Session: "one", ID: "turn", Workspace: work, Trust: capability.Operator, Attended: true}
	t.Cleanup(func() {
		if err := k.host.Close(context.Background()); err != nil {
			t.Error(err)
		}
	})
	browsertest.HandlePath(t, "a.example", "/said", k.log)
	return k
}

// run runs one check, and closes what it opened.
func (k *kit) run(t *testing.T, c check) {
	t.Helper()
	before := k.TB
	defer func() { k.TB = before }()
	k.TB = t
	k.log.clear()
	t.Cleanup(k.tidy)
	c.do(k)
}

// tidy leaves one tab with an empty page.
func (k *kit) tidy() {
	r, ok := k.host.Running()[profile]
	if !ok || !r.Running {
		return
	}
	k.call(m{"action": "dialog", "accept": true}) // there may be none
	o := k.call(m{"action": "tabs"})
	ids := regexp.MustCompile(`(?m)^t\d+`).FindAllString(content(o), -1)
	for i, id := range ids {
		if i > 0 {
			k.call(m{"action": "close", "tab": id}) // it may close itself meanwhile
		}
	}
	if len(ids) > 0 {
		k.call(m{"action": "focus", "tab": ids[0]})
	}
}

// call makes a call, whatever comes of it.
func (k *kit) call(args m) *capability.Outcome {
	k.Helper()
	raw, err := json.Marshal(args)
	if err != nil {
		k.Fatal(err)
	}
	k.calls++
	ctx, cancel := context.WithTimeout(context.Background(), 60*time.Second)
	defer cancel()
	return k.runner.Run(ctx, capability.Request{ID: fmt.Sprint("c", k.calls), Name: "browser", Args: raw, Filter: k.filter})
}

// do makes a call that must go well, and returns what the model reads.
func (k *kit) do(args m) string {
	k.Helper()
	o := k.call(args)
	if o.Failed() {
		k.Fatalf("%v: %v\n%s", args, o.Err, o.Result.Text)
	}
	if args["action"] == "snapshot" || args["snapshot"] == true && !strings.Contains(o.Result.Text, "What changed") {
		k.seen = content(o)
	}
	return o.Result.Text
}

// fails makes a call that must fail in a certain way, and returns what it says.
func (k *kit) fails(code string, args m) (why string) {
	k.Helper()
	o := k.call(args)
	u, _ := capability.AsUserError(o.Err)
	if u == nil || u.Code != code {
		k.Fatalf("%v: %v, want %s\n%s", args, o.Err, code, o.Result.Text)
	}
	return u.Message + " " + u.Try
}

// content is what a result brings, without the lines about the tab and the marks
// around text from outside.
func content(o *capability.Outcome) string {
	_, text, _ := strings.Cut(o.Result.Text, "\n\n")
	if at := strings.LastIndex(text, "\n</untrusted"); at >= 0 {
		text = text[:at]
	}
	return text
}

// act does something with the element that a label of the last snapshot names.
func (k *kit) act(kind, label string, more ...m) string {
	k.Helper()
	return k.do(k.acting(kind, label, more...))
}

func (k *kit) acting(kind, label string, more ...m) m {
	k.Helper()
	args := m{"action": "act", "kind": kind}
	if label != "" {
		args["ref"] = k.ref(label)
	}
	for _, one := range more {
		maps.Copy(args, one)
	}
	return args
}

// ref is the reference that stands behind a label in the last snapshot.
func (k *kit) ref(label string) string {
	k.Helper()
	found := regexp.MustCompile(regexp.QuoteMeta(label) + `[^\n]*? (e\d+)\b`).FindStringSubmatch(k.seen)
	if found == nil {
		k.Fatalf("the snapshot has no %s:\n%s", label, k.seen)
	}
	return found[1]
}

// page serves a page and goes to it.
func (k *kit) page(html string) (url string) {
	k.Helper()
	url = k.serve("a.example", html)
	action := "navigate"
	if len(k.host.Running()) == 0 || strings.HasPrefix(k.call(m{"action": "tabs"}).Result.Text, "0 tabs") {
		action = "open"
	}
	k.do(m{"action": action, "url": url, "snapshot": true})
	return url
}

// serve serves a page on a host. A page tells the log of the kit what happens to
// it with say.
func (k *kit) serve(host, html string) (url string) {
	k.Helper()
	id := serial.Add(1)
	k.log.expect(id)
	return browsertest.HandlePath(k, host, fmt.Sprintf("/p%d", id), k.html(id, html))
}

func (k *kit) html(id int64, html string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		k.log.add(fmt.Sprintf("GET %s cookie=%s", r.URL.Path, r.Header.Get("Cookie")))
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		_, _ = fmt.Fprintf(w, "<!doctype html><meta charset=utf-8><title>Check %d</title><style>body { margin: 8px; font: 16px sans-serif }</style>"+
			"<script>function say(what) { fetch('http://a.example/said?page=%d', {method: 'POST', mode: 'no-cors', keepalive: true, body: what}) }</script>%s", id, id, html)
	}
}

// want compares the value of an expression in the page with a wanted one.
func (k *kit) want(expression string, want any) {
	k.Helper()
	if got := k.value(expression); fmt.Sprint(got) != fmt.Sprint(want) {
		k.Errorf("%s is %v, want %v", expression, got, want)
	}
}

// value asks the page.
func (k *kit) value(expression string) (v any) {
	k.Helper()
	o := k.call(m{"action": "evaluate", "script": expression})
	if o.Failed() {
		k.Fatalf("%s: %v", expression, o.Err)
	}
	if err := json.Unmarshal([]byte(content(o)), &v); err != nil {
		k.Fatalf("%s: %v in %q", expression, err, o.Result.Text)
	}
	return v
}

// crash kills the browser and waits until another one answers. It returns the
// process that is no more.
func (k *kit) crash() (before int) {
	k.Helper()
	before = k.host.Running()[profile].PID
	k.kill(before)
	k.soon("another browser", func() bool { // a call may still meet the dead one
		return !k.call(m{"action": "evaluate", "script": "1"}).Failed() && k.host.Running()[profile].PID != before
	})
	return before
}

// has wants parts in a text.
func (k *kit) has(text string, want ...string) {
	k.Helper()
	for _, w := range want {
		if !strings.Contains(text, w) {
			k.Errorf("%q lacks %q", text, w)
		}
	}
}

// A pageLog is what the pages of a check said to their server.
type pageLog struct {
	mu    sync.Mutex
	lines []string
	pages map[int64]bool
	news  chan struct{} // closed and made anew with every line
}

// ServeHTTP takes in what a page says.
func (l *pageLog) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	var id int64
	if _, err := fmt.Sscan(r.URL.Query().Get("page"), &id); err == nil {
		l.mu.Lock()
		known := l.pages[id]
		l.mu.Unlock()
		if known {
			l.add(string(body))
		}
	}
	w.WriteHeader(http.StatusNoContent)
}

func (l *pageLog) add(line string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.lines = append(l.lines, line)
	close(l.news)
	l.news = make(chan struct{})
}

// clear forgets what was said, and pays no heed to the pages of before.
func (l *pageLog) clear() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.lines, l.pages = nil, map[int64]bool{}
}

func (l *pageLog) expect(id int64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.pages[id] = true
}

// now is what was said so far, and what tells of more.
func (l *pageLog) now() (string, <-chan struct{}) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return "\n" + strings.Join(l.lines, "\n") + "\n", l.news
}

// said waits until a page has said each of some lines.
func (k *kit) said(want ...string) {
	k.Helper()
	timer := time.NewTimer(5 * time.Second)
	defer timer.Stop()
	for _, w := range want {
		for {
			text, news := k.log.now()
			if strings.Contains(text, "\n"+w+"\n") {
				break
			}
			select {
			case <-news:
			case <-timer.C:
				k.Fatalf("the page never said %q, but%s", w, text)
			}
		}
	}
}

// unsaid wants that no page has said a line. The page says another one first, so
// that what it said before has arrived.
func (k *kit) unsaid(line string) {
	k.Helper()
	k.value(`say("so far")`)
	k.said("so far")
	if text, _ := k.log.now(); strings.Contains(text, "\n"+line+"\n") {
		k.Errorf("the page said %q:%s", line, text)
	}
}
