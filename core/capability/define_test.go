package capability

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

type lookupIn struct {
	ID string `json:"id" min:"1" jsonschema:"exact id of the record"`
}

type record struct {
	ID     string   `json:"id"`
	Score  float64  `json:"score" min:"0" max:"1"`
	Labels []string `json:"labels"`
}

func (r record) Summary() string { return "record " + r.ID }

// lookup is a handler with all that one can have.
type lookup struct{ seen *Scope }

func (lookup) Name() string        { return "lookup_record" }
func (lookup) Title() string       { return "Look up a record" }
func (lookup) Description() string { return "Looks up one record by its exact id." }
func (lookup) Hints() Hints        { return Hints{ReadOnly: Yes, Idempotent: Yes} }
func (lookup) Docs() Docs          { return Docs{When: "an id is known"} }

func (lookup) Preview(_ context.Context, in lookupIn) (Preview, error) {
	return Preview{Summary: "looks up " + in.ID}, nil
}

func (l lookup) Handle(ctx context.Context, in lookupIn) (record, error) {
	Progress(ctx, "looking up "+in.ID)
	if l.seen != nil {
		*l.seen = ScopeOf(ctx)
	}
	switch in.ID {
	case "wait":
		<-ctx.Done()
		return record{}, ctx.Err()
	case "broken":
		return record{}, errors.New("db at 10.0.0.7 refused user:pass")
	case "rec_42":
		return record{ID: in.ID, Score: 0.98, Labels: []string{"<verified>"}}, nil
	}
	u := &UserError{Code: "record_not_found", Message: "no record has that id"}
	return record{}, u.With("id", in.ID)
}

// remove is a handler with only what one must have.
type remove struct{}

func (remove) Name() string                                     { return "remove_record" }
func (remove) Description() string                              { return "Removes a record." }
func (remove) Handle(context.Context, lookupIn) (string, error) { return "gone", nil }

// crooked is a handler that is wrong in ways to choose.
type crooked[In any] struct{ name, description, title string }

func (c crooked[In]) Name() string                               { return c.name }
func (c crooked[In]) Description() string                        { return c.description }
func (c crooked[In]) Title() string                              { return c.title }
func (c crooked[In]) Handle(context.Context, In) (string, error) { return "", nil }

func records() Definition {
	return Define("acme.records", "Records", "Looks up records of the company.").
		Instructions("Use exact ids.\n").
		Metadata(map[string]any{"owner": "risk"}).
		Tool(Typed(lookup{})).
		Tool(Typed(remove{}))
}

func TestDefinition(t *testing.T) {
	d := records()
	if d.ID() != "acme.records" || d.Name() != "Records" || d.Description() == "" || string(d.Meta()) != `{"owner":"risk"}` {
		t.Errorf("got %s, %s, %s", d.ID(), d.Name(), d.Meta())
	}
	if d.Prompt() != "# Records\n\nUse exact ids." {
		t.Errorf("prompt %q", d.Prompt())
	}
	look, err := d.Tools()[0].Spec()
	if err != nil {
		t.Fatal(err)
	}
	if look.Class != ReadOnly || look.Title != "Look up a record" || look.Docs.When == "" || look.Preview == nil {
		t.Errorf("%+v", look)
	}
	for what, c := range map[string]struct {
		schema json.RawMessage
		want   string
	}{
		"parameters": {look.Parameters, `{"type":"object","properties":{"id":{"type":"string","description":"exact id of the record","minLength":1}},"required":["id"],"additionalProperties":false}`},
		"output":     {look.Output, `{"type":"object","properties":{"id":{"type":"string"},"score":{"type":"number","minimum":0,"maximum":1},"labels":{"type":"array","items":{"type":"string"}}},"required":["id","score","labels"],"additionalProperties":false}`},
	} {
		if !same(c.schema, json.RawMessage(c.want)) {
			t.Errorf("%s: %s", what, c.schema)
		}
	}
	bundle, err := d.Bundle()
	if err != nil {
		t.Fatal(err)
	}
	if bundle[1].Class != ReadWrite || bundle[1].Title != "remove_record" || bundle[1].Meta["definition"] != "acme.records" {
		t.Errorf("a plain handler: %+v", bundle[1])
	}
	more := d.Tool(Typed(crooked[lookupIn]{"third", "Is third.", "Third"}))
	other := d.Tool(Typed(crooked[lookupIn]{"fourth", "Is fourth.", "Fourth"}))
	if a, b := more.Tools()[2].String(), other.Tools()[2].String(); len(d.Tools()) != 2 || a != "tool third" || b != "tool fourth" {
		t.Errorf("definitions change each other: %s, %s", a, b)
	}
}

