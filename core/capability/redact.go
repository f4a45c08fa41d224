package capability

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"
)

// RedactJSON hides secrets in the strings of a document, keys included. It
// returns raw itself when nothing is hidden. What is not JSON is hidden whole.
func RedactJSON(raw json.RawMessage, hide func(string) string) json.RawMessage {
	if len(raw) == 0 || hide == nil {
		return raw
	}
	v, err := decodeAny(raw)
	if err != nil {
		quoted, _ := json.Marshal(hide(string(raw))) // a string always marshals
		return quoted
	}
	changed := false
	v = redactAny(v, func(s string) string {
		h := hide(s)
		changed = changed || h != s
		return h
	})
	if !changed {
		return raw
	}
	out, err := encodeAny(v)
	if err != nil {
		return nil
	}
	return out
}

func redactAny(v any, hide func(string) string) any {
	switch v := v.(type) {
	case string:
		return hide(v)
	case []any:
		for i := range v {
			v[i] = redactAny(v[i], hide)
		}
	case map[string]any:
		for _, k := range slices.Sorted(maps.Keys(v)) {
			val := v[k]
			delete(v, k)
			v[hide(k)] = redactAny(val, hide)
		}
	}
	return v
}

// decodeAny reads one document and keeps its numbers as they are written.
func decodeAny(raw []byte) (any, error) {
	if !json.Valid(raw) { // a Decoder alone would stop after the first value
		return nil, BadInput.Becausef("not one JSON document")
	}
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.UseNumber()
	var v any
	err := dec.Decode(&v)
	return v, err
}

// encodeAny writes a document; < and & stay readable, as people check it.
func encodeAny(v any) (json.RawMessage, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), nil
}
