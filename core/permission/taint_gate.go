package permission

import (
	"slices"
	"strings"

	"github.com/hobkin/hobkin/core/capability"
)

// byReading judges a call by what its conversation has read. It decides nothing
// where that does not matter: for calls that neither send data out nor keep
// something for later, and where nothing was read that others could have
// written.
//
//	tainted: rules count in auto mode alone; what a job was allowed, and what a
//	         person agreed to knowing it, count in every mode
//	touched: every rule counts, and every grant of the session
func (g *Gate) byReading(s *subject, mode Mode, rules []Rule) (v Verdict, decided bool) {
	lvl, read := g.Taint.level(s.call.Turn)
	if lvl == clean {
		return Verdict{}, false
	}
	does := s.reach(g.Taint)
	if does == "" {
		return Verdict{}, false
	}
	if g.agreedKnowing(s, mode, rules, lvl) {
		return Verdict{Action: Allow, Risk: Low}, true
	}
	risk := s.risk()
	if lvl == tainted {
		risk = High
	}
	return Verdict{Action: AskFirst, Reason: Escape(read + ", and " + does + "."), Risk: risk, tainted: lvl == tainted}, true
}

// agreedKnowing reports whether what was agreed to beforehand covers a call at
// a level.
func (g *Gate) agreedKnowing(s *subject, mode Mode, rules []Rule, lvl level) bool {
	session := s.call.Turn.Session
	switch {
	case lvl == touched, mode == Auto:
		return g.allowed(s, rules)
	case g.session.has(session, Fingerprint(s.call)):
		return true
	case s.preview.Alone:
		return false
	}
	return s.covered(append(g.granted(s.call.Turn), g.session.rules(session, true)...))
}

// granted are the rules of the job that a turn belongs to.
func (g *Gate) granted(turn capability.Turn) []Rule {
	if g.Granted == nil {
		return nil
	}
	return slices.Clone(g.Granted(turn))
}

// expect notes that a call which is let through brings text from outside.
func (g *Gate) expect(s *subject) {
	if g.Taint == nil || s.line == nil {
		return
	}
	if c := s.line.networked(); c != nil {
		g.Taint.expect(s.call, strings.ToValidUTF8(c.String(), "\ufffd"), s.fileTargets(s.line))
	}
}
