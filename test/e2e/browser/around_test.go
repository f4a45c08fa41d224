package browser

import (
	"bytes"
	"fmt"
	"image"
	_ "image/png" // what pictures come as
	"net/http"
	"os"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/hobkin/hobkin/browser/browsertest"
)

// tabList is what the action tabs lists.
func (k *kit) tabList() []string {
	k.Helper()
	return regexp.MustCompile(`(?m)^t\d+ .*`).FindAllString(k.do(m{"action": "tabs"}), -1)
}

// newest is the id of the tab that was opened last.
func (k *kit) newest() string {
	k.Helper()
	list := k.tabList()
	id, _, _ := strings.Cut(list[len(list)-1], " ")
	return id
}

var tabChecks = []check{
	{"a second tab, and back to the first", func(k *kit) {
		first := k.page(`<p>First`)
		id := k.newest()
		second := k.serve("a.example", `<script>say("second")</script>`)
		k.do(m{"action": "open", "url": second})
		k.said("second")
		k.want("location.href", second)
		k.do(m{"action": "focus", "tab": id})
		k.want("location.href + document.visibilityState", first+"visible")
	}},
	{"a call names its tab", func(k *kit) {
		k.page(`<button onclick="say('first tab')">Go</button>`)
		id, ref := k.newest(), k.ref(`button "Go"`)
		k.do(m{"action": "open", "url": k.serve("a.example", `<p>Second`)})
		k.do(m{"action": "act", "kind": "click", "ref": ref, "tab": id})
		k.said("first tab")
	}},
	{"close", func(k *kit) {
		k.page(`<p>First`)
		k.do(m{"action": "open", "url": k.serve("a.example", `<script>addEventListener("pagehide", () => say("closed"))</script>`)})
		k.do(m{"action": "close", "tab": k.newest()})
		k.said("closed")
		if n := len(k.tabList()); n != 1 {
			k.Errorf("%d tabs are left", n)
		}
	}},
	{"a window that a page opens, with its first messages", func(k *kit) {
		to := k.serve("a.example", `<script>console.log("early words"); say("popup " + (opener !== null))</script>`)
		k.page(`<button onclick="window.open('` + to + `', 'w', 'width=300,height=200')">Open</button>`)
		k.has(k.act("click", `button "Open"`), "The page opened the tab")
		k.said("popup true")
		tab := k.newest()
		k.soon("its first messages", func() bool { return strings.Contains(k.do(m{"action": "console", "tab": tab}), "early words") })
	}},
	{"a link to a new tab", func(k *kit) {
		to := k.serve("a.example", `<script>say("blank")</script>`)
		k.page(`<a target=_blank href="` + to + `">New</a>`)
		k.act("click", `link "New"`)
		k.said("blank")
		k.do(m{"action": "focus", "tab": k.newest()})
		k.want("location.href", to)
	}},
	{"a link to a new tab that knows nothing of the old", func(k *kit) {
		to := k.serve("b.example", `<script>say("opener " + opener)</script>`)
		k.page(`<a target=_blank rel="noopener noreferrer" href="` + to + `">New</a>`)
		k.act("click", `link "New"`)
		k.said("opener null")
		if n := len(k.tabList()); n != 2 {
			k.Errorf("%d tabs are open", n)
		}
	}},
	{"a tab that closes itself", func(k *kit) {
		to := k.serve("a.example", `<button onclick="say('closing'); setTimeout(() => window.close(), 50)">Done</button>`)
		k.page(`<button onclick="window.open('` + to + `')">Open</button>`)
		k.act("click", `button "Open"`)
		k.do(m{"action": "focus", "tab": k.newest(), "snapshot": true})
		k.call(k.acting("click", `button "Done"`))
		k.said("closing")
		k.soon("one tab", func() bool { return len(k.tabList()) == 1 })
		k.want("document.querySelector('button').textContent", "Open")
	}},
	{"more tabs than may be: the oldest goes, and it is told", func(k *kit) {
		k.page(`<p>First`)
		var text string
		for range 4 {
			text = k.do(m{"action": "open", "url": k.serve("a.example", `<script>addEventListener("pagehide", () => say("gone"))</script>`)})
		}
		k.has(text, "is gone: it was the oldest of more than 4 tabs")
		if n := len(k.tabList()); n != 4 {
			k.Errorf("%d tabs are open", n)
		}
	}},
}

