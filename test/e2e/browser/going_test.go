package browser

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/hobkin/hobkin/browser/browsertest"
)

var launchChecks = []check{
	{"the program that is meant starts and reads a page", func(k *kit) {
		k.do(m{"action": "doctor"})
	}},
	{"the first page starts it", func(k *kit) {
		if len(k.host.Running()) != 0 && k.host.Running()[profile].PID != 0 {
			k.Fatal("it runs already")
		}
		k.page(`<script>say(navigator.userAgent.includes("Chrome/") ? "here" : navigator.userAgent)</script>`)
		k.said("here")
		exe, err := os.Readlink(fmt.Sprintf("/proc/%d/exe", k.host.Running()[profile].PID))
		if err != nil || exe != k.binary.Path {
			k.Errorf("%s runs, not %s: %v", exe, k.binary.Path, err)
		}
	}},
	{"the window has the size of the settings", func(k *kit) {
		k.page(`<p>Size`)
		k.want("innerWidth + 'x' + innerHeight", "1280x800")
	}},
}

var navigateChecks = []check{
	{"goes to an address", func(k *kit) {
		url := k.page(`<h1>There</h1>`)
		k.want("location.href", url)
	}},
	{"a picture that hangs does not hold the page up", func(k *kit) {
		url := k.hang()
		begin := time.Now()
		k.page(`<img src="` + url + `"><button onclick="say('usable')">Go</button>`)
		if took := time.Since(begin); took > 8*time.Second {
			k.Errorf("it took %v", took)
		}
		k.want("document.images[0].complete", false)
		k.act("click", `button "Go"`)
		k.said("usable")
	}},
	{"a name that does not exist is told", func(k *kit) {
		k.page(`<p>Before`)
		k.fails("not_found", m{"action": "navigate", "url": "http://nowhere.invalid/"})
		k.page(`<script>say("after")</script>`)
		k.said("after")
	}},
	{"the address of a file downloads it, and the tab stays", func(k *kit) {
		url := k.page(`<p>Before`)
		k.do(m{"action": "navigate", "url": k.attachment("navigated.csv", "a,b\n1,2\n")})
		k.file("navigated.csv", "a,b\n1,2\n")
		k.want("location.href", url)
	}},
	{"a server that sends nothing fails in time", func(k *kit) {
		k.page(`<p>Before`)
		begin := time.Now()
		k.fails("navigation_timeout", m{"action": "navigate", "url": k.hang(), "timeout_ms": 1500})
		if took := time.Since(begin); took > 15*time.Second {
			k.Errorf("it took %v", took)
		}
		k.page(`<script>say("after")</script>`)
		k.said("after")
	}},
	{"back and forward", func(k *kit) {
		first := k.page(`<script>addEventListener("pageshow", () => say("one shown"))</script>`)
		second := k.page(`<script>addEventListener("pageshow", () => say("two shown"))</script>`)
		k.log.lines = nil
		k.do(m{"action": "back"})
		k.said("one shown")
		k.want("location.href", first)
		k.do(m{"action": "forward"})
		k.said("two shown")
		k.want("location.href", second)
	}},
	{"no page to go forward to is told", func(k *kit) {
		url := k.page(`<p>Last`)
		k.fails("no_history", m{"action": "forward"})
		k.want("location.href", url)
	}},
	{"reload asks the server again", func(k *kit) {
		k.page(`<script>say("loaded " + performance.getEntriesByType("navigation")[0].type)</script>`)
		k.do(m{"action": "reload"})
		k.said("loaded navigate", "loaded reload")
	}},
	{"follows a redirect", func(k *kit) {
		to := k.serve("b.example", `<p>Arrived`)
		k.page(`<p>Before`)
		k.do(m{"action": "navigate", "url": browsertest.Handle(k, "a.example", http.RedirectHandler(to, http.StatusFound))})
		k.want("location.href", to)
	}},
	{"a redirect without an end is told", func(k *kit) {
		path := fmt.Sprintf("/loop%d", serial.Add(1))
		url := browsertest.HandlePath(k, "a.example", path, http.RedirectHandler(path, http.StatusFound))
		k.page(`<p>Before`)
		k.fails("redirect_loop", m{"action": "navigate", "url": url})
	}},
	{"the status of the server is told", func(k *kit) {
		k.page(`<p>Before`)
		text := k.do(m{"action": "navigate", "url": browsertest.Handle(k, "a.example", http.NotFoundHandler())})
		k.has(text, "404")
		k.want("performance.getEntriesByType('navigation')[0].responseStatus", 404)
	}},
	{"an internal address is not reached", func(k *kit) {
		k.page(`<p>Before`)
		k.fails("navigation_blocked", m{"action": "navigate", "url": "http://127.0.0.1:1/"})
		k.fails("bad_scheme", m{"action": "navigate", "url": "file:///etc/passwd"})
		k.fails("bad_scheme", m{"action": "navigate", "url": "javascript:say('ran')"})
		k.page(`<p>After`)
		k.unsaid("ran")
	}},
}

