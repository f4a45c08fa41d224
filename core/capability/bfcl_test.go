package capability

import (
	"encoding/json"
	"maps"
	"slices"
	"testing"
)

type bfclRow struct {
	ID       string `json:"id"`
	Function []struct {
		Name       string         `json:"name"`
		Parameters map[string]any `json:"parameters"`
	} `json:"function"`
	Truth []map[string]map[string][]any `json:"ground_truth"`
}

// TestSuiteBFCL sends every value that is not text as text, and expects it back.
func TestSuiteBFCL(t *testing.T) {
	passed, all, calls := 0, 0, 0
	for _, row := range lines[bfclRow](t, "bfcl_calls.jsonl") {
		schemas := map[string]json.RawMessage{}
		for _, f := range row.Function {
			b, err := json.Marshal(plainSchema(f.Parameters))
			if err != nil {
				t.Fatal(err)
			}
			schemas[f.Name] = b
		}
		for _, truth := range row.Truth {
			for name, accepted := range truth {
				args := accept(accepted)
				raw, err := json.Marshal(args)
				if err != nil {
					t.Fatal(err)
				}
				if schemas[name] == nil || ValidateJSON(schemas[name], raw) != nil {
					continue // the set's own answer does not fit its schema
				}
				calls++
				for _, param := range slices.Sorted(maps.Keys(args)) {
					if _, isText := args[param].(string); isText {
						continue
					}
					all++
					if comesBack(t, row.ID, schemas[name], args, param) {
						passed++
					}
				}
			}
		}
	}
	if calls < 300 {
		t.Errorf("only %d calls fit their schema", calls)
	}
	report(t, "bfcl_calls", passed, all, 0.99)
}

// TestSuiteBFCLDeep sends what stands within lists and objects as text.
func TestSuiteBFCLDeep(t *testing.T) {
	passed, all := 0, 0
	for _, row := range lines[bfclRow](t, "bfcl_calls.jsonl") {
		for _, f := range row.Function {
			schema := plainSchema(f.Parameters).(map[string]any)
			raw, err := json.Marshal(schema)
			if err != nil {
				t.Fatal(err)
			}
			for _, truth := range row.Truth {
				args := accept(truth[f.Name])
				good, err := json.Marshal(args)
				if err != nil {
					t.Fatal(err)
				}
				sent, err := json.Marshal(asText(args, schema, true))
				if err != nil {
					t.Fatal(err)
				}
				if truth[f.Name] == nil || ValidateJSON(raw, good) != nil || same(json.RawMessage(sent), args) {
					continue
				}
				all++
				got, notes, err := RepairArgs(sent, raw)
				if err == nil && len(notes) > 0 && same(got, args) {
					passed++
					continue
				}
				t.Logf("%s: %s: got %s, %q, %v; want %s", row.ID, sent, got, notes, err, good)
			}
		}
	}
	if all < 200 {
		t.Errorf("only %d calls have something within", all)
	}
	report(t, "bfcl_calls, deep", passed, all, 0.99)
}

// asText writes numbers and truth values as text, where the schema declares them.
func asText(v any, schema any, root bool) any {
	s, _ := schema.(map[string]any)
	switch v := v.(type) {
	case map[string]any:
		props, _ := s["properties"].(map[string]any)
		out := map[string]any{}
		for k, val := range v {
			out[k] = asText(val, props[k], false)
		}
		return out
	case []any:
		out := make([]any, len(v))
		for i := range v {
			out[i] = asText(v[i], s["items"], false)
		}
		return out
	case float64, bool:
		if name := s["type"]; !root && (name == "integer" || name == "number" || name == "boolean") {
			text, err := json.Marshal(v)
			if err != nil {
				panic(err)
			}
			return string(text)
		}
	}
	return v
}

// comesBack sends one parameter as text.
func comesBack(t *testing.T, id string, schema json.RawMessage, args map[string]any, param string) bool {
	t.Helper()
	text, err := json.Marshal(args[param])
	if err != nil {
		t.Fatal(err)
	}
	broken := maps.Clone(args)
	broken[param] = string(text)
	sent, err := json.Marshal(broken)
	if err != nil {
		t.Fatal(err)
	}
	got, notes, err := RepairArgs(sent, schema)
	if err == nil && len(notes) > 0 && same(got, args) {
		return true
	}
	t.Logf("%s: %s %s: got %s, %q, %v", id, param, text, got, notes, err)
	return false
}

// plainSchema writes the set's Python types as JSON Schema has them.
func plainSchema(v any) any {
	switch v := v.(type) {
	case map[string]any:
		out := map[string]any{}
		for k, val := range v {
			out[k] = plainSchema(val)
		}
		if name, ok := out["type"].(string); ok {
			switch name {
			case "dict":
				out["type"] = "object"
			case "float":
				out["type"] = "number"
			case "tuple":
				out["type"] = "array"
			case "any":
				delete(out, "type")
			}
		}
		return out
	case []any:
		out := make([]any, len(v))
		for i := range v {
			out[i] = plainSchema(v[i])
		}
		return out
	}
	return v
}

// accept takes the first accepted value of each parameter; "" stands for
// leaving it out.
func accept(accepted map[string][]any) map[string]any {
	out := map[string]any{}
	for name, values := range accepted {
		if len(values) > 0 && values[0] != "" {
			out[name] = first(values[0])
		}
	}
	return out
}

// first picks from nested objects too, whose values are lists of choices.
func first(v any) any {
	m, ok := v.(map[string]any)
	if !ok {
		return v
	}
	out := map[string]any{}
	for k, choices := range m {
		if list, ok := choices.([]any); ok && len(list) > 0 {
			if list[0] != "" {
				out[k] = first(list[0])
			}
			continue
		}
		out[k] = choices
	}
	return out
}
