// Package wiretest holds the lines of tests to the schema of package wire, so
// that every test that speaks to a helper tests the schema too.
package wiretest

import (
	"bytes"
	"encoding/json"
	"sync"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/hobkin/hobkin/computeruse/wire/wireschema"
)

var compiled = sync.OnceValues(func() (map[string]*jsonschema.Schema, error) {
	raw, err := wireschema.Schema()
	if err != nil {
		return nil, err
	}
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(raw))
	if err != nil {
		return nil, err
	}
	c := jsonschema.NewCompiler()
	if err := c.AddResource("wire.json", doc); err != nil {
		return nil, err
	}
	all := map[string]*jsonschema.Schema{}
	names := []string{"", "request", "answer", "refusal", "event"}
	for _, m := range wireschema.Methods() {
		names = append(names, "result."+m)
	}
	for _, n := range names {
		at := "wire.json"
		if n != "" {
			at += "#/$defs/" + n
		}
		if all[n], err = c.Compile(at); err != nil {
			return nil, err
		}
	}
	return all, nil
})

// Line holds a line of either side to the schema.
func Line(tb testing.TB, line []byte) {
	tb.Helper()
	check(tb, "", line)
}

// Result holds what a method answered with to the schema.
func Result(tb testing.TB, method string, result json.RawMessage) {
	tb.Helper()
	check(tb, "result."+method, result)
}

func check(tb testing.TB, name string, raw []byte) {
	tb.Helper()
	all, err := compiled()
	if err != nil {
		tb.Errorf("the schema of the wire: %v", err)
		return
	}
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(raw))
	if err == nil {
		err = all[name].Validate(doc)
	}
	if err != nil {
		tb.Errorf("%.300s is not what the schema says: %v", raw, err)
	}
}
