package capability

import (
	"context"
	"encoding/json"
	"strings"
)

// repairArgs mends what models get wrong in arguments: broken or fenced JSON,
// and values of another type than declared that can mean only one thing.
func repairArgs(_ context.Context, f *flow) error {
	m, err := f.mended(f.out.Tool)
	if err != nil {
		return err
	}
	if f.out.Repaired != "" { // on the way to the tool
		m.notes = append([]string{f.out.Repaired}, m.notes...)
	}
	f.out.Call.Args, f.args, f.out.Repaired = m.args, m.value, strings.Join(m.notes, "; ")
	return nil
}

// mended are the call's arguments as they fit a tool.
func (f *flow) mended(c *Capability) (mended, error) {
	if n := len(f.out.Call.Args); n > f.limits.Args {
		return mended{}, TooLarge.Becausef("the arguments are %d bytes; at most %d are taken", n, f.limits.Args)
	}
	return mend(f.out.Call.Args, c.Parameters)
}

// mended are arguments as they fit a schema.
type mended struct {
	args  json.RawMessage
	value any      // what args say, with numbers as [json.Number]; nil where they have to be read for that
	notes []string // a note for each thing that was mended
}

// RepairArgs returns args as JSON that fits schema as far as that can be told
// without guessing, and a note for each thing it mended. Arguments that need
// nothing come back byte for byte. It does not validate.
func RepairArgs(args, schema json.RawMessage) (json.RawMessage, []string, error) {
	m, err := mend(args, schema)
	return m.args, m.notes, err
}

func mend(args, schema json.RawMessage) (mended, error) {
	text := strings.TrimSpace(strings.TrimPrefix(string(args), "\ufeff"))
	if text == "" || text == "null" {
		return mended{args: json.RawMessage("{}")}, nil
	}
	var notes []string
	if !json.Valid([]byte(text)) {
		fixed, err := mendJSON(text)
		if err != nil {
			return mended{}, BadInput.Becausef("the arguments are not JSON and cannot be mended: %v", err)
		}
		text, notes = fixed, append(notes, "mended the JSON")
	}
	m, err := fit(json.RawMessage(text), schema)
	if err != nil {
		return mended{}, BadInput.Becausef("the arguments cannot be read: %v", err)
	}
	m.notes = append(notes, m.notes...)
	return m, nil
}

// fit coerces a document to a schema, and leaves it alone where the schema
// itself cannot be read.
func fit(doc, schema json.RawMessage) (mended, error) {
	root, err := compile(schema)
	if err != nil {
		return mended{args: doc}, nil //nolint:nilerr // the validation says so, with the reason
	}
	v, err := decodeAny(doc)
	if err != nil {
		return mended{}, err
	}
	c := coercer{root: root.doc, left: maxVisits}
	v = c.value(v, root.doc, "")
	if len(c.notes) == 0 {
		return mended{args: doc, value: v}, nil
	}
	out, err := encodeAny(v)
	return mended{args: out, notes: c.notes}, err
}
