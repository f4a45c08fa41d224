package browser

import (
	"fmt"
	"strings"
)

// mouse is a page with a target that says what the mouse does to it.
const mouse = `<button id=b style="width:120px;height:40px">Target</button><script>
for (const kind of ["click", "dblclick", "auxclick", "contextmenu"])
	b.addEventListener(kind, e => { e.preventDefault(); say([kind, "button", e.button, "trusted", e.isTrusted, e.shiftKey ? "shift" : "", e.ctrlKey ? "ctrl" : ""].join(" ").trim()) })
</script>`

var clickChecks = []check{
	{"click, as a person's", func(k *kit) {
		k.page(mouse)
		k.act("click", `button "Target"`)
		k.said("click button 0 trusted true")
		k.unsaid("dblclick button 0 trusted true")
	}},
	{"double click", func(k *kit) {
		k.page(mouse)
		k.act("double_click", `button "Target"`)
		k.said("click button 0 trusted true", "dblclick button 0 trusted true")
	}},
	{"right click", func(k *kit) {
		k.page(mouse)
		k.act("click", `button "Target"`, m{"button": "right"})
		k.said("contextmenu button 2 trusted true")
		k.unsaid("click button 0 trusted true")
	}},
	{"middle click", func(k *kit) {
		k.page(mouse)
		k.act("click", `button "Target"`, m{"button": "middle"})
		k.said("auxclick button 1 trusted true")
	}},
	{"click with keys held down", func(k *kit) {
		k.page(mouse)
		k.act("click", `button "Target"`, m{"modifiers": []string{"Shift", "Control"}})
		k.said("click button 0 trusted true shift ctrl")
	}},
	{"what is disabled is refused, and not clicked", func(k *kit) {
		k.page(`<div onclick="say('through')"><button disabled onclick="say('clicked')">Off</button></div>`)
		k.fails("disabled", k.acting("click", `button "Off"`, m{"timeout_ms": 300}))
		k.unsaid("clicked")
		k.unsaid("through")
	}},
	{"what will be enabled is waited for", func(k *kit) {
		k.page(`<button id=b disabled onclick="say('clicked')">Soon</button><script>setTimeout(() => { b.disabled = false; say("enabled") }, 400)</script>`)
		k.act("click", `button "Soon"`)
		k.said("enabled", "clicked")
	}},
	{"what is covered is refused, and the cover named", func(k *kit) {
		k.page(`<button onclick="say('clicked')">Under</button><div role=dialog aria-label="Cookie notice" onclick="say('cover')" style="position:fixed;inset:0;background:#ccc">We use cookies</div>`)
		if !strings.Contains(k.seen, "Under") {
			k.do(m{"action": "snapshot"})
		}
		why := k.fails("covered", k.acting("click", `button "Under"`, m{"timeout_ms": 300}))
		k.has(why, "Cookie notice")
		k.unsaid("clicked")
		k.unsaid("cover")
	}},
	{"a cover that goes away is waited for", func(k *kit) {
		k.page(`<button onclick="say('clicked')">Under</button><div id=c style="position:fixed;inset:0;background:#ccc"></div><script>setTimeout(() => { c.remove(); say("gone") }, 400)</script>`)
		k.act("click", `button "Under"`)
		k.said("gone", "clicked")
	}},
	{"what moves is hit", func(k *kit) {
		k.page(`<button id=b style="position:absolute;left:0;top:60px" onclick="say('clicked')">Mover</button><script>
const began = performance.now(); const step = now => { b.style.left = Math.min(600, (now - began)) + "px"; if (now - began < 600) requestAnimationFrame(step); else say("stands") }; requestAnimationFrame(step)</script>`)
		k.act("click", `button "Mover"`)
		k.said("stands", "clicked")
	}},
	{"what never rests is refused", func(k *kit) {
		k.page(`<button id=b style="position:absolute;left:0;top:60px" onclick="say('clicked')">Mover</button><script>
const step = now => { b.style.left = 300 + 250 * Math.sin(now / 60) + "px"; requestAnimationFrame(step) }; requestAnimationFrame(step)</script>`)
		k.fails("moving", k.acting("click", `button "Mover"`, m{"timeout_ms": 500}))
		k.unsaid("clicked")
	}},
	{"what is out of view is scrolled to", func(k *kit) {
		k.page(`<div style="height:4000px"></div><div style="overflow:auto;height:100px"><div style="height:900px"></div><button onclick="say('clicked at ' + (scrollY > 2000))">Far</button></div>`)
		k.act("click", `button "Far"`)
		k.said("clicked at true")
	}},
	{"what is under a fixed head is scrolled out of it", func(k *kit) {
		k.page(`<header style="position:fixed;top:0;left:0;right:0;height:120px;background:#eee" onclick="say('head')">Head</header><div style="height:3000px"></div><button onclick="say('clicked')">Below</button><div style="height:3000px"></div><script>scrollTo(0, 3010)</script>`)
		k.act("click", `button "Below"`)
		k.said("clicked")
		k.unsaid("head")
	}},
	{"click at a place", func(k *kit) {
		k.page(`<canvas width=300 height=200 style="position:absolute;left:100px;top:100px" onclick="say('at ' + event.offsetX + ' ' + event.offsetY)"></canvas>`)
		k.do(m{"action": "act", "kind": "click_coords", "x": 140, "y": 150})
		k.said("at 40 50")
	}},
	{"a link that goes to a page is waited for", func(k *kit) {
		to := k.serve("a.example", `<script>say("arrived")</script><p>Second page`)
		k.page(`<a href="` + to + `">Next</a>`)
		text := k.act("click", `link "Next"`, m{"snapshot": true})
		k.said("arrived")
		k.has(text, "Second page")
		k.want("location.href", to)
	}},
	{"what a click fetches is waited for", func(k *kit) {
		k.page(`<button onclick="fetch(location.href).then(() => { out.textContent = 'fetched'; say('fetched') })">Load</button><p id=out></p>`)
		text := k.act("click", `button "Load"`, m{"snapshot": true})
		k.said("fetched")
		k.has(text, `+ "fetched"`)
	}},
}

