package main

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// A snapshot is taken apart as it was written, whatever the page says in it.
func TestParse(t *testing.T) {
	got := parse(`"3 + x = 73" e1
h2 "Prices \"today\"" e2
tablist e3
 tab "One e9" e4 expanded selected
textbox "Name" = "a = b" e5 like "#name e7" required
combobox = "b" e6 options "a" | "b c"
- "Item" e8 clickable
(2 lines did not fit)
… 4 more
`)
	want := scene{
		{ref: "e1", name: "3 + x = 73"},
		{ref: "e2", role: "h2", name: `Prices "today"`},
		{ref: "e3", role: "tablist"},
		{ref: "e4", role: "tab", name: "One e9", level: 1, states: []string{"expanded", "selected"}},
		{ref: "e5", role: "textbox", name: "Name", value: "a = b", like: "#name e7", states: []string{"required"}},
		{ref: "e6", role: "combobox", value: "b", options: []string{"a", "b c"}},
		{ref: "e8", role: "-", name: "Item", states: []string{"clickable"}},
	}
	for i := range got {
		got[i].text = ""
		if len(got[i].states) == 0 {
			got[i].states = nil
		}
	}
	if d := cmp.Diff(want, got, cmp.AllowUnexported(line{})); d != "" {
		t.Error(d)
	}
}

func TestContent(t *testing.T) {
	for text, want := range map[string]string{
		"<untrusted id=\"A\">\nSaid.\nTab t1: x\n\nbutton \"A\" e1\n\nbutton \"B\" e2\n</untrusted id=\"A\">": "button \"A\" e1\n\nbutton \"B\" e2",
		"Said.\n": "",
	} {
		if got := content(text); got != want {
			t.Errorf("content(%q) = %q, want %q", text, got, want)
		}
	}
}
