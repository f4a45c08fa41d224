package browser

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// shadow puts html into a shadow root of a mode.
func shadow(mode, html string) string {
	return `<div id=host></div><script>host.attachShadow({mode: "` + mode + `"}).innerHTML = ` + "`" + html + "`" + `</script>`
}

var shadowChecks = []check{
	{"an open root: click", func(k *kit) {
		k.page(shadow("open", `<button onclick="say('in the shadow')">Shady</button>`))
		k.act("click", `button "Shady"`)
		k.said("in the shadow")
	}},
	{"an open root: fill", func(k *kit) {
		k.page(shadow("open", `<label>Name <input oninput="say('value ' + this.value)"></label>`))
		k.act("fill", `textbox "Name"`, m{"text": "Ada"})
		k.said("value Ada")
	}},
	{"a root in a root: click and fill", func(k *kit) {
		k.page(`<div id=outer></div><script>const inner = outer.attachShadow({mode: "open"}); inner.innerHTML = "<div></div>"
inner.firstChild.attachShadow({mode: "open"}).innerHTML = "<button onclick=\"say('deep')\">Deep</button><label>Low <input oninput=\"say('low ' + this.value)\"></label>"</script>`)
		k.act("click", `button "Deep"`)
		k.act("fill", `textbox "Low"`, m{"text": "tide"})
		k.said("deep", "low tide")
	}},
	{"what is slotted: click", func(k *kit) {
		k.page(`<div id=host><button slot=a onclick="say('slotted')">Slotted</button></div><script>host.attachShadow({mode: "open"}).innerHTML = "<p>Frame <slot name=a></slot></p>"</script>`)
		k.act("click", `button "Slotted"`)
		k.said("slotted")
	}},
	{"a closed root: click", func(k *kit) {
		k.page(shadow("closed", `<button onclick="say('behind the door')">Behind</button>`))
		k.want("host.shadowRoot", nil)
		k.act("click", `button "Behind"`)
		k.said("behind the door")
	}},
	{"a closed root: fill", func(k *kit) {
		k.page(shadow("closed", `<label>Inner <input oninput="say('value ' + this.value)"></label>`))
		k.act("fill", `textbox "Inner"`, m{"text": odd})
		k.said("value " + odd)
	}},
}

const inFrame = `<p>Words inside</p><button onclick="say('clicked in ' + location.host)">Inside</button><label>Name <input oninput="say('filled in ' + location.host + ' ' + value)"></label>`

// framed shows pages in frames of frames: the last host is the innermost.
func (k *kit) framed(hosts ...string) {
	k.Helper()
	url := ""
	for _, host := range slices.Backward(hosts) {
		html := inFrame
		if url != "" {
			html = `<p>Around</p><div style="height:30px"></div><iframe style="margin-left:40px" width=500 height=260 src="` + url + `"></iframe>`
		}
		url = k.serve(host, html)
	}
	k.page(`<h1>Top</h1><div style="height:60px"></div><iframe title=Frame width=640 height=420 src="` + url + `"></iframe>`)
	for begin := time.Now(); !strings.Contains(k.seen, "Words inside") && time.Since(begin) < 5*time.Second; {
		k.do(m{"action": "snapshot"})
	}
}

// inside are the checks of one way to nest frames.
func inside(about string, hosts ...string) []check {
	last := hosts[len(hosts)-1]
	return []check{
		{about + ": snapshot", func(k *kit) {
			k.framed(hosts...)
			k.has(k.seen, "Words inside", `button "Inside"`, `textbox "Name"`)
			k.want("frames.length + ' ' + document.body.innerText.includes('Words inside')", "1 false")
		}},
		{about + ": click", func(k *kit) {
			k.framed(hosts...)
			k.act("click", `button "Inside"`)
			k.said("clicked in " + last)
		}},
		{about + ": fill", func(k *kit) {
			k.framed(hosts...)
			k.act("fill", `textbox "Name"`, m{"text": "Ada"})
			k.said("filled in " + last + " Ada")
		}},
	}
}

var frameChecks = func() (list []check) {
	list = append(list, inside("a frame of the same origin", "a.example")...)
	list = append(list, inside("a frame of another site", "b.example")...)
	list = append(list, inside("a frame in a frame of another site", "b.example", "b.example")...)
	return append(list, inside("a frame of a third site in it", "b.example", "c.example")...)
}()

// local writes a file that may be uploaded.
func (k *kit) local(name, text string) string {
	k.Helper()
	path := filepath.Join(k.base, "work", name)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		k.Fatal(err)
	}
	return path
}

const told = `onchange="Promise.all([...this.files].map(async f => f.name + '=' + await f.text())).then(all => say('got ' + all.join(' ')))"`

