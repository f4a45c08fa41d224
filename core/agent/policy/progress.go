package policy

import (
	"cmp"
	"fmt"
)

// Defaults of the progress guard.
const (
	WarnLooks   = 24 // looks in a row without a change or a check; at twice as many an account is asked for
	SameTarget  = 5  // looks at the very same thing
	EmptySearch = 3  // searches in a row that found nothing
	MostWaits   = 4  // waits
	WaitWindow  = 8  // among so many calls
)

// A Deed is a call as the progress guard sees it.
type Deed struct {
	Tool    string
	Target  string // what it touches, in a few words; empty when it cannot be told
	Changes bool   // it changed something, or checked the work by running something
	Looks   bool   // it only looked at something
	Empty   bool   // it searched and found nothing
	Waits   bool   // it waited for something
}

// A Progress watches whether a turn gets anywhere. It never stops one: reading
// much can be the work itself. What it has to say goes to the model with the
// result of the call. The zero Progress is ready to use.
type Progress struct {
	ProgressLimits

	looks   int // since the last change
	empty   int // in a row
	targets map[string]int
	waits   []bool // of the last calls
}

// Judge takes in a call that ended, and returns what the model should be told,
// empty for nothing.
func (p *Progress) Judge(d Deed) string {
	if p.Off {
		return ""
	}
	waiting := p.wait(d.Waits)
	switch {
	case d.Changes:
		p.looks, p.empty, p.targets = 0, 0, nil
	case d.Looks:
		return p.look(d)
	}
	return waiting
}

func (p *Progress) wait(waits bool) string {
	p.waits = append(p.waits, waits)
	if len(p.waits) > WaitWindow {
		p.waits = p.waits[1:]
	}
	n := 0
	for _, w := range p.waits {
		if w {
			n++
		}
	}
	if !waits || n < MostWaits {
		return ""
	}
	p.waits = nil // said once, not with every further one
	return fmt.Sprintf("Note: %d of your last calls only waited. Wait longer in one call, do something else meanwhile, or end the turn and say what is under way.", n)
}

func (p *Progress) look(d Deed) string {
	p.looks++
	if p.targets == nil {
		p.targets = map[string]int{}
	}
	p.targets[d.Tool+" "+d.Target]++
	p.empty++
	if !d.Empty {
		p.empty = 0
	}
	switch many := cmp.Or(p.Looks, WarnLooks); {
	case p.looks >= 2*many && p.looks%many == 0:
		return fmt.Sprintf("Checkpoint: %d looks in a row, and nothing was changed or checked. Before any further call, write in a few sentences what you know, what is missing and what you will do next; if you know enough, do it or answer now.", p.looks)
	case p.looks == many:
		return fmt.Sprintf("Note: %d looks in a row, and nothing was changed or checked. If you know enough, go on to the work or answer.", p.looks)
	case d.Target != "" && p.targets[d.Tool+" "+d.Target] == SameTarget:
		return fmt.Sprintf("Note: you have looked at %q %d times and changed nothing since. Use what you have seen.", d.Target, SameTarget)
	case p.empty > 0 && p.empty%EmptySearch == 0:
		return fmt.Sprintf("Note: %d searches in a row found nothing. What you look for may be called otherwise or not exist: list the folder, search for a shorter word, or say that it is not there.", p.empty)
	}
	return ""
}