func TestDefinitionRuns(t *testing.T) {
	var seen Scope
	d := Define("r", "R", "R.").Tool(Typed(lookup{&seen}))
	bundle, err := d.Bundle()
	if err != nil {
		t.Fatal(err)
	}
	r := newRunner(t, bundle...)
	var previews []string
	r.Approve = func(_ context.Context, _ *Capability, _ Call, p Preview) error {
		previews = append(previews, p.Summary)
		return nil
	}
	run := func(ctx context.Context, id string) (*Outcome, string) {
		req := request("lookup_record", `{"id":"`+id+`"}`)
		req.Filter.Turn = Turn{Trust: Operator, Session: "s", Workspace: "/home/ada/work", Locale: "de-DE"}
		var told []string
		req.Progress = func(text string) { told = append(told, text) }
		return r.Run(ctx, req), strings.Join(told, "; ")
	}
	o, told := run(t.Context(), "rec_42")
	if want := `{"id":"rec_42","score":0.98,"labels":["<verified>"]}`; o.Failed() || string(o.Result.Data) != want || o.Result.Text != want || o.Result.Summary != "record rec_42" {
		t.Errorf("got %q, %s, %q, %v", o.Result.Text, o.Result.Data, o.Result.Summary, o.Err)
	}
	if err := ValidateJSON(o.Tool.Output, o.Result.Data); err != nil {
		t.Errorf("the result does not fit its schema: %v", err)
	}
	if told != "looking up rec_42" || previews[0] != "looks up rec_42" {
		t.Errorf("progress %q, preview %q", told, previews)
	}
	if seen.Session != "s" || seen.Call != "1" || seen.Locale != "de-DE" || !strings.HasPrefix(seen.Workspace, "ws_") || strings.Contains(seen.Workspace, "ada") {
		t.Errorf("scope %+v", seen)
	}
	o, _ = run(t.Context(), "rec_1")
	if u, ok := AsUserError(o.Err); !ok || u.Code != "record_not_found" || u.Details["id"] != "rec_1" {
		t.Errorf("an expected failure: %v", o.Err)
	}
	o, _ = run(t.Context(), "broken")
	if u, ok := AsUserError(o.Err); !ok || u.Code != "internal" || strings.Contains(o.Result.Text, "10.0.0.7") || strings.Contains(o.Result.Text, "pass") {
		t.Errorf("a fault: %v, %s", o.Err, o.Result.Text)
	}
	ctx, cancel := context.WithCancel(t.Context())
	r.Approve = func(context.Context, *Capability, Call, Preview) error { cancel(); return nil }
	o, _ = run(ctx, "wait")
	if u, ok := AsUserError(o.Err); !ok || u.Code != "cancelled" {
		t.Errorf("cancelled: %v", o.Err)
	}
	if s := ScopeOf(t.Context()); s != (Scope{}) {
		t.Errorf("outside a call: %+v", s)
	}
	Progress(t.Context(), "does nothing")
}

// TestFuncSees holds that a plain function has the scope of its call too.
func TestFuncSees(t *testing.T) {
	c, err := Func("fahrenheit", "Convert Celsius to Fahrenheit.", func(ctx context.Context, in struct{ Celsius float64 }) (float64, error) {
		Progress(ctx, ScopeOf(ctx).Call)
		return in.Celsius*1.8 + 32, nil
	})
	if err != nil {
		t.Fatal(err)
	}
	req := request("fahrenheit", `{"Celsius":"21"}`)
	told := ""
	req.Progress = func(text string) { told = text }
	o := newRunner(t, c).Run(t.Context(), req)
	if o.Failed() || string(o.Result.Data) != "69.80000000000001" || told != "1" || string(c.Output) != `{"type":"number"}` {
		t.Errorf("got %s, %q, %s, %v", o.Result.Data, told, c.Output, o.Err)
	}
}

