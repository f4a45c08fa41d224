package capability

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func family(generation string, n int) []Capability {
	var out []Capability
	for i := range n {
		c := tool(fmt.Sprintf("mcp_%d", i), ReadOnly, ok)
		c.Kind, c.Meta, c.Title = KindMCP, map[string]string{"server": "x", "gen": generation}, generation
		out = append(out, c)
	}
	return out
}

func names(cs []*Capability) []string {
	var out []string
	for _, c := range cs {
		out = append(out, c.Name)
	}
	return out
}

func TestRegister(t *testing.T) {
	aliased := tool("read", ReadOnly, ok)
	aliased.Aliases = []string{"Read", "cat"}
	alias := func(name string, aliases ...string) Capability {
		c := tool(name, ReadOnly, ok)
		c.Aliases = aliases
		return c
	}
	broken := func(edit func(*Capability)) Capability {
		c := tool("new", ReadOnly, ok)
		edit(&c)
		return c
	}
	for name, tt := range map[string]struct {
		add  []Capability
		err  error // nil with a text: any error that has it
		text string
	}{
		"the same name":           {[]Capability{tool("read", ReadOnly, ok)}, ErrDuplicate, `"read"`},
		"a name that is an alias": {[]Capability{tool("cat", ReadOnly, ok)}, ErrDuplicate, `"cat" of cat is taken by read`},
		"an alias that is a name": {[]Capability{alias("new", "read")}, ErrDuplicate, ""},
		"an alias twice":          {[]Capability{alias("new", "Read")}, ErrDuplicate, ""},
		"its own alias":           {[]Capability{alias("new", "new")}, ErrDuplicate, ""},
		"two of one name":         {[]Capability{tool("new", ReadOnly, ok), tool("new", ReadOnly, ok)}, ErrDuplicate, ""},
		"a bad name":              {[]Capability{tool("1st", ReadOnly, ok)}, nil, "64 letters"},
		"a bad alias":             {[]Capability{alias("new", "a b")}, nil, "64 letters"},
		"a long name":             {[]Capability{tool(strings.Repeat("x", 65), ReadOnly, ok)}, nil, "64 letters"},
		"no description":          {[]Capability{broken(func(c *Capability) { c.Description = " " })}, nil, "no description"},
		"no handler":              {[]Capability{broken(func(c *Capability) { c.Handler = nil })}, nil, "no handler"},
		"no class":                {[]Capability{broken(func(c *Capability) { c.Class = "" })}, nil, "no class"},
		"no kind":                 {[]Capability{broken(func(c *Capability) { c.Kind = "" })}, nil, "no kind"},
		"no schema":               {[]Capability{broken(func(c *Capability) { c.Parameters = nil })}, nil, "parameters"},
		"a schema of a list":      {[]Capability{broken(func(c *Capability) { c.Parameters = []byte(`{"type":"array"}`) })}, nil, "not object"},
		"a good one and a bad":    {[]Capability{tool("good", ReadOnly, ok), tool("read", ReadOnly, ok)}, ErrDuplicate, ""},
	} {
		t.Run(name, func(t *testing.T) {
			var r Registry
			if err := r.Register(aliased); err != nil {
				t.Fatal(err)
			}
			err := r.RegisterAll(tt.add...)
			if err == nil || tt.err != nil && !errors.Is(err, tt.err) || !strings.Contains(err.Error(), tt.text) {
				t.Errorf("err = %v, want %v with %q", err, tt.err, tt.text)
			}
			if d := cmp.Diff([]string{"read"}, names(r.All())); d != "" {
				t.Errorf("not all or nothing (-want +got):\n%s", d)
			}
		})
	}
}

func TestFind(t *testing.T) {
	var r Registry
	if _, found := r.Find("read"); found {
		t.Error("an empty registry finds something")
	}
	c := tool("read", ReadOnly, ok)
	c.Aliases, c.Meta = []string{"Read"}, map[string]string{"a": "b"}
	if err := r.Register(c); err != nil {
		t.Fatal(err)
	}
	c.Aliases[0], c.Meta["a"] = "changed", "changed"
	for _, n := range []string{"read", "Read"} {
		if got, found := r.Find(n); !found || got.Name != "read" || got.Meta["a"] != "b" {
			t.Errorf("%s: got %v, %v", n, got, found)
		}
	}
	if _, found := r.Find("changed"); found {
		t.Error("a change by the caller reached the registry")
	}
}

