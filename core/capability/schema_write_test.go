package capability

import (
	"encoding/json"
	"math/big"
	"reflect"
	"testing"
	"time"

	gen "github.com/google/jsonschema-go/jsonschema"
)

// What is written is what the schema itself would write.
func TestWriteSchema(t *testing.T) {
	type inner struct {
		On  *bool          `json:"on,omitempty" default:"true" jsonschema:"whether <it> & \"that\""`
		Map map[string]int `json:"map"`
		Any any            `json:"any,omitempty"`
	}
	type In struct {
		inner
		Text   string            `json:"text" min:"1" max:"40" enum:"a,b" jsonschema:"ü\u2028"`
		Count  int               `json:"count,omitempty" min:"1" max:"9" default:"3"`
		Part   float64           `json:"part" min:"0.5"`
		Size   uint8             `json:"size"`
		List   []string          `json:"list" min:"1" max:"2" enum:"x,y"`
		Bytes  []byte            `json:"bytes"`
		Deep   []map[string]bool `json:"deep"`
		Below  inner             `json:"below"`
		Ptr    *inner            `json:"ptr"`
		Raw    json.RawMessage   `json:"raw"`
		Time   time.Time         `json:"time"`
		Big    big.Int           `json:"big"`
		Fixed  [3]int            `json:"fixed"`
		hidden int
	}
	made, err := gen.For[In](nil)
	if err != nil {
		t.Fatal(err)
	}
	number := 1.5
	all := map[string]*gen.Schema{
		"made":          made,
		"nothing":       {},
		"never":         {Not: &gen.Schema{}},
		"not":           {Not: &gen.Schema{Type: "string"}},
		"empty lists":   {Enum: []any{}, Required: []string{}, Properties: map[string]*gen.Schema{}, Types: []string{}},
		"what is rare":  {Type: "number", MultipleOf: &number, Items: &gen.Schema{Format: "date"}},
		"extra":         {Type: "string", Extra: map[string]any{"x": 1}},
		"another order": {Properties: map[string]*gen.Schema{"b": {}, "a": {Type: "null"}}, PropertyOrder: []string{"b"}},
	}
	if err := applyTags(made, reflect.TypeFor[In]()); err != nil {
		t.Fatal(err)
	}
	for name, s := range all {
		want, err := json.Marshal(s)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := writeSchema(s); err != nil || string(got) != string(want) {
			t.Errorf("%s:\ngot  %s, %v\nwant %s", name, got, err, want)
		}
	}
	if _, err := writeSchema(&gen.Schema{Type: "a", Types: []string{"b"}}); err == nil {
		t.Error("a schema that is wrong was written")
	}
	_ = In{}.hidden
}
