package capability

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"sync"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"
	"golang.org/x/text/language"
	"golang.org/x/text/message"
)

// schemas keeps compiled schemas by their text: a schema is compiled when it
// is first needed, not at start.
var schemas schemaCache

// maxSchemas bounds the cache: servers may send new schemas for ever.
const maxSchemas = 4096

type schemaCache struct {
	mu     sync.Mutex
	byText map[string]*compiled
}

// of is the place for the schema of that text. To find it again takes no memory.
func (s *schemaCache) of(text []byte) *compiled {
	s.mu.Lock()
	defer s.mu.Unlock()
	c := s.byText[string(text)]
	if c == nil {
		if len(s.byText) >= maxSchemas || s.byText == nil {
			s.byText = map[string]*compiled{}
		}
		c = &compiled{}
		s.byText[string(text)] = c
	}
	return c
}

type compiled struct {
	once   sync.Once
	schema *jsonschema.Schema
	doc    any // the schema as a document, never changed
	err    error
}

func compile(raw json.RawMessage) (*compiled, error) {
	c := schemas.of(raw)
	c.once.Do(func() { c.schema, c.doc, c.err = compileWith(newCompiler(), raw) })
	return c, c.err
}

func newCompiler() *jsonschema.Compiler {
	c := jsonschema.NewCompiler()
	c.DefaultDraft(jsonschema.Draft2020)
	c.UseLoader(noLoader{})
	c.UseRegexpEngine(lenientRegexp)
	return c
}

// lenientRegexp takes every pattern. Servers write schemas for JavaScript's
// expressions; one that Go has not, such as a look-ahead, is left to the server
// to check, instead of making its tool useless.
func lenientRegexp(pattern string) (jsonschema.Regexp, error) {
	re, err := regexp.Compile(pattern)
	if err != nil {
		return anyText(pattern), nil //nolint:nilerr // see above
	}
	return re, nil
}

// anyText is a pattern that matches every text.
type anyText string

func (anyText) MatchString(string) bool { return true }
func (p anyText) String() string        { return string(p) }

func compileWith(c *jsonschema.Compiler, raw json.RawMessage) (*jsonschema.Schema, any, error) {
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(raw))
	if err != nil {
		return nil, nil, err
	}
	if err := c.AddResource("mem:schema", doc); err != nil {
		return nil, nil, err
	}
	schema, err := c.Compile("mem:schema")
	return schema, doc, err
}

// noLoader loads nothing: a schema never makes us fetch or read a file.
type noLoader struct{}

func (noLoader) Load(url string) (any, error) {
	return nil, fmt.Errorf("the schema refers to %s, which is not loaded", url)
}

// ValidateJSON checks a document against a JSON Schema. The error is a
// [UserError] of [BadInput] that names each fault: its JSON pointer, what was
// expected and what was given.
func ValidateJSON(schema, doc json.RawMessage) error {
	c, err := compile(schema)
	if err != nil {
		return fmt.Errorf("compiling the schema: %w", err)
	}
	return c.validate(doc)
}

func (c *compiled) validate(doc json.RawMessage) error {
	v, err := jsonschema.UnmarshalJSON(bytes.NewReader(doc))
	if err != nil {
		return BadInput.Becausef("the arguments are not JSON: %v", err)
	}
	return c.check(v)
}

// check is validate for a document that was read, with numbers as [json.Number].
func (c *compiled) check(v any) error {
	err := c.schema.Validate(v)
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
	case *kind.AdditionalProperties:
		f.Problem = "there is no parameter " + strings.Join(k.Properties, ", ")
	case *kind.Required:
		f.Problem = "missing " + strings.Join(k.Missing, ", ")
	case *kind.Enum, *kind.Pattern, *kind.Const:
		f.Given = given(at(doc, e.InstanceLocation))
	case *kind.Minimum:
		f.Problem = "expected at least " + k.Want.RatString()
		f.Given = given(at(doc, e.InstanceLocation))
	case *kind.Maximum:
		f.Problem = "expected at most " + k.Want.RatString()
		f.Given = given(at(doc, e.InstanceLocation))
	}
	*out = append(*out, f)
}

// pointerEscapes are those of RFC 6901.
var pointerEscapes = strings.NewReplacer("~", "~0", "/", "~1")

// pointer renders a location as RFC 6901 does. The whole document is "/".
func pointer(loc []string) string {
	if len(loc) == 0 {
		return "/"
	}
	var b strings.Builder
	for _, tok := range loc {
		b.WriteString("/" + pointerEscapes.Replace(tok))
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
