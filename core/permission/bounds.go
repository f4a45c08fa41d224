package permission

import (
	"fmt"
	"strings"

	"github.com/hobkin/hobkin/core/capability"
)

// outOfBounds says what the bounds of the turn have against a call; nothing
// where it fits each of them. A pattern must fit the whole of the call, as an
// allow rule must, but allows nothing by itself: what is within bounds is still
// judged like any other.
func (s *subject) outOfBounds() string {
	for _, b := range s.call.Turn.Bounds {
		matches, ok := b.Matches(s.tool)
		if ok && (len(matches) == 0 || s.covered(boundRules(s.tool, matches))) {
			continue
		}
		return "the command that runs may use " + Escape(strings.Join(b, ", ")) + " only"
	}
	return ""
}

// boundRules are patterns of a bound as rules for its tool.
func boundRules(c *capability.Capability, matches []string) []Rule {
	rules := make([]Rule, len(matches))
	for i, m := range matches {
		rules[i] = Rule{Tool: c.Name, Match: spelt(m), Action: Allow}
	}
	return rules
}

// spelt takes the colon before a last * for a space: other programs write
// git log:* where a rule here has git log *.
func spelt(match string) string {
	if stem, ok := strings.CutSuffix(match, ":*"); ok && !strings.ContainsAny(stem, ":/") && stem != matchCommand && stem != matchPath && stem != matchHost && stem != matchApp {
		return stem + " *"
	}
	return match
}

// CheckBound reports the first entry of a bound that no call can fit, because
// its pattern cannot be read. Find looks tools up by name or alias.
func CheckBound(b capability.Bound, find func(name string) (*capability.Capability, bool)) error {
	for _, text := range b {
		tool, match, err := capability.Entry(text)
		switch {
		case err != nil:
			return err
		case match == "":
			continue
		}
		if c, ok := find(tool); ok {
			tool = c.Name
		}
		if err := (Rule{Tool: tool, Match: spelt(match), Action: Allow}).Check(); err != nil {
			return fmt.Errorf("%q: %w", text, err)
		}
	}
	return nil
}