func TestUnregister(t *testing.T) {
	var r Registry
	if err := r.RegisterAll(append(family("1", 3), tool("read", ReadOnly, ok))...); err != nil {
		t.Fatal(err)
	}
	v := r.Version()
	if r.Unregister("gone") || !r.Unregister("mcp_1") {
		t.Error("unregister says the wrong thing")
	}
	if n := r.UnregisterWhere(KindMCP, map[string]string{"server": "y"}); n != 0 {
		t.Errorf("%d of another server went", n)
	}
	if n := r.UnregisterWhere(KindMCP, map[string]string{"server": "x"}); n != 2 {
		t.Errorf("%d went, want 2", n)
	}
	if d := cmp.Diff([]string{"read"}, names(r.All())); d != "" || r.Version() <= v {
		t.Errorf("left (-want +got):\n%s", d)
	}
	if err := r.Replace(KindMCP, map[string]string{"server": "x"}, tool("read", ReadOnly, ok)); !errors.Is(err, ErrDuplicate) || len(r.All()) != 1 {
		t.Errorf("a replacement that fails: %v", err)
	}
}

// TestReplaceIsWhole has readers look while a family is swapped: they see the
// old one or the new one, never a mix, and never none.
func TestReplaceIsWhole(t *testing.T) {
	const size, swaps = 20, 300
	var r Registry
	if err := r.RegisterAll(family("0", size)...); err != nil {
		t.Fatal(err)
	}
	stop := make(chan struct{})
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
				}
				list := r.List(Filter{Turn: Turn{Trust: Operator}})
				if len(list) != size {
					t.Errorf("a reader saw %d tools", len(list))
					return
				}
				for _, c := range list {
					if c.Title != list[0].Title {
						t.Errorf("a reader saw %s and %s together", c.Title, list[0].Title)
						return
					}
				}
				if _, found := r.Find("mcp_7"); !found {
					t.Error("a reader saw a gap")
					return
				}
			}
		})
	}
	for i := range swaps {
		if err := r.Replace(KindMCP, map[string]string{"server": "x"}, family(strconv.Itoa(i), size)...); err != nil {
			t.Fatal(err)
		}
	}
	close(stop)
	wg.Wait()
}

func TestWatchRegistry(t *testing.T) {
	var r Registry
	changed, stop := r.Watch()
	for i := range 3 {
		if err := r.Register(tool(fmt.Sprint("t", i), ReadOnly, ok)); err != nil {
			t.Fatal(err)
		}
	}
	<-changed
	select {
	case <-changed:
		t.Error("three changes made two notices that nobody had read")
	default:
	}
	stop()
	r.Unregister("t0")
	select {
	case <-changed:
		t.Error("a notice came after the end of the watch")
	default:
	}
}

func TestFilter(t *testing.T) {
	var r Registry
	write := tool("write", ReadWrite, ok)
	write.Category, write.Aliases = CategoryFile, []string{"Write"}
	secret := tool("memory", ReadOnly, ok)
	secret.OwnerData = true
	hidden := tool("hidden", ReadOnly, ok)
	hidden.Hidden = true
	react := tool("react", ReadOnly, ok)
	react.Available = func(turn Turn) bool { return turn.Channel == "telegram" }
	mcp := tool("remote", ExternalAPI, ok)
	mcp.Kind = KindMCP
	if err := r.RegisterAll(tool("read", ReadOnly, ok), write, secret, hidden, react, mcp); err != nil {
		t.Fatal(err)
	}
	owner := Turn{Trust: Operator}
	for name, tt := range map[string]struct {
		f    Filter
		want []string
	}{
		"zero is a guest":           {Filter{}, []string{"read"}},
		"guest":                     {Filter{Turn: Turn{Trust: Guest}}, []string{"read"}},
		"another trust is a guest":  {Filter{Turn: Turn{Trust: "root"}}, []string{"read"}},
		"owner":                     {Filter{Turn: owner}, []string{"read", "write", "memory", "remote"}},
		"kind":                      {Filter{Turn: owner, Kind: KindMCP}, []string{"remote"}},
		"policy":                    {Filter{Turn: owner, Policy: Only(ReadOnly)}, []string{"read", "memory"}},
		"policy does not raise":     {Filter{Policy: Only(Classes()...)}, []string{"read"}},
		"deny wins":                 {Filter{Turn: owner, Policy: &Policy{Allow: Classes(), Deny: []Class{ReadOnly}}}, []string{"write", "remote"}},
		"allowed, none":             {Filter{Turn: owner, Allowed: []string{}}, nil},
		"allowed by alias":          {Filter{Turn: owner, Allowed: []string{"Write", "nope"}}, []string{"write"}},
		"allowed does not raise":    {Filter{Allowed: []string{"write", "read"}}, []string{"read"}},
		"excluded by alias":         {Filter{Turn: owner, ExcludedNames: []string{"Write"}}, []string{"read", "memory", "remote"}},
		"excluded wins":             {Filter{Turn: owner, Allowed: []string{"read", "write"}, ExcludedNames: []string{"read"}}, []string{"write"}},
		"excluded category":         {Filter{Turn: owner, ExcludedCategories: []Category{CategoryFile}}, []string{"read", "memory", "remote"}},
		"hidden":                    {Filter{Turn: owner, IncludeHidden: true}, []string{"read", "write", "memory", "hidden", "remote"}},
		"available":                 {Filter{Turn: Turn{Trust: Operator, Channel: "telegram"}}, []string{"read", "write", "memory", "react", "remote"}},
		"allowed but not available": {Filter{Turn: owner, Allowed: []string{"react"}}, nil},
	} {
		got := names(r.List(tt.f))
		if d := cmp.Diff(tt.want, got); d != "" {
			t.Errorf("%s (-want +got):\n%s", name, d)
		}
		// Calling asks the same question as listing.
		run := &Runner{Registry: &r, Approve: func(context.Context, *Capability, Call, Preview) error { return nil }}
		for _, c := range r.All() {
			called := !run.Run(t.Context(), Request{Name: c.Name, Filter: tt.f}).Failed()
			if listed := slices.Contains(got, c.Name); called != listed || r.Allows(tt.f, c.Name) != listed {
				t.Errorf("%s: %s: listed %v, called %v", name, c.Name, listed, called)
			}
		}
	}
	if r.Allows(Filter{Turn: owner}, "nope") {
		t.Error("a name that is not there is allowed")
	}
}

