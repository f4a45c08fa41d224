package command

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/hobkin/hobkin/core/capability"
	"github.com/hobkin/hobkin/core/lazy"
)

// cutFront parts the settings of a file from its text. First is the line of the
// file on which the settings begin.
func cutFront(text string) (front, body string, first int, err error) {
	head, rest, _ := strings.Cut(text, "\n")
	if strings.TrimRight(head, " \t\r") != "---" {
		return "", text, 0, nil
	}
	var b strings.Builder
	for line := range strings.Lines(rest) {
		rest = rest[len(line):]
		if strings.TrimRight(line, " \t\r\n") == "---" {
			return b.String(), rest, 2, nil
		}
		b.WriteString(line)
	}
	return "", "", 0, errors.New("the settings begin here with --- and never end: another --- is missing")
}

// A problem is what is wrong with the settings of a file.
type problem struct {
	line   int
	reason string
}

// keys are the settings that a file may have.
var keys = []string{"description", "argument-hint", "allowed-tools", "model"}

// settings takes in the front matter.
func (f *File) settings(front string, first int) *problem {
	var doc yaml.Node
	if err := yaml.Unmarshal([]byte(front), &doc); err != nil {
		return unread(err, first)
	}
	if len(doc.Content) == 0 {
		return nil
	}
	top := doc.Content[0]
	if top.Kind != yaml.MappingNode {
		return &problem{first + top.Line - 1, "the settings are not lines such as description: …"}
	}
	seen := map[string]bool{}
	for i := 0; i+1 < len(top.Content); i += 2 {
		key, value := top.Content[i], top.Content[i+1]
		err := f.set(key.Value, value)
		if seen[key.Value] {
			err = fmt.Errorf("%s is given twice", key.Value)
		}
		if err != nil {
			return &problem{first + max(key.Line, 1) - 1, err.Error()}
		}
		seen[key.Value] = true
	}
	return nil
}

func (f *File) set(key string, value *yaml.Node) (err error) {
	switch key {
	case "description":
		f.Description, err = oneLine(key, value)
	case "argument-hint":
		f.Hint, err = hint(value)
	case "model":
		f.Model, err = oneLine(key, value)
	case "allowed-tools":
		f.Bound, err = bound(value)
	default:
		return fmt.Errorf("there is no setting %q; there are %s", capability.CutText(key, mostShown), strings.Join(keys, ", "))
	}
	return err
}

func oneLine(key string, n *yaml.Node) (string, error) {
	if n.Kind != yaml.ScalarNode {
		return "", fmt.Errorf("%s must be a line of text", key)
	}
	return strings.Join(strings.Fields(n.Value), " "), nil
}

// hint also takes [FILE], which YAML reads as a list.
func hint(n *yaml.Node) (string, error) {
	if n.Kind != yaml.SequenceNode {
		return oneLine("argument-hint", n)
	}
	parts, err := list("argument-hint", n)
	return "[" + strings.Join(parts, ", ") + "]", err
}

// bound reads the tools that a command may use: a list, or one line with commas
// between. Nothing, and an empty list, are no tools.
func bound(n *yaml.Node) (capability.Bound, error) {
	parts, err := list("allowed-tools", n)
	if err != nil {
		return nil, err
	}
	b := capability.Bound(parts)
	return b, b.Check()
}

func list(key string, n *yaml.Node) ([]string, error) {
	out := []string{}
	switch {
	case n.Kind == yaml.ScalarNode && n.Tag == "!!null":
		return out, nil
	case n.Kind == yaml.ScalarNode:
		return splitOutside(n.Value), nil
	case n.Kind != yaml.SequenceNode:
		return nil, fmt.Errorf("%s must be a list", key)
	}
	for _, one := range n.Content {
		if one.Kind != yaml.ScalarNode {
			return nil, fmt.Errorf("%s must be a list of names", key)
		}
		out = append(out, one.Value)
	}
	return out, nil
}

// splitOutside splits at the commas that stand outside of brackets.
func splitOutside(text string) []string {
	out, depth, start := []string{}, 0, 0
	cut := func(to int) {
		if part := strings.TrimSpace(text[start:to]); part != "" {
			out = append(out, part)
		}
		start = to + 1
	}
	for i := range len(text) {
		switch c := text[i]; {
		case c == '(':
			depth++
		case c == ')':
			depth--
		case c == ',' && depth <= 0:
			cut(i)
		}
	}
	cut(len(text))
	return out
}

var yamlLine = lazy.Regexp(`^yaml: (?:line (\d+): )?`)

// unread says where the settings are no YAML.
func unread(err error, first int) *problem {
	text := err.Error()
	found := yamlLine().FindStringSubmatch(text)
	if found == nil {
		return &problem{first, text}
	}
	line, _ := strconv.Atoi(found[1]) // 0 where no line is told
	return &problem{first + max(line, 1) - 1, "the settings cannot be read: " + text[len(found[0]):]}
}