const odd = "Zoë \"quoted\" 漢字 👩‍👩‍👧 \\ <b>"

// field is a check that fills one field, whose value the page must then have.
func field(name, html, label, text string, want any) check {
	return check{name, func(k *kit) {
		k.page(html + `<script>addEventListener("input", e => say("input " + e.isTrusted)); addEventListener("change", () => say("change"))</script>`)
		k.act("fill", label, m{"text": text})
		k.want("document.querySelector('input,textarea,[contenteditable]').value ?? document.querySelector('[contenteditable]').innerText", want)
	}}
}

var fillChecks = []check{
	field("letters of every kind", `<label>Name <input value="old text"></label>`, `textbox "Name"`, odd, odd),
	field("a password", `<label>Password <input type=password></label>`, `"Password"`, "pä$$ wörd", "pä$$ wörd"),
	field("several lines", `<label>Note <textarea>old</textarea></label>`, `textbox "Note"`, "one\ntwo\n\nfour", "one\ntwo\n\nfour"),
	field("text with style", `<div contenteditable role=textbox aria-label=Rich><b>old</b> text</div>`, `textbox "Rich"`, "new "+odd, "new "+odd),
	field("a date", `<label>Day <input type=date></label>`, `"Day"`, "2027-02-28", "2027-02-28"),
	field("a time", `<label>Hour <input type=time></label>`, `"Hour"`, "17:45", "17:45"),
	field("a slider", `<label>Size <input type=range min=0 max=100 value=10></label>`, `slider "Size"`, "73", "73"),
	field("a colour", `<label>Colour <input type=color></label>`, `"Colour"`, "#12ab34", "#12ab34"),
	field("a number", `<label>Count <input type=number></label>`, `spinbutton "Count"`, "-12.5", "-12.5"),
	field("nothing, which clears", `<label>Name <input value="old text"></label>`, `textbox "Name"`, "", ""),
	{"the page is told as by a keyboard", func(k *kit) {
		k.page(`<label>Name <input onfocus="say('focus')" oninput="say('input ' + event.isTrusted + ' ' + value)" onchange="say('change ' + value)"></label><button>Else</button>`)
		k.act("fill", `textbox "Name"`, m{"text": "Ada"})
		k.act("click", `button "Else"`)
		k.said("focus", "input true Ada", "change Ada")
	}},
	{"a field that takes no text is refused", func(k *kit) {
		k.page(`<label>Fixed <input readonly value=stays></label>`)
		k.fails("not_editable", k.acting("fill", `textbox "Fixed"`, m{"text": "x", "timeout_ms": 300}))
		k.want("document.querySelector('input').value", "stays")
	}},
	{"a value that the field cannot have is refused", func(k *kit) {
		k.page(`<label>Day <input type=date value=2020-01-01></label>`)
		k.fails("bad_value", k.acting("fill", `"Day"`, m{"text": "next Tuesday"}))
		k.want("document.querySelector('input').value", "2020-01-01")
	}},
	{"type adds at the end, key by key", func(k *kit) {
		k.page(`<label>Name <input value="Ada" onkeydown="say('key ' + event.key)"></label>`)
		k.act("type", `textbox "Name"`, m{"text": " L"})
		k.said("key  ", "key L")
		k.want("document.querySelector('input').value", "Ada L")
	}},
	{"type adds at the end of text with style, and of fields that hide their cursor", func(k *kit) {
		k.page(`<div id=d contenteditable role=textbox aria-label=Rich>one <b>two</b></div><label>Mail <input id=i type=email value=a@b></label><label>Note <textarea id=t>one
two</textarea></label>`)
		k.act("type", `textbox "Rich"`, m{"text": " 3"})
		k.act("type", `"Mail"`, m{"text": ".example"})
		k.act("type", `"Note"`, m{"text": "!"})
		k.want("[d.innerText, i.value, t.value].join('|')", "one two 3|a@b.example|one\ntwo!")
	}},
	{"fill and send", func(k *kit) {
		to := k.serve("a.example", `<script>say("found " + new URLSearchParams(location.search).get("q"))</script>`)
		k.page(`<form action="` + to + `"><label>Search <input name=q></label></form>`)
		k.act("fill", `textbox "Search"`, m{"text": "tide tables", "submit": true})
		k.said("found tide tables")
	}},
	{"a secret is typed and not told", func(k *kit) {
		k.page(`<label>Password <input type=password oninput="say('got ' + value)"></label>`)
		text := k.act("fill", `"Password"`, m{"secret": "keyring:shop"})
		k.said("got s3cret-Ünicode")
		if strings.Contains(text, "s3cret") {
			k.Errorf("the model reads it: %s", text)
		}
	}},
}

