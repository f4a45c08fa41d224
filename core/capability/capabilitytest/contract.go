package capabilitytest

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hobkin/hobkin/core/capability"
)

// Contract fails t for every tool that lacks what a reader or a model needs,
// for every example that its tool would refuse, and for every tool without a
// script.
func Contract(t *testing.T, tools []capability.Capability) {
	t.Helper()
	var reg capability.Registry
	if err := reg.RegisterAll(tools...); err != nil {
		t.Fatal(err)
	}
	for _, tool := range tools {
		words(t, tool)
		examples(t, tool)
		failures(t, tool)
		if _, err := os.Stat(filepath.Join("testdata", tool.Name+".txtar")); err != nil {
			t.Errorf("%s: no script: %v", tool.Name, err)
		}
	}
}

func words(t *testing.T, tool capability.Capability) {
	t.Helper()
	switch {
	case strings.TrimSpace(tool.Title) == "" || tool.Title == tool.Name:
		t.Errorf("%s: the title %q is not the name in words", tool.Name, tool.Title)
	case tool.Docs.When == "":
		t.Errorf("%s: the docs do not say when to use it", tool.Name)
	case tool.Category == "":
		t.Errorf("%s: no category", tool.Name)
	case tool.Class == capability.ReadOnly && tool.Hints.ReadOnly == capability.No,
		tool.Class != capability.ReadOnly && tool.Hints.ReadOnly == capability.Yes:
		t.Errorf("%s: the class %s and the read-only hint disagree", tool.Name, tool.Class)
	case tool.Class == capability.ReadOnly && tool.Hints.Destructive == capability.Yes:
		t.Errorf("%s: reads only, and is said to destroy", tool.Name)
	}
	for name, text := range descriptions(t, tool.Parameters) {
		if text == "" {
			t.Errorf("%s: parameter %s is not described", tool.Name, name)
		}
	}
}

// descriptions maps each parameter to its description.
func descriptions(t *testing.T, schema json.RawMessage) map[string]string {
	t.Helper()
	var s struct {
		Properties map[string]struct{ Description string }
	}
	if err := json.Unmarshal(schema, &s); err != nil {
		t.Fatal(err)
	}
	out := map[string]string{}
	for name, p := range s.Properties {
		out[name] = p.Description
	}
	return out
}

func examples(t *testing.T, tool capability.Capability) {
	t.Helper()
	if len(tool.Docs.Examples) < 2 {
		t.Errorf("%s: %d examples, two are the least", tool.Name, len(tool.Docs.Examples))
	}
	for _, ex := range tool.Docs.Examples {
		raw, err := json.Marshal(ex.In)
		if err != nil {
			t.Errorf("%s, example %q: %v", tool.Name, ex.When, err)
			continue
		}
		if err := capability.ValidateJSON(tool.Parameters, raw); err != nil {
			t.Errorf("%s, example %q: %v", tool.Name, ex.When, err)
		}
	}
}

func failures(t *testing.T, tool capability.Capability) {
	t.Helper()
	seen := map[string]bool{}
	for _, f := range tool.Docs.Fails {
		if f.Code == "" || f.When == "" || f.Try == "" {
			t.Errorf("%s: the failure %q lacks its condition or its advice", tool.Name, f.Code)
		}
		if seen[f.Code] {
			t.Errorf("%s: the failure %q is declared twice", tool.Name, f.Code)
		}
		seen[f.Code] = true
	}
}

// Declared fails t when err is an expected failure that tool does not declare,
// or no expected failure at all.
func Declared(t *testing.T, tool *capability.Capability, err error) {
	t.Helper()
	u, ok := capability.AsUserError(err)
	if !ok {
		t.Errorf("%s: not an expected failure: %v", tool.Name, err)
		return
	}
	own := []*capability.Failure{
		capability.BadInput, capability.NotAllowed, capability.Denied,
		capability.Cancelled, capability.TimedOut, capability.TooLarge,
	}
	for _, f := range append(own, tool.Docs.Fails...) {
		if f.Code == u.Code {
			return
		}
	}
	t.Errorf("%s: undeclared failure: %v", tool.Name, err)
}
