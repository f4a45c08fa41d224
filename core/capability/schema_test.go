package capability

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

type base struct {
	Limit int `json:"limit,omitempty" jsonschema:"how many" min:"1" max:"50" default:"10"`
}

type spot struct {
	X float64 `json:"x" min:"0"`
}

type everything struct {
	base
	Path    string          `json:"path" jsonschema:"the file" min:"1" max:"4096"`
	Mode    string          `json:"mode,omitempty" enum:"a,b" default:"a"`
	Level   *int            `json:"level,omitempty" enum:"1,2"`
	Digits  string          `json:"digits,omitempty" default:"5"`
	Tags    []string        `json:"tags,omitempty" enum:"x,y" min:"1" max:"3"`
	Deep    bool            `json:"deep,omitempty" default:"true"`
	Spots   []spot          `json:"spots,omitempty"`
	ByName  map[string]spot `json:"by_name,omitempty"`
	Untold  string
	Skipped string     `json:"-"`
	Grid    [][]string `json:"grid,omitempty"`
}

func TestSchemaFor(t *testing.T) {
	got, err := SchemaFor[everything]()
	if err != nil {
		t.Fatal(err)
	}
	const want = `{
		"type": "object", "additionalProperties": false, "required": ["path", "Untold"],
		"properties": {
			"limit": {"type": "integer", "description": "how many", "minimum": 1, "maximum": 50, "default": 10},
			"path": {"type": "string", "description": "the file", "minLength": 1, "maxLength": 4096},
			"mode": {"type": "string", "enum": ["a", "b"], "default": "a"},
			"level": {"type": "integer", "enum": [1, 2]},
			"digits": {"type": "string", "default": "5"},
			"tags": {"type": "array", "items": {"type": "string", "enum": ["x", "y"]}, "minItems": 1, "maxItems": 3},
			"deep": {"type": "boolean", "default": true},
			"spots": {"type": "array", "items": {"type": "object", "properties": {"x": {"type": "number", "minimum": 0}}, "required": ["x"], "additionalProperties": false}},
			"by_name": {"type": "object", "additionalProperties": {"type": "object", "properties": {"x": {"type": "number", "minimum": 0}}, "required": ["x"], "additionalProperties": false}},
			"Untold": {"type": "string"},
			"grid": {"type": "array", "items": {"type": "array", "items": {"type": "string"}}}
		}
	}`
	var g, w any
	if err := errors.Join(json.Unmarshal(got, &g), json.Unmarshal([]byte(want), &w)); err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(w, g); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
	for range 20 {
		again, err := SchemaFor[everything]()
		if err != nil || !bytes.Equal(got, again) {
			t.Fatalf("the bytes differ from time to time: %v", err)
		}
	}
}

func TestSchemaForRefuses(t *testing.T) {
	for name, do := range map[string]func() (json.RawMessage, error){
		"min": SchemaFor[struct {
			A int `min:"x"`
		}],
		"max": SchemaFor[struct {
			A bool `max:"1"`
		}],
		"enum": SchemaFor[struct {
			A int `enum:"a"`
		}],
		"default": SchemaFor[struct {
			A int `default:"many"`
		}],
		"deep": SchemaFor[struct {
			A []struct {
				B int `min:"x"`
			}
		}],
		"chan": SchemaFor[struct{ A chan int }],
	} {
		if got, err := do(); err == nil {
			t.Errorf("%s: got %s, want an error", name, got)
		}
	}
}

