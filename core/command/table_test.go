package command

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hobkin/hobkin/core/capability"
)

// offered are the prompts of two servers.
type offered struct{ asked *map[string]string }

func (offered) Await(context.Context) {}

func (offered) Prompts(context.Context) []Prompt {
	return []Prompt{
		{Server: "docs", Name: "sum up", Description: "Sums\n up", Blanks: []Blank{{"topic", true}, {"how", false}}},
		{Server: "docs", Name: "sum_up"},
		{Server: "Mail/Box", Name: "Draft"},
	}
}

func (o offered) Prompt(_ context.Context, server, name string, args map[string]string) (string, error) {
	switch {
	case server != "docs":
		return "", errors.New("it hung up")
	case name == "sum_up":
		return " ", nil
	}
	*o.asked = args
	return "Sum up " + args["topic"], nil
}

func newTable() (*Table, *map[string]string) {
	asked := &map[string]string{}
	t := NewTable(
		Command{Name: "undo", Summary: "Take back", Do: echo},
		Command{Name: "new", Summary: "Start anew", Open: true, Do: echo},
		Command{Name: "quit", Aliases: []string{"exit"}, Surface: "cli", Open: true, Do: echo},
		Command{Name: "confirm", Answers: true, Do: echo},
	)
	files := []File{
		{Name: "review", Path: "/c/review.md", Description: "Look over", Hint: "FILE", Bound: capability.Bound{"file_read"}, Model: "p/m", Body: "Look over $1."},
		{Name: "undo", Path: "/c/undo.md", Body: "x"},
		{Name: "odd", Path: "/c/odd.md", Body: "x"},
	}
	t.Files = func() ([]File, []*Fault) { return files, []*Fault{{Path: "/c/broken.md", Line: 3, Reason: "no"}} }
	t.Check = func(f File) error {
		if f.Name == "odd" {
			return errors.New("it is odd")
		}
		return nil
	}
	t.Prompts = offered{asked}
	return t, asked
}

func echo(_ context.Context, g Given) (Reply, error) {
	return Reply{Parts: []Part{{Text: g.Name + ":" + g.Rest}}}, nil
}

// TestRun holds who may give what, where.
func TestRun(t *testing.T) {
	table, _ := newTable()
	for name, tt := range map[string]struct {
		text string
		edit func(*Given)
		want string // of the reply, or the code of the failure
	}{
		"the owner":                   {"/undo a b", nil, "undo:a b"},
		"a guest":                     {"/undo", func(g *Given) { g.Trust = capability.Guest }, "owner_only"},
		"whose trust was not stamped": {"/undo", func(g *Given) { g.Trust = "" }, "owner_only"},
		"what is open to guests":      {"/new", func(g *Given) { g.Trust = capability.Guest }, "new:"},
		"a file, by a guest":          {"/review x", func(g *Given) { g.Trust = capability.Guest }, "owner_only"},
		"an unknown one, by a guest":  {"/reviw", func(g *Given) { g.Trust = capability.Guest }, "owner_only"},
		"by another name":             {"/exit", nil, "exit:"},
		"not in this place":           {"/quit", func(g *Given) { g.Channel = "desktop" }, "not_here"},
		"an answer that was typed":    {"/confirm T", nil, "confirm:T"},
		"an answer that was not":      {"/confirm T", func(g *Given) { g.Provenance = capability.FromSchedule }, "not_typed"},
		"an answer of a web page":     {"/confirm T", func(g *Given) { g.Provenance = capability.FromWeb }, "not_typed"},
		"capitals":                    {"/UNDO", nil, "undo:"},
		"a misspelt one":              {"/unod", nil, "unknown_command"},
		"a file with a fault":         {"/broken", nil, "bad_command_file"},
		"a file that is odd":          {"/odd", nil, "bad_command_file"},
	} {
		line, _, ok := Parse(tt.text)
		if !ok {
			t.Fatalf("%q is no command", tt.text)
		}
		g := Given{Line: line, Channel: "cli", Trust: capability.Operator, Provenance: capability.FromPerson}
		if tt.edit != nil {
			tt.edit(&g)
		}
		r, err := table.Run(t.Context(), g)
		got := r.Text(English)
		if u, ok := capability.AsUserError(err); ok {
			got = u.Code
		}
		if got != tt.want {
			t.Errorf("%s: %q gives %q (%v), want %q", name, tt.text, got, err, tt.want)
		}
	}
}

func TestUnknownNamesTheNearest(t *testing.T) {
	table, _ := newTable()
	line, _, _ := Parse("/reviw x")
	_, err := table.Run(t.Context(), Given{Line: line, Trust: capability.Operator})
	if err == nil || !strings.Contains(err.Error(), "no command /reviw; the closest are /review") {
		t.Errorf("got %v", err)
	}
}