// soon waits for a condition.
func (k *kit) soon(what string, ok func() bool) {
	k.Helper()
	for begin := time.Now(); !ok(); <-time.After(20 * time.Millisecond) {
		if time.Since(begin) > 10*time.Second {
			k.Fatalf("waiting for %s", what)
		}
	}
}

var waitChecks = []check{
	{"for text", func(k *kit) {
		k.page(`<p id=p>soon</p><script>setTimeout(() => { p.textContent = "there it is" }, 400)</script>`)
		k.do(m{"action": "act", "kind": "wait", "text": "there it is"})
		k.want("p.textContent", "there it is")
	}},
	{"until text is gone", func(k *kit) {
		k.page(`<p id=p>loading</p><script>setTimeout(() => p.remove(), 400)</script>`)
		k.do(m{"action": "act", "kind": "wait", "gone": "loading"})
		k.want("document.querySelectorAll('p').length", 0)
	}},
	{"for an element", func(k *kit) {
		k.page(`<button id=b style="visibility:visible">Later</button>`)
		ref := k.ref(`button "Later"`)
		k.value(`b.hidden = true, setTimeout(() => { b.hidden = false }, 400), 0`)
		k.do(m{"action": "act", "kind": "wait", "ref": ref})
		k.want("b.hidden", false)
	}},
	{"for an address", func(k *kit) {
		to := k.serve("a.example", `<p>Second`)
		k.page(`<script>setTimeout(() => { location = "` + to + `" }, 400)</script>`)
		k.do(m{"action": "act", "kind": "wait", "url": to})
		k.want("location.href", to)
	}},
	{"for what does not come: told in time", func(k *kit) {
		k.page(`<p>soon</p>`)
		begin := time.Now()
		why := k.fails("not_in_time", m{"action": "act", "kind": "wait", "text": "never", "timeout_ms": 300})
		k.has(why, "never")
		if took := time.Since(begin); took < 300*time.Millisecond || took > 10*time.Second {
			k.Errorf("it took %v", took)
		}
		k.want("document.body.innerText.includes('never')", false)
	}},
}

// picture is the only picture of a call's result.
func (k *kit) picture(args m) image.Image {
	k.Helper()
	o := k.call(args)
	if o.Failed() || len(o.Result.Images) != 1 || len(o.Result.Files) != 1 {
		k.Fatalf("%v: %v, %d pictures, files %v", args, o.Err, len(o.Result.Images), o.Result.Files)
	}
	img, _, err := image.Decode(bytes.NewReader(o.Result.Images[0].Data))
	if err != nil {
		k.Fatal(err)
	}
	return img
}

// shows wants a colour of the page at a place of a picture.
func (k *kit) shows(img image.Image, x, y int, r, g, b uint32) {
	k.Helper()
	near := func(a, b uint32) bool { return a>>8 < b+12 && b < a>>8+12 }
	gotR, gotG, gotB, _ := img.At(x, y).RGBA()
	if !near(gotR, r) || !near(gotG, g) || !near(gotB, b) {
		k.Errorf("at %d,%d is %d %d %d, want %d %d %d", x, y, gotR>>8, gotG>>8, gotB>>8, r, g, b)
	}
}

// coloured is a page of stripes: red in view, blue a long way down.
const coloured = `<style>body { margin: 0 }</style><div style="height:900px;background:rgb(200,10,10)"></div><div style="height:20000px;background:#fff"></div><div role=img aria-label=Blue style="width:300px;height:120px;background:rgb(10,20,220)"></div>`