func TestValidateJSON(t *testing.T) {
	schema := json.RawMessage(`{"type":"object","required":["path"],"additionalProperties":false,"properties":{
		"path":{"type":"string","pattern":"^[a-z]+$"},"n":{"type":"integer","minimum":1,"maximum":9},"mode":{"enum":["a","b"]},
		"list":{"type":"array","items":{"type":"object","properties":{"a/b~c":{"type":"boolean"}}}},"x":{"const":1}, "js":{"type":"string","pattern":"^(?!a)"}}}`)
	for name, tt := range map[string]struct{ doc, want string }{
		"fits":         {`{"path":"a","n":3,"mode":"a","list":[{"a/b~c":true}],"js":"a"}`, ""},
		"missing":      {`{}`, "/: missing path"},
		"unknown":      {`{"path":"a","pth":"b"}`, "/: there is no parameter pth"},
		"type":         {`{"path":3}`, "/path: expected string, but 3 was given"},
		"null":         {`{"path":null}`, "/path: expected string, but null was given"},
		"deep pointer": {`{"path":"a","list":[{},{"a/b~c":"x"}]}`, `/list/1/a~1b~0c: expected boolean, but "x" was given`},
		"too large":    {`{"path":"a","n":10}`, "/n: expected at most 9, but 10 was given"},
		"too small":    {`{"path":"a","n":0}`, "/n: expected at least 1, but 0 was given"},
		"enum":         {`{"path":"a","mode":"c"}`, `/mode: value must be one of 'a', 'b', but "c" was given`},
		"a long value": {`{"path":"a","n":"` + strings.Repeat("é", 100) + `"}`, `/n: expected integer, but "` + strings.Repeat("é", 29) + "… was given"},
		"no object":    {`[]`, "/: expected object, but [] was given"},
		"no JSON":      {`{`, "the arguments are not JSON: unexpected EOF"},
	} {
		err := ValidateJSON(schema, json.RawMessage(tt.doc))
		if tt.want == "" {
			if err != nil {
				t.Errorf("%s: err = %v", name, err)
			}
			continue
		}
		u, isUser := AsUserError(err)
		if !isUser || u.Message != tt.want || !errors.Is(err, BadInput) {
			t.Errorf("%s: got %v, want %s", name, err, tt.want)
		}
	}
	many, err := json.Marshal(map[string]any{"path": "a", "list": make([]int, 100)})
	if err != nil {
		t.Fatal(err)
	}
	u, _ := AsUserError(ValidateJSON(schema, many))
	if n := len(u.Details["faults"].([]fault)); n != maxFaults {
		t.Errorf("%d faults are told, want %d", n, maxFaults)
	}
}

func TestValidateJSONBadSchema(t *testing.T) {
	for name, schema := range map[string]string{
		"no JSON":         `{"type":`,
		"no schema":       `{"type":"spoon"}`,
		"a file":          `{"$ref":"file:///etc/passwd"}`,
		"an address":      `{"$ref":"https://example.org/schema.json"}`,
		"another dialect": `{"$schema":"https://example.org/dialect"}`,
	} {
		err := ValidateJSON(json.RawMessage(schema), json.RawMessage(`{}`))
		if _, isUser := AsUserError(err); err == nil || isUser {
			t.Errorf("%s: err = %v, want a fault of the tool", name, err)
		}
	}
}

// TestSchemaCacheIsBounded sends more schemas than are kept.
func TestSchemaCacheIsBounded(t *testing.T) {
	for i := range maxSchemas + 10 {
		schema, err := json.Marshal(map[string]any{"minimum": i})
		if err != nil {
			t.Fatal(err)
		}
		if err := ValidateJSON(schema, json.RawMessage("100000")); err != nil {
			t.Fatal(err)
		}
	}
	if kept := len(schemas.byText); kept > maxSchemas {
		t.Errorf("%d schemas are kept", kept)
	}
}

func FuzzValidateJSON(f *testing.F) {
	for _, seed := range [][2]string{
		{`{"type":"object"}`, `{}`},
		{`{"type":"string"}`, `1`},
		{`{"$ref":"#"}`, `{}`},
		{`true`, `null`},
		{`{"pattern":"("}`, `"a"`},
		{`{"anyOf":[{"type":"integer"},{"$ref":"#/anyOf/0"}]}`, `"x"`},
		{`{"enum":[1,"a",null]}`, `[[[]]]`},
	} {
		f.Add([]byte(seed[0]), []byte(seed[1]))
	}
	f.Fuzz(func(t *testing.T, schema, doc []byte) {
		err := ValidateJSON(schema, doc)
		if u, isUser := AsUserError(err); isUser && u.Message == "" {
			t.Errorf("%s against %s: an error without words", doc, schema)
		}
	})
}

