package capability

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/big"
	"reflect"
	"slices"
	"strconv"
	"strings"
)

// Bounds for schemas from outside, which may refer to themselves in circles.
const (
	maxVisits = 200_000 // schemas and values looked at for one call
	maxRefs   = 16      // references followed without going into the value
)

// A coercer turns values into the types that a schema declares, where a value
// can mean only one thing. Everything else it leaves as it is: the validation
// after it says what is wrong.
type coercer struct {
	root  any // the schema's document, for local references
	left  int // visits
	notes []string
}

// value returns v as schema wants it; at is v's JSON pointer.
func (c *coercer) value(v, schema any, at string) any {
	s := c.deref(schema)
	if s == nil {
		return v
	}
	for _, sub := range asList(s["allOf"]) {
		v = c.value(v, sub, at)
	}
	if branches := slices.Concat(asList(s["anyOf"]), asList(s["oneOf"])); len(branches) > 0 {
		v = c.branch(v, branches, at)
	}
	if types := typesOf(s); len(types) > 0 && !fitsAny(v, types) {
		got, what := c.convert(v, s, types, at)
		if what == "" {
			return v
		}
		c.note(at, what)
		v = got
	}
	return c.inside(v, s, at)
}

// branch picks the branch that v means. Where v's type fits one already, only
// that one is followed; else a conversion counts when all branches that have
// one agree.
func (c *coercer) branch(v any, branches []any, at string) any {
	var fitting []any
	for _, b := range branches {
		s := c.deref(b)
		if types := typesOf(s); s != nil && (len(types) == 0 || fitsAny(v, types)) {
			fitting = append(fitting, b)
		}
	}
	switch len(fitting) {
	case 1:
		return c.value(v, fitting[0], at)
	case 0:
		return c.agreed(v, branches, at)
	}
	return v // several would take it as it is
}

// agreed converts v by every branch and takes the result when it is the only one.
func (c *coercer) agreed(v any, branches []any, at string) any {
	var (
		found any
		notes []string
	)
	for _, b := range branches {
		trial := coercer{root: c.root, left: c.left}
		got := trial.value(trial.clone(v), b, at)
		c.left = trial.left
		if len(trial.notes) == 0 {
			continue
		}
		if notes != nil && !reflect.DeepEqual(got, found) {
			return v // two meanings
		}
		found, notes = got, trial.notes
	}
	if notes == nil {
		return v
	}
	c.notes = append(c.notes, notes...)
	return found
}

// inside goes into objects and arrays, and writes whole numbers as such.
func (c *coercer) inside(v any, s map[string]any, at string) any {
	switch v := v.(type) {
	case map[string]any:
		c.object(v, s, at)
	case []any:
		prefix := asList(s["prefixItems"])
		for i := range v {
			item := s["items"]
			if i < len(prefix) {
				item = prefix[i]
			}
			v[i] = c.value(v[i], item, fmt.Sprintf("%s/%d", at, i))
		}
	case json.Number:
		types := typesOf(s)
		if whole, ok := wholeNumber(v); ok && whole != v && slices.Contains(types, "integer") && !slices.Contains(types, "number") {
			c.note(at, "wrote "+string(v)+" as a whole number")
			return whole
		}
	}
	return v
}

func (c *coercer) object(v, s map[string]any, at string) {
	props, _ := s["properties"].(map[string]any)
	for _, name := range slices.Sorted(maps.Keys(v)) {
		schema, declared := props[name]
		here := at + pointer([]string{name})
		if !declared {
			v[name] = c.value(v[name], s["additionalProperties"], here)
			continue
		}
		if v[name] == nil && !required(s, name) && c.refusesNull(schema) {
			c.note(here, "left out the null")
			delete(v, name)
			continue
		}
		v[name] = c.value(v[name], schema, here)
	}
}

// refusesNull reports whether schema has types and null is none of them.
func (c *coercer) refusesNull(schema any) bool {
	s := c.deref(schema)
	types := typesOf(s)
	return len(types) > 0 && !slices.Contains(types, "null")
}

