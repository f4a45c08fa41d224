package page

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/hobkin/hobkin/browser/browsertest"
)

func TestChoose(t *testing.T) {
	p, tab := show(t, logging+`<label>Fruit <select id=a><option value=1>Apple<option value=2>Pear<option disabled>Plum</select></label>
<select multiple id=b aria-label=Many><option>One<option selected>Two<option>Three</select><div role=listbox aria-label=Own>x</div>`)
	fruit, many := ref(t, p, `"Fruit"`), ref(t, p, `"Many"`)
	if d := act(t, p, Act{Kind: "select", Ref: fruit, Values: []string{"pear"}}); d.Value != "Pear" {
		t.Errorf("%+v", d)
	}
	act(t, p, Act{Kind: "select", Ref: fruit, Values: []string{"2"}}) // the same again
	act(t, p, Act{Kind: "select", Ref: many, Values: []string{"One", "Three"}})
	got := browsertest.Evaluate[[]string](t, tab.Session, "[a.value, [...b.selectedOptions].map((o) => o.value).join()]")
	if d := cmp.Diff([]string{"2", "One,Three"}, got); d != "" {
		t.Error(d)
	}
	if got := tab.log(t); got != "input:a? change:a? input:b? change:b?" {
		t.Error(got)
	}
	if got := fails(t, p, Act{Kind: "select", Ref: fruit, Values: []string{"Cherry"}}, NoOption); !strings.Contains(got, `no option "Cherry"; it has "Apple", "Pear", "Plum"`) {
		t.Error(got)
	}
	fails(t, p, Act{Kind: "select", Ref: fruit, Values: []string{"Plum"}}, NotEnabled)
	fails(t, p, Act{Kind: "select", Ref: fruit, Values: []string{"Apple", "Pear"}}, NoOption)
	fails(t, p, Act{Kind: "select", Ref: ref(t, p, `"Own"`), Values: []string{"x"}}, NotSelect)
	fails(t, p, Act{Kind: "select", Ref: fruit}, BadAct)
}

func TestManyOptions(t *testing.T) {
	p, _ := show(t, `<select aria-label=Year id=y></select><script>for (let i = 1900; i < 2026; i++) y.add(new Option(i))</script>`)
	year := ref(t, p, `"Year"`)
	if s := snap(t, p, SnapshotOptions{}); !strings.Contains(s.Text, `"1919" … 106 more; ask with scope `+year) {
		t.Error(s.Text)
	}
	if s := snap(t, p, SnapshotOptions{Scope: year}); !strings.Contains(s.Text, `| "2025"`) {
		t.Error(s.Text)
	}
	act(t, p, Act{Kind: "select", Ref: year, Values: []string{"1987"}})
	ref(t, p, `= "1987"`)
}

// TestOtherDocuments reads what is no HTML.
func TestOtherDocuments(t *testing.T) {
	for kind, c := range map[string][2]string{
		"text/plain":       {"two\nlines", `"two lines"`},
		"application/xml":  {"<a><b>In XML</b></a>", `In XML`},
		"image/svg+xml":    {`<svg xmlns="http://www.w3.org/2000/svg"><a href="/x"><text y="20">Drawn link</text></a></svg>`, `link "Drawn link"`},
		"application/json": {`{"a": 1}`, `{\"a\": 1}`},
		"text/html":        {``, ``},
	} {
		p, _ := open(t, browsertest.Handle(t, "a.example", http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", kind)
			_, _ = w.Write([]byte(c[0]))
		})))
		if s := snap(t, p, SnapshotOptions{}); !strings.Contains(s.Text, c[1]) {
			t.Errorf("%s: %q", kind, s.Text)
		}
		act(t, p, Act{Kind: "scroll", Direction: "down"})
		act(t, p, Act{Kind: "get"})
	}
}

