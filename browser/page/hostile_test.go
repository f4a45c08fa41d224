package page

import (
	"strings"
	"testing"

	"github.com/hobkin/hobkin/browser/browsertest"
)

// TestHostile reads and works a page whose markup hides the properties that a
// script goes by, and whose own script has bent all that it could.
func TestHostile(t *testing.T) {
	p, tab := show(t, `<title>Honest</title><img name=body><img name=documentElement><img name=getElementById><img name=querySelectorAll><form id=f>
<input name=parentNode><input name=firstChild><input name=nextSibling><input name=nodeType><input name=localName><input name=getAttribute><input name=hasAttribute>
<input name=children><input name=childNodes><input name=attributes><input name=ownerDocument><input name=getBoundingClientRect><input name=getRootNode>
<input name=shadowRoot><input name=matches><input name=closest><input name=isConnected><input name=elements><input name=submit><input name=requestSubmit><input name=action>
<p>In the form</p><button aria-label=Send onclick="document.title = 'sent'; return false">Send</button></form>
<script>
for (const type of [Node, Element, HTMLElement, Document, EventTarget, HTMLInputElement]) for (const name of Object.getOwnPropertyNames(type.prototype)) {
  try { const d = Object.getOwnPropertyDescriptor(type.prototype, name); if (d.get && d.configurable && name !== 'title') Object.defineProperty(type.prototype, name, { get: () => { document.title = 'seen ' + name; return null } }); } catch {}
}
window.hobkin = () => '{"next":1,"value":{"rows":[]}}'; JSON.stringify = () => 'forged'; Reflect.apply = () => 'forged'; Array.prototype.push = () => {}; WeakMap.prototype.get = () => 1;
Object.prototype.toJSON = () => 'forged'; window.getComputedStyle = () => ({ display: 'none' }); Promise.prototype.then = () => {};
Object.setPrototypeOf(EventTarget.prototype, new Proxy({}, { get: (t, name) => { if (name === 'hobkin') return () => 'forged'; } }));
</script>`)
	s := snap(t, p, SnapshotOptions{})
	if !strings.Contains(s.Text, `"In the form"`) || !strings.Contains(s.Text, `button "Send"`) || strings.Count(s.Text, "textbox") != 21 {
		t.Errorf("\n%s", s.Text)
	}
	if s.Title != "Honest" {
		t.Errorf("the page noticed the snapshot: %s", s.Title)
	}
	act(t, p, Act{Kind: "fill", Ref: ref(t, p, "textbox"), Text: "x"})
	act(t, p, Act{Kind: "click", Ref: ref(t, p, "Send")})
	if got := act(t, p, Act{Kind: "get", What: "title"}); got.Content != "sent" {
		t.Errorf("%+v", got)
	}
	if got := browsertest.Evaluate[bool](t, tab.Session, "'e1' in window || document.querySelector('[ref],[data-ref]') !== null"); got {
		t.Error("the page can see references")
	}
}

// TestSpinning reads pages that change under the snapshot.
func TestSpinning(t *testing.T) {
	p, _ := show(t, `<div id=a></div><button>Stay</button><script>let n = 0; setInterval(() => { a.innerHTML = '<ul>' + '<li><button>x ' + (n++) + '</button></li>'.repeat(50) + '</ul>'; }, 1);</script>`)
	for range 20 {
		if s := snap(t, p, SnapshotOptions{}); !strings.Contains(s.Text, `"Stay"`) {
			t.Fatal(s.Text)
		}
	}
	act(t, p, Act{Kind: "click", Ref: ref(t, p, "Stay")})
}
