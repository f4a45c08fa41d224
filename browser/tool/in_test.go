package tool

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/hobkin/hobkin/browser/page"
	"github.com/hobkin/hobkin/core/capability"
)

// TestWrongInput holds that every mistake of form is answered with the form that
// is right, and that this one is taken.
func TestWrongInput(t *testing.T) {
	for given, want := range map[string]struct{ message, form string }{
		`{"action":"click","ref":"e3"}`:                       {"click is no action but a kind of act", `{"action":"act","kind":"click","ref":"e12"}`},
		`{"action":"fill"}`:                                   {"fill is no action but a kind of act", `{"action":"act","kind":"fill","ref":"e12","text":"hello"}`},
		`{"action":"wait"}`:                                   {"wait is no action but a kind of act", `{"action":"act","kind":"wait","text":"hello"}`},
		`{"action":"act","kind":"navigate"}`:                  {"navigate is no kind of act but an action", `{"action":"navigate","url":"https://example.org"}`},
		`{"action":"act","kind":"snapshot"}`:                  {"snapshot is no kind of act but an action", `{"action":"snapshot"}`},
		`{"action":"act"}`:                                    {"act needs a kind", `{"action":"act","kind":"click","ref":"e12"}`},
		`{"action":"act","kind":"clik"}`:                      {`there is no kind of act "clik"`, `{"action":"act","kind":"click","ref":"e12"}`},
		`{"action":"screnshot"}`:                              {`there is no action "screnshot"`, `{"action":"screenshot"}`},
		`{"action":"doubleclick"}`:                            {`there is no action "doubleclick"`, `{"action":"act","kind":"double_click","ref":"e12"}`},
		`{"action":"goto"}`:                                   {`there is no action "goto"`, `{"action":"navigate","url":"https://example.org"}`},
		`{"action":""}`:                                       {`there is no action ""`, ""},
		`{"action":"open","kind":"click"}`:                    {"the action open has no kind", `{"action":"act","kind":"click","ref":"e12"}`},
		`{"action":"open"}`:                                   {"open needs url", `{"action":"open","url":"https://example.org"}`},
		`{"action":"focus"}`:                                  {"focus needs tab", `{"action":"focus","tab":"t1"}`},
		`{"action":"dialog"}`:                                 {"dialog needs accept", `{"accept":true,"action":"dialog"}`},
		`{"action":"upload","ref":"e1"}`:                      {"upload needs paths", `{"action":"upload","paths":["report.pdf"],"ref":"e12"}`},
		`{"action":"download"}`:                               {"download needs url or ref", `{"action":"download","url":"https://example.org"}`},
		`{"action":"evaluate"}`:                               {"evaluate needs script", `{"action":"evaluate","script":"document.title"}`},
		`{"action":"act","kind":"click"}`:                     {"click needs ref", `{"action":"act","kind":"click","ref":"e12"}`},
		`{"action":"act","kind":"fill","ref":"e1"}`:           {"fill needs text or secret", `{"action":"act","kind":"fill","ref":"e12","text":"hello"}`},
		`{"action":"act","kind":"type"}`:                      {"type needs text", `{"action":"act","kind":"type","text":"hello"}`},
		`{"action":"act","kind":"press"}`:                     {"press needs key", `{"action":"act","key":"Enter","kind":"press"}`},
		`{"action":"act","kind":"select","ref":"e1"}`:         {"select needs values", `{"action":"act","kind":"select","ref":"e12","values":["one"]}`},
		`{"action":"act","kind":"drag","ref":"e1"}`:           {"drag needs to", `{"action":"act","kind":"drag","ref":"e12","to":"e15"}`},
		`{"action":"act","kind":"scroll"}`:                    {"scroll needs direction or ref", `{"action":"act","direction":"down","kind":"scroll"}`},
		`{"action":"act","kind":"wait"}`:                      {"wait needs text or gone or url or ref", `{"action":"act","kind":"wait","text":"hello"}`},
		`{"action":"act","kind":"click_coords","x":3}`:        {"click_coords needs y", `{"action":"act","kind":"click_coords","x":200,"y":120}`},
		`{"action":"act","kind":"get","what":"attribute"}`:    {"get of an attribute needs its name", `{"action":"act","kind":"get","ref":"e12","what":"attribute","name":"href"}`},
		`{"action":"cookies","op":"set"}`:                     {"set of cookies needs a name", `{"action":"cookies","op":"set","name":"theme","value":"dark"}`},
		`{"action":"storage","op":"delete"}`:                  {"delete of storage needs a name", ""},
		`{"action":"act","kind":"type","secret":"keyring:x"}`: {"type needs text", ""},
		`{"action":"act","kind":"fill","ref":"e1","text":"a","secret":"keyring:x"}`: {"text and secret are both given", ""},
		`{"action":"act","kind":"click","ref":"e1","secret":"keyring:x"}`:           {"a secret is only typed by fill", `{"action":"act","kind":"fill","ref":"e12","secret":"keyring:NAME"}`},
		`{"action":"act","kind":"fill","ref":"e1","secret":"hunter2"}`:              {"never the password itself", ""},
	} {
		err := parse(t, given).check()
		u, ok := capability.AsUserError(err)
		if !ok || !strings.Contains(u.Message, want.message) || !strings.Contains(u.Try, want.form) {
			t.Errorf("%s: %v (%v), want %q and %q", given, err, u, want.message, want.form)
			continue
		}
		if strings.Contains(u.Message+u.Try, "hunter2") {
			t.Errorf("%s: the password is repeated: %v", given, u)
		}
		if want.form != "" && !strings.Contains(want.form, "NAME") {
			if err := parse(t, want.form).check(); err != nil {
				t.Errorf("%s: the form %s is itself refused: %v", given, want.form, err)
			}
		}
	}
}