// TestFilterAsksAvailabilityLast holds the order: what a rule before it
// excludes is not asked.
func TestFilterAsksAvailabilityLast(t *testing.T) {
	var r Registry
	asked := 0
	c := tool("act", ReadWrite, ok)
	c.Available = func(Turn) bool { asked++; return true }
	if err := r.Register(c); err != nil {
		t.Fatal(err)
	}
	r.List(Filter{})
	r.List(Filter{Turn: Turn{Trust: Operator}, ExcludedNames: []string{"act"}})
	if asked != 0 {
		t.Errorf("asked %d times", asked)
	}
}

func TestTrust(t *testing.T) {
	all := Classes()
	for name, tt := range map[string]struct {
		p    Policy
		want []Class
	}{
		"operator":                  {DefaultPolicy(Operator), all},
		"guest":                     {DefaultPolicy(Guest), []Class{ReadOnly}},
		"absent":                    {DefaultPolicy(""), []Class{ReadOnly}},
		"operator, nil":             {EffectivePolicy(Operator, nil), all},
		"operator, only":            {EffectivePolicy(Operator, Only(ReadOnly, Exec)), []Class{ReadOnly, Exec}},
		"operator, nothing":         {EffectivePolicy(Operator, &Policy{Allow: []Class{}}), nil},
		"operator, deny alone":      {EffectivePolicy(Operator, &Policy{Deny: []Class{Exec, GUIControl}}), []Class{ReadOnly, ReadWrite, Network, ExternalAPI}},
		"guest, allowed everything": {EffectivePolicy(Guest, Only(all...)), []Class{ReadOnly}},
		"guest, denied":             {EffectivePolicy(Guest, &Policy{Deny: []Class{ReadOnly}}), nil},
		"subagent of the operator":  {EffectivePolicy(Operator, ForSubagent(Operator)), []Class{ReadOnly, Exec, Network, ExternalAPI}},
		"subagent of a guest":       {EffectivePolicy(Guest, ForSubagent(Guest)), []Class{ReadOnly}},
	} {
		var got []Class
		for _, c := range all {
			if tt.p.Allows(c) {
				got = append(got, c)
			}
		}
		if d := cmp.Diff(tt.want, got); d != "" {
			t.Errorf("%s (-want +got):\n%s", name, d)
		}
	}
}

func TestNearest(t *testing.T) {
	list := []string{"file_read", "file_write", "file_edit", "shell", "git_read", "web_fetch"}
	for in, want := range map[string]string{
		"read_file": "file_read", "FileRead": "file_read", "fileread": "file_read", "Shell": "shell", "shel": "shell",
		"web": "web_fetch", "gitread": "git_read", "write": "file_write",
	} {
		if got := Nearest(in, list, 5); len(got) != 5 || !slices.Contains(got[:2], want) {
			t.Errorf("%s: got %v, want %s among the first two", in, got, want)
		}
	}
	if got := Nearest("x", nil, 5); len(got) != 0 {
		t.Errorf("of no names: %v", got)
	}
	if got := Nearest("x", list, -1); len(got) != 0 {
		t.Errorf("at most -1: %v", got)
	}
	var r Registry
	o := (&Runner{Registry: &r}).Run(t.Context(), Request{Name: strings.Repeat("é", 10_000)})
	if u, _ := AsUserError(o.Err); u.Code != "unknown_tool" || len(u.Message) > 300 {
		t.Errorf("a huge name: %v", o.Err)
	}
}

func FuzzNearest(f *testing.F) {
	f.Add("read", "file_read", 3)
	f.Add("", "", 0)
	f.Add("\xff", "é", -1)
	f.Fuzz(func(t *testing.T, name, other string, n int) {
		got := Nearest(name, []string{other, "shell", other}, n)
		if len(got) > max(0, min(n, 3)) {
			t.Errorf("%d names of at most %d", len(got), n)
		}
	})
}
