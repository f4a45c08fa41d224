package capability

import (
	"fmt"
	"strconv"
	"sync"
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

// tenThousand is a registry as a collection of large servers makes it.
func tenThousand(b *testing.B) (*Registry, func(generation int) []Capability) {
	b.Helper()
	words := []string{"mail", "calendar", "issue", "folder", "ticket", "invoice", "branch", "page", "contact", "report", "weather", "payment"}
	verbs := []string{"creates", "lists", "deletes", "updates", "searches", "exports", "shares", "archives"}
	make1000 := func(server, generation int) []Capability {
		out := make([]Capability, 1000)
		for i := range out {
			a, v, n := words[(i+server)%len(words)], verbs[i%len(verbs)], words[(i/12+generation)%len(words)]
			c := searchable(fmt.Sprintf("mcp_%d_%s_%d", server, a, i), fmt.Sprintf("Server %d %s each %s of a %s for the given account, page by page.", server, v, a, n),
				fmt.Sprintf(`"%s_id":{"type":"string","description":"which %s to take"},"limit":{"type":"integer","description":"most results of a page"}`, a, n))
			c.Kind, c.Class, c.Deferrable, c.Meta = KindMCP, ExternalAPI, true, map[string]string{"server": strconv.Itoa(server)}
			out[i] = c
		}
		return out
	}
	var r Registry
	for server := range 10 {
		if err := r.RegisterAll(make1000(server, 0)...); err != nil {
			b.Fatal(err)
		}
	}
	return &r, func(generation int) []Capability { return make1000(3, generation) }
}

func BenchmarkList10000(b *testing.B) {
	r, _ := tenThousand(b)
	f := Filter{Turn: Turn{Trust: Operator}, ExcludedNames: []string{"mcp_1_mail_11"}}
	for b.Loop() {
		if n := len(r.List(f)); n < 9999 {
			b.Fatal(n)
		}
	}
}

func BenchmarkSearch10000(b *testing.B) {
	r, _ := tenThousand(b)
	f := Filter{Turn: Turn{Trust: Operator}}
	for b.Loop() {
		if n := len(r.Search(f, "search the open invoices of a contact by account", 5)); n != 5 {
			b.Fatal(n)
		}
	}
}

// BenchmarkReplace1000 swaps a family of 1,000 among 10,000 while eight readers
// find and list.
func BenchmarkReplace1000(b *testing.B) {
	r, family := tenThousand(b)
	families := [][]Capability{family(0), family(1)}
	f := Filter{Turn: Turn{Trust: Operator}}
	stop := make(chan struct{})
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
					r.Find("mcp_3_mail_9")
					r.List(f)
				}
			}
		})
	}
	for i := 0; b.Loop(); i++ {
		if err := r.Replace(KindMCP, map[string]string{"server": "3"}, families[i%2]...); err != nil {
			b.Fatal(err)
		}
	}
	b.StopTimer()
	close(stop)
	wg.Wait()
}

// BenchmarkSearchAfterReplace is a search right after the swap of a family of
// 1,000 among 10,000.
func BenchmarkSearchAfterReplace(b *testing.B) {
	r, family := tenThousand(b)
	families := [][]Capability{family(0), family(1)}
	f := Filter{Turn: Turn{Trust: Operator}}
	i := 0
	for b.Loop() {
		b.StopTimer()
		i++
		if err := r.Replace(KindMCP, map[string]string{"server": "3"}, families[i%2]...); err != nil {
			b.Fatal(err)
		}
		b.StartTimer()
		if n := len(r.Search(f, "search the open invoices of a contact by account", 5)); n != 5 {
			b.Fatal(n)
		}
	}
}
