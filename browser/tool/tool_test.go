package tool

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/hobkin/hobkin/browser/browsertest"
	"github.com/hobkin/hobkin/core/capability"
	"github.com/hobkin/hobkin/core/capability/capabilitytest"
	"github.com/hobkin/hobkin/core/sandbox"
)

func TestMain(m *testing.M) {
	os.Exit(browsertest.Main(m, func() { //nolint:forbidigo // the main of tests ends with their code
		if together.host != nil {
			_ = together.host.Close(context.Background()) // what it leaves fails the tests
		}
	}))
}

// together is the host that tests share which do not care what others opened.
var together struct {
	host *Host
	dir  string
}

// newHost makes a host for one test, that works in dir.
func newHost(t *testing.T, dir string, change func(*Settings)) *Host {
	t.Helper()
	h := hostIn(t, dir, change)
	t.Cleanup(func() {
		if err := h.Close(context.Background()); err != nil {
			t.Error(err)
		}
	})
	return h
}

// hostIn makes a host on the web of the tests.
func hostIn(t *testing.T, dir string, change func(*Settings)) *Host {
	t.Helper()
	browsertest.Binary(t)
	policy, err := sandbox.New(sandbox.Config{Home: filepath.Join(dir, "..", "home"), Workspace: dir})
	if err != nil {
		t.Fatal(err)
	}
	base := filepath.Dir(dir)
	s := Settings{Enabled: true, Headless: true, Profile: "default", Idle: time.Minute, MaxTabs: 3, Width: 1280, Height: 800, Tied: func(secret, host string, _ int) bool {
		return secret == "shop" && host == "shop.example"
	}}
	if change != nil {
		change(&s)
	}
	keep := func(folder, name string, data []byte) (string, error) {
		at := filepath.Join(base, "session", folder)
		if err := os.MkdirAll(at, 0o700); err != nil {
			return "", err
		}
		if data == nil {
			return at, nil
		}
		return filepath.Join(at, name), os.WriteFile(filepath.Join(at, name), data, 0o600)
	}
	return &Host{
		Settings: func() Settings { return s }, Guard: browsertest.Guard(t), Policy: policy,
		Profiles: filepath.Join(base, "profiles"), Arrivals: filepath.Join(base, "arrivals"),
		Save: func(_ context.Context, _ capability.Call, name string, data []byte) (string, error) {
			return keep("media", name, data)
		},
		Folder: func(capability.Call) (string, error) { return keep("downloads", "", nil) },
		Secret: func(_ context.Context, name string) (string, error) {
			if name == "shop" || name == "other" {
				return "s3cret-" + name, nil
			}
			return "", errors.New("there is none")
		},
	}
}

