package x11

import (
	"context"
	"time"

	"github.com/jezek/xgb/xproto"

	"github.com/hobkin/hobkin/computeruse/native"
	"github.com/hobkin/hobkin/computeruse/wire"
)

// A pool are the keys that mean nothing on this keyboard. They are lent to
// what has no key, and stay so: a program may read what a key means well after
// it was pressed, which is why a key that changes its meaning with every
// character garbles texts.
type pool struct {
	lent map[byte]*loan
}

// A loan is what a key means for now.
type loan struct {
	sym  xproto.Keysym
	used time.Time
}

// The times of loans.
const (
	lendSettle = 30 * time.Millisecond  // until programs know of a new meaning; with none, 3 of 21 texts were garbled
	minLoan    = 300 * time.Millisecond // since the last use, before a key means something else
	lastUse    = 500 * time.Millisecond // the same before the helper ends
)

// lend gives each meaning a key. There must be no more of them than the pool
// holds; see room.
func (in *input) lend(ctx context.Context, m *keymap, syms []xproto.Keysym) (map[xproto.Keysym]byte, error) {
	in.forget(m)
	out := map[xproto.Keysym]byte{}
	var missing []xproto.Keysym
	now := time.Now()
	in.mu.Lock()
	for code, l := range in.pool.lent {
		out[l.sym] = code
	}
	for _, s := range syms {
		if code, ok := out[s]; ok {
			in.pool.lent[code].used = now
			continue
		}
		missing = append(missing, s)
	}
	in.mu.Unlock()
	if len(missing) == 0 {
		return out, nil
	}
	free := m.free()
	for _, s := range missing {
		var code byte
		if len(free) > 0 {
			code, free = free[0], free[1:]
		} else {
			var err error
			if code, err = in.evict(ctx, syms); err != nil {
				return nil, err
			}
		}
		in.mu.Lock()
		in.pool.lent[code] = &loan{s, time.Now()}
		in.note()
		in.mu.Unlock()
		xproto.ChangeKeyboardMapping(in.c.Conn, 1, xproto.Keycode(code), 2, []xproto.Keysym{s, s})
		out[s] = code
	}
	if err := in.c.sync(); err != nil {
		return nil, err
	}
	return out, native.Pause(ctx, lendSettle)
}

// forget drops loans that somebody has taken back, such as a change of layout.
func (in *input) forget(m *keymap) {
	in.mu.Lock()
	defer in.mu.Unlock()
	for code, l := range in.pool.lent {
		if syms := m.of(code); len(syms) == 0 || syms[0] != l.sym {
			delete(in.pool.lent, code)
		}
	}
}

// evict takes back the key whose last use is longest ago, once that is long
// enough, and that is not needed now.
func (in *input) evict(ctx context.Context, needed []xproto.Keysym) (byte, error) {
	want := map[xproto.Keysym]bool{}
	for _, s := range needed {
		want[s] = true
	}
	in.mu.Lock()
	var best byte
	var when time.Time
	for code, l := range in.pool.lent {
		if !want[l.sym] && (best == 0 || l.used.Before(when)) {
			best, when = code, l.used
		}
	}
	in.mu.Unlock()
	if best == 0 {
		return 0, &wire.Error{Code: wire.Unsupported, Message: "this keyboard has no free keys to type foreign characters with", Fix: "use paste"}
	}
	return best, native.Pause(ctx, time.Until(when.Add(minLoan)))
}

// room is how many meanings can be lent at once.
func (in *input) room(m *keymap) int {
	in.mu.Lock()
	defer in.mu.Unlock()
	n := len(m.free())
	for code, l := range in.pool.lent {
		if syms := m.of(code); len(syms) > 0 && syms[0] == l.sym {
			n++
		}
	}
	return n
}

// giveBack makes all lent keys mean nothing again.
func (in *input) giveBack() {
	in.mu.Lock()
	var last time.Time
	for _, l := range in.pool.lent {
		if l.used.After(last) {
			last = l.used
		}
	}
	in.mu.Unlock()
	if last.IsZero() {
		return
	}
	_ = native.Pause(context.Background(), time.Until(last.Add(lastUse)))
	in.mu.Lock()
	defer in.mu.Unlock()
	for code := range in.pool.lent {
		xproto.ChangeKeyboardMapping(in.c.Conn, 1, xproto.Keycode(code), 1, []xproto.Keysym{0})
	}
	clear(in.pool.lent)
	in.note()
	_ = in.c.sync() // the connection ends next
}