func parse(t *testing.T, raw string) *input {
	t.Helper()
	in := &input{}
	if err := json.Unmarshal([]byte(raw), in); err != nil {
		t.Fatal(raw, err)
	}
	return in
}

// TestForms holds that the form of every action and kind is taken.
func TestForms(t *testing.T) {
	for _, a := range actionNames {
		if a != "act" {
			if err := parse(t, form(a, "")).check(); err != nil {
				t.Errorf("%s: %v", form(a, ""), err)
			}
		}
	}
	for _, k := range kindNames {
		if err := parse(t, form("act", k)).check(); err != nil {
			t.Errorf("%s: %v", form("act", k), err)
		}
	}
	in := parse(t, `{"action":" Act ","kind":"Double-Click","ref":"e1"}`)
	if err := in.check(); err != nil || in.Action != "act" || in.Kind != "double_click" {
		t.Errorf("%+v, %v", in, err)
	}
}

// TestSchemaIsFlat holds that every provider takes the schema: no choices
// between shapes, no objects within, and every name is in it.
func TestSchemaIsFlat(t *testing.T) {
	raw, err := capability.SchemaFor[input]()
	if err != nil {
		t.Fatal(err)
	}
	for _, word := range []string{"anyOf", "oneOf", "allOf", "$ref", `"null"`} {
		if strings.Contains(string(raw), word) {
			t.Errorf("the schema has %s", word)
		}
	}
	var s struct {
		Required   []string
		Properties map[string]struct {
			Type        string
			Description string
			Properties  map[string]any
		}
	}
	if err := json.Unmarshal(raw, &s); err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(s.Required, []string{"action"}) {
		t.Errorf("required are %q", s.Required)
	}
	for name, p := range s.Properties {
		if p.Type == "" || p.Type == "object" || len(p.Properties) > 0 || p.Description == "" {
			t.Errorf("%s: %+v", name, p)
		}
	}
	for _, words := range []struct {
		in   string
		list []string
	}{{s.Properties["action"].Description, actionNames}, {s.Properties["kind"].Description, kindNames}} {
		for _, w := range words.list {
			if !slices.Contains(strings.FieldsFunc(words.in, func(r rune) bool { return r == ' ' || r == ',' || r == ':' }), w) {
				t.Errorf("%q does not name %s", words.in, w)
			}
		}
	}
}

// FuzzCheck: whatever a model sends, the answer is a form or nothing.
func FuzzCheck(f *testing.F) {
	for _, seed := range []string{`{"action":"act","kind":"click","ref":"e3"}`, `{"action":"clik"}`, `{"action":"ACT ","kind":"wait","gone":"x"}`, `{"action":"open","url":"localhost:3000"}`, `{"action":"\u0000"}`, `{}`} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, raw string) {
		in := &input{}
		if json.Unmarshal([]byte(raw), in) != nil {
			return
		}
		if u, ok := capability.AsUserError(in.check()); ok && (u.Code != badForm.Code || u.Message == "" || u.Try == "") {
			t.Errorf("%q: %+v", raw, u)
		}
		if got := whole(in.URL); strings.Contains(in.URL, "://") && got != strings.TrimSpace(in.URL) {
			t.Errorf("%q became %q", in.URL, got)
		}
		i := intent{about: &page.About{Role: "textbox", Personal: in.Name}}
		i.weighKey(in.Key)
		if i.Effect == "" || i.Question == "" {
			t.Errorf("the key %q says nothing: %+v", in.Key, i.Preview)
		}
	})
}