func TestCheck(t *testing.T) {
	p, tab := show(t, logging+`<label><input type=checkbox id=a> Native</label><label><input type=checkbox id=b style="display:none"><i>Drawn</i></label>
<div role=checkbox aria-checked=mixed id=c tabindex=0 onclick="this.ariaChecked = this.ariaChecked === 'true' ? 'false' : 'true'">Own</div>
<label><input type=radio name=r id=d> Radio</label><button aria-pressed=false onclick="this.ariaPressed='true'">Press</button>
<div role=switch aria-checked=false tabindex=0 onclick="setTimeout(() => this.ariaChecked='true', 150)">Slow</div><div role=checkbox aria-checked=false tabindex=0>Dead</div><button>Plain</button>`)
	for _, name := range []string{"Native", "Drawn", "Own", "Radio", "Press", "Slow"} {
		if d := act(t, p, Act{Kind: "check", Ref: ref(t, p, `"`+name+`"`)}); d.Value != "checked" {
			t.Errorf("%s: %+v", name, d)
		}
	}
	if d := act(t, p, Act{Kind: "check", Ref: ref(t, p, `"Native"`)}); !strings.Contains(d.Text, "is checked already") {
		t.Errorf("%+v", d)
	}
	act(t, p, Act{Kind: "check", Ref: ref(t, p, `"Native"`), Off: true})
	act(t, p, Act{Kind: "check", Ref: ref(t, p, `"Own"`), Off: true})
	if got := browsertest.Evaluate[string](t, tab.Session, "[a.checked, b.checked, c.ariaChecked, d.checked].join()"); got != "false,true,false,true" {
		t.Error(got)
	}
	fails(t, p, Act{Kind: "check", Ref: ref(t, p, `"Dead"`)}, Unchanged)
	fails(t, p, Act{Kind: "check", Ref: ref(t, p, `"Plain"`)}, NotCheck)
	fails(t, p, Act{Kind: "check", Ref: ref(t, p, `"Radio"`), Off: true}, NotCheck)
}

func TestDrag(t *testing.T) {
	p, tab := show(t, `<style>.s { width: 60px; height: 40px; display: inline-block; background: #ccc }</style>
<div id=a class=s draggable=true>Carry</div><div id=b class=s>Basket</div><div id=m class=s>Pushed</div><div id=n class=s>Aim</div><div style="height:2000px"></div><div id=far class=s>Far</div>
<script>log = [];
a.ondragstart = (e) => { e.dataTransfer.setData('text/plain', 'cargo'); log.push('start'); }; a.ondragend = () => log.push('end');
for (const one of [b, far]) { one.ondragover = (e) => e.preventDefault(); one.ondrop = (e) => { e.preventDefault(); log.push('drop:' + one.id + ':' + e.dataTransfer.getData('text/plain') + ':' + e.isTrusted); }; }
let moves = 0; m.onmousedown = () => { log.push('down'); moves = 0; }; onmousemove = () => moves++; n.onmouseup = () => log.push('up:' + (moves > 4));
onmouseup = (e) => { if (e.target === document.body || e.target.id === 'm') log.push('at:' + Math.round(e.clientX)); };</script>`)
	act(t, p, Act{Kind: "drag", Ref: ref(t, p, "Carry"), To: ref(t, p, "Basket")})
	act(t, p, Act{Kind: "drag", Ref: ref(t, p, "Pushed"), To: ref(t, p, "Aim")})
	if got := tab.log(t); got != "start drop:b:cargo:true end down up:true" {
		t.Error(got)
	}
	browsertest.Evaluate[any](t, tab.Session, "log.length = 0")
	act(t, p, Act{Kind: "drag", Ref: ref(t, p, "Pushed"), X: 10, Y: 0})
	if got := tab.log(t); !strings.HasPrefix(got, "down at:") {
		t.Error(got)
	}
	fails(t, p, Act{Kind: "drag", Ref: ref(t, p, "Pushed")}, BadAct)
	fails(t, p, Act{Kind: "drag", Ref: ref(t, p, "Pushed"), To: "e9999"}, BadRef)
}

func TestHover(t *testing.T) {
	p, _ := show(t, `<style>#m { display: none } #h:hover #m { display: block }</style><div id=h tabindex=0>Menu<a id=m href="#x">Hidden entry</a></div>`)
	if s := snap(t, p, SnapshotOptions{}); strings.Contains(s.Text, "entry") {
		t.Error(s.Text)
	}
	act(t, p, Act{Kind: "hover", Ref: ref(t, p, "Menu")})
	act(t, p, Act{Kind: "click", Ref: ref(t, p, "Hidden entry")})
}