// hang serves an address that never answers, until the check ends.
func (k *kit) hang() string {
	end := make(chan struct{})
	k.Cleanup(func() { close(end) })
	return browsertest.Handle(k, "a.example", http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		select {
		case <-end:
		case <-r.Context().Done():
		}
	}))
}

// attachment serves a file.
func (k *kit) attachment(name, text string) string {
	return browsertest.Handle(k, "a.example", http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/octet-stream")
		w.Header().Set("Content-Disposition", `attachment; filename="`+name+`"`)
		_, _ = fmt.Fprint(w, text)
	}))
}

// file wants a download in the conversation's folder.
func (k *kit) file(name, text string) {
	k.Helper()
	got, err := os.ReadFile(filepath.Join(k.base, "downloads", name))
	if err != nil || string(got) != text {
		k.Errorf("the file %s holds %q: %v", name, got, err)
	}
}

var snapshotChecks = []check{
	{"every control has a reference, and each is that of its element", func(k *kit) {
		k.page(`<h1>All</h1><a href="#a" onclick="say('link')">Link</a><button onclick="say('button')">Button</button>
<label>Field <input onfocus="say('field')"></label><label>Box <input type=checkbox onchange="say('box')"></label>
<div onclick="say('plain')" style="cursor: pointer">Plain</div><details><summary onclick="say('more')">More</summary>x</details>`)
		for _, label := range []string{`link "Link"`, `button "Button"`, `textbox "Field"`, `checkbox "Box"`, `"Plain"`, `"More"`} {
			k.act("click", label)
		}
		k.said("link", "button", "field", "box", "plain", "more")
	}},
	{"a reference stays that of its element when others come before it", func(k *kit) {
		k.page(`<div id=list><button onclick="say('old')">Old</button></div>`)
		old := k.ref(`button "Old"`)
		k.value(`list.insertAdjacentHTML("afterbegin", "<button onclick=\"say('new')\">New</button>".repeat(3)), 0`)
		k.do(m{"action": "snapshot"})
		if now := k.ref(`button "Old"`); now != old {
			k.Errorf("%s became %s", old, now)
		}
		k.do(m{"action": "act", "kind": "click", "ref": old})
		k.said("old")
		k.unsaid("new")
	}},
	{"only what can be used", func(k *kit) {
		k.page(`<p>Words that only stand there</p><button onclick="say('used')">Use</button>`)
		k.do(m{"action": "snapshot", "interactive": true})
		if strings.Contains(k.seen, "Words that") {
			k.Errorf("text is in it: %s", k.seen)
		}
		k.act("click", `button "Use"`)
		k.said("used")
	}},
	{"a part", func(k *kit) {
		k.page(`<button>Outside</button><section aria-label=Inner><button onclick="say('inside')">Inside</button></section>`)
		k.do(m{"action": "snapshot", "ref": k.ref(`"Inner"`)})
		if strings.Contains(k.seen, "Outside") {
			k.Errorf("the rest is in it: %s", k.seen)
		}
		k.act("click", `button "Inside"`)
		k.said("inside")
	}},
	{"what changed", func(k *kit) {
		k.page(`<button onclick="out.textContent = 'the news'; say(out.textContent)">Go</button><p>the same</p><p id=out></p>`)
		text := k.act("click", `button "Go"`, m{"snapshot": true})
		k.said("the news")
		k.has(text, `+ "the news"`)
		if strings.Contains(text, "the same") {
			k.Errorf("what is the same is in it: %s", text)
		}
	}},
	{"what is hidden is not in it", func(k *kit) {
		k.page(`<p style="display:none">secret one</p><p style="position:absolute; left:-9999px">secret two</p><p style="opacity:0">secret three</p><p>open</p>`)
		if strings.Contains(k.seen, "secret one") || !strings.Contains(k.seen, "open") {
			k.Error(k.seen)
		}
		k.want("document.querySelectorAll('p').length", 4)
	}},
	{"5,000 elements, the last of them usable", func(k *kit) {
		k.page(`<div id=all></div><script>for (let i = 0; i < 2500; i++) all.insertAdjacentHTML("beforeend", "<p><button onclick=say(this.textContent)>Button " + i + "</button></p>")</script>`)
		k.want("all.querySelectorAll('*').length", 5000)
		k.do(m{"action": "snapshot", "max_chars": 60000})
		k.act("click", `button "Button 1700"`)
		k.said("Button 1700")
	}},
}
