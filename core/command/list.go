package command

import (
	"context"
	"path/filepath"
	"strings"

	"github.com/hobkin/hobkin/core/capability"
)

// A Listing is what can be given, in the order in which it is shown.
type Listing struct {
	Commands []Entry  `json:"commands"`
	Faults   []*Fault `json:"faults,omitempty"` // files that are not right
}

// An Entry is a command as lists show it.
type Entry struct {
	Name    string   `json:"name"` // without the slash
	Aliases []string `json:"aliases,omitempty"`
	Hint    string   `json:"hint,omitempty"` // its arguments
	Summary string   `json:"summary"`
	Source  string   `json:"source"` // builtin, file or server
}

// The sources of commands.
const (
	SourceBuiltin = "builtin"
	SourceFile    = "file"
	SourceServer  = "server"
)

// List is what one may give in a place. It waits for no server.
func (t *Table) List(ctx context.Context, who Given) Listing {
	out := Listing{Commands: []Entry{}}
	owner := who.Trust == capability.Operator
	for _, c := range t.Builtins {
		if (owner || c.Open) && (c.Surface == "" || c.Surface == who.Channel) {
			out.Commands = append(out.Commands, Entry{c.Name, c.Aliases, c.Hint, c.Summary, SourceBuiltin})
		}
	}
	if !owner {
		return out
	}
	files, faults := t.files()
	out.Faults = faults
	for _, f := range files {
		out.Commands = append(out.Commands, Entry{Name: f.Name, Hint: f.Hint, Summary: f.Description, Source: SourceFile})
	}
	for _, p := range t.prompts(ctx) {
		out.Commands = append(out.Commands, Entry{Name: p.command, Hint: p.hint(), Summary: oneLineOf(p.Description), Source: SourceServer})
	}
	return out
}

func oneLineOf(text string) string { return strings.Join(strings.Fields(text), " ") }

func stem(path string) string {
	name, _ := cutSuffixFold(filepath.Base(path), ".md")
	return name
}

// help is the command that lists the others.
func (t *Table) help() Command {
	return Command{
		Name: "help", Hint: "[NAME]", Summary: "List the commands, or tell of one", Open: true,
		Do: func(ctx context.Context, g Given) (Reply, error) {
			if g.Rest == "" {
				return t.listed(ctx, g), nil
			}
			name := strings.ToLower(strings.TrimPrefix(g.Rest, "/"))
			t.await(ctx, g)
			for _, e := range t.List(ctx, g).Commands {
				if e.Name == name {
					return Reply{Parts: []Part{{Rows: helpRows([]Entry{e})}}}, nil
				}
			}
			return Reply{}, t.unknown(ctx, name, true)
		},
	}
}

// await waits for the servers' prompts where the owner asks for all there is.
func (t *Table) await(ctx context.Context, g Given) {
	if t.Prompts != nil && g.Trust == capability.Operator {
		t.Prompts.Await(ctx)
	}
}

// listed is the list of all commands as a reply.
func (t *Table) listed(ctx context.Context, g Given) Reply {
	t.await(ctx, g)
	l := t.List(ctx, g)
	r := Reply{Parts: []Part{{Rows: helpRows(l.Commands)}}}
	for _, f := range l.Faults {
		r.Parts = append(r.Parts, Sentence("Left out: {{.Fault}}", "Fault", f.Error()))
	}
	return r
}

func helpRows(list []Entry) *Rows {
	rows := &Rows{Head: []string{"Command", "What it does"}, Ours: []int{1}}
	for _, e := range list {
		rows.Rows = append(rows.Rows, []string{strings.TrimSpace("/" + e.Name + " " + e.Hint), e.Summary})
	}
	return rows
}

// Complete lists the entries that what was typed may become, the likeliest
// first: the one that has the name, those that begin so, then those that have it within. Typed is the name
// so far, without the slash.
func Complete(list []Entry, typed string) []Entry {
	typed = strings.ToLower(typed)
	var begins, holds []Entry
	for _, e := range list {
		switch {
		case e.Name == typed:
			begins = append([]Entry{e}, begins...)
		case strings.HasPrefix(e.Name, typed):
			begins = append(begins, e)
		case typed != "" && strings.Contains(e.Name, typed):
			holds = append(holds, e)
		}
	}
	return append(begins, holds...)
}

// Common is the longest beginning that all names share.
func Common(list []Entry) string {
	if len(list) == 0 {
		return ""
	}
	common := list[0].Name
	for _, e := range list[1:] {
		for !strings.HasPrefix(e.Name, common) {
			common = common[:len(common)-1]
		}
	}
	return strings.ToValidUTF8(common, "")
}
