package page

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"
)

func TestParseRef(t *testing.T) {
	for text, want := range map[string]int{
		"e12": 12, "[e12]": 12, "@e12": 12, "ref=e12": 12, "[ref=e12]": 12, "12": 12, "E3": 3, "": 0, "e": 0, "e0": 0, "x12": 0, "e12 e13": 0, "e9999999999": 0, "-1": 0,
	} {
		if got := parseRef(text); got != want {
			t.Errorf("%q: got %d, want %d", text, got, want)
		}
	}
}

func TestRefs(t *testing.T) {
	var r refs
	r.given("a", 5)
	r.given("b", 9)
	r.given("b", 12)
	r.given("a", 13)
	r.given("a", 13)
	for n, want := range map[int]string{0: "", 1: "a", 4: "a", 5: "b", 11: "b", 12: "a", 13: ""} {
		if got := r.frame(n); got != want {
			t.Errorf("%d: got %q, want %q", n, got, want)
		}
	}
	for i := range 2 * maxSpans {
		r.given([]string{"a", "b"}[i%2], r.next+1)
	}
	if len(r.spans) > maxSpans || r.frame(1) != "" || r.frame(r.next-1) != "b" {
		t.Errorf("%d spans", len(r.spans))
	}
}

func TestClean(t *testing.T) {
	for text, want := range map[string]string{
		"plain": "plain", " a  b\n\tc ": "a b c", "x\u202Ey\u200Bz": "xyz", "tag\U000E0041s": "tags", "bell\a": "bell", "\xff": "\uFFFD",
		"👩‍👩‍👧": "👩‍👩‍👧", "123456789012": "1234567890…", "déjà": "déjà", "\ufeffx": "x",
	} {
		if got := clean(text, 10); got != want {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
}

// FuzzAnswer reads what a page might say in place of the script: nothing panics,
// and what is written is text of the form that it must have.
func FuzzAnswer(f *testing.F) {
	f.Add(`{"document":"1","url":"http://a/","rows":[{"d":0,"i":1,"r":"button","n":"Save","s":["disabled"],"c":1},{"d":1,"i":2,"r":"text","t":"x"}],"total":9,"visits":9}`)
	f.Add(`{"rows":[{"d":-5,"i":3,"r":"BUTTON<script>","n":"a\nb\" e1","l":-1,"m":1e9}]}`)
	f.Add(`{"rows":[{"d":0,"i":1,"r":"row"},{"d":1,"i":2,"r":"cell","t":"1"},{"d":1,"i":3,"r":"cell","t":"2"},{"d":99,"i":4,"r":"heading","l":200,"o":["a"],"q":-1}]}`)
	f.Add(`{"stale":true}`)
	f.Add(`null`)
	f.Fuzz(func(t *testing.T, text string) {
		raw, err := json.Marshal(`{"next":50,"value":` + text + `}`)
		if err != nil {
			t.Skip()
		}
		next, inner, err := unwrap(raw, 1)
		if err != nil {
			return
		}
		var a answer
		if json.Unmarshal(inner, &a) != nil || a.judge(func(n int) bool { return n > 0 && n < next }) != nil {
			return
		}
		now := newTree()
		now.grow("f", a.Rows, nil)
		for _, o := range []SnapshotOptions{{}, {Interactive: true, Budget: 400}, {Depth: 2}} {
			var s Snapshot
			s.render(now, o, nil)
			holdForm(t, s.Text)
		}
		var s Snapshot
		s.differ(newTree(), now, 0, SnapshotOptions{Budget: 2000})
		holdForm(t, s.Text)
		s.differ(now, newTree(), 0, SnapshotOptions{})
		holdForm(t, s.Text)
	})
}

// holdForm holds a snapshot to being lines whose text of the page stands in
// quotation marks.
func holdForm(t *testing.T, text string) {
	t.Helper()
	if !utf8.ValidString(text) || strings.ContainsFunc(text, func(r rune) bool { return r != '\n' && unicode.IsControl(r) }) {
		t.Fatalf("%q is no text", text)
	}
	for line := range strings.SplitSeq(text, "\n") {
		if strings.Count(strings.ReplaceAll(strings.ReplaceAll(line, `\\`, ""), `\"`, ""), `"`)%2 != 0 {
			t.Fatalf("open quotation marks in %s", line)
		}
	}
}

// FuzzChord reads any words as a key.
func FuzzChord(f *testing.F) {
	for _, s := range []string{"Enter", "Control+Shift+K", "+", "Control++", "é", " ", "", "Shift+", "F5", "\xff"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		c, err := parseChord(text)
		if err == nil && c.key == nil {
			t.Fatalf("%q is a chord without a key", text)
		}
		if err != nil && !utf8.ValidString(err.Error()) {
			t.Fatalf("%q", err.Error())
		}
	})
}
