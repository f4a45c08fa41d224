package outbound

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestForms(t *testing.T) {
	e := Elicitation{Schema: []byte(`{"type":"object","required":["age","who"],"properties":{
		"who":{"type":"string","title":"Who","default":"me"},
		"age":{"type":"integer"},
		"score":{"type":"number","default":95.5},
		"sure":{"type":"boolean"},
		"pick":{"type":"string","enum":["a","b"],"enumNames":["Apple","Bean"]},
		"one":{"type":"string","oneOf":[{"const":"x","title":"Ex"},{"const":"y"}]},
		"many":{"type":"array","items":{"anyOf":[{"const":"p","title":"Pea"},{"const":"q","title":"Quince"}]}}}}`)}
	fields, err := e.Fields()
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []struct {
		name   string
		answer []string
		value  any
		bad    []string
	}{
		{"age", []string{"30"}, int64(30), []string{""}},
		{"many", []string{"Pea", "q"}, []string{"p", "q"}, []string{"Zucchini"}},
		{"one", []string{"Ex"}, "x", []string{"z"}},
		{"pick", []string{"Bean"}, "b", []string{"Bean soup"}},
		{"score", nil, 95.5, []string{"high"}},
		{"sure", []string{"yes"}, true, []string{"perhaps"}},
		{"who", nil, "me", nil},
	} {
		f := fields[i]
		got, ok, err := f.Value(want.answer)
		if f.Name != want.name || !ok || err != nil || cmp.Diff(want.value, got) != "" {
			t.Errorf("%s: %v of %q is %v, %v, %v; want %v", want.name, f, want.answer, got, ok, err, want.value)
		}
		if want.bad == nil {
			continue
		}
		if _, _, err := f.Value(want.bad); err == nil {
			t.Errorf("%s takes %q", f.Name, want.bad)
		}
	}
	if _, ok, err := (Field{Kind: "text"}).Value(nil); ok || err != nil {
		t.Error("what is neither answered nor needed is not left out")
	}
	for _, bad := range []string{``, `[]`, `{"properties":{"a":{"type":"object"}}}`, `{"properties":{"a":7}}`} {
		if _, err := (Elicitation{Schema: []byte(bad)}).Fields(); err == nil {
			t.Errorf("the form %s is taken", bad)
		}
	}
}