var lookChecks = []check{
	{"a picture of what is in view", func(k *kit) {
		k.page(coloured)
		img := k.picture(m{"action": "screenshot"})
		if s := img.Bounds().Size(); s.X != 1280 || s.Y != 800 {
			k.Errorf("it has %v", s)
		}
		k.shows(img, 640, 790, 200, 10, 10)
	}},
	{"a picture of the whole page, within bounds", func(k *kit) {
		k.page(coloured)
		img := k.picture(m{"action": "screenshot", "full_page": true})
		s := img.Bounds().Size()
		if s.Y > 16000 || s.X*s.Y > 40_000_000 || s.Y <= s.X {
			k.Errorf("it has %v", s)
		}
		k.shows(img, 1, s.Y-2, 10, 20, 220)
	}},
	{"a picture of an element", func(k *kit) {
		k.page(coloured)
		img := k.picture(m{"action": "screenshot", "ref": k.ref(`"Blue"`)})
		if s := img.Bounds().Size(); s.X != 300 || s.Y != 120 {
			k.Errorf("it has %v", s)
		}
		k.shows(img, 150, 60, 10, 20, 220)
	}},
	{"a picture of a tab that is not in front", func(k *kit) {
		k.page(coloured)
		id := k.newest()
		k.do(m{"action": "open", "url": k.serve("a.example", `<body style="background:#0f0">`)})
		k.shows(k.picture(m{"action": "screenshot", "tab": id}), 640, 400, 200, 10, 10)
	}},
	{"a PDF", func(k *kit) {
		k.page(`<h1>Printed</h1><p style="break-before:page">Second page`)
		o := k.call(m{"action": "pdf", "name": "printed"})
		if o.Failed() || len(o.Result.Files) != 1 {
			k.Fatal(o.Err)
		}
		data, err := os.ReadFile(o.Result.Files[0])
		if err != nil || !bytes.HasPrefix(data, []byte("%PDF-")) || !bytes.Contains(data, []byte("/Count 2")) {
			k.Errorf("%d bytes, %v", len(data), err)
		}
	}},
	{"messages on the console", func(k *kit) {
		k.page(`<script>console.warn("careful", {a: [1]}); say("wrote")</script>`)
		k.said("wrote")
		k.has(k.do(m{"action": "console"}), "warn", "careful")
	}},
	{"an exception", func(k *kit) {
		k.page(`<button onclick="say('throws'); nothing.there()">Break</button>`)
		k.has(k.act("click", `button "Break"`), "1 error on the console")
		k.said("throws")
		k.has(k.do(m{"action": "console"}), "nothing is not defined")
	}},
	{"requests", func(k *kit) {
		api := browsertest.Handle(k, "a.example", http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			k.log.add("api asked")
			w.WriteHeader(http.StatusTeapot)
		}))
		k.page(`<button onclick="fetch('` + api + `', {method: 'PUT', body: 'x'})">Send</button>`)
		k.act("click", `button "Send"`)
		k.said("api asked")
		k.has(k.do(m{"action": "network", "url": api}), "PUT "+api+" 418")
	}},
	{"a script, its promise awaited", func(k *kit) {
		k.page(`<p>Here`)
		k.want(`new Promise(done => setTimeout(() => { say("awaited"); done([1, "zwei", null]) }, 50))`, `[1 zwei <nil>]`)
		k.said("awaited")
	}},
	{"a script that throws is told", func(k *kit) {
		k.page(`<p>Here`)
		why := k.fails("script_failed", m{"action": "evaluate", "script": `say("ran"); throw new Error("on purpose")`})
		k.has(why, "on purpose")
		k.said("ran")
	}},
}