// pages are what the scripts visit, by host and path.
var pages = map[string]string{
	"shop.example/": `<!doctype html><title>Shop</title><h1>Shop</h1>
<form action="/found"><label>Search <input name="q"></label><button>Find</button></form>
<a href="/list">All things</a> <button type="button" aria-expanded="false" onclick="this.setAttribute('aria-expanded', true); menu.hidden = false">Menu</button>
<nav id=menu hidden><a href="/help">Help</a></nav>`,
	"shop.example/found": `<!doctype html><title>Found</title><p>Found: <b id=what></b></p><script>what.textContent = new URLSearchParams(location.search).get("q")</script>`,
	"shop.example/list":  `<!doctype html><title>List</title><ul><li>Shoes<li>Hats</ul>`,
	"shop.example/login": `<!doctype html><title>Sign in</title><form action="/in" method="post"><label>Name <input name="n"></label><label>Password <input type="password" name="p" oninput="seen.textContent = this.value.length + ' characters'"></label><button>Sign in</button></form><p id=seen></p>`,
	"shop.example/kinds": `<!doctype html><title>Kinds</title><h1>All kinds</h1>
<label>Text <input id=text></label>
<label>Size <select id=size><option>Small<option>Large</select></label>
<label><input type=checkbox id=box> Agree</label>
<button type=button id=twice ondblclick="say('double')">Twice</button>
<button type=button id=once onclick="say('once')">Once</button>
<div id=over role=button tabindex=0 onmouseover="say('hovered')">Over</div>
<div id=drag draggable=true ondragstart="event.dataTransfer.setData('text/plain', 'x')">Drag me</div>
<div id=drop role=region aria-label=Drop ondragover="event.preventDefault()" ondrop="event.preventDefault(); say('dropped')">Drop here</div>
<form onsubmit="event.preventDefault(); say('sent ' + this.note.value)"><label>Note <input name=note></label><button>Send</button></form>
<p id=said></p><p style="margin-top:2000px">The end</p>
<script>const say = (text) => { said.textContent = text }; text.onkeydown = (e) => { if (e.key === 'Escape') say('escaped') }</script>`,
	"shop.example/ask":                     `<!doctype html><title>Ask</title><button type=button onclick="out.textContent = confirm('Really?')">Ask</button><p id=out></p>`,
	"shop.example/open":                    `<!doctype html><title>Open</title><button type=button onclick="window.open('/list')">Open list</button>`,
	"shop.example/files":                   `<!doctype html><title>Files</title><label>File <input type=file onchange="this.files[0].text().then((t) => { got.textContent = this.files[0].name + ': ' + t })"></label><p id=got></p><button type=button onclick="pick.click()">Choose</button><input type=file id=pick style="display:none" onchange="this.files[0].text().then((t) => { got.textContent = 'chosen ' + this.files[0].name })"><a href="/report.csv">Report</a>`,
	"shop.example/store":                   `<!doctype html><title>Store</title><script>localStorage.setItem("theme", "dark"); document.cookie = "seen=yes"; console.error("it hurts"); console.log("all well")</script>`,
	"pay.example/":                         `<!doctype html><title>Pay</title><form action="http://bank.example/charge" method=post><label>Card <input autocomplete=cc-number></label><button>Pay now</button></form><form><label>Code <input autocomplete=one-time-code></label></form>`,
	"bank.example/charge":                  `<!doctype html><title>Bank</title><p>Charged</p>`,
	"lost.example/":                        `<!doctype html><title>Lost</title><form action="http://nowhere.invalid/x"><button>Go</button></form>`,
	"gate.example/":                        `<!doctype html><title>Gate</title><form action="/in"><label>Name <input></label><button>Go in</button></form><iframe src="http://www.google.com/recaptcha/api2/anchor" width=304 height=78></iframe>`,
	"www.google.com/recaptcha/api2/anchor": `<!doctype html><title>test</title><div role=checkbox tabindex=0>I am no robot</div>`,
}

// serve puts the pages on the web of the tests.
func serve(t *testing.T) {
	t.Helper()
	for at, html := range pages {
		host, path, _ := cut(at)
		browsertest.HandlePath(t, host, path, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/html; charset=utf-8")
			_, _ = fmt.Fprint(w, html)
		}))
	}
	browsertest.HandlePath(t, "shop.example", "/in", http.RedirectHandler("http://shop.example/list", http.StatusSeeOther))
	browsertest.HandlePath(t, "shop.example", "/report.csv", http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Disposition", `attachment; filename="report.csv"`)
		_, _ = fmt.Fprint(w, "a,b\n1,2\n")
	}))
}

func cut(at string) (host, path string, ok bool) {
	for i, r := range at {
		if r == '/' {
			return at[:i], at[i:], true
		}
	}
	return at, "/", false
}

func TestTool(t *testing.T) {
	capabilitytest.Contract(t, Tools.Bind(nil))
	serve(t)
	capabilitytest.Scripts(t, func(t *testing.T, dir string) []capability.Capability {
		t.Helper()
		return Tools.Bind(newHost(t, dir, nil))
	})
}
