package x11

import (
	"context"
	"maps"
	"slices"
	"time"

	"github.com/jezek/xgb/xproto"

	"github.com/hobkin/hobkin/computeruse/native"
	"github.com/hobkin/hobkin/computeruse/wire"
)

// A typist types a text that has a stroke for each of its characters.
type typist struct {
	k     *Keyboard
	have  map[rune]stroke
	shift byte
	still func() error
}

// strike types all of a text, in as many rounds as its foreign characters need.
func (k *Keyboard) strike(ctx context.Context, text string, still func() error) (typed int, err error) {
	for rest := []rune(text); len(rest) > 0; {
		m, st, err := k.ready(ctx)
		if err != nil {
			return typed, err
		}
		t := typist{k: k, have: k.own(m, st.group), still: still}
		round, need := cut(rest, t.have, k.room(m))
		shift, ok := m.modifier(symShift)
		if round == 0 || !ok {
			return typed, &wire.Error{Code: wire.Unsupported, Message: "this keyboard has no free keys to type foreign characters with", Fix: "use paste"}
		}
		t.shift = shift
		lent, err := k.lend(ctx, m, need)
		if err != nil {
			return typed, err
		}
		for _, s := range need {
			t.have[runeOf(s)] = stroke{code: lent[s]}
		}
		n, err := t.run(ctx, rest[:round], st)
		typed += n
		if err != nil {
			return typed, err
		}
		rest = rest[round:]
	}
	return typed, nil
}

// own are the strokes of the layout itself. What a lent key means is none of
// them: the key may be taken back for another character of the same text.
func (k *Keyboard) own(m *keymap, group byte) map[rune]stroke {
	have := m.strokes(group)
	k.mu.Lock()
	defer k.mu.Unlock()
	maps.DeleteFunc(have, func(_ rune, s stroke) bool { return k.pool.lent[s.code] != nil })
	return have
}

// cut takes as many characters as there is room for the foreign ones of.
func cut(text []rune, have map[rune]stroke, room int) (n int, need []xproto.Keysym) {
	seen := map[rune]bool{}
	for i, r := range text {
		if _, ok := have[r]; ok || seen[r] {
			continue
		}
		if len(seen) == room {
			return i, need
		}
		seen[r] = true
		need = append(need, symOf(r))
	}
	return len(text), need
}

// pace is the least time a character takes: programs have to keep up.
const pace = time.Millisecond

// run types, with Caps Lock taken off.
func (t *typist) run(ctx context.Context, text []rune, st keyState) (typed int, err error) {
	t.plan(text)
	defer t.done()
	t.k.unlock(st)
	defer t.k.relock(st)
	shifted := false
	defer func() {
		if shifted {
			t.k.fake(xproto.KeyRelease, t.shift, wire.Point{})
		}
	}()
	for _, r := range text {
		if err := t.still(); err != nil {
			return typed, err
		}
		began, s := time.Now(), t.have[r]
		if s.shift != shifted {
			t.k.fake(map[bool]byte{true: xproto.KeyPress, false: xproto.KeyRelease}[s.shift], t.shift, wire.Point{})
			shifted = s.shift
		}
		t.k.fake(xproto.KeyPress, s.code, wire.Point{})
		t.k.fake(xproto.KeyRelease, s.code, wire.Point{})
		if err := t.k.c.sync(); err != nil {
			return typed, err
		}
		typed++
		if err := native.Pause(ctx, pace-time.Since(began)); err != nil {
			return typed, err
		}
	}
	return typed, nil
}

// plan notes all keys that are about to be struck at once: a note for each
// would double the requests.
func (t *typist) plan(text []rune) {
	codes := map[byte]bool{t.shift: true}
	for _, r := range text {
		codes[t.have[r].code] = true
	}
	t.k.mu.Lock()
	defer t.k.mu.Unlock()
	t.k.note(slices.Sorted(maps.Keys(codes))...)
}

func (t *typist) done() {
	t.k.mu.Lock()
	defer t.k.mu.Unlock()
	for _, l := range t.k.pool.lent {
		l.used = time.Now()
	}
	t.k.note()
}
