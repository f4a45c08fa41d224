package capability

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestMarkdown(t *testing.T) {
	type part struct {
		Name string `json:"name" jsonschema:"its name"`
	}
	type in struct {
		Limit int      `json:"limit,omitempty" min:"1" max:"9" default:"3" jsonschema:"how many"`
		Sort  []string `json:"sort,omitempty" enum:"up,down" max:"2" jsonschema:"the order"`
		Path  string   `json:"path" jsonschema:"a | b"`
		Parts []part   `json:"parts,omitempty" jsonschema:"parts of it"`
	}
	c, err := Func("count", "Counts things.", func(context.Context, in) (map[string]int, error) { return nil, nil })
	if err != nil {
		t.Fatal(err)
	}
	c.Title, c.Aliases, c.Class, c.Category = "Count things", []string{"Count"}, ReadOnly, CategoryFile
	c.Hints = Hints{Idempotent: Yes, OpenWorld: No}
	c.OwnerData = true
	c.Docs = Docs{
		When:     "to count",
		Setup:    "nothing",
		Examples: []Example{{When: "one <thing>", In: in{Path: "a&b"}}},
		Fails:    []*Failure{{Code: "gone", When: "it is\nnot there", Try: "look"}},
	}
	c.Output = json.RawMessage(`{"type":"object"}`)
	var b strings.Builder
	if err := Markdown(&b, &c); err != nil {
		t.Fatal(err)
	}
	want := "# `count`\n\n**Count things.** Counts things.\n\nWhen: to count.\n\nSetup: nothing.\n\n" +
		"- Also called: `Count`\n- Class: read_only\n- Category: file\n- Calling twice is calling once, stays on this machine, for the owner only\n\n" +
		"## Parameters\n\n| name | type | meaning |\n|---|---|---|\n" +
		"| `path*` | string | A \\| b |\n" +
		"| `limit` | integer | How many. 1 to 9. Default `3` |\n" +
		"| `sort` | list of string | The order. One of `up`, `down`. At most 2 items |\n" +
		"| `parts` | list of object | Parts of it |\n" +
		"| `parts[].name*` | string | Its name |\n" +
		"\nA name with * is required.\n\n## Examples\n\nOne <thing>:\n\n```json\n{\"path\":\"a&b\"}\n```\n\n" +
		"## Failures\n\n| code | when | what to do |\n|---|---|---|\n| `gone` | it is not there | look |\n\n" +
		"## Structured result\n\n```json\n{\n  \"type\": \"object\"\n}\n```\n"
	if d := cmp.Diff(want, b.String()); d != "" {
		t.Errorf("page (-want +got):\n%s", d)
	}
}

// Schemas of connected servers hold anything.
func TestMarkdownOfForeignSchemas(t *testing.T) {
	for name, tt := range map[string]struct{ schema, want string }{
		"no parameters":   {`{"type":"object"}`, "None."},
		"true":            {`{"type":"object","properties":{"a":true,"b":{"type":["string","null"]}}}`, "| `b` | string or null |  |"},
		"no type":         {`{"type":"object","properties":{"a":{"description":"x\ny"}}}`, "| `a` | any | X y |"},
		"odd members":     {`{"type":"object","properties":{"a":{"enum":[1,null,"c"]}}}`, "One of `1`, `null`, `c`"},
		"list of any":     {`{"type":"object","properties":{"a":{"type":"array","items":true}}}`, "| `a` | list |  |"},
		"wrong in depth":  {`{"type":"object","properties":{"a":{"type":"object","properties":3},"b":{}}}`, "| `b` | any |  |"},
		"other scripts":   {`{"type":"object","properties":{"a":{"description":"über"}}}`, "| `a` | any | Über |"},
		"empty sentences": {`{"type":"object","properties":{"a":{"description":" . "}}}`, "| `a` | any |  |"},
	} {
		t.Run(name, func(t *testing.T) {
			var b strings.Builder
			if err := Markdown(&b, &Capability{Name: "x", Description: "y", Parameters: json.RawMessage(tt.schema)}); err != nil {
				t.Fatal(err)
			}
			if !strings.Contains(b.String(), tt.want) {
				t.Errorf("page lacks %q:\n%s", tt.want, b.String())
			}
		})
	}
}

func FuzzMarkdown(f *testing.F) {
	f.Add(`{"type":"object","properties":{"a":{"type":"array","items":{"type":"object","properties":{"b":{"enum":[1]}}}}},"required":["a"]}`)
	f.Add(`{"properties":[]}`)
	f.Fuzz(func(t *testing.T, schema string) {
		var b strings.Builder
		err := Markdown(&b, &Capability{Name: "x", Description: "y", Parameters: json.RawMessage(schema)})
		if err == nil && !strings.Contains(b.String(), "## Parameters") {
			t.Errorf("no error and no page: %q", b.String())
		}
	})
}