var chooseChecks = []check{
	{"one option, by its label", func(k *kit) {
		k.page(`<label>Size <select onchange="say('size ' + value)"><option value=s>Small<option value=l>Large</select></label>`)
		k.act("select", `combobox "Size"`, m{"values": []string{"Large"}})
		k.said("size l")
	}},
	{"one option, by its value", func(k *kit) {
		k.page(`<label>Size <select onchange="say('size ' + value)"><option value=s>Small<option value=l>Large</select></label>`)
		k.act("select", `combobox "Size"`, m{"values": []string{"l"}})
		k.said("size l")
	}},
	{"several options", func(k *kit) {
		k.page(`<label>Days <select multiple onchange="say([...selectedOptions].map(o => o.text).join())"><option>Mon<option selected>Tue<option>Wed</select></label>`)
		k.act("select", `"Days"`, m{"values": []string{"Mon", "Wed"}})
		k.said("Mon,Wed")
	}},
	{"an option that is not there is refused", func(k *kit) {
		k.page(`<label>Size <select><option>Small<option>Large</select></label>`)
		why := k.fails("no_option", k.acting("select", `combobox "Size"`, m{"values": []string{"Huge"}, "timeout_ms": 300}))
		k.has(why, "Small", "Large")
		k.want("document.querySelector('select').value", "Small")
	}},
	{"check", func(k *kit) {
		k.page(`<label>Agree <input type=checkbox onchange="say('agree ' + checked)"></label>`)
		k.act("check", `checkbox "Agree"`)
		k.act("check", `checkbox "Agree"`) // it stays checked
		k.said("agree true")
		k.want("document.querySelector('input').checked", true)
	}},
	{"uncheck", func(k *kit) {
		k.page(`<label>Agree <input type=checkbox checked onchange="say('agree ' + checked)"></label>`)
		k.act("check", `checkbox "Agree"`, m{"checked": false})
		k.said("agree false")
	}},
	{"a box that is drawn by the page", func(k *kit) {
		k.page(`<div role=checkbox aria-checked=false aria-label=Drawn tabindex=0 onclick="this.ariaChecked = this.ariaChecked !== 'true'; say('drawn ' + this.ariaChecked)" style="width:20px;height:20px;background:#888"></div>`)
		k.act("check", `checkbox "Drawn"`)
		k.said("drawn true")
	}},
	{"radio", func(k *kit) {
		k.page(`<label><input type=radio name=r value=1 checked onchange="say('r ' + value)"> One</label><label><input type=radio name=r value=2 onchange="say('r ' + value)"> Two</label>`)
		k.act("check", `radio "Two"`)
		k.said("r 2")
		k.want("document.querySelector('input:checked').value", "2")
	}},
	{"a form sent by its button", func(k *kit) {
		to := k.serve("a.example", `<script>say("got " + location.search)</script>`)
		k.page(`<form action="` + to + `"><label>Name <input name=n value=Ada></label><button name=b value=ok>Send</button></form>`)
		k.act("click", `button "Send"`)
		k.said("got ?n=Ada&b=ok")
	}},
	{"a form sent by itself", func(k *kit) {
		k.page(`<form onsubmit="event.preventDefault(); say('submit ' + new FormData(this).get('n'))"><label>Name <input name=n value=Ada></label><button>Send</button></form>`)
		k.act("submit", `textbox "Name"`)
		k.said("submit Ada")
	}},
	{"a form that is not valid is refused", func(k *kit) {
		k.page(`<form onsubmit="event.preventDefault(); say('submit')"><label>Mail <input type=email required></label><button>Send</button></form>`)
		why := k.fails("invalid_form", k.acting("submit", `"Mail"`))
		k.has(why, "Mail")
		k.unsaid("submit")
	}},
}

