package page

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/hobkin/hobkin/browser/browsertest"
	"github.com/hobkin/hobkin/core/capability"
)

// ref finds the reference of the first line of a snapshot that contains text.
func ref(tb testing.TB, p *Page, text string) string {
	tb.Helper()
	s := snap(tb, p, SnapshotOptions{})
	for line := range strings.SplitSeq(s.Text, "\n") {
		if !strings.Contains(line, text) {
			continue
		}
		outside := line
		if i := strings.LastIndex(line[:max(strings.LastIndex(line, " e"), 0)+1], `"`); i >= 0 {
			outside = line[i:]
		}
		for word := range strings.FieldsSeq(outside) {
			if strings.HasPrefix(word, "e") && parseRef(word) > 0 {
				return word
			}
		}
	}
	tb.Fatalf("no line with %s in\n%s", text, s.Text)
	return ""
}

func act(tb testing.TB, p *Page, a Act) *Done {
	tb.Helper()
	d, err := p.Act(background(tb), a)
	if err != nil {
		u, _ := capability.AsUserError(err)
		tb.Fatalf("%s %s: %v %+v", a.Kind, a.Ref, err, u)
	}
	return d
}

// fails does an act that must fail in a certain way, and gives its message and
// advice.
func fails(tb testing.TB, p *Page, a Act, want *capability.Failure) string {
	tb.Helper()
	_, err := p.Act(background(tb), a)
	if !errors.Is(err, want) {
		tb.Fatalf("%s %s: got %v, want %s", a.Kind, a.Ref, err, want.Code)
	}
	u, _ := capability.AsUserError(err)
	return u.Message + " | " + u.Try
}

// log is what the page wrote down in its variable log.
func (t *testTab) log(tb testing.TB) string {
	tb.Helper()
	return browsertest.Evaluate[string](tb, t.Session, "(window.log || []).join(' ')")
}

const logging = `<script>window.log = []; const note = (e) => log.push(e.type + ':' + (e.target.id || e.target.tagName) + (e.isTrusted ? '' : '?'));
for (const n of ['click','dblclick','contextmenu','auxclick','input','change','submit']) addEventListener(n, note, true); addEventListener('contextmenu', (e) => e.preventDefault());</script>`