func TestExpand(t *testing.T) {
	table, asked := newTable()
	for name, tt := range map[string]struct {
		command, args string
		want          Expansion
		code          string
		asked         map[string]string
	}{
		"a file":                {"/Review", `"a b.go"`, Expansion{Name: "review", Text: "Look over a b.go.", Bound: capability.Bound{"file_read"}, Model: "p/m"}, "", nil},
		"a built-in one":        {"undo", "", Expansion{}, "not_by_tool", nil},
		"its other name":        {"/exit", "", Expansion{}, "not_by_tool", nil},
		"unknown":               {"nothing", "", Expansion{}, "unknown_command", nil},
		"a prompt, in order":    {"mcp:docs:sum_up", `"the news" very briefly`, Expansion{Name: "mcp:docs:sum_up", Text: "Sum up the news", Outside: true}, "", map[string]string{"topic": "the news", "how": "very briefly"}},
		"a prompt, by name":     {"mcp:docs:sum_up", "how=short x", Expansion{Name: "mcp:docs:sum_up", Text: "Sum up x", Outside: true}, "", map[string]string{"topic": "x", "how": "short"}},
		"a blank is missing":    {"mcp:docs:sum_up", "how=short", Expansion{}, "bad_use", nil},
		"too much":              {"mcp:docs:sum_up-2", "x", Expansion{}, "bad_use", nil},
		"a prompt without text": {"mcp:docs:sum_up-2", "", Expansion{}, "bad_use", nil},
	} {
		*asked = nil
		got, err := table.Expand(t.Context(), tt.command, tt.args)
		code := ""
		if u, ok := capability.AsUserError(err); ok {
			code, got = u.Code, Expansion{}
		}
		if code != tt.code {
			t.Errorf("%s: %v, want the code %q", name, err, tt.code)
		}
		if d := cmp.Diff(tt.want, got) + cmp.Diff(tt.asked, *asked); d != "" {
			t.Errorf("%s (-want +got):\n%s", name, d)
		}
	}
	if _, err := table.Expand(t.Context(), "mcp:mail_box:draft", ""); err == nil || !strings.Contains(err.Error(), "hung up") {
		t.Errorf("a server that fails: %v", err)
	}
}

func TestList(t *testing.T) {
	table, _ := newTable()
	names := func(l Listing) (out []string) {
		for _, e := range l.Commands {
			out = append(out, strings.TrimSpace(e.Name+" "+e.Hint))
		}
		return out
	}
	all := table.List(t.Context(), Given{Channel: "cli", Trust: capability.Operator})
	if d := cmp.Diff([]string{"help [NAME]", "undo", "new", "quit", "confirm", "review FILE", "mcp:mail_box:draft", "mcp:docs:sum_up topic [how]", "mcp:docs:sum_up-2"}, names(all)); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
	if len(all.Faults) != 3 {
		t.Errorf("faults: %v", all.Faults)
	}
	guest := table.List(t.Context(), Given{Channel: "telegram", Trust: capability.Guest})
	if got := names(guest); !slices.Equal(got, []string{"help [NAME]", "new"}) || guest.Faults != nil {
		t.Errorf("a guest sees %v, %v", got, guest.Faults)
	}
	r, err := table.Run(t.Context(), Given{Line: Line{Name: "help", Rest: "/review"}, Trust: capability.Operator})
	if err != nil || r.Text(English) != "/review FILE  Look over" {
		t.Errorf("help of one: %q, %v", r.Text(English), err)
	}
	r, err = table.Run(t.Context(), Given{Line: Line{}, Channel: "cli", Trust: capability.Operator})
	if text := r.Text(English); err != nil || !strings.Contains(text, "Left out: /c/broken.md:3: no") || !strings.Contains(text, "/undo") {
		t.Errorf("a slash alone: %q, %v", text, err)
	}
}

func TestComplete(t *testing.T) {
	list := []Entry{{Name: "sandboxes"}, {Name: "new"}, {Name: "sessions"}, {Name: "resume-session"}, {Name: "sandbox"}}
	for typed, want := range map[string]string{"": "sandboxes new sessions resume-session sandbox", "s": "sandboxes sessions sandbox resume-session", "SES": "sessions resume-session", "zz": "", "new": "new", "sandbox": "sandbox sandboxes"} {
		var got []string
		for _, e := range Complete(list, typed) {
			got = append(got, e.Name)
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%q: %v, want %s", typed, got, want)
		}
	}
	if got := Common([]Entry{{Name: "résumé"}, {Name: "résultat"}}); got != "résu" {
		t.Errorf("common: %q", got)
	}
	if got := Common([]Entry{{Name: "é"}, {Name: "è"}}); got != "" {
		t.Errorf("half a letter: %q", got)
	}
}

// TestReplies holds the two forms of a reply, in a language.
func TestReplies(t *testing.T) {
	r := Reply{Parts: []Part{
		Sentence("The mode is {{.Mode}} now.", "Mode", "accept_edits"),
		{Rows: &Rows{Head: []string{"Key", "What it does"}, Rows: [][]string{{"a|b", "Start anew"}, {"longer_*", ""}}, Ours: []int{1}}},
		{Text: "a_b*c*"},
	}}
	speak := func(s string, args map[string]string) string {
		return English(map[string]string{"The mode is {{.Mode}} now.": "Modus: {{.Mode}}.", "Key": "Schlüssel", "What it does": "Was", "Start anew": "Neu"}[s], args)
	}
	if d := cmp.Diff("Modus: accept_edits.\n\na|b       Neu\nlonger_*\n\na_b*c*", r.Text(speak)); d != "" {
		t.Errorf("text (-want +got):\n%s", d)
	}
	want := "Modus: accept\\_edits.\n\n| Schlüssel | Was |\n| - | - |\n| a\\|b | Neu |\n| longer\\_\\* |  |\n\na\\_b\\*c\\*"
	if d := cmp.Diff(want, r.Markdown(speak)); d != "" {
		t.Errorf("Markdown (-want +got):\n%s", d)
	}
}
