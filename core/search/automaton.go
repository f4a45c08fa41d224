package search

import (
	"regexp/syntax"
	"slices"
	"unicode"
	"unicode/utf8"
)

// An automaton passes over text that cannot match, at a table look-up a byte.
// It is lax: assertions such as ^ and \b count as true, and characters beyond
// ASCII match whatever may match one of them. What it lets through is for
// package regexp to decide; what it stops cannot match.
//
// Its states are made when first met. When there are too many it starts over.
type automaton struct {
	prog   *syntax.Prog
	class  [256]uint8 // of each byte; classes behave alike in every state
	sample []byte     // a byte of each class
	states map[string]int32
	sets   [][]uint32 // by state: where in the program it may be
	next   []int32    // by state and class: the state after, or one of the below
	start  int32      // states are numbered in steps of the number of classes
	seen   []bool     // scratch, by instruction
}

// What next says besides a state.
const (
	unknown int32 = -1
	matched int32 = -2
)

const maxStates = 2000

func newAutomaton(prog *syntax.Prog) *automaton {
	a := &automaton{prog: prog, seen: make([]bool, len(prog.Inst))}
	a.classify()
	a.reset()
	return a
}

// classify puts bytes together that no instruction tells apart.
func (a *automaton) classify() {
	kinds := map[string]uint8{}
	for b := range 256 {
		if b > utf8.RuneSelf && (b >= 0xC0) == (b-1 >= 0xC0) {
			a.class[b] = a.class[b-1]
			continue
		}
		key := make([]byte, 0, len(a.prog.Inst)+2)
		key = append(key, bit(b == '\n'), bit(b >= 0x80 && b < 0xC0))
		for i := range a.prog.Inst {
			key = append(key, bit(consumes(&a.prog.Inst[i], byte(b))))
		}
		k, ok := kinds[string(key)]
		if !ok {
			k = uint8(len(a.sample))
			kinds[string(key)] = k
			a.sample = append(a.sample, byte(b))
		}
		a.class[b] = k
	}
}

func bit(b bool) byte {
	if b {
		return 1
	}
	return 0
}

// consumes reports whether an instruction may match a character that b is, or
// is a part of.
func consumes(in *syntax.Inst, b byte) bool {
	switch in.Op {
	case syntax.InstRune, syntax.InstRune1, syntax.InstRuneAny, syntax.InstRuneAnyNotNL:
		if b < utf8.RuneSelf {
			return in.MatchRune(rune(b))
		}
		return consumesForeign(in)
	}
	return false
}

// consumesForeign reports whether an instruction may match a character beyond ASCII.
func consumesForeign(in *syntax.Inst) bool {
	if in.Op == syntax.InstRuneAny || in.Op == syntax.InstRuneAnyNotNL {
		return true
	}
	for _, r := range in.Rune {
		if r >= utf8.RuneSelf {
			return true
		}
	}
	if len(in.Rune) != 1 || syntax.Flags(in.Arg)&syntax.FoldCase == 0 {
		return false
	}
	for r := unicode.SimpleFold(in.Rune[0]); r != in.Rune[0]; r = unicode.SimpleFold(r) {
		if r >= utf8.RuneSelf {
			return true
		}
	}
	return false
}

// reset forgets all states but the first.
func (a *automaton) reset() {
	a.states = map[string]int32{}
	a.sets, a.next = a.sets[:0], a.next[:0]
	a.start = a.intern(a.closure([]uint32{uint32(a.prog.Start)}))
}

// closure follows what takes no character, and sorts. Nil means that a match
// is reached.
func (a *automaton) closure(todo []uint32) (set []uint32) {
	clear(a.seen)
	set = []uint32{}
	for len(todo) > 0 {
		pc := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		if a.seen[pc] {
			continue
		}
		a.seen[pc] = true
		switch in := &a.prog.Inst[pc]; in.Op {
		case syntax.InstAlt, syntax.InstAltMatch:
			todo = append(todo, in.Out, in.Arg)
		case syntax.InstCapture, syntax.InstEmptyWidth, syntax.InstNop:
			todo = append(todo, in.Out)
		case syntax.InstMatch:
			return nil
		case syntax.InstFail:
		default:
			set = append(set, pc)
		}
	}
	slices.Sort(set)
	return set
}

// intern gives a set its state.
func (a *automaton) intern(set []uint32) int32 {
	if set == nil {
		return matched
	}
	key := make([]byte, 0, 4*len(set))
	for _, pc := range set {
		key = append(key, byte(pc), byte(pc>>8), byte(pc>>16), byte(pc>>24))
	}
	if s, ok := a.states[string(key)]; ok {
		return s
	}
	s := int32(len(a.next))
	a.states[string(key)] = s
	a.sets = append(a.sets, set)
	for range a.sample {
		a.next = append(a.next, unknown)
	}
	return s
}

// scan returns the place of a byte in the first line that may match, or -1.
func (a *automaton) scan(buf []byte) int {
	s := a.start
	if s == matched {
		return 0
	}
	next := a.next
	for i, b := range buf {
		to := next[s+int32(a.class[b])]
		if to < 0 {
			if to == unknown {
				to = a.step(s, a.class[b])
				next = a.next
			}
			if to == matched {
				return i
			}
		}
		s = to
	}
	return -1
}

// step works out one transition and keeps it.
func (a *automaton) step(s int32, class uint8) int32 {
	b := a.sample[class]
	var to int32
	if b == '\n' {
		to = a.start // a match does not go beyond its line
	} else {
		out := []uint32{uint32(a.prog.Start)} // a match may start anywhere
		for _, pc := range a.sets[int(s)/len(a.sample)] {
			if consumes(&a.prog.Inst[pc], b) {
				out = append(out, a.prog.Inst[pc].Out)
			}
			if b >= 0x80 && b < 0xC0 {
				out = append(out, pc) // the rest of a character, or a stray byte
			}
		}
		if len(a.sets) >= maxStates {
			a.reset()
			return a.intern(a.closure(out)) // s is gone, so nothing is kept
		}
		to = a.intern(a.closure(out))
	}
	a.next[int(s)+int(class)] = to
	return to
}
