package page

import (
	"errors"
	"strings"
	"testing"

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
	if got, want := tab.log(t), "click:a click:a click:a dblclick:a contextmenu:a click:b"; got != want && !strings.Contains(got, "auxclick") {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestFill(t *testing.T) {
	p, tab := show(t, logging+`<input id=a aria-label=Text value=old><input id=p type=password aria-label=Pass><textarea id=t aria-label=Area>x</textarea>
<div id=c contenteditable aria-label=Rich>old <b>text</b></div><input id=d type=date aria-label=Date><input id=r type=range aria-label=Range><input id=col type=color aria-label=Colour>`)
	for name, text := range map[string]string{"Text": "Grüße 👋🏽", "Area": "two\nlines", "Rich": "new words", "Date": "2026-03-31", "Range": "73", "Colour": "#3366FF"} {
		act(t, p, Act{Kind: "fill", Ref: ref(t, p, `"`+name+`"`), Text: text})
	}
	if d := act(t, p, Act{Kind: "fill", Ref: ref(t, p, `"Pass"`), Text: "secret"}); strings.Contains(d.Text+d.Value, "secret") {
		t.Errorf("the password is told: %+v", d)
	}
	got := browsertest.Evaluate[[]string](t, tab.Session, "[a.value, p.value, t.value, c.innerText, d.value, r.value, col.value]")
	want := []string{"Grüße 👋🏽", "secret", "two\nlines", "new words", "2026-03-31", "73", "#3366ff"}
	if strings.Join(got, "|") != strings.Join(want, "|") {
		t.Errorf("got %q, want %q", got, want)
	}
}
