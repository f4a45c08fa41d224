package capability

import (
	"encoding/json"
	"slices"
	"strings"
)

// What a coercer reads of a schema.

// deref returns schema as an object, its local references followed. It is nil
// for true, false and what cannot be followed.
func (c *coercer) deref(schema any) map[string]any {
	for range maxRefs {
		s, ok := schema.(map[string]any)
		if !ok || c.left <= 0 {
			return nil
		}
		c.left--
		ref, ok := s["$ref"].(string)
		if !ok {
			return s
		}
		if schema = c.local(ref); schema == nil {
			return nil
		}
	}
	return nil
}

// local finds "#/a/b" in the document.
func (c *coercer) local(ref string) any {
	path, ok := strings.CutPrefix(ref, "#")
	if !ok {
		return nil
	}
	at := c.root
	for tok := range strings.SplitSeq(strings.TrimPrefix(path, "/"), "/") {
		if tok == "" {
			continue
		}
		m, ok := at.(map[string]any)
		if !ok {
			return nil
		}
		at = m[strings.NewReplacer("~1", "/", "~0", "~").Replace(tok)]
	}
	return at
}

// typesOf returns the types that s declares, by type, const or enum.
func typesOf(s map[string]any) []string {
	switch t := s["type"].(type) {
	case string:
		return []string{t}
	case []any:
		var out []string
		for _, v := range t {
			if name, ok := v.(string); ok {
				out = append(out, name)
			}
		}
		return out
	}
	values := asList(s["enum"])
	if v, ok := s["const"]; ok {
		values = []any{v}
	}
	var out []string
	for _, v := range values {
		if t := typeName(v); !slices.Contains(out, t) {
			out = append(out, t)
		}
	}
	return out
}

// typeName is the JSON Schema name of v's type.
func typeName(v any) string {
	switch v.(type) {
	case nil:
		return "null"
	case bool:
		return "boolean"
	case string:
		return "string"
	case json.Number:
		return "number"
	case []any:
		return "array"
	}
	return "object"
}

func fitsAny(v any, types []string) bool {
	return slices.ContainsFunc(types, func(t string) bool { return fits(v, t) })
}

func fits(v any, t string) bool {
	if n, ok := v.(json.Number); ok && t == "integer" {
		_, whole := wholeNumber(n)
		return whole
	}
	return typeName(v) == t
}

func required(s map[string]any, name string) bool {
	return slices.ContainsFunc(asList(s["required"]), func(v any) bool { return v == name })
}

func asList(v any) []any {
	list, _ := v.([]any)
	return list
}

// clone copies the containers of v, which conversions write into. It counts
// as looking at every value in them.
func (c *coercer) clone(v any) any {
	if c.left--; c.left <= 0 {
		return v // nothing is converted any more
	}
	switch v := v.(type) {
	case []any:
		out := make([]any, len(v))
		for i := range v {
			out[i] = c.clone(v[i])
		}
		return out
	case map[string]any:
		out := make(map[string]any, len(v))
		for k := range v {
			out[k] = c.clone(v[k])
		}
		return out
	}
	return v
}
