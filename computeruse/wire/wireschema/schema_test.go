package wireschema

import (
	"flag"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"strconv"
	"testing"
)

var update = flag.Bool("update", false, "write schema.json again")

// TestSchemaFile keeps the file in step with the types.
func TestSchemaFile(t *testing.T) {
	const path = "../schema.json"
	want, err := Schema()
	if err != nil {
		t.Fatal(err)
	}
	want = append(want, '\n')
	if *update {
		if err := os.WriteFile(path, want, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if got, err := os.ReadFile(path); err != nil || string(got) != string(want) {
		t.Errorf("%s has drifted from the types (%v); write it again with: go test ./computeruse/wire/wireschema -update", path, err)
	}
}

// TestNothingIsMissing: every method, event and code that package wire names
// is in the schema.
func TestNothingIsMissing(t *testing.T) {
	f, err := parser.ParseFile(token.NewFileSet(), "../wire.go", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	known := map[string]bool{}
	for m := range words {
		known[m] = true
	}
	for e := range events {
		known[e] = true
	}
	for _, c := range codes {
		known[c.(string)] = true
	}
	n := 0
	ast.Inspect(f, func(node ast.Node) bool {
		spec, ok := node.(*ast.ValueSpec)
		if !ok || len(spec.Values) != 1 {
			return true
		}
		if lit, ok := spec.Values[0].(*ast.BasicLit); ok && lit.Kind == token.STRING {
			n++
			if v, err := strconv.Unquote(lit.Value); err != nil || !known[v] {
				t.Errorf("%s = %s is not in the schema", spec.Names[0], lit.Value)
			}
		}
		return true
	})
	if n != len(words)+len(events)+len(codes) {
		t.Errorf("wire.go has %d names, the schema %d", n, len(words)+len(events)+len(codes))
	}
}
