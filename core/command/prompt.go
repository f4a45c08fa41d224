package command

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"unicode"
)

// Prompts are the texts that tool servers offer.
type Prompts interface {
	// Prompts lists those that are known now. It does not wait for servers.
	Prompts(ctx context.Context) []Prompt
	// Prompt fills one in. It waits for its server.
	Prompt(ctx context.Context, server, name string, args map[string]string) (string, error)
	// Await waits for the servers that are starting, for a moment.
	Await(ctx context.Context)
}

// A Prompt is a text that a tool server offers.
type Prompt struct {
	Server, Name string
	Description  string
	Blanks       []Blank
}

// A Blank is an argument of a prompt.
type Blank struct {
	Name     string
	Required bool
}

// promptPrefix begins the names of prompts.
const promptPrefix = "mcp:"

// named is a prompt with the name of its command.
type named struct {
	Prompt
	command string
}

// nameAll gives prompts names: /mcp:SERVER:PROMPT. What a name cannot hold
// becomes _, and of several that are then the same the later ones get numbers.
func nameAll(list []Prompt) []named {
	list = slices.Clone(list)
	slices.SortStableFunc(list, func(a, b Prompt) int { return cmp.Or(cmp.Compare(a.Server, b.Server), cmp.Compare(a.Name, b.Name)) })
	taken := map[string]bool{}
	out := make([]named, 0, len(list))
	for _, p := range list {
		base := promptPrefix + slug(p.Server) + ":" + slug(p.Name)
		name := base
		for n := 2; taken[name]; n++ {
			name = fmt.Sprintf("%s-%d", base, n)
		}
		taken[name] = true
		out = append(out, named{p, name})
	}
	return out
}

// mostSlug bounds a part of a name, in bytes.
const mostSlug = 80

func slug(name string) string {
	name = strings.ToLower(strings.ToValidUTF8(name, "_"))
	out := strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) || r == '-' || r == '_' || r == '.' {
			return r
		}
		return '_'
	}, name)
	for len(out) > mostSlug {
		out = strings.ToValidUTF8(out[:mostSlug], "")
	}
	return out
}

// hint shows the blanks.
func (p *named) hint() string {
	var parts []string
	for _, b := range p.Blanks {
		if b.Required {
			parts = append(parts, b.Name)
		} else {
			parts = append(parts, "["+b.Name+"]")
		}
	}
	return strings.Join(parts, " ")
}

// fill reads the arguments: name=value for a blank, or values in the order of
// the blanks that are not named; what is left over belongs to the last.
func (p *named) fill(rest string) (map[string]string, error) {
	args := map[string]string{}
	var values []string
	for _, w := range Words(rest) {
		key, value, ok := strings.Cut(w, "=")
		if ok && slices.ContainsFunc(p.Blanks, func(b Blank) bool { return b.Name == key }) {
			args[key] = value
			continue
		}
		values = append(values, w)
	}
	open := slices.DeleteFunc(slices.Clone(p.Blanks), func(b Blank) bool { _, ok := args[b.Name]; return ok })
	if len(values) > 0 && len(open) == 0 {
		return nil, BadUse.Becausef("/%s does not take %q", p.command, values[0])
	}
	for i, b := range open {
		switch {
		case i >= len(values):
		case i == len(open)-1:
			args[b.Name] = strings.Join(values[i:], " ")
		default:
			args[b.Name] = values[i]
		}
	}
	for _, b := range p.Blanks {
		if b.Required && args[b.Name] == "" {
			return nil, BadUse.Becausef("/%s needs %s", p.command, b.Name).Trying("write it so: /" + strings.TrimSpace(p.command+" "+p.hint()))
		}
	}
	return args, nil
}