func TestCutText(t *testing.T) {
	for name, tt := range map[string]struct {
		in        string
		n         int
		cut, both string // both: of CutMiddle
	}{
		"fits":       {"abc", 3, "abc", "abc"},
		"cut":        {"abcdef", 3, "abc", "ab\n… (3 bytes left out) …\nf"},
		"in a rune":  {"éééé", 3, "é", "é\n… (6 bytes left out) …\n"},
		"nothing":    {"abc", 0, "", "\n… (3 bytes left out) …\n"},
		"less":       {"abc", -1, "", "\n… (3 bytes left out) …\n"},
		"no runes":   {"\x80\x80\x80\x80\x80\x80\x80\x80", 6, "\x80\x80", "\n… (8 bytes left out) …\n"},
		"four bytes": {"😀😀", 5, "😀", "\n… (8 bytes left out) …\n"},
		"empty":      {"", 5, "", ""},
		"lines":      {"1000\n2000\n3000\n4000\n5000\n6000\n", 23, "1000\n2000\n3000\n4000\n500", "1000\n2000\n3000\n… (11 bytes left out) …\n6000\n"},
		"long lines": {"a\n" + strings.Repeat("b", 20) + "\nc", 12, "a\nbbbbbbbbbb", "a\nbbbbbb\n… (12 bytes left out) …\nbb\nc"},
	} {
		if got := CutText(tt.in, tt.n); got != tt.cut {
			t.Errorf("%s: CutText(%q, %d) = %q, want %q", name, tt.in, tt.n, got, tt.cut)
		}
		if got := CutMiddle(tt.in, tt.n); got != tt.both && name != "no runes" {
			t.Errorf("%s: CutMiddle(%q, %d) = %q, want %q", name, tt.in, tt.n, got, tt.both)
		}
	}
}

func FuzzCutMiddle(f *testing.F) {
	f.Add("aé😀b", 3)
	f.Fuzz(func(t *testing.T, s string, n int) {
		s = strings.ToValidUTF8(s, "")
		got := CutMiddle(s, n)
		if strings.ToValidUTF8(got, "") != got || len(got) > max(n, 0)+cutNote && len(s) > n {
			t.Errorf("CutMiddle(%q, %d) = %q", s, n, got)
		}
	})
}

type hostOf struct{ greeting string }

type greetIn struct {
	Name string `json:"name" jsonschema:"who"`
	Loud bool   `json:"loud,omitempty"`
}

type greetOut struct {
	Text string `json:"text"`
}

func (h *hostOf) greet(_ context.Context, _ Call, in greetIn) (greetOut, error) {
	if in.Name == "nobody" {
		return greetOut{}, BadInput.Becausef("nobody is there")
	}
	return greetOut{h.greeting + in.Name}, nil
}

func (h *hostOf) ask(_ context.Context, _ Call, in greetIn) (Preview, error) {
	return Preview{Summary: "greet " + in.Name}, nil
}