// convert gives v another type out of types. It says what it did, or nothing.
func (c *coercer) convert(v any, s map[string]any, types []string, at string) (got any, what string) {
	text, list := slices.Contains(types, "string"), slices.Contains(types, "array")
	switch v := v.(type) {
	case string:
		if got, what = fromText(v, types); what != "" {
			return got, what
		}
	case json.Number:
		if text && !list {
			return string(v), "read the number as text"
		}
	case bool:
		if text && !list {
			return strconv.FormatBool(v), "read the truth value as text"
		}
	}
	if list && !text && v != nil {
		return c.wrap(v, s, at)
	}
	return nil, ""
}

// wrap makes a list of one value, if the list's items are such values.
func (c *coercer) wrap(v any, s map[string]any, at string) (any, string) {
	if text, ok := v.(string); ok && strings.HasPrefix(strings.TrimSpace(text), "[") {
		return nil, "" // it was to be a list itself, and cannot be read
	}
	item := c.deref(s["items"])
	trial := coercer{root: c.root, left: c.left}
	got := trial.value(trial.clone(v), s["items"], at)
	c.left = trial.left
	if types := typesOf(item); len(types) > 0 && !fitsAny(got, types) {
		return nil, ""
	}
	return []any{got}, "made a list of the single value"
}

// fromText reads text as one of types. The forms of the types have nothing in
// common, so the order does not matter.
func fromText(text string, types []string) (any, string) {
	text = strings.TrimSpace(text)
	for _, t := range types {
		switch t {
		case "number", "integer":
			if n, ok := numberIn(text, t == "integer"); ok {
				return n, "read the text as a number"
			}
		case "boolean":
			if b := strings.ToLower(text); b == "true" || b == "false" {
				return b == "true", "read the text as a truth value"
			}
		case "null":
			if n := strings.ToLower(text); n == "null" || n == "none" {
				return nil, "read the text as null"
			}
		case "array", "object":
			if v, ok := structureIn(text, t); ok {
				return v, "read the text as JSON"
			}
		}
	}
	return nil, ""
}

func numberIn(text string, integer bool) (json.Number, bool) {
	if !json.Valid([]byte(text)) || strings.Trim(text, "+-.0123456789eE") != "" {
		return "", false
	}
	n := json.Number(text)
	if !integer {
		return n, true
	}
	return wholeNumber(n)
}

// wholeNumber writes a number without fraction and exponent, if it has none.
func wholeNumber(n json.Number) (json.Number, bool) {
	const most = 40 // digits; beyond that no integer type holds it anyway
	if len(n) > most || strings.ContainsAny(string(n), "eE") && !smallExponent(string(n)) {
		return "", false
	}
	r, ok := new(big.Rat).SetString(string(n))
	if !ok || !r.IsInt() {
		return "", false
	}
	return json.Number(r.Num().String()), true
}

// smallExponent keeps 1e999999999 from being written out.
func smallExponent(n string) bool {
	_, exp, _ := strings.Cut(strings.ToLower(n), "e")
	return len(strings.TrimLeft(exp, "+-")) <= 2
}

// structureIn reads an array or object that was sent as text, also when it
// stands in Python's notation.
func structureIn(text, want string) (any, bool) {
	open, end := "[", "]"
	if want == "object" {
		open, end = "{", "}"
	}
	if !strings.HasPrefix(text, open) || !strings.HasSuffix(text, end) {
		return nil, false
	}
	if !json.Valid([]byte(text)) {
		fixed, err := mendJSON(text)
		if err != nil {
			return nil, false
		}
		text = fixed
	}
	v, err := decodeAny([]byte(text))
	return v, err == nil && fits(v, want)
}

func (c *coercer) note(at, what string) {
	if at == "" {
		at = "/"
	}
	c.notes = append(c.notes, at+": "+what)
}