// reasons lists what is wrong in an error, each as ID/tool reason.
func reasons(err error) (out []string) {
	if joined, ok := err.(interface{ Unwrap() []error }); ok {
		for _, e := range joined.Unwrap() {
			out = append(out, reasons(e)...)
		}
		return out
	}
	if e, ok := errors.AsType[*InvalidError](err); ok {
		where := e.ID
		if e.Tool != "" {
			where += "/" + e.Tool
		}
		out = append(out, where+" "+string(e.Reason))
	}
	return out
}

func TestDefinitionIsChecked(t *testing.T) {
	good := Typed(lookup{})
	with := func(tool Tool) Definition { return Define("d", "D", "D.").Tool(tool) }
	long := "a" + strings.Repeat("b", 127)
	for name, tt := range map[string]struct {
		d    Definition
		want []string
	}{
		"good":                      {records(), nil},
		"the longest id":            {Define(long, "D", "D.").Tool(good), nil},
		"all signs of an id":        {Define("_a-1.b:C", "D", "D.").Tool(good), nil},
		"no id":                     {Define("", "D", "D.").Tool(good), []string{" bad_id"}},
		"an id too long":            {Define(long+"c", "D", "D.").Tool(good), []string{long + "c bad_id"}},
		"a digit first":             {Define("1a", "D", "D.").Tool(good), []string{"1a bad_id"}},
		"a space":                   {Define("a b", "D", "D.").Tool(good), []string{"a b bad_id"}},
		"a line break":              {Define("a\n", "D", "D.").Tool(good), []string{"a\n bad_id"}},
		"another letter":            {Define("ä", "D", "D.").Tool(good), []string{"ä bad_id"}},
		"reserved":                  {Define("hobkin.x", "D", "D.").Tool(good), []string{"hobkin.x reserved_id"}},
		"reserved, in capitals":     {Define("MCP:x", "D", "D.").Tool(good), []string{"MCP:x reserved_id"}},
		"no tools":                  {Define("d", "D", "D."), []string{"d no_tools"}},
		"blank texts":               {Define("d", " ", "\t").Instructions("\n").Tool(good), []string{"d blank_text", "d blank_text", "d blank_text"}},
		"metadata of a list":        {with(good).Metadata([]int{1}), []string{"d bad_metadata"}},
		"metadata that is not one":  {with(good).Metadata(math.NaN()), []string{"d bad_metadata"}},
		"a tool twice":              {with(good).Tool(good), []string{"d/lookup_record duplicate_tool"}},
		"an empty tool":             {with(Tool{}), []string{"d bad_tool"}},
		"a tool without words":      {with(Typed(crooked[lookupIn]{"x", " ", "X"})), []string{"d/x blank_text"}},
		"a tool with a blank title": {with(Typed(crooked[lookupIn]{"x", "X.", " "})), []string{"d/x blank_text"}},
		"a tool with a bad name":    {with(Typed(crooked[lookupIn]{"x y", "X.", "X"})), []string{"d/x y bad_tool"}},
		"arguments of a list":       {with(Typed(crooked[[]int]{"x", "X.", "X"})), []string{"d/x bad_tool"}},
		"arguments of a channel":    {with(Typed(crooked[struct{ C chan int }]{"x", "X.", "X"})), []string{"d/x bad_tool"}},
		"a tag that is no number": {with(Typed(crooked[struct {
			N int `json:"n" min:"few"`
		}]{"x", "X.", "X"})), []string{"d/x bad_tool"}},
		"several faults": {Define("1", "", "D."), []string{"1 bad_id", "1 no_tools", "1 blank_text"}},
	} {
		err := tt.d.Check()
		got := reasons(err)
		if d := cmp.Diff(tt.want, got); d != "" {
			t.Errorf("%s: %v (-want +got):\n%s", name, err, d)
		}
		if _, berr := tt.d.Bundle(); fmt.Sprint(berr) != fmt.Sprint(err) {
			t.Errorf("%s: the bundle says %v", name, berr)
		}
	}
	if _, err := Typed(crooked[[]int]{"x", "X.", "X"}).Spec(); err == nil {
		t.Error("a broken tool has a spec")
	}
	if s := (Definition{}).Metadata([]int{1}).Meta(); s != nil {
		t.Errorf("metadata that is none: %s", s)
	}
}