// keyboard is a field that says which keys come.
const keyboard = `<label>Keys <input id=i value="some words" onkeydown="say(['down', event.ctrlKey ? 'Control' : '', event.shiftKey ? 'Shift' : '', event.key, event.code].filter(Boolean).join(' '))"></label><button onfocus="say('button has it')">Next</button>`

var inputChecks = []check{
	{"keys with names", func(k *kit) {
		k.page(keyboard)
		for _, key := range []string{"Enter", "Escape", "ArrowLeft", "F2"} {
			k.act("press", `textbox "Keys"`, m{"key": key})
		}
		k.said("down Enter Enter", "down Escape Escape", "down ArrowLeft ArrowLeft", "down F2 F2")
	}},
	{"keys with modifiers", func(k *kit) {
		k.page(keyboard)
		k.act("press", `textbox "Keys"`, m{"key": "Control+Shift+K"})
		k.said("down Control Shift K KeyK")
	}},
	{"select all", func(k *kit) {
		k.page(keyboard)
		k.act("press", `textbox "Keys"`, m{"key": "Control+a"})
		k.want("i.selectionStart + ' ' + i.selectionEnd", "0 10")
		k.do(m{"action": "act", "kind": "type", "text": "new"})
		k.want("i.value", "new")
	}},
	{"Tab goes to the next field", func(k *kit) {
		k.page(keyboard)
		k.act("press", `textbox "Keys"`, m{"key": "Tab"})
		k.said("button has it")
		k.do(m{"action": "act", "kind": "press", "key": "Shift+Tab"})
		k.want("document.activeElement.id", "i")
	}},
	{"hover opens a menu", func(k *kit) {
		k.page(`<style>#m { display: none } #h:hover #m { display: block }</style><div id=h><button onmouseover="say('over ' + event.isTrusted)">Menu</button><div id=m><button onclick="say('item')">Item</button></div></div>`)
		if strings.Contains(k.seen, "Item") {
			k.Error("the menu is open")
		}
		k.act("hover", `button "Menu"`)
		k.said("over true")
		k.do(m{"action": "snapshot"})
		k.act("click", `button "Item"`)
		k.said("item")
	}},
	{"drag of the browser's own", func(k *kit) {
		k.page(`<div draggable=true role=button style="width:100px;height:40px;background:#abc" ondragstart="event.dataTransfer.setData('text/plain', 'the thing')">Thing</div>
<div role=region aria-label=Bin style="width:200px;height:100px;background:#cba" ondragover="event.preventDefault()" ondrop="event.preventDefault(); say('dropped ' + event.dataTransfer.getData('text/plain') + ' ' + event.isTrusted)">Bin</div>`)
		k.act("drag", `"Thing"`, m{"to": k.ref(`"Bin"`)})
		k.said("dropped the thing true")
	}},
	{"drag of the page's own", func(k *kit) {
		k.page(`<div id=k role=slider tabindex=0 aria-label=Knob style="position:absolute;left:20px;top:100px;width:30px;height:30px;background:#36c"></div><div role=button aria-label=Goal style="position:absolute;left:400px;top:90px;width:60px;height:60px;background:#cca"></div><script>
let held = false; k.onpointerdown = e => { held = true; k.setPointerCapture(e.pointerId) }; let moves = 0
k.onpointermove = e => { if (held) { moves++; k.style.left = e.clientX - 15 + "px" } }; k.onpointerup = () => { held = false; say("at " + (parseInt(k.style.left) > 380) + " by steps " + (moves > 1)) }</script>`)
		k.act("drag", `"Knob"`, m{"to": k.ref(`"Goal"`)})
		k.said("at true by steps true")
	}},
	{"scroll the page", func(k *kit) {
		k.page(`<div style="height:5000px">Tall</div>`)
		k.do(m{"action": "act", "kind": "scroll", "direction": "down", "amount": 700})
		k.want("scrollY", 700)
	}},
	{"the wheel reaches what turns on it alone", func(k *kit) {
		k.page(`<canvas style="position:fixed;inset:0" width=1280 height=800></canvas><script>addEventListener("wheel", e => say("wheel " + e.isTrusted + " " + Math.sign(e.deltaY)))</script>`)
		k.do(m{"action": "act", "kind": "scroll", "direction": "down", "amount": 300})
		k.said("wheel true 1")
	}},
	{"scroll a part of the page", func(k *kit) {
		k.page(`<div id=box role=region aria-label=Part tabindex=0 style="height:200px;overflow:auto"><div style="height:3000px">Inside</div></div>`)
		k.act("scroll", `"Part"`, m{"direction": "down", "amount": 300})
		k.want("box.scrollTop + ' ' + scrollY", "300 0")
	}},
	{"scroll an element into view", func(k *kit) {
		k.page(`<div style="height:5000px"></div><button id=b>Far</button>`)
		k.act("scroll", `button "Far"`)
		k.want("b.getBoundingClientRect().bottom <= innerHeight && scrollY > 3000", true)
	}},
	{"get text, value, attribute and html", func(k *kit) {
		k.page(`<p id=p title=tip>Some <b>text</b></p><label>Name <input value=Ada></label>`)
		k.has(k.act("get", `"Some text"`), fmt.Sprint(k.value("p.innerText")))
		k.has(k.act("get", `"Some text"`, m{"what": "attribute", "name": "title"}), fmt.Sprint(k.value("p.title")))
		k.has(k.act("get", `"Some text"`, m{"what": "html"}), fmt.Sprint(k.value("p.innerHTML")))
		k.has(k.act("get", `textbox "Name"`, m{"what": "value"}), fmt.Sprint(k.value("document.querySelector('input').value")))
	}},
}