var cookieChecks = []check{
	{"read what the server set", func(k *kit) {
		url := browsertest.Handle(k, "a.example", http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			http.SetCookie(w, &http.Cookie{Name: "sid", Value: "abc", HttpOnly: true, Path: "/"})
			w.Header().Set("Content-Type", "text/html")
			_, _ = fmt.Fprint(w, "<p>Set")
		}))
		k.page(`<p>Before`)
		k.do(m{"action": "navigate", "url": url})
		k.has(k.do(m{"action": "cookies"}), "sid")
		k.want("document.cookie.includes('sid')", false) // the page must not see it
		path := strings.TrimPrefix(k.page(`<p>After`), "http://a.example")
		k.said("GET " + path + " cookie=sid=abc")
	}},
	{"set one that the server gets, and delete it", func(k *kit) {
		k.page(`<p>Before`)
		k.do(m{"action": "cookies", "op": "clear"})
		k.do(m{"action": "cookies", "op": "set", "name": "theme", "value": "dark"})
		path := strings.TrimPrefix(k.page(`<p>After`), "http://a.example")
		k.said("GET " + path + " cookie=theme=dark")
		k.do(m{"action": "cookies", "op": "delete", "name": "theme"})
		path = strings.TrimPrefix(k.page(`<p>After`), "http://a.example")
		k.said("GET " + path + " cookie=")
	}},
	{"what a page stores", func(k *kit) {
		k.page(`<script>localStorage.setItem("theme", "dark")</script>`)
		k.has(k.do(m{"action": "storage"}), "theme", "dark")
		k.do(m{"action": "storage", "op": "set", "name": "theme", "value": "light"})
		k.do(m{"action": "storage", "op": "set", "name": "step", "value": "2", "area": "session"})
		k.want("localStorage.theme + sessionStorage.step", "light2")
		k.do(m{"action": "storage", "op": "clear"})
		k.want("localStorage.length", 0)
	}},
}

// renderers are the processes of the browser that show pages.
func (k *kit) renderers() (pids []int) {
	k.Helper()
	group := k.host.Running()[profile].PID
	all, err := os.ReadDir("/proc")
	if err != nil {
		k.Fatal(err)
	}
	for _, e := range all {
		pid, err := strconv.Atoi(e.Name())
		if err != nil {
			continue
		}
		stat, serr := os.ReadFile("/proc/" + e.Name() + "/stat")
		line, lerr := os.ReadFile("/proc/" + e.Name() + "/cmdline")
		if serr != nil || lerr != nil || !bytes.Contains(line, []byte("--type=renderer")) {
			continue // it has just ended, or is another's
		}
		fields := strings.Fields(string(stat[bytes.LastIndexByte(stat, ')')+1:]))
		if len(fields) > 2 && fields[2] == strconv.Itoa(group) { // the process group
			pids = append(pids, pid)
		}
	}
	return pids
}

// kill ends a process at once.
func (k *kit) kill(pid int) {
	k.Helper()
	p, err := os.FindProcess(pid)
	if err != nil {
		k.Fatal(err)
	}
	_ = p.Kill() // it may have ended
}

