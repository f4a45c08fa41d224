package provider_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/hobkin/hobkin/core/capability"
	"github.com/hobkin/hobkin/core/provider"
)

var dialects = map[string]provider.Dialect{"openai": provider.OpenAISchema, "anthropic": provider.AnthropicSchema, "gemini": provider.GeminiSchema}

func TestSchemasInDialects(t *testing.T) {
	same := "same"
	for name, tc := range map[string]struct{ in, openai, anthropic, gemini string }{
		"where it came from": {
			`{"$schema":"http://json-schema.org/draft-07/schema#","$id":"x","type":"object","properties":{}}`,
			`{"properties":{},"type":"object"}`, same, same,
		},
		"a list of nothing said": {
			`{"type":"object","properties":{"a":{"type":"array"}}}`,
			`{"properties":{"a":{"items":{},"type":"array"}},"type":"object"}`, same, same,
		},
		"a tuple of an older draft": {
			`{"type":"object","properties":{"a":{"type":"array","items":[{"type":"string"}],"additionalItems":false}}}`,
			`{"properties":{"a":{"items":{},"type":"array"}},"type":"object"}`, same, same,
		},
		"words of an older draft": {
			`{"type":"object","properties":{"a":{"type":"number","minimum":1,"exclusiveMinimum":true,"required":true}}}`,
			`{"properties":{"a":{"minimum":1,"type":"number"}},"type":"object"}`, same, same,
		},
		"types that there are not": {
			`{"type":"object","properties":{"a":{"type":"any"},"b":{"type":["string","file"]},"c":{"type":["string","null"]}}}`,
			`{"properties":{"a":{},"b":{},"c":{"type":["string","null"]}},"type":"object"}`, same, same,
		},
		"booleans for schemas": {
			`{"type":"object","properties":{"a":true},"additionalProperties":false}`,
			`{"additionalProperties":false,"properties":{"a":{}},"type":"object"}`, same, same,
		},
		"a name with a sign": {
			`{"type":"object","properties":{"$filter":{"type":"string"},"a":{}},"required":["$filter","a"],"additionalProperties":false}`,
			`{"type":"object","properties":{"$filter":{"type":"string"},"a":{}},"required":["$filter","a"],"additionalProperties":false}`,
			`{"properties":{"a":{}},"required":["a"],"type":"object"}`,
			`{"type":"object","properties":{"$filter":{"type":"string"},"a":{}},"required":["$filter","a"],"additionalProperties":false}`,
		},
		"references": {
			`{"type":"object","properties":{"a":{"$ref":"#/$defs/t","description":"x"}},"$defs":{"t":{"type":"object","properties":{"next":{"$ref":"#/$defs/t"}}}}}`,
			`{"type":"object","properties":{"a":{"$ref":"#/$defs/t","description":"x"}},"$defs":{"t":{"type":"object","properties":{"next":{"$ref":"#/$defs/t"}}}}}`, same,
			`{"properties":{"a":{"description":"x","properties":{"next":{}},"type":"object"}},"type":"object"}`,
		},
		"a reference to the network": {
			`{"type":"object","properties":{"a":{"$ref":"https://evil.example/x.json"}}}`,
			`{"properties":{"a":{}},"type":"object"}`, same, same,
		},
		"one of which only one may fit, made wider": {
			`{"type":"object","properties":{"a":{"oneOf":[{"type":"array"},{"type":"string"}]}}}`,
			`{"properties":{"a":{"anyOf":[{"items":{},"type":"array"},{"type":"string"}]}},"type":"object"}`, same, same,
		},
		"what must not be made wider": {
			`{"type":"object","properties":{"a":{"not":{"type":"array"}},"b":{"not":{"type":"string"}}}}`,
			`{"properties":{"a":{},"b":{"not":{"type":"string"}}},"type":"object"}`, same,
			`{"properties":{"a":{},"b":{}},"type":"object"}`,
		},
		"either of two": {
			`{"type":"object","anyOf":[{"properties":{"a":{"type":"string"}}},{"properties":{"a":{"type":"integer"}}}]}`,
			`{"properties":{"a":{"anyOf":[{"type":"string"},{"type":"integer"}]}},"type":"object"}`, same, same,
		},
		"a constant": {
			`{"type":"object","properties":{"a":{"const":"x"}}}`,
			`{"type":"object","properties":{"a":{"const":"x"}}}`, same, `{"properties":{"a":{"enum":["x"]}},"type":"object"}`,
		},
	} {
		want := map[string]string{"openai": tc.openai, "anthropic": tc.anthropic, "gemini": tc.gemini}
		for who, d := range dialects {
			w := want[who]
			if w == same {
				w = tc.openai
			}
			if got := string(provider.ToolSchema(d, []byte(tc.in))); got != w {
				t.Errorf("%s, %s: got %s, want %s", name, who, got, w)
			}
		}
	}
}

