package capability

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strconv"
	"strings"
	"sync"

	gen "github.com/google/jsonschema-go/jsonschema"
	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"
	"golang.org/x/text/language"
	"golang.org/x/text/message"
)

// SchemaFor generates the JSON Schema of T from its fields and their tags. The
// bytes are the same every time, so that prompts stay cacheable.
func SchemaFor[T any]() (json.RawMessage, error) {
	s, err := gen.For[T](nil)
	if err != nil {
		return nil, err
	}
	if err := applyTags(s, reflect.TypeFor[T]()); err != nil {
		return nil, err
	}
	return json.Marshal(s)
}

// applyTags adds what the jsonschema tag cannot say: enum, min, max, default.
func applyTags(s *gen.Schema, t reflect.Type) error {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	switch {
	case s == nil:
		return nil
	case t.Kind() == reflect.Slice && s.Items != nil:
		return applyTags(s.Items, t.Elem())
	case t.Kind() != reflect.Struct:
		return nil
	}
	for i := range t.NumField() {
		f := t.Field(i)
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		p := s.Properties[name]
		if p == nil {
			continue
		}
		if err := applyTag(p, f); err != nil {
			return fmt.Errorf("field %s: %w", f.Name, err)
		}
		if err := applyTags(p, f.Type); err != nil {
			return err
		}
	}
	return nil
}

func applyTag(p *gen.Schema, f reflect.StructField) error {
	flat(p)
	if enum := f.Tag.Get("enum"); enum != "" {
		target := p
		if p.Items != nil {
			target = p.Items
		}
		for v := range strings.SplitSeq(enum, ",") {
			target.Enum = append(target.Enum, v)
		}
	}
	if err := applyBound(f.Tag.Get("min"), &p.Minimum, &p.MinItems, p.Items != nil); err != nil {
		return err
	}
	if err := applyBound(f.Tag.Get("max"), &p.Maximum, &p.MaxItems, p.Items != nil); err != nil {
		return err
	}
	if d := f.Tag.Get("default"); d != "" {
		raw := json.RawMessage(d)
		if !json.Valid(raw) {
			raw, _ = json.Marshal(d)
		}
		p.Default = raw
	}
	return nil
}

// flat turns ["null","array"], which the generator writes for slices and
// pointers, into the plain type: not every provider takes a list of types.
func flat(p *gen.Schema) {
	if len(p.Types) == 2 && p.Types[0] == "null" {
		p.Type, p.Types = p.Types[1], nil
	}
}

func applyBound(tag string, number **float64, items **int, isArray bool) error {
	if tag == "" {
		return nil
	}
	v, err := strconv.ParseFloat(tag, 64)
	if err != nil {
		return err
	}
	if isArray {
		*items = new(int(v))
		return nil
	}
	*number = &v
	return nil
}

// schemas keeps compiled schemas by their text: a schema is compiled when it
// is first needed, not at start.
var schemas sync.Map // string → *compiled

type compiled struct {
	once   sync.Once
	schema *jsonschema.Schema
	err    error
}

func compile(raw json.RawMessage) (*jsonschema.Schema, error) {
	v, _ := schemas.LoadOrStore(string(raw), &compiled{})
	c := v.(*compiled)
	c.once.Do(func() { c.schema, c.err = compileNow(raw) })
	return c.schema, c.err
}

func compileNow(raw json.RawMessage) (*jsonschema.Schema, error) {
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(raw))
	if err != nil {
		return nil, err
	}
	c := jsonschema.NewCompiler()
	c.DefaultDraft(jsonschema.Draft2020)
	c.UseLoader(noLoader{}) // a schema never makes us fetch or read a file
	if err := c.AddResource("mem:schema", doc); err != nil {
		return nil, err
	}
	return c.Compile("mem:schema")
}

type noLoader struct{}

func (noLoader) Load(url string) (any, error) {
	return nil, fmt.Errorf("the schema refers to %s, which is not loaded", url)
}

// ValidateJSON checks a document against a JSON Schema. The error is a
// [UserError] of [BadInput] that names each fault: its JSON pointer, what was
// expected and what was given.
func ValidateJSON(schema, doc json.RawMessage) error {
	s, err := compile(schema)
	if err != nil {
		return fmt.Errorf("compiling the schema: %w", err)
	}
	v, err := jsonschema.UnmarshalJSON(bytes.NewReader(doc))
	if err != nil {
		return BadInput.Becausef("the arguments are not JSON: %v", err)
	}
	err = s.Validate(v)
	if err == nil {
		return nil
	}
	ve, ok := errors.AsType[*jsonschema.ValidationError](err)
	if !ok {
		return err
	}
	var faults []fault
	collect(ve, v, &faults)
	return badInput(faults)
}

// A fault is one place where a document does not fit.
type fault struct {
	Pointer string `json:"pointer"`
	Problem string `json:"problem"`
	Given   string `json:"given,omitempty"`
}

const maxFaults = 8 // more would bury the first

func badInput(faults []fault) error {
	lines := make([]string, len(faults))
	for i, f := range faults {
		lines[i] = f.Pointer + ": " + f.Problem
		if f.Given != "" {
			lines[i] += ", but " + f.Given + " was given"
		}
	}
	return BadInput.Becausef("%s", strings.Join(lines, "; ")).With("faults", faults)
}

var english = message.NewPrinter(language.English)

// collect gathers the leaves of the tree of causes.
func collect(e *jsonschema.ValidationError, doc any, out *[]fault) {
	if len(e.Causes) > 0 {
		for _, c := range e.Causes {
			collect(c, doc, out)
		}
		return
	}
	if len(*out) >= maxFaults {
		return
	}
	f := fault{Pointer: pointer(e.InstanceLocation), Problem: e.ErrorKind.LocalizedString(english)}
	switch k := e.ErrorKind.(type) {
	case *kind.Type:
		f.Problem = "expected " + strings.Join(k.Want, " or ")
		f.Given = given(at(doc, e.InstanceLocation))
	case *kind.Enum, *kind.Minimum, *kind.Maximum, *kind.Pattern, *kind.Const:
		f.Given = given(at(doc, e.InstanceLocation))
	}
	*out = append(*out, f)
}

// pointer renders a location as RFC 6901 does. The whole document is "/".
func pointer(loc []string) string {
	if len(loc) == 0 {
		return "/"
	}
	var b strings.Builder
	for _, tok := range loc {
		b.WriteString("/" + strings.NewReplacer("~", "~0", "/", "~1").Replace(tok))
	}
	return b.String()
}

func at(doc any, loc []string) any {
	for _, tok := range loc {
		switch v := doc.(type) {
		case map[string]any:
			doc = v[tok]
		case []any:
			i, err := strconv.Atoi(tok)
			if err != nil || i < 0 || i >= len(v) {
				return nil
			}
			doc = v[i]
		}
	}
	return doc
}

// given shows a value briefly.
func given(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		return fmt.Sprintf("%T", v)
	}
	const most = 60
	if len(b) > most {
		return CutText(string(b), most) + "…"
	}
	return string(b)
}