func TestScroll(t *testing.T) {
	p, tab := show(t, `<div id=box style="height:100px;overflow:auto" tabindex=0 aria-label=Box role=group><div style="height:900px">In</div></div><div style="height:3000px"></div><p>Low</p>
<div id=map role=application aria-label=Map style="height:50px" tabindex=0>Map</div><script>log = []; map.addEventListener('wheel', (e) => { log.push('wheel:' + e.deltaY); e.preventDefault(); }, { passive: false });</script>`)
	if d := act(t, p, Act{Kind: "scroll", Direction: "down", Amount: 500}); !strings.Contains(d.Text, "Scrolled the page down. At 500 of ") {
		t.Error(d.Text)
	}
	if y := browsertest.Evaluate[int](t, tab.Session, "scrollY"); y != 500 {
		t.Error(y)
	}
	act(t, p, Act{Kind: "scroll", Ref: ref(t, p, `"Low"`)})
	if d := act(t, p, Act{Kind: "scroll", Direction: "down", Amount: 100000}); !strings.Contains(d.Text, "This is the bottom") {
		t.Error(d.Text)
	}
	if d := act(t, p, Act{Kind: "scroll", Direction: "down"}); !strings.Contains(d.Text, "at the end already") {
		t.Error(d.Text)
	}
	if d := act(t, p, Act{Kind: "scroll", Direction: "down", Ref: ref(t, p, "Map"), Wheel: true, Amount: 120}); tab.log(t) != "wheel:120" {
		t.Error(d.Text, tab.log(t))
	}
	act(t, p, Act{Kind: "scroll", Direction: "up", Amount: 100000})
	box := ref(t, p, `group "Box"`)
	if d := act(t, p, Act{Kind: "scroll", Ref: box, Direction: "down", Amount: 200}); !strings.Contains(d.Text, "Scrolled "+box) {
		t.Error(d.Text)
	}
	if got := browsertest.Evaluate[int](t, tab.Session, "box.scrollTop * 10000 + scrollY"); got != 2000000 {
		t.Error(got)
	}
	if d := act(t, p, Act{Kind: "scroll", Direction: "down", Wheel: true, Amount: 300}); d.Value == "" {
		t.Error(d.Text)
	}
	fails(t, p, Act{Kind: "scroll"}, BadAct)
	fails(t, p, Act{Kind: "scroll", Direction: "inwards"}, BadAct)
}

func TestSubmit(t *testing.T) {
	p, tab := show(t, logging+`<form onsubmit="log.push('sent'); return false"><input name=id aria-label=Id required><button>Go</button></form><button>Outside</button>`)
	field := ref(t, p, `"Id"`)
	if got := fails(t, p, Act{Kind: "submit", Ref: field}, Invalid); !strings.Contains(got, `textbox "Id" `+field+`: `) {
		t.Error(got)
	}
	act(t, p, Act{Kind: "fill", Ref: field, Text: "7"})
	act(t, p, Act{Kind: "submit", Ref: field})
	if got := tab.log(t); !strings.HasSuffix(got, "sent") {
		t.Error(got)
	}
	fails(t, p, Act{Kind: "submit", Ref: ref(t, p, "Outside")}, NoForm)
	p, _ = show(t, `<form action="`+browsertest.Serve(t, "b.example", "<p>Arrived")+`"><button>Go</button></form>`)
	act(t, p, Act{Kind: "submit", Ref: ref(t, p, "Go")})
	act(t, p, Act{Kind: "wait", Text: "Arrived"})
}

