package capability

import (
	"fmt"
	"testing"
)

func thousand(b *testing.B) *Registry {
	b.Helper()
	var r Registry
	var cs []Capability
	for i := range 1000 {
		c := tool(fmt.Sprintf("tool_%04d", i), Classes()[i%len(Classes())], ok)
		c.Aliases = []string{fmt.Sprintf("Tool%04d", i)}
		cs = append(cs, c)
	}
	if err := r.RegisterAll(cs...); err != nil {
		b.Fatal(err)
	}
	return &r
}

func BenchmarkFind(b *testing.B) {
	r := thousand(b)
	b.ReportAllocs()
	for b.Loop() {
		if _, found := r.Find("Tool0500"); !found {
			b.Fatal("not found")
		}
	}
}

func BenchmarkList1000(b *testing.B) {
	r := thousand(b)
	f := Filter{Turn: Turn{Trust: Operator}, ExcludedNames: []string{"tool_0001"}}
	b.ReportAllocs()
	for b.Loop() {
		if n := len(r.List(f)); n != 999 {
			b.Fatal(n)
		}
	}
}

func BenchmarkRun(b *testing.B) {
	r := newRunner(b, tool("act", ReadOnly, ok))
	req := request("act", `{"n":1}`)
	b.ReportAllocs()
	for b.Loop() {
		if o := r.Run(b.Context(), req); o.Failed() {
			b.Fatal(o.Err)
		}
	}
}

// TestFindAllocates holds the promise of [Registry.Find].
func TestFindAllocates(t *testing.T) {
	var r Registry
	if err := r.Register(tool("act", ReadOnly, ok)); err != nil {
		t.Fatal(err)
	}
	if n := testing.AllocsPerRun(100, func() { r.Find("act") }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}
