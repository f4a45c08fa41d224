package permission

import (
	"fmt"
	"slices"
	"strings"

	"github.com/hobkin/hobkin/core/capability"
)

// A Mode says how much is done without asking.
type Mode string

// The modes, the most careful first.
const (
	Plan        Mode = "plan"         // looks only
	Ask         Mode = "ask"          // the default
	AcceptEdits Mode = "accept_edits" // and file changes inside the roots
	Auto        Mode = "auto"         // asks only for what may do harm, reaches outside or is not understood
	Unattended  Mode = "unattended"   // never asks: what would ask is denied
)

// Modes lists the modes, the most careful first.
func Modes() []Mode { return []Mode{Plan, Ask, AcceptEdits, Auto, Unattended} }

// ParseMode reads the name of a mode; empty means Ask. The error names the
// mode that comes closest.
func ParseMode(name string) (Mode, error) {
	clean := Mode(strings.ReplaceAll(strings.ToLower(strings.TrimSpace(name)), "-", "_"))
	if clean == "" {
		return Ask, nil
	}
	if slices.Contains(Modes(), clean) {
		return clean, nil
	}
	return "", fmt.Errorf("permission: there is no mode %q; did you mean %q? The modes are plan, ask, accept_edits, auto and unattended", name, nearest(string(clean)))
}

// nearest is the mode whose name takes the fewest changes to reach.
func nearest(name string) Mode {
	best, least := Ask, len(name)+100
	for _, m := range Modes() {
		if d := distance(name, string(m)); d < least {
			best, least = m, d
		}
	}
	return best
}

// distance counts the letters to put in, take out or change from a to b.
func distance(a, b string) int {
	if len(a) > 40 {
		a = a[:40]
	}
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		last := row[0]
		row[0] = i + 1
		for j := range len(b) {
			change := last
			if a[i] != b[j] {
				change++
			}
			last = row[j+1]
			row[j+1] = min(change, row[j+1]+1, row[j]+1)
		}
	}
	return row[len(b)]
}

// Title is the mode in words, for people.
func (m Mode) Title() string {
	switch m {
	case Plan:
		return "Plan only"
	case AcceptEdits:
		return "Accept edits"
	case Auto:
		return "Auto"
	case Unattended:
		return "Unattended"
	}
	return "Ask first"
}

// Description says in a sentence what the mode does, for people.
func (m Mode) Description() string {
	switch m {
	case Plan:
		return "Looks and plans. Changes nothing."
	case AcceptEdits:
		return "Changes files in your folders without asking. Asks for everything else."
	case Auto:
		return "Asks only for what may do harm, reaches outside, or is not understood."
	case Unattended:
		return "Never asks. What would ask is refused."
	}
	return "Asks before anything that changes something."
}

// Filter narrows what is offered to the model in a mode; nil narrows nothing.
func Filter(m Mode) *capability.Policy {
	if m == Plan {
		return capability.Only(capability.ReadOnly)
	}
	return nil
}
