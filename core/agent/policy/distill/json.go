package distill

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Bounds of what is shown of JSON.
const (
	listHead = 5   // first elements of a long list
	listTail = 2   // last ones
	longText = 400 // bytes of a text
	maxDepth = 12  // levels; what is deeper is told by its size
	maxKeys  = 60  // fields of an object
)

// document shortens one JSON document: its structure stays, its long lists and
// texts are shown by their ends. What is left out is said in its place.
func document(text string) (string, bool) {
	v, ok := decode(text)
	if !ok {
		return "", false
	}
	switch v.(type) {
	case map[string]any, []any:
		return encode(shorten(v, 0)), true
	}
	return "", false
}

func decode(text string) (any, bool) {
	text = strings.TrimSpace(text)
	if text == "" || text[0] != '{' && text[0] != '[' || !json.Valid([]byte(text)) {
		return nil, false
	}
	d := json.NewDecoder(strings.NewReader(text))
	d.UseNumber()
	var v any
	return v, d.Decode(&v) == nil
}

func encode(v any) string {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if e.Encode(v) != nil {
		return ""
	}
	return strings.TrimSuffix(b.String(), "\n")
}

func shorten(v any, depth int) any {
	switch v := v.(type) {
	case string:
		if len(v) > longText {
			short := cut(v, longText/2)
			return fmt.Sprintf("%s… (%d bytes more)", short, len(v)-len(short))
		}
	case []any:
		if depth >= maxDepth {
			return fmt.Sprintf("… (a list of %d)", len(v))
		}
		return list(v, depth)
	case map[string]any:
		if depth >= maxDepth {
			return fmt.Sprintf("… (an object of %d fields)", len(v))
		}
		return object(v, depth)
	}
	return v
}

// list shows a long list by its ends, with what its elements have in common.
func list(v []any, depth int) []any {
	out := []any{}
	left := len(v) - listHead - listTail
	for i, e := range v {
		switch {
		case left <= 2 || i < listHead || i >= len(v)-listTail:
			out = append(out, shorten(e, depth+1))
		case i == listHead:
			out = append(out, fmt.Sprintf("… (%d of %d elements left out%s)", left, len(v), shape(v)))
		}
	}
	return out
}

func object(v map[string]any, depth int) map[string]any {
	out := map[string]any{}
	for i, k := range slices.Sorted(maps.Keys(v)) {
		if i >= maxKeys && len(v) > maxKeys+2 {
			out["…"] = fmt.Sprintf("%d of %d fields left out", len(v)-maxKeys, len(v))
			break
		}
		out[k] = shorten(v[k], depth+1)
	}
	return out
}

// shape says which fields the objects of a list have, and in how many of them
// when not in all.
func shape(v []any) string {
	count, objects := map[string]int{}, 0
	for _, e := range v {
		if o, ok := e.(map[string]any); ok {
			objects++
			for k := range o {
				count[k]++
			}
		}
	}
	if objects == 0 {
		return ""
	}
	var names []string
	for _, k := range slices.Sorted(maps.Keys(count)) {
		name := cut(k, 40)
		if count[k] < objects {
			name += fmt.Sprintf(" (in %d)", count[k])
		}
		names = append(names, name)
	}
	if more := len(names) - maxKeys; more > 0 {
		names = append(names[:maxKeys], fmt.Sprintf("%d more", more))
	}
	return "; fields: " + strings.Join(names, ", ")
}

// records shortens JSON documents that stand one a line.
func records(text string) (string, bool) {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	if len(lines) < 2*(listHead+listTail) {
		return "", false
	}
	all := make([]any, len(lines))
	for i, line := range lines {
		v, ok := decode(line)
		if !ok {
			return "", false
		}
		all[i] = v
	}
	var b strings.Builder
	for i, v := range all {
		switch {
		case i < listHead || i >= len(all)-listTail:
			b.WriteString(encode(shorten(v, 1)) + "\n")
		case i == listHead:
			fmt.Fprintf(&b, "… (%d of %d records left out%s)\n", len(all)-listHead-listTail, len(all), shape(all))
		}
	}
	return b.String(), true
}