var fileChecks = []check{
	{"upload into a field", func(k *kit) {
		k.page(`<label>File <input type=file ` + told + `></label>`)
		k.do(m{"action": "upload", "ref": k.ref(`"File"`), "paths": []string{k.local("note.txt", "the tide")}})
		k.said("got note.txt=the tide")
	}},
	{"upload of several", func(k *kit) {
		k.page(`<label>Files <input type=file multiple ` + told + `></label>`)
		k.do(m{"action": "upload", "ref": k.ref(`"Files"`), "paths": []string{k.local("a.txt", "1"), k.local("b.txt", "2")}})
		k.said("got a.txt=1 b.txt=2")
	}},
	{"upload by the button that asks for a file", func(k *kit) {
		k.page(`<button onclick="pick.click()">Choose</button><input type=file id=pick hidden ` + told + `>`)
		k.do(m{"action": "upload", "ref": k.ref(`button "Choose"`), "paths": []string{k.local("note.txt", "by the button")}})
		k.said("got note.txt=by the button")
	}},
	{"upload of what may not be read is refused", func(k *kit) {
		k.page(`<label>File <input type=file ` + told + `></label>`)
		k.fails("protected_path", m{"action": "upload", "ref": k.ref(`"File"`), "paths": []string{"/etc/shadow"}})
		k.want("document.querySelector('input').files.length", 0)
	}},
	{"download of an attachment by its link", func(k *kit) {
		k.page(`<a href="` + k.attachment("report.csv", "a;b") + `">Report</a>`)
		k.do(m{"action": "download", "ref": k.ref(`link "Report"`)})
		k.file("report.csv", "a;b")
	}},
	{"download of an address", func(k *kit) {
		k.page(`<p>Before`)
		k.do(m{"action": "download", "url": k.attachment("direct.bin", "\x00\x01")})
		k.file("direct.bin", "\x00\x01")
	}},
	{"download of what a page makes", func(k *kit) {
		k.page(`<button id=make>Make</button><script>make.onclick = () => setTimeout(() => {
const a = document.createElement("a"); a.href = URL.createObjectURL(new Blob(["made here"])); a.download = "made.txt"; a.click(); say("offered") }, 600)</script>`)
		k.do(m{"action": "download", "ref": k.ref(`button "Make"`)})
		k.said("offered")
		k.file("made.txt", "made here")
	}},
	{"a download that comes by a click is told of", func(k *kit) {
		k.page(`<a href="` + k.attachment("clicked.txt", "by a click") + `">Get it</a>`)
		text := k.act("click", `link "Get it"`)
		for begin := time.Now(); !strings.Contains(text, "Downloaded clicked.txt") && time.Since(begin) < 5*time.Second; {
			text = k.do(m{"action": "tabs"})
		}
		k.file("clicked.txt", "by a click")
	}},
	{"the name of a download leads nowhere else", func(k *kit) {
		k.page(`<a href="` + k.attachment("../../../escaped.txt", "out") + `">Report</a>`)
		k.do(m{"action": "download", "ref": k.ref(`link "Report"`)})
		for _, up := range []string{"..", "../..", "../../.."} {
			if _, err := os.Stat(filepath.Join(k.base, "downloads", up, "escaped.txt")); !errors.Is(err, os.ErrNotExist) {
				k.Errorf("it lies in %s: %v", up, err)
			}
		}
		list, err := os.ReadDir(filepath.Join(k.base, "downloads"))
		if err != nil || len(list) == 0 {
			k.Error("it is nowhere", err)
		}
	}},
}

// asking is a page with a button that asks.
func asking(script string) string {
	return `<button id=ask>Ask</button><script>ask.onclick = () => say("answer " + ` + script + `)</script>`
}

var dialogChecks = []check{
	{"alert", func(k *kit) {
		k.page(asking(`alert("Listen")`))
		k.has(k.act("click", `button "Ask"`), `alert "Listen"`)
		k.do(m{"action": "dialog", "accept": true})
		k.said("answer undefined")
	}},
	{"confirm with OK", func(k *kit) {
		k.page(asking(`confirm("Sure?")`))
		k.has(k.act("click", `button "Ask"`), `confirm "Sure?"`)
		k.do(m{"action": "dialog", "accept": true})
		k.said("answer true")
	}},
	{"confirm with Cancel", func(k *kit) {
		k.page(asking(`confirm("Sure?")`))
		k.act("click", `button "Ask"`)
		k.do(m{"action": "dialog", "accept": false})
		k.said("answer false")
	}},
	{"prompt with words", func(k *kit) {
		k.page(asking(`prompt("Who?", "nobody")`))
		k.has(k.act("click", `button "Ask"`), `prompt "Who?" with "nobody" in it`)
		k.do(m{"action": "dialog", "accept": true, "text": "Zoë"})
		k.said("answer Zoë")
	}},
	{"prompt with its own words, and with none", func(k *kit) {
		k.page(asking(`prompt("Who?", "nobody")`))
		k.act("click", `button "Ask"`)
		k.do(m{"action": "dialog", "accept": true})
		k.said("answer nobody")
		k.act("click", `button "Ask"`)
		k.do(m{"action": "dialog", "accept": false})
		k.said("answer null")
	}},
	{"nothing else is done meanwhile", func(k *kit) {
		k.page(asking(`confirm("Sure?")`) + `<button onclick="say('other')">Other</button>`)
		other := k.acting("click", `button "Other"`)
		k.act("click", `button "Ask"`)
		k.fails("dialog_open", other)
		k.fails("dialog_open", m{"action": "snapshot"})
		k.do(m{"action": "dialog", "accept": true})
		k.said("answer true")
		k.unsaid("other")
	}},
	{"a page that asks before it is left: stay", func(k *kit) {
		url := k.page(`<button>Touch</button><script>addEventListener("beforeunload", e => { say("asked"); e.preventDefault() })</script>`)
		k.act("click", `button "Touch"`)
		k.call(m{"action": "reload"})
		k.said("asked")
		k.do(m{"action": "dialog", "accept": false})
		k.want("location.href", url)
		k.call(m{"action": "reload"})
		k.do(m{"action": "dialog", "accept": true})
	}},
	{"a page that asks before it is left: leave", func(k *kit) {
		to := k.serve("a.example", `<script>say("left")</script><p>Elsewhere`)
		k.page(`<a href="` + to + `">Leave</a><script>addEventListener("beforeunload", e => { say("asked"); e.preventDefault() })</script>`)
		k.act("click", `link "Leave"`)
		k.said("asked")
		k.do(m{"action": "dialog", "accept": true})
		k.said("left")
		k.want("location.href", to)
	}},
}
