package capability

import (
	"context"
	"encoding/json"
	"strings"
)

// repairArgs mends what models get wrong in arguments: broken or fenced JSON,
// and values of another type than declared that can mean only one thing.
func repairArgs(_ context.Context, f *flow) error {
	mended, notes, err := f.mended(f.out.Tool)
	if err != nil {
		return err
	}
	if f.out.Repaired != "" { // on the way to the tool
		notes = append([]string{f.out.Repaired}, notes...)
	}
	f.out.Call.Args, f.out.Repaired = mended, strings.Join(notes, "; ")
	return nil
}

// mended are the call's arguments as they fit a tool.
func (f *flow) mended(c *Capability) (json.RawMessage, []string, error) {
	if n := len(f.out.Call.Args); n > f.limits.Args {
		return nil, nil, TooLarge.Becausef("the arguments are %d bytes; at most %d are taken", n, f.limits.Args)
	}
	return RepairArgs(f.out.Call.Args, c.Parameters)
}

// RepairArgs returns args as JSON that fits schema as far as that can be told
// without guessing, and a note for each thing it mended. Arguments that need
// nothing come back byte for byte. It does not validate.
func RepairArgs(args, schema json.RawMessage) (json.RawMessage, []string, error) {
	text := strings.TrimSpace(strings.TrimPrefix(string(args), "\ufeff"))
	if text == "" || text == "null" {
		return json.RawMessage("{}"), nil, nil
	}
	var notes []string
	if !json.Valid([]byte(text)) {
		fixed, err := mendJSON(text)
		if err != nil {
			return nil, nil, BadInput.Becausef("the arguments are not JSON and cannot be mended: %v", err)
		}
		text, notes = fixed, append(notes, "mended the JSON")
	}
	fitted, more, err := fit(json.RawMessage(text), schema)
	if err != nil {
		return nil, nil, BadInput.Becausef("the arguments cannot be read: %v", err)
	}
	return fitted, append(notes, more...), nil
}

// fit coerces a document to a schema, and leaves it alone where the schema
// itself cannot be read.
func fit(doc, schema json.RawMessage) (json.RawMessage, []string, error) {
	root, err := compile(schema)
	if err != nil {
		return doc, nil, nil //nolint:nilerr // the validation says so, with the reason
	}
	v, err := decodeAny(doc)
	if err != nil {
		return nil, nil, err
	}
	c := coercer{root: root.doc, left: maxVisits}
	v = c.value(v, root.doc, "")
	if len(c.notes) == 0 {
		return doc, nil, nil
	}
	out, err := encodeAny(v)
	return out, c.notes, err
}
