package openai

import (
	"encoding/json"
	"strings"
)

// A detail is a piece of structured reasoning, as OpenRouter passes it on from
// the model behind it. It is sent back whole, and only its server can read it.
type detail map[string]any

// A detailSet joins the pieces of a stream.
type detailSet []detail

// add takes in pieces. One of the same index and type as the last continues it.
func (s *detailSet) add(pieces []detail) {
	for _, p := range pieces {
		n := len(*s)
		if n == 0 || !same((*s)[n-1]["index"], p["index"]) || !same((*s)[n-1]["type"], p["type"]) {
			*s = append(*s, p)
			continue
		}
		(*s)[n-1].join(p)
	}
}

// same compares texts, numbers and nothing; no other value equals any.
func same(a, b any) bool {
	switch a := a.(type) {
	case nil:
		return b == nil
	case string:
		s, ok := b.(string)
		return ok && s == a
	case float64:
		n, ok := b.(float64)
		return ok && n == a
	}
	return false
}

func (d detail) join(p detail) {
	for k, v := range p {
		piece, isText := v.(string)
		before, wasText := d[k].(string)
		switch {
		case v == nil:
		case isText && wasText && (k == "text" || k == "summary" || k == "data"):
			d[k] = before + piece
		default:
			d[k] = v
		}
	}
}

// String is the set as JSON, empty when there is nothing in it.
func (s detailSet) String() string {
	if len(s) == 0 {
		return ""
	}
	b, err := json.Marshal(s)
	if err != nil {
		return ""
	}
	return string(b)
}

// textOf is what of details can be read.
func textOf(details []detail) string {
	var b strings.Builder
	for _, d := range details {
		for _, k := range []string{"text", "summary"} {
			if s, ok := d[k].(string); ok {
				b.WriteString(s)
			}
		}
	}
	return b.String()
}
