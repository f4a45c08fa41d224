package command

import (
	"context"
	"slices"
	"strings"

	"github.com/hobkin/hobkin/core/capability"
)

// A Table knows all commands. Its fields are not changed after the first use;
// files and prompts are looked up anew each time.
type Table struct {
	Builtins []Command
	Files    func() ([]File, []*Fault) // nil: there are none
	Prompts  Prompts                   // nil: there are none
	// Check looks at what a file asks for, such as the patterns of its tools.
	// Nil finds nothing wrong.
	Check func(f File) error
}

// NewTable makes a table of built-in commands; /help comes with it.
func NewTable(builtins ...Command) *Table {
	t := &Table{}
	t.Builtins = append([]Command{t.help()}, builtins...)
	return t
}

// Run does what was given. What becomes a turn is left to the caller, see
// [Reply.Turn]. The failures are those of this package and of the command.
func (t *Table) Run(ctx context.Context, g Given) (Reply, error) {
	if c, ok := t.builtin(g.Name); ok {
		switch {
		case !c.Open && g.Trust != capability.Operator:
			return Reply{}, OwnerOnly.Becausef("/%s is for the owner of this computer alone", c.Name)
		case c.Surface != "" && c.Surface != g.Channel:
			return Reply{}, NotHere.Becausef("/%s does nothing here", c.Name)
		case c.Answers && !g.Provenance.MayAgree():
			return Reply{}, NotTyped.Becausef("/%s answers a question of the agent's, which only a person can", c.Name)
		}
		return c.Do(ctx, g)
	}
	if g.Name == "" {
		return t.listed(ctx, g), nil
	}
	if g.Trust != capability.Operator {
		return Reply{}, OwnerOnly.Becausef("/%s is no command that guests may give", g.Name)
	}
	x, err := t.expand(ctx, g.Name, g.Rest)
	if err != nil {
		return Reply{}, err
	}
	return Reply{Turn: &x}, nil
}

func (t *Table) builtin(name string) (*Command, bool) {
	i := slices.IndexFunc(t.Builtins, func(c Command) bool { return c.has(name) })
	if i < 0 {
		return nil, false
	}
	return &t.Builtins[i], true
}

// Expand is what a tool of the agent's may have of a command: the text of a
// Markdown file or of a prompt, filled in. Built-in commands are a person's
// alone.
func (t *Table) Expand(ctx context.Context, name, args string) (Expansion, error) {
	name = bare(name)
	if c, ok := t.builtin(name); ok {
		return Expansion{}, NotByTool.Becausef("/%s is built in, and only a person gives it", c.Name)
	}
	x, err := t.expand(ctx, name, args)
	if u, ok := capability.AsUserError(err); ok && u.Code == Unknown.Code {
		return x, t.unknown(ctx, name, false)
	}
	return x, err
}

// Known reports why [Table.Expand] would have no text for a command, as far as
// that can be told without asking a server for it.
func (t *Table) Known(ctx context.Context, name string) error {
	name = bare(name)
	if strings.HasPrefix(name, promptPrefix) && t.Prompts != nil {
		t.Prompts.Await(ctx)
		if slices.ContainsFunc(t.prompts(ctx), func(p named) bool { return p.command == name }) {
			return nil
		}
	}
	_, err := t.Expand(ctx, name, "")
	return err
}

// bare is a name as the table has it.
func bare(name string) string {
	return strings.ToLower(strings.TrimPrefix(strings.TrimSpace(name), "/"))
}

func (t *Table) expand(ctx context.Context, name, args string) (Expansion, error) {
	files, faults := t.files()
	if i := slices.IndexFunc(files, func(f File) bool { return f.Name == name }); i >= 0 {
		f := files[i]
		return Expansion{Name: name, Text: Fill(f.Body, args), Bound: f.Bound, Model: f.Model}, nil
	}
	for _, f := range faults {
		if strings.EqualFold(stem(f.Path), name) {
			return Expansion{}, BadFile.Becausef("the file of /%s is not right. %s", name, f.Error())
		}
	}
	if t.Prompts != nil && strings.HasPrefix(name, promptPrefix) {
		t.Prompts.Await(ctx)
		list := t.prompts(ctx)
		if i := slices.IndexFunc(list, func(p named) bool { return p.command == name }); i >= 0 {
			return t.prompt(ctx, &list[i], args)
		}
	}
	return Expansion{}, t.unknown(ctx, name, true)
}

func (t *Table) prompt(ctx context.Context, p *named, rest string) (Expansion, error) {
	args, err := p.fill(rest)
	if err != nil {
		return Expansion{}, err
	}
	text, err := t.Prompts.Prompt(ctx, p.Server, p.Name, args)
	if err == nil && strings.TrimSpace(text) == "" {
		err = BadUse.Becausef("the prompt of /%s has no text", p.command).Trying("use another")
	}
	return Expansion{Name: p.command, Text: text, Outside: true}, err
}

func (t *Table) prompts(ctx context.Context) []named {
	if t.Prompts == nil {
		return nil
	}
	return nameAll(t.Prompts.Prompts(ctx))
}

// files are the Markdown commands that can be given, and what is wrong with the
// others.
func (t *Table) files() ([]File, []*Fault) {
	if t.Files == nil {
		return nil, nil
	}
	all, faults := t.Files()
	files := make([]File, 0, len(all))
	for _, f := range all {
		if c, ok := t.builtin(f.Name); ok {
			faults = append(faults, &Fault{Path: f.Path, Reason: "/" + c.Name + " is built in: give the file another name"})
			continue
		}
		if t.Check != nil {
			if err := t.Check(f); err != nil {
				faults = append(faults, &Fault{Path: f.Path, Reason: err.Error()})
				continue
			}
		}
		files = append(files, f)
	}
	return files, faults
}

// nearestShown is how many names an unknown one is answered with.
const nearestShown = 3

// unknown is the failure of a name that there is not, for a person or for a tool
// of the agent's, which may have only some.
func (t *Table) unknown(ctx context.Context, name string, person bool) *capability.UserError {
	var names []string
	for _, e := range t.List(ctx, Given{Trust: capability.Operator}).Commands {
		if person || e.Source != SourceBuiltin {
			names = append(names, e.Name)
		}
	}
	why := "there is no command /" + capability.CutText(name, mostShown)
	near := capability.Nearest(name, names, nearestShown)
	if len(near) > 0 {
		why += "; the closest are /" + strings.Join(near, ", /")
	}
	err := Unknown.Becausef("%s", why).With("closest", near)
	if !person {
		return err.Trying("use one of the closest, or do it without a command")
	}
	return err
}
