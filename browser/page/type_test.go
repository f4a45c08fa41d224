package page

import (
	"testing"

	"github.com/hobkin/hobkin/browser/browsertest"
)

// TestTypeAtTheEnd: text goes behind what a field holds, unless the page or the
// person has put the cursor elsewhere.
func TestTypeAtTheEnd(t *testing.T) {
	p, tab := show(t, `<input id=a aria-label=Plain value=one><input id=b aria-label=Mail type=email value=a@b><textarea id=c aria-label=Note>one
two</textarea><div id=d contenteditable role=textbox aria-label=Rich>one <b>two</b></div><input id=e aria-label=Own value=old onfocus="this.select()">
<div id=host></div><script>host.attachShadow({mode: "open"}).innerHTML = "<input aria-label=Shady value=one>"</script>`)
	for label, want := range map[string][2]string{
		`"Plain"`: {"a.value", "one+"}, `"Mail"`: {"b.value", "a@b+"}, `"Note"`: {"c.value", "one\ntwo+"}, `"Rich"`: {"d.innerText", "one two+"},
		`"Own"`: {"e.value", "+"}, `"Shady"`: {"host.shadowRoot.firstChild.value", "one+"},
	} {
		act(t, p, Act{Kind: "type", Ref: ref(t, p, label), Text: "+"})
		if got := browsertest.Evaluate[string](t, tab.Session, want[0]); got != want[1] {
			t.Errorf("%s holds %q, want %q", label, got, want[1])
		}
	}
	browsertest.Evaluate[any](t, tab.Session, "a.focus(), a.setSelectionRange(1, 1)")
	act(t, p, Act{Kind: "type", Ref: ref(t, p, `"Plain"`), Text: "-"})
	if got := browsertest.Evaluate[string](t, tab.Session, "a.value"); got != "o-ne+" {
		t.Errorf("the field that had the focus holds %q", got)
	}
}