func TestGet(t *testing.T) {
	p, _ := show(t, `<title>A title</title><main id=m data-x=1><p>Some <b>bold</b> text</p><p style="display:none">hidden</p></main><input aria-label=Field value=held><input type=password aria-label=PIN value=1234><a href="/there">Link</a>
<div id=h></div><script>h.attachShadow({mode:'open'}).innerHTML = '<p>In the shadow</p>'</script>`)
	for _, c := range []struct{ ref, what, name, want string }{
		{"main", "", "", "Some bold text"},
		{"main", "html", "", `<main id="m" data-x="1"><p>Some <b>bold</b> text</p><p style="display:none">hidden</p></main>`},
		{"Field", "value", "", "held"},
		{"Field", "text", "", "held"},
		{"main", "attribute", "data-x", "1"},
		{"Link", "url", "", "http://a.example/there"},
		{"PIN", "value", "", ""},
		{"PIN", "text", "", ""},
	} {
		if d := act(t, p, Act{Kind: "get", Ref: ref(t, p, c.ref), What: c.what, Name: c.name}); d.Content != c.want {
			t.Errorf("%v: %q", c, d.Content)
		}
	}
	if d := act(t, p, Act{Kind: "get"}); !strings.Contains(d.Content, "Some bold text") || !strings.Contains(d.Content, "In the shadow") || strings.Contains(d.Content, "hidden") {
		t.Errorf("%q", d.Content)
	}
	if d := act(t, p, Act{Kind: "get", What: "title"}); d.Content != "A title" {
		t.Error(d.Content)
	}
	if d := act(t, p, Act{Kind: "get", What: "html", Limit: 10}); len(d.Content) != 10 || d.More < 200 {
		t.Errorf("%+v", d)
	}
	if got := fails(t, p, Act{Kind: "get", Ref: ref(t, p, "main"), What: "attribute", Name: "href"}, BadValue); !strings.Contains(got, `it has "id", "data-x"`) {
		t.Error(got)
	}
	fails(t, p, Act{Kind: "get", What: "colour"}, BadAct)
}

func TestWait(t *testing.T) {
	p, tab := show(t, `<p id=a>Loading</p><button id=b hidden>Ready</button><div id=h></div><script>h.attachShadow({mode:'open'}).innerHTML = '<p>x</p>'</script>`)
	later := func(js string) { browsertest.Evaluate[any](t, tab.Session, "setTimeout(() => { "+js+" }, 250), 1") }
	later("a.textContent = 'Now  it is done'")
	act(t, p, Act{Kind: "wait", Text: "it is done", Gone: "Loading"})
	later("h.shadowRoot.innerHTML = '<p>Deep</p>'")
	act(t, p, Act{Kind: "wait", Text: "Deep"})
	later("history.pushState(0, '', '?page=2')")
	act(t, p, Act{Kind: "wait", URL: "page=2", Loaded: true})
	later("window.flag = 1")
	act(t, p, Act{Kind: "wait", Function: "() => window.flag"})
	act(t, p, Act{Kind: "wait", Function: "document.title === ''"})
	browsertest.Evaluate[any](t, tab.Session, "b.hidden = false")
	button := ref(t, p, "Ready")
	browsertest.Evaluate[any](t, tab.Session, "b.hidden = true")
	later("b.hidden = false")
	act(t, p, Act{Kind: "wait", Ref: button})
	short := 200 * time.Millisecond
	for _, a := range []Act{{Text: "never"}, {Gone: "done"}, {URL: "nowhere"}, {Function: "false"}} {
		a.Kind, a.Timeout = "wait", short
		fails(t, p, a, NotThere)
	}
	fails(t, p, Act{Kind: "wait", Function: "syntax error ("}, PageScript)
	fails(t, p, Act{Kind: "wait", Function: "nothing.here"}, PageScript)
	fails(t, p, Act{Kind: "wait"}, BadAct)
	browsertest.Evaluate[any](t, tab.Session, "setTimeout(() => { location = '"+browsertest.Serve(t, "b.example", "<p>Next page")+"' }, 150), 1")
	act(t, p, Act{Kind: "wait", Text: "Next page"})
}

func TestClickCoords(t *testing.T) {
	inner := browsertest.Serve(t, "b.example", `<button style="position:absolute;left:10px;top:10px;width:80px" onclick="this.textContent='Hit'">Inner</button>`)
	p, tab := show(t, logging+`<canvas id=c width=100 height=100 style="position:absolute;left:0;top:0"></canvas><iframe src="`+inner+`" style="position:absolute;left:100px;top:200px;border:5px solid"></iframe>`)
	act(t, p, Act{Kind: "wait", Text: "Inner"})
	if d := act(t, p, Act{Kind: "click_coords", X: 50, Y: 50}); tab.log(t) != "click:c" || !strings.Contains(d.Text, "Clicked at 50, 50, on canvas") {
		t.Error(d.Text, tab.log(t))
	}
	act(t, p, Act{Kind: "click_coords", X: 140, Y: 225})
	act(t, p, Act{Kind: "wait", Text: "Hit"})
	fails(t, p, Act{Kind: "click_coords", X: -5, Y: 50}, BadAct)
}
