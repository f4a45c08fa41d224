package policy

import (
	"cmp"
	"crypto/sha256"
	"fmt"
)

// Defaults of loop detection.
const (
	WarnEqual  = 3 // equal calls with equal results, or answers in a row with the very same calls
	WarnFailed = 2 // equal calls that change something, and failed
	StopEqual  = 5 // as many end the turn
)

// A Repeat is a call as loop detection sees it.
type Repeat struct {
	Tool, Args, Result string
	Failed             bool
	Changes            bool // the tool is not read-only
}

// A Verdict says what to do about a call.
type Verdict int

// The verdicts.
const (
	Fine Verdict = iota
	Warn         // tell the model
	Stop         // end the turn
)

// A Loop counts equal calls of one turn. The zero Loop is ready to use.
type Loop struct {
	LoopLimits

	seen  map[[sha256.Size]byte]int
	batch [sha256.Size]byte // of the last answer with several calls
	equal int               // such answers in a row
}

// Batch counts the calls of one answer, before they are run. An answer with one
// call is none: asking again for something under way is no circle, and [Loop.Judge]
// sees whether anything came of it.
func (l *Loop) Batch(calls []Repeat) Verdict {
	if len(calls) < 2 || l.Off {
		l.equal = 0
		return Fine
	}
	sum := sha256.New()
	for _, c := range calls {
		fmt.Fprintf(sum, "%q %q\n", c.Tool, c.Args)
	}
	var key [sha256.Size]byte
	sum.Sum(key[:0])
	if l.equal == 0 || key != l.batch {
		l.batch, l.equal = key, 0
	}
	l.equal++
	switch {
	case l.equal >= l.Most():
		return Stop
	case l.equal >= l.warn():
		return Warn
	}
	return Fine
}

// Most is how many equal calls, or answers in a row, end a turn.
func (l *Loop) Most() int { return cmp.Or(l.Stop, StopEqual) }

func (l *Loop) warn() int { return cmp.Or(l.Warn, WarnEqual) }

// Judge counts a call that ended. A change that succeeded, and that is a new
// one, starts the count afresh: looking again after it is no circle.
func (l *Loop) Judge(r Repeat) Verdict {
	if l.Off {
		return Fine
	}
	key := sha256.Sum256(fmt.Appendf(nil, "%q %q %q %v", r.Tool, r.Args, r.Result, r.Failed))
	if l.seen == nil || r.Changes && !r.Failed && l.seen[key] == 0 {
		l.seen = map[[sha256.Size]byte]int{}
	}
	l.seen[key]++
	switch n := l.seen[key]; {
	case n >= l.Most():
		return Stop
	case n >= l.warn(), n >= WarnFailed && r.Failed && r.Changes:
		return Warn
	}
	return Fine
}

// BatchNote is what a model is told with an answer that repeats itself.
const BatchNote = "Note: you have made these very calls several times in a row. Making them again will not help: do something else, or say what stands in the way."

// Note is what a model is told with a call that repeats itself.
const Note = "Note: you have made this very call before, with this very result. Making it again will not help: do something else, or say what stands in the way."