func TestSet(t *testing.T) {
	var s Set[*hostOf]
	spec := func(name string) Capability {
		return Capability{Name: name, Description: "Greets.", Class: ReadOnly, Category: CategorySystem}
	}
	AddPreviewed(&s, spec("zed"), (*hostOf).greet, (*hostOf).ask)
	Add(&s, spec("abc"), func(_ *hostOf, _ context.Context, _ Call, in greetIn) (string, error) { return in.Name, nil })
	Add(&s, spec("mid"), func(*hostOf, context.Context, Call, struct{}) (Result, error) { return Result{Summary: "s"}, nil })
	hi, ho := s.Bind(&hostOf{"hi "}), s.Bind(&hostOf{"ho "})
	if got := []string{hi[0].Name, hi[1].Name, hi[2].Name}; !cmp.Equal(got, []string{"abc", "mid", "zed"}) {
		t.Errorf("order %v", got)
	}
	for _, tt := range []struct {
		tools []Capability
		want  string
	}{{hi, `{"text":"hi you"}`}, {ho, `{"text":"ho you"}`}} {
		o := newRunner(t, tt.tools...).Run(t.Context(), request("zed", `{"name":"you"}`))
		if o.Result.Text != tt.want || string(o.Result.Data) != tt.want {
			t.Errorf("got %q, %s; want %s", o.Result.Text, o.Result.Data, tt.want)
		}
	}
	if hi[2].Output == nil || hi[0].Output != nil || hi[1].Output != nil || hi[0].Kind != KindBuiltin {
		t.Error("an output schema is missing or too many, or no kind")
	}
	p, err := hi[2].Preview(t.Context(), Call{Args: json.RawMessage(`{"name":"you"}`)})
	if err != nil || p.Summary != "greet you" {
		t.Errorf("preview %+v, %v", p, err)
	}
	if _, err := hi[2].Preview(t.Context(), Call{Args: json.RawMessage(`{"name":1}`)}); !errors.Is(err, BadInput) {
		t.Errorf("preview of wrong arguments: %v", err)
	}
	if _, err := hi[0].Handler(t.Context(), Call{}); err != nil {
		t.Errorf("no arguments: %v", err)
	}
	if o := newRunner(t, hi...).Run(t.Context(), request("zed", `{"name":"nobody"}`)); !errors.Is(o.Err, BadInput) {
		t.Errorf("err = %v", o.Err)
	}
}

func TestAddPanics(t *testing.T) {
	for name, add := range map[string]func(s *Set[int]){
		"no description": func(s *Set[int]) {
			Add(s, Capability{Name: "a", Class: ReadOnly}, func(int, context.Context, Call, struct{}) (string, error) { return "", nil })
		},
		"arguments that are no object": func(s *Set[int]) {
			Add(s, Capability{Name: "a", Description: "x", Class: ReadOnly}, func(int, context.Context, Call, []int) (string, error) { return "", nil })
		},
		"a type without a schema": func(s *Set[int]) {
			AddPreviewed(s, Capability{Name: "a", Description: "x", Class: ReadOnly},
				func(int, context.Context, Call, struct{}) (chan int, error) { return nil, nil },
				func(int, context.Context, Call, struct{}) (Preview, error) { return Preview{}, nil })
		},
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s: no panic", name)
				}
			}()
			add(&Set[int]{})
		}()
	}
}

func TestFunc(t *testing.T) {
	c, err := Func("fahrenheit", "Convert Celsius to Fahrenheit.", func(_ context.Context, in struct{ Celsius float64 }) (float64, error) {
		return in.Celsius*9/5 + 32, nil
	})
	if err != nil {
		t.Fatal(err)
	}
	o := newRunner(t, c).Run(t.Context(), request("fahrenheit", `{"Celsius":"100"}`))
	if o.Result.Text != "212" || c.Class != ReadOnly {
		t.Errorf("got %q, %v", o.Result.Text, o.Err)
	}
	if _, err := Func("1st", "x", func(context.Context, struct{}) (string, error) { return "", nil }); err == nil {
		t.Error("a bad name is taken")
	}
	if _, err := Func("inf", "x", func(context.Context, struct{}) (any, error) { return nil, nil }); err != nil {
		t.Errorf("any result: %v", err)
	}
}

func TestRedactJSON(t *testing.T) {
	hide := func(s string) string { return strings.ReplaceAll(s, "pw", "•") }
	for in, want := range map[string]string{
		``:                             ``,
		`{"a": 1.50}`:                  `{"a": 1.50}`,
		`["pw",{"pw":["x pw"]},1e400]`: `["•",{"•":["x •"]},1e400]`,
		`pw, no JSON`:                  `"•, no JSON"`,
		`"p\u0077 <"`:                  `"• <"`,
	} {
		if got := string(RedactJSON(json.RawMessage(in), hide)); got != want {
			t.Errorf("%s: got %s, want %s", in, got, want)
		}
	}
	if got := string(RedactJSON(json.RawMessage(`{`), nil)); got != `{` {
		t.Errorf("without a redactor: got %s", got)
	}
}
