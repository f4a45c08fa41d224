package capability

import (
	"fmt"
	"slices"
	"strings"
)

// A Bound holds a turn to a few tools, whatever else allows more: what a
// command of the owner's names as its allowed tools. Each entry is the name or
// an alias of a tool, with * at its end for all that begin so, and in brackets
// behind it what the whole of a call must fit, as in a rule of the settings:
//
//	file_read   mcp_github_*   shell(git log *)
//
// An empty Bound lets nothing through; a turn without any is not held. What
// stands in brackets is judged where calls are approved.
type Bound []string

// Entry takes one entry of a Bound apart. The error says what is wrong with it.
func Entry(text string) (tool, match string, err error) {
	tool, match, open := strings.Cut(strings.TrimSpace(text), "(")
	tool = strings.TrimSpace(tool)
	if open {
		inner, closed := strings.CutSuffix(strings.TrimSpace(match), ")")
		if match = strings.TrimSpace(inner); !closed || match == "" {
			return "", "", fmt.Errorf("%q is no tool with a pattern in brackets, such as shell(git log *)", text)
		}
	}
	if stem := strings.TrimSuffix(tool, "*"); !ValidName(stem) {
		return "", "", fmt.Errorf("%q is no name of a tool; a * may stand at its end", tool)
	}
	return tool, match, nil
}

// Check reports the first entry that cannot be read.
func (b Bound) Check() error {
	for _, text := range b {
		if _, _, err := Entry(text); err != nil {
			return err
		}
	}
	return nil
}

// Matches are the patterns that a call of c must fit one of. They are empty
// where the tool alone is named, so that any call fits, and ok is false where
// it is not named at all.
func (b Bound) Matches(c *Capability) (matches []string, ok bool) {
	whole := false
	for _, text := range b {
		tool, match, err := Entry(text)
		if err != nil || !isNamed(tool, c) {
			continue
		}
		ok = true
		if match == "" {
			whole = true
			continue
		}
		matches = append(matches, match)
	}
	if whole {
		matches = nil
	}
	return matches, ok
}

// isNamed reports whether an entry's name is about c.
func isNamed(tool string, c *Capability) bool {
	if stem, open := strings.CutSuffix(tool, "*"); open {
		return strings.HasPrefix(c.Name, stem)
	}
	return tool == c.Name || slices.Contains(c.Aliases, tool)
}

// Within is the turn, held to b beyond what it is held to already: bounds are
// never lifted, only added to.
func (t Turn) Within(b Bound) Turn {
	t.Bounds = append(slices.Clip(t.Bounds), b)
	return t
}

// lets reports whether every bound of the turn names c.
func (t Turn) lets(c *Capability) bool {
	for _, b := range t.Bounds {
		if _, ok := b.Matches(c); !ok {
			return false
		}
	}
	return true
}

// outside is the failure of a call that the bounds of its turn leave out.
func (t Turn) outside(c *Capability) error {
	for _, b := range t.Bounds {
		if _, ok := b.Matches(c); ok {
			continue
		}
		if len(b) == 0 {
			return NotAllowed.Becausef("the command that runs may use no tools, so %s does not run", c.Name).Trying("answer without tools")
		}
		return NotAllowed.Becausef("the command that runs may use %s only, so %s does not run", strings.Join(b, ", "), c.Name).Trying("do it with those, or say what is missing")
	}
	return nil
}
