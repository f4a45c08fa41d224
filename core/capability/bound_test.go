package capability

import (
	"context"
	"slices"
	"strings"
	"testing"
)

func TestEntry(t *testing.T) {
	for text, want := range map[string][3]string{
		"file_read":                {"file_read", "", ""},
		" mcp_github_* ":           {"mcp_github_*", "", ""},
		"shell(git log *)":         {"shell", "git log *", ""},
		"Bash( git status:* )":     {"Bash", "git status:*", ""},
		"shell(echo \"(a)\" b, c)": {"shell", `echo "(a)" b, c`, ""},
		"":                         {"", "", "no name of a tool"},
		"*":                        {"", "", "no name of a tool"},
		"two words":                {"", "", "no name of a tool"},
		"shell(git":                {"", "", "in brackets"},
		"shell()":                  {"", "", "in brackets"},
		"../x":                     {"", "", "no name of a tool"},
	} {
		tool, match, err := Entry(text)
		said := ""
		if err != nil {
			said = err.Error()
		}
		if tool != want[0] || match != want[1] || want[2] == "" && err != nil || !strings.Contains(said, want[2]) {
			t.Errorf("Entry(%q) = %q, %q, %v; want %q", text, tool, match, err, want)
		}
	}
}

func FuzzEntry(f *testing.F) {
	for _, s := range []string{"file_read", "shell(git log *)", "a(b)c", "((", "*", "x*("} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		tool, match, err := Entry(text)
		if err != nil {
			return
		}
		again := tool
		if match != "" {
			again += "(" + match + ")"
		}
		if tool2, match2, err := Entry(again); err != nil || tool2 != tool || match2 != match {
			t.Errorf("Entry(%q) = %q, %q, but of %q it is %q, %q, %v", text, tool, match, again, tool2, match2, err)
		}
	})
}

// TestBounds holds what a held turn is offered and may call: each bound takes
// away, none gives back.
func TestBounds(t *testing.T) {
	read, write, git := tool("read", ReadOnly, ok), tool("write", ReadWrite, ok), tool("mcp_git_log", ReadOnly, ok)
	read.Aliases = []string{"Read"}
	r := newRunner(t, read, write, git)
	for name, tt := range map[string]struct {
		bounds []Bound
		trust  Trust
		want   []string
	}{
		"none":                   {nil, Operator, []string{"read", "write", "mcp_git_log"}},
		"empty lets nothing":     {[]Bound{{}}, Operator, nil},
		"a name":                 {[]Bound{{"write"}}, Operator, []string{"write"}},
		"an alias":               {[]Bound{{"Read"}}, Operator, []string{"read"}},
		"a beginning":            {[]Bound{{"mcp_git_*"}}, Operator, []string{"mcp_git_log"}},
		"a pattern names it too": {[]Bound{{"write(x)"}}, Operator, []string{"write"}},
		"two hold together":      {[]Bound{{"read", "write"}, {"write", "mcp_git_log"}}, Operator, []string{"write"}},
		"no later one widens":    {[]Bound{{"read"}, {"read", "write"}}, Operator, []string{"read"}},
		"it grants a guest none": {[]Bound{{"read", "write"}}, Guest, []string{"read"}},
		"not to be read":         {[]Bound{{"read("}}, Operator, nil},
	} {
		f := Filter{Turn: Turn{Trust: tt.trust}}
		for _, b := range tt.bounds {
			f.Turn = f.Turn.Within(b)
		}
		var listed []string
		for _, c := range r.Registry.List(f) {
			listed = append(listed, c.Name)
		}
		if !slices.Equal(listed, tt.want) {
			t.Errorf("%s: offered %v, want %v", name, listed, tt.want)
		}
		for _, c := range []string{"Read", "write", "mcp_git_log"} {
			out := r.Run(t.Context(), Request{ID: "1", Name: c, Args: []byte(`{}`), Filter: f})
			if may := slices.Contains(tt.want, out.Call.Name); out.Failed() == may {
				t.Errorf("%s: calling %s: %v", name, c, out.Err)
			}
		}
	}
}

// TestBoundSaysWhatIsLeft holds that a refused call is told what may be used.
func TestBoundSaysWhatIsLeft(t *testing.T) {
	r := newRunner(t, tool("read", ReadOnly, ok), tool("write", ReadWrite, ok))
	req := request("write", "{}")
	req.Filter.Turn = req.Filter.Turn.Within(Bound{"read"})
	out := r.Run(t.Context(), req)
	if u, is := AsUserError(out.Err); !is || u.Code != NotAllowed.Code || !strings.Contains(u.Message, "may use read only") {
		t.Errorf("got %v", out.Err)
	}
}

// TestBoundHoldsTheRestOfAStep holds that calls beside the one that bounds the
// turn, and after it, are bounded too.
func TestBoundHoldsTheRestOfAStep(t *testing.T) {
	bounds := tool("command", Exec, func(context.Context, Call) (Result, error) {
		return Result{Text: "do it", Bound: Bound{"read"}}, nil
	})
	r := newRunner(t, bounds, tool("read", ReadOnly, ok), tool("write", ReadWrite, ok))
	var got []bool
	for _, o := range r.RunAll(t.Context(), []Request{request("write", "{}"), request("command", "{}"), request("write", "{}"), request("read", "{}")}) {
		got = append(got, o.Failed())
	}
	if want := []bool{false, false, true, false}; !slices.Equal(got, want) {
		t.Errorf("failed: %v, want %v", got, want)
	}
}