// A rewritten schema accepts whatever the whole one does: no call that is right
// may be kept from the model by the description of the tool.
func TestSchemasInDialectsAcceptAsMuch(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	accepted := 0
	for range 1200 {
		schema := someObject(r, 3)
		doc := []byte(someValue(r, 3))
		if capability.ValidateJSON([]byte(schema), doc) != nil {
			continue
		}
		accepted++
		for who, d := range dialects {
			wide := provider.ToolSchema(d, []byte(schema))
			if err := capability.ValidateJSON(wide, doc); err != nil {
				t.Fatalf("%s: %s accepts %s, but %s does not: %v", who, schema, doc, wide, err)
			}
		}
	}
	if accepted < 100 {
		t.Errorf("only %d documents were accepted, which shows little", accepted)
	}
}

var names = []string{"a", "b", "$c", "d e"}

// someObject is a schema of an object, with words of all kinds.
func someObject(r *rand.Rand, depth int) string {
	var props []string
	for _, n := range names {
		if r.IntN(2) == 0 {
			props = append(props, fmt.Sprintf("%q:%s", n, someSchema(r, depth-1)))
		}
	}
	out := `"type":"object","properties":{` + strings.Join(props, ",") + `},"$defs":{"x":` + someSchema(r, 0) + `}`
	switch r.IntN(5) {
	case 0:
		out += `,"required":["a"]`
	case 1:
		out += `,"additionalProperties":false,"patternProperties":{"^b":` + someSchema(r, 0) + `}`
	case 2:
		out += `,"allOf":[{"properties":{"b":` + someSchema(r, 0) + `}}]`
	case 3:
		out += `,"unevaluatedProperties":false`
	}
	return "{" + out + "}"
}

func someSchema(r *rand.Rand, depth int) string {
	if depth > 0 {
		inner := func() string { return someSchema(r, depth-1) }
		switch r.IntN(10) {
		case 0:
			return someObject(r, depth)
		case 1:
			return `{"type":"array","items":` + inner() + `}`
		case 2:
			return `{"anyOf":[` + inner() + "," + inner() + `]}`
		case 3:
			return `{"oneOf":[` + inner() + "," + inner() + `]}`
		case 4:
			return `{"not":` + inner() + `}`
		case 5:
			return `{"prefixItems":[` + inner() + `],"items":` + inner() + `}`
		case 6:
			return `{"if":` + inner() + `,"then":` + inner() + `,"else":` + inner() + `}`
		case 7:
			return `{"contains":` + inner() + `,"maxContains":1}`
		}
	}
	flat := []string{
		`{}`, `true`, `false`, `{"type":"string"}`, `{"type":"integer","minimum":1}`, `{"type":"array"}`, `{"enum":["x",1,null]}`, `{"const":"x"}`,
		`{"type":["string","null"]}`, `{"$ref":"#/$defs/x"}`, `{"type":"object"}`, `{"type":"string","minLength":2}`, `{"type":"array","unevaluatedItems":false}`,
	}
	return flat[r.IntN(len(flat))]
}

func someValue(r *rand.Rand, depth int) string {
	var props []string
	for _, n := range names {
		if r.IntN(2) == 0 {
			props = append(props, fmt.Sprintf("%q:%s", n, someLeaf(r, depth-1)))
		}
	}
	return "{" + strings.Join(props, ",") + "}"
}

func someLeaf(r *rand.Rand, depth int) string {
	if depth > 0 {
		switch r.IntN(4) {
		case 0:
			return someValue(r, depth)
		case 1:
			return `[` + someLeaf(r, depth-1) + `,` + someLeaf(r, depth-1) + `]`
		}
	}
	return []string{`"x"`, `"long"`, `1`, `0`, `null`, `true`, `[]`, `{}`}[r.IntN(8)]
}

func FuzzToolSchema(f *testing.F) {
	for _, s := range []string{`{}`, `{"$ref":"#"}`, `{"properties":{"a":{"$ref":"#/properties/a"}}}`, `{"anyOf":[1]}`, `[]`, `{"items":[{}],"type":"array"}`} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		for who, d := range dialects {
			var out struct {
				Type       string                     `json:"type"`
				Properties map[string]json.RawMessage `json:"properties"`
			}
			got := provider.ToolSchema(d, raw)
			if err := json.Unmarshal(got, &out); err != nil || out.Type != "object" || out.Properties == nil {
				t.Errorf("%s of %q: %s, %v", who, raw, got, err)
			}
		}
	})
}