func TestReference(t *testing.T) {
	for name, tt := range map[string]struct {
		r        Reference
		settings string
		want     []string
	}{
		"without":      {Ref("vendor.search"), `{}`, nil},
		"a map":        {Ref("vendor.search").Config(map[string]any{"index": "a<b"}), `{"index":"a<b"}`, nil},
		"a struct":     {Ref("v").Config(struct{ N int }{1}), `{"N":1}`, nil},
		"raw":          {Ref("v").Config(json.RawMessage(`{"a":1}`)), `{"a":1}`, nil},
		"bytes":        {Ref("v").Config([]byte(`{"a":1}`)), `{"a":1}`, nil},
		"a list":       {Ref("v").Config([]int{1}), "", []string{"v config_no_object"}},
		"null":         {Ref("v").Config(json.RawMessage(`null`)), "", []string{"v config_no_object"}},
		"nil":          {Ref("v").Config(nil), "", []string{"v config_no_object"}},
		"text":         {Ref("v").Config("sk-secret"), "", []string{"v config_no_object"}},
		"broken":       {Ref("v").Config([]byte(`{"key":"sk-secret"`)), "", []string{"v config_no_object"}},
		"a bad id too": {Ref("").Config("sk-secret"), "", []string{" bad_id", " config_no_object"}},
		"reserved":     {Ref("plugin:x"), "{}", []string{"plugin:x reserved_id"}},
	} {
		raw, _ := tt.r.Settings()
		err := tt.r.Check()
		if d := cmp.Diff(tt.want, reasons(err)); d != "" || string(raw) != tt.settings {
			t.Errorf("%s: settings %s, %v (-want +got):\n%s", name, raw, err, d)
		}
		if err != nil && strings.Contains(err.Error(), "secret") {
			t.Errorf("%s: the error shows the configuration: %v", name, err)
		}
	}
}

// TestReferenceIsRedacted prints a reference in every way.
func TestReferenceIsRedacted(t *testing.T) {
	const secret = "sk-4711"
	ref := Ref("vendor.search").Config(map[string]any{"key": secret})
	var log bytes.Buffer
	for _, h := range []slog.Handler{slog.NewJSONHandler(&log, nil), slog.NewTextHandler(&log, nil)} {
		slog.New(h).Info("x", "ref", ref, "pointer", &ref, "in", struct{ R Reference }{ref}, "list", []Reference{ref}, "part", ref.Part())
	}
	var printed strings.Builder
	printed.WriteString(log.String())
	for _, v := range []any{ref, &ref, []Reference{ref}, struct{ r Reference }{ref}, struct{ R *Reference }{&ref}, map[string]Reference{"a": ref}, ref.Part(), Part(ref)} {
		for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x", "%d"} {
			fmt.Fprintf(&printed, verb, v)
		}
		raw, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		printed.Write(raw)
	}
	for _, bad := range []string{secret, fmt.Sprintf("%x", secret), "key"} {
		if strings.Contains(printed.String(), bad) {
			t.Errorf("%q is printed in\n%s", bad, printed.String())
		}
	}
	if !strings.Contains(printed.String(), "capability vendor.search (configured)") {
		t.Error("the id is not printed")
	}
	if got := fmt.Sprint(Ref("a")); got != "capability a" {
		t.Errorf("without a configuration: %s", got)
	}
}

func FuzzReference(f *testing.F) {
	f.Add("vendor.search", `{"a":1}`)
	f.Add("\x00", `{`)
	f.Add("mcp:x", `[]`)
	f.Fuzz(func(t *testing.T, id, config string) {
		r := Ref(id).Config([]byte(config))
		raw, err := r.Settings()
		if (err == nil) != strings.HasPrefix(strings.TrimSpace(string(raw)), "{") {
			t.Errorf("%q: %s, %v", config, raw, err)
		}
		if r.Check() == nil && (len(id) > maxID || !json.Valid(raw)) {
			t.Errorf("%q with %q is good", id, config)
		}
	})
}