func TestClick(t *testing.T) {
	p, tab := show(t, logging+`<button id=a>One</button><div style="height:3000px"></div><button id=b>Below</button>`)
	a := ref(t, p, `"One"`)
	if got := act(t, p, Act{Kind: "click", Ref: a}).Text; got != `Clicked button "One" `+a+`.` {
		t.Error(got)
	}
	act(t, p, Act{Kind: "double_click", Ref: a})
	act(t, p, Act{Kind: "click", Ref: a, Button: "right"})
	act(t, p, Act{Kind: "click", Ref: ref(t, p, `"Below"`)})
	if got, want := tab.log(t), "click:a click:a click:a dblclick:a contextmenu:a auxclick:a click:b"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestClickModifiers(t *testing.T) {
	p, tab := show(t, `<button onclick="log = [event.ctrlKey, event.shiftKey, event.altKey, event.metaKey].map(Number)">One</button>`)
	act(t, p, Act{Kind: "click", Ref: ref(t, p, "One"), Modifiers: []string{"ctrl", "Shift"}})
	if got := tab.log(t); got != "1 1 0 0" {
		t.Error(got)
	}
	fails(t, p, Act{Kind: "click", Ref: ref(t, p, "One"), Modifiers: []string{"Hyper"}}, BadAct)
	fails(t, p, Act{Kind: "click", Ref: ref(t, p, "One"), Button: "fourth"}, BadAct)
}

// TestClickPlaces clicks what is hard to hit.
func TestClickPlaces(t *testing.T) {
	p, tab := show(t, logging+`<style>label input { opacity: 0; position: absolute } .lines { width: 60px }</style>
<label><input type=checkbox id=box><span>Drawn box</span></label>
<label><input type=checkbox id=none style="display:none"><span>No box</span></label>
<div class=lines>words <a id=a href="#x">a link that goes over lines</a></div>
<div style="display:contents" role=button tabindex=0 id=c><span>Contents</span></div>
<div style="transform:rotate(45deg);width:100px"><button id=r>Turned</button></div>
<div style="height:60px;overflow:auto"><div style="height:900px"></div><button id=in>Scrolled in</button></div>
<div style="position:sticky;top:0;height:50px;background:#fff">Sticks</div><div style="height:2000px"></div><button id=low>Low</button>
<map name=m><area id=east href="#e" alt=East shape=rect coords="20,0,40,40"></map><img usemap="#m" width=40 height=40 src="data:image/gif;base64,R0lGODlhAQABAAAAACw=">`)
	for name, id := range map[string]string{
		"Drawn box": "box", "No box": "none", "a link": "a", "Contents": "c", "Turned": "r", "Scrolled in": "in", "Low": "low", "East": "east",
	} {
		act(t, p, Act{Kind: "click", Ref: ref(t, p, name)})
		if got := tab.log(t); !strings.Contains(got, "click:"+id) && id != "c" {
			t.Errorf("%s: %s", name, got)
		}
		browsertest.Evaluate[any](t, tab.Session, "log.length = 0")
	}
}

// TestReady shows what an act waits for, and what it says when that does not come.
func TestReady(t *testing.T) {
	p, tab := show(t, logging+`<button id=late disabled>Late</button><button id=never disabled>Never</button>
<button id=run style="position:absolute;top:200px">Moves</button><button id=ever style="position:absolute;top:240px;animation:go .5s infinite linear">Ever</button>
<button id=under style="position:absolute;top:300px;left:0">Under</button><div id=cover role=dialog aria-label="Cookies" style="position:absolute;top:290px;left:0;width:300px;height:60px;background:#eee">Cookies</div>
<button id=soon style="visibility:hidden">Soon</button><div id=gone><button>Goes</button></div>
<style>@keyframes go { from { left: 0 } to { left: 300px } }</style>
<script>
let x = 0; const step = () => { run.style.left = (x += 4) + 'px'; if (x < 120) requestAnimationFrame(step); }; onclick = null;
setTimeout(() => late.disabled = false, 300);
addEventListener('start', () => step());
</script>`)
	all := snap(t, p, SnapshotOptions{}).Text
	late, moves, under := ref(t, p, `"Late"`), ref(t, p, `"Moves"`), ref(t, p, `"Under"`)
	browsertest.Evaluate[any](t, tab.Session, "dispatchEvent(new Event('start'))")
	act(t, p, Act{Kind: "click", Ref: moves})
	act(t, p, Act{Kind: "click", Ref: late})
	if got := tab.log(t); got != "click:run click:late" {
		t.Error(got)
	}
	short := 300 * time.Millisecond
	fails(t, p, Act{Kind: "click", Ref: ref(t, p, `"Never"`), Timeout: short}, NotEnabled)
	fails(t, p, Act{Kind: "click", Ref: ref(t, p, `"Ever"`), Timeout: short}, NotStill)
	if got := fails(t, p, Act{Kind: "click", Ref: under, Timeout: short}, Covered); !strings.Contains(got, `lies under dialog "Cookies" e`) {
		t.Error(got)
	}
	browsertest.Evaluate[any](t, tab.Session, "setTimeout(() => cover.remove(), 200), 1")
	act(t, p, Act{Kind: "click", Ref: under})
	if strings.Contains(all, "Soon") {
		t.Error("a hidden button is in the snapshot")
	}
	goes := ref(t, p, `"Goes"`)
	browsertest.Evaluate[any](t, tab.Session, "gone.style.display = 'none', 1")
	fails(t, p, Act{Kind: "click", Ref: goes, Timeout: short}, NotVisible)
	browsertest.Evaluate[any](t, tab.Session, "setTimeout(() => gone.style.display = '', 200), 1")
	act(t, p, Act{Kind: "click", Ref: goes})
}

// TestHoverChanges clicks what changes once the mouse is over it.
func TestHoverChanges(t *testing.T) {
	p, tab := show(t, logging+`<style>.b { position: absolute; left: 0; width: 60px; height: 20px } #b { top: 50px } #c { top: 100px } #flee { top: 150px }</style>
<div id=b class=b role=button tabindex=0 aria-label=Loads></div><button id=c class=b>Calm</button><button id=flee class=b>Flees</button>
<script>b.addEventListener('mouseenter', () => { b.style.width = 0; setTimeout(() => { b.style.width = '60px' }, 200); }, { once: true });
flee.onmouseover = () => { flee.style.left = (flee.offsetLeft + 100) % 700 + 'px' }</script>`)
	act(t, p, Act{Kind: "click", Ref: ref(t, p, "Loads")})
	act(t, p, Act{Kind: "click", Ref: ref(t, p, "Calm")})
	if got := tab.log(t); got != "click:b click:c" {
		t.Error(got)
	}
	fails(t, p, Act{Kind: "click", Ref: ref(t, p, "Flees")}, NotStill)
}

func TestStale(t *testing.T) {
	p, tab := show(t, `<div id=box><button>Save the letter</button><button>Throw it away</button></div>`)
	save := ref(t, p, "Save")
	browsertest.Evaluate[any](t, tab.Session, "box.innerHTML = '<h1>Again</h1><button>Save the letter now</button><button>Other</button>'")
	got := fails(t, p, Act{Kind: "click", Ref: save}, StaleRef)
	if d := snap(t, p, SnapshotOptions{Diff: true}); d.Diff && !strings.Contains(d.Text, "Save the letter now") {
		t.Errorf("the search for it counts as seen: %s", d.Text)
	}
	now := ref(t, p, "Save")
	if now == save || !strings.Contains(got, `button "Save the letter"`) || !strings.Contains(got, `use button "Save the letter now" `+now) {
		t.Error(got)
	}
	act(t, p, Act{Kind: "click", Ref: now})
	tab.visit(t, browsertest.Serve(t, "c.example", `<p>Elsewhere</p>`))
	fails(t, p, Act{Kind: "click", Ref: now}, StaleRef)
	fails(t, p, Act{Kind: "click", Ref: "e99999"}, BadRef)
	fails(t, p, Act{Kind: "click", Ref: "the button"}, BadRef)
	fails(t, p, Act{Kind: "click"}, BadAct)
	fails(t, p, Act{Kind: "juggle"}, BadAct)
}

func TestFill(t *testing.T) {
	p, tab := show(t, logging+`<input id=a aria-label=Text value=old><input id=p type=password aria-label=Pass><textarea id=t aria-label=Area>x</textarea>
<div id=c contenteditable aria-label=Rich>old <b>text</b></div><input id=d type=date aria-label=Date><input id=r type=range aria-label=Range><input id=col type=color aria-label=Colour>
<label>Labelled <input id=l></label><input type=number id=n aria-label=Number><input readonly aria-label=Fixed><button>Button</button><input aria-label=Clear id=e value=full>
<input aria-label=Mask id=m oninput="this.value = this.value.replace(/(\d{3})(?=\d)/g, '$1-')"><input aria-label=Stubborn value=no oninput="this.value='no'"><input type=time id=clock aria-label=Clock>`)
	for name, text := range map[string]string{
		"Text": "Grüße 👋🏽", "Area": "two\nlines", "Rich": "new words", "Date": "2026-03-31", "Range": "73", "Colour": "#3366FF", "Labelled": "x", "Number": "-12.5", "Clear": "", "Clock": "14:30",
	} {
		act(t, p, Act{Kind: "fill", Ref: ref(t, p, `"`+name+`"`), Text: text})
	}
	if d := act(t, p, Act{Kind: "fill", Ref: ref(t, p, `"Pass"`), Text: "secret"}); strings.Contains(d.Text+d.Value, "secret") {
		t.Errorf("the password is told: %+v", d)
	}
	if d := act(t, p, Act{Kind: "fill", Ref: ref(t, p, `"Mask"`), Text: "123456"}); d.Value != "123-456" || !strings.Contains(d.Text, `It holds "123-456" now`) {
		t.Errorf("%+v", d)
	}
	got := browsertest.Evaluate[[]string](t, tab.Session, "[a, p, t, d, r, col, l, n, e, clock].map((one) => one.value).concat(c.innerText)")
	want := []string{"Grüße 👋🏽", "secret", "two\nlines", "2026-03-31", "73", "#3366ff", "x", "-12.5", "", "14:30", "new words"}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
	for name, want := range map[string]*capability.Failure{"Fixed": NotEditable, "Button": NotEditable, "Stubborn": Unchanged, "Date": BadValue, "Number": BadValue, "Colour": BadValue} {
		got := fails(t, p, Act{Kind: "fill", Ref: ref(t, p, `"`+name+`"`), Text: "gibberish", Timeout: 300 * time.Millisecond}, want)
		if name == "Date" && !strings.Contains(got, "2026-03-31") {
			t.Error(got)
		}
	}
}

// TestFillEvents shows that a page notices what is filled in, as with a framework
// that keeps the value of a field to itself.
func TestFillEvents(t *testing.T) {
	p, tab := show(t, logging+`<form onsubmit="log.push('sent'); return false"><input id=a aria-label=Text><input id=d type=date aria-label=Date><button>Go</button></form>
<script>let own = ''; Object.defineProperty(d, 'value', { get: () => own, set: (v) => { own = v } });</script>`)
	act(t, p, Act{Kind: "fill", Ref: ref(t, p, `"Date"`), Text: "2026-03-31"})
	act(t, p, Act{Kind: "fill", Ref: ref(t, p, `"Text"`), Text: "x", Submit: true})
	if got := tab.log(t); !strings.HasPrefix(got, "input:d? change:d? input:a ") || !strings.HasSuffix(got, "submit:FORM sent") {
		t.Error(got)
	}
}

func TestKeys(t *testing.T) {
	p, tab := show(t, `<input id=a aria-label=Text><textarea id=b aria-label=Area></textarea><div id=pad tabindex=0 role=application aria-label=Pad>Keys</div>
<script>log = []; pad.onkeydown = (e) => { log.push((e.ctrlKey ? 'C-' : '') + (e.altKey ? 'A-' : '') + (e.shiftKey ? 'S-' : '') + e.key + '/' + e.code); e.preventDefault(); };</script>`)
	a := ref(t, p, `"Text"`)
	act(t, p, Act{Kind: "type", Ref: a, Text: "Hello, Wörld ☂ 42"})
	act(t, p, Act{Kind: "press", Key: "Backspace"})
	for _, key := range []string{"Control+a", "Control+c", "End", "Control+v", "ArrowLeft", "Delete"} {
		act(t, p, Act{Kind: "press", Key: key})
	}
	if got := browsertest.Evaluate[string](t, tab.Session, "a.value"); got != "Hello, Wörld ☂ 4Hello, Wörld ☂ " {
		t.Errorf("%q", got)
	}
	act(t, p, Act{Kind: "press", Key: "Control+z"})
	act(t, p, Act{Kind: "type", Ref: ref(t, p, `"Area"`), Text: "one\ntwo"})
	if got := browsertest.Evaluate[string](t, tab.Session, "b.value"); got != "one\ntwo" {
		t.Errorf("%q", got)
	}
	pad := ref(t, p, `"Pad"`)
	for _, key := range []string{"Enter", "esc", "Shift+Tab", "Control+Shift+K", "F5", "Alt+ArrowUp", "+", "Control++", "é", "Space", "Numpad5"} {
		if _, err := parseChord(key); err != nil {
			continue
		}
		act(t, p, Act{Kind: "press", Ref: pad, Key: key})
	}
	want := "Enter/Enter Escape/Escape S-Shift/ShiftLeft S-Tab/Tab C-Control/ControlLeft C-S-Shift/ShiftLeft C-S-K/KeyK F5/F5 A-Alt/AltLeft A-ArrowUp/ArrowUp +/Equal C-Control/ControlLeft C-+/Equal  /Space"
	if got := tab.log(t); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	fails(t, p, Act{Kind: "press", Key: "Contrl+x"}, BadKey)
}

// TestDialog shows that an act which brings up a dialog ends with the reason, and
// that the page can be used after it.
func TestDialog(t *testing.T) {
	p, tab := show(t, `<button id=a onclick="alert('Stop')">Click</button><button id=b onmousedown="alert('Stop')">Down</button><button id=c onkeydown="alert('Stop')">Key</button>
<script>log = []; for (const n of ['mouseup', 'keyup']) addEventListener(n, (e) => log.push(n + ':' + e.target.id));</script>`)
	opened := errors.New("a dialog is open")
	tab.On("Page.javascriptDialogOpening", func([]byte) { tab.Interrupt(opened) })
	for _, a := range []Act{{Kind: "click", Ref: ref(t, p, "Click")}, {Kind: "click", Ref: ref(t, p, "Down")}, {Kind: "press", Ref: ref(t, p, "Key"), Key: "x"}} {
		start := time.Now()
		if _, err := p.Act(background(t), a); !errors.Is(err, opened) || time.Since(start) > 8*time.Second {
			t.Errorf("%v: %v after %v", a, err, time.Since(start))
		}
		if _, err := p.Snapshot(background(t), SnapshotOptions{}); !errors.Is(err, opened) {
			t.Errorf("a snapshot behind a dialog: %v", err)
		}
		must(t, tab.CallAlways(background(t), "Page.handleJavaScriptDialog", map[string]any{"accept": true}, nil))
		tab.Resume()
		act(t, p, Act{Kind: "wait", Function: "true"})
	}
	act(t, p, Act{Kind: "click", Ref: ref(t, p, "Key")})
	if got := tab.log(t); !strings.HasSuffix(got, "mouseup:c") {
		t.Error(got)
	}
}