var troubleChecks = []check{
	{"a reference of a page that was left is refused", func(k *kit) {
		k.page(`<button onclick="say('old')">Same name</button>`)
		old := k.ref(`button "Same name"`)
		k.page(`<button onclick="say('new')">Same name</button>`)
		k.fails("stale_ref", m{"action": "act", "kind": "click", "ref": old})
		k.unsaid("old")
		k.unsaid("new")
	}},
	{"a reference of an element that was removed is refused", func(k *kit) {
		k.page(`<button id=b onclick="say('old')">Gone</button>`)
		k.value(`b.remove(), 0`)
		k.fails("stale_ref", k.acting("click", `button "Gone"`))
		k.unsaid("old")
	}},
	{"a reference of an element that was drawn anew: the new one is offered, not clicked", func(k *kit) {
		k.page(`<button id=b onclick="say('clicked ' + this.dataset.n)" data-n=1>Save</button><button>Cancel</button>`)
		old := k.acting("click", `button "Save"`)
		k.value(`b.outerHTML = b.outerHTML.replace('data-n="1"', 'data-n="2"'), 0`)
		why := k.fails("stale_ref", old)
		k.do(m{"action": "snapshot"})
		k.has(why, k.ref(`button "Save"`))
		k.unsaid("clicked 1")
		k.unsaid("clicked 2")
	}},
	{"a page that computes without an end", func(k *kit) {
		k.page(`<button onclick="say('stuck'); setTimeout(() => { for (;;); })">Hang</button>`)
		k.call(k.acting("click", `button "Hang"`, m{"timeout_ms": 1000}))
		k.said("stuck")
		begin := time.Now()
		k.page(`<script>say("well again")</script>`)
		k.said("well again")
		if took := time.Since(begin); took > 15*time.Second {
			k.Errorf("it took %v", took)
		}
	}},
	{"a script of the call's that does not end", func(k *kit) {
		k.page(`<p>Here`)
		k.fails("script_failed", m{"action": "evaluate", "script": "for (;;);", "timeout_ms": 1000})
		k.page(`<script>say("well again")</script>`)
		k.said("well again")
	}},
	{"a page whose process dies", func(k *kit) {
		url := k.page(`<script>say("shown")</script>`)
		k.said("shown")
		for _, pid := range k.renderers() {
			k.kill(pid)
		}
		k.log.add("killed")
		k.soon("the crash to be told", func() bool { return k.call(m{"action": "act", "kind": "get"}).Failed() })
		k.do(m{"action": "reload"})
		k.said("killed")
		k.want("location.href", url)
		k.want("document.title.startsWith('Check')", true)
	}},
	{"a browser that is killed: the next call works, with its tabs", func(k *kit) {
		url := k.page(`<script>say("shown")</script>`)
		k.do(m{"action": "open", "url": k.serve("a.example", `<script>say("second")</script>`)})
		k.said("shown", "second")
		k.log.clear()
		before := k.crash()
		k.want("document.title.startsWith('Check')", true)
		if now := k.host.Running()[profile].PID; now == before || now == 0 {
			k.Errorf("the browser %d runs after %d", now, before)
		}
		list := k.tabList()
		if len(list) != 2 || !strings.Contains(list[0], url) {
			k.Errorf("the tabs are %v", list)
		}
	}},
	{"a browser that is killed: cookies stay", func(k *kit) {
		k.page(`<script>document.cookie = "login=yes; max-age=9999; path=/"</script>`)
		saved := func() bool {
			all, err := os.ReadFile(k.base + "/profiles/" + profile + "/hobkin-cookies.json")
			return err == nil && bytes.Contains(all, []byte(`"login"`))
		}
		k.soon("the cookies to be saved", func() bool { k.want("document.cookie", "login=yes"); return saved() })
		k.crash()
		path := strings.TrimPrefix(k.page(`<p>After`), "http://a.example")
		k.said("GET " + path + " cookie=login=yes")
	}},
	{"a profile that is closed and opened again keeps what it had", func(k *kit) {
		k.page(`<script>localStorage.setItem("kept", "yes"); document.cookie = "also=kept; max-age=9999; path=/"</script>`)
		pid := k.host.Running()[profile].PID
		k.do(m{"action": "stop"})
		k.soon("the browser to end", func() bool { _, err := os.Stat(fmt.Sprintf("/proc/%d", pid)); return err != nil })
		k.page(`<p>Again`)
		k.want("localStorage.kept + document.cookie.includes('also=kept')", "yestrue")
	}},
	{"nothing is left after stop", func(k *kit) {
		k.page(`<p>Last`)
		pid := k.host.Running()[profile].PID
		if len(k.renderers()) == 0 {
			k.Error("no renderers were found before")
		}
		k.do(m{"action": "stop"})
		begin := time.Now()
		k.soon("the end of its last process", func() bool { return !groupLives(pid) })
		if took := time.Since(begin); took > 8*time.Second {
			k.Errorf("it took %v", took)
		}
		if left, err := os.ReadDir(k.base + "/arrivals"); err != nil || len(left) != 0 {
			k.Errorf("left over: %v, %v", left, err)
		}
	}},
}
