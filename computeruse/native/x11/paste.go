package x11

import (
	"context"
	"errors"
	"time"
	"unicode/utf8"

	"github.com/jezek/xgb/xproto"

	"github.com/hobkin/hobkin/computeruse/native"
	"github.com/hobkin/hobkin/computeruse/wire"
)

// The times of a paste.
const (
	managerTime = 60 * time.Millisecond  // in which clipboard managers look at what is new
	takeTime    = 3 * time.Second        // until a program has asked for the text
	quietTime   = 150 * time.Millisecond // after it asked last, before the old content comes back
)

// errUntaken is why a paste failed that no program took.
var errUntaken = errors.New("no program took the text from the clipboard")

func isUntaken(err error) bool { return errors.Is(err, errUntaken) }

// An untaken error is errUntaken as the agent gets it.
type untaken struct{ told *wire.Error }

func (u untaken) Error() string        { return u.told.Message }
func (u untaken) Unwrap() error        { return u.told }
func (u untaken) Is(target error) bool { return target == errUntaken }

// Paste implements native.Keyboard. The text lies in the clipboard only until
// the program has taken it; then what was there before lies there again,
// pictures too.
func (k *Keyboard) Paste(ctx context.Context, text string, still func() error) (wire.TypeResult, error) {
	terminal := k.active(ctx)
	selections := []xproto.Atom{k.clip.c.atoms.of("CLIPBOARD")}
	keys := "ctrl+v"
	if terminal {
		// Some terminals take the one, some the other.
		selections, keys = append(selections, xproto.AtomPrimary), "shift+Insert"
	}
	var offers []*offer
	for _, s := range selections {
		before, err := k.clip.read(ctx, s)
		if err != nil {
			return wire.TypeResult{Method: byClipboard}, err
		}
		o, err := k.clip.own(ctx, s, contentOf(text))
		if err != nil {
			return wire.TypeResult{Method: byClipboard}, err
		}
		defer k.clip.restore(s, o, before) //nolint:contextcheck // also when the paste was stopped
		offers = append(offers, o)
	}
	if err := native.Pause(ctx, managerTime); err != nil {
		return wire.TypeResult{Method: byClipboard}, err
	}
	return k.pasteBy(ctx, keys, text, offers, still)
}

// contentOf is a text in the forms in which programs ask for it.
func contentOf(text string) map[string]content {
	data := map[string]content{
		"UTF8_STRING":              {"UTF8_STRING", 8, []byte(text)},
		"text/plain;charset=utf-8": {"text/plain;charset=utf-8", 8, []byte(text)},
		"text/plain":               {"text/plain", 8, []byte(text)},
		// Asks managers not to keep it.
		"x-kde-passwordManagerHint": {"x-kde-passwordManagerHint", 8, []byte("secret")},
	}
	latin := make([]byte, 0, len(text))
	for _, r := range text {
		if r > 0xff {
			return data
		}
		latin = append(latin, byte(r))
	}
	data["STRING"] = content{"STRING", 8, latin}
	return data
}

// pasteBy presses the keys and waits until a program has taken the text.
func (k *Keyboard) pasteBy(ctx context.Context, keys, text string, offers []*offer, still func() error) (r wire.TypeResult, err error) {
	r.Method = byClipboard
	if err := still(); err != nil {
		return r, err
	}
	managers := takers(offers)
	release, err := k.Hold(ctx, keys)
	if err != nil {
		return r, err
	}
	r.Typed = utf8.RuneCountInString(text)
	if err := release(); err != nil {
		return r, err
	}
	end := time.Now().Add(takeTime)
	var last time.Time
	for last.IsZero() || time.Since(last) < quietTime {
		if time.Now().After(end) {
			break
		}
		if err := native.Pause(ctx, lendSettle/2); err != nil {
			return r, err
		}
		for w := range takers(offers) {
			if !managers[w] {
				last = time.Now()
			}
		}
	}
	if last.IsZero() {
		r.Typed = 0
		return r, untaken{&wire.Error{Code: wire.Failed, Message: errUntaken.Error(), Sent: true, Fix: "focus a field that takes text"}}
	}
	return r, nil
}

// takers are who asked for the content since the last call.
func takers(offers []*offer) map[xproto.Window]bool {
	list := map[xproto.Window]bool{}
	for _, o := range offers {
		for more := true; more; {
			select {
			case w := <-o.taken:
				list[w] = true
			default:
				more = false
			}
		}
	}
	return list
}

// restore gives a selection back what was in it, unless somebody copied
// something in the meantime.
func (b *clipboard) restore(selection xproto.Atom, o *offer, before map[string]content) {
	b.mu.Lock()
	ours := b.offers[selection] == o
	b.mu.Unlock()
	if !ours {
		return
	}
	if len(before) == 0 {
		b.disown(selection)
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), targetTime)
	defer cancel()
	if _, err := b.own(ctx, selection, before); err != nil {
		b.disown(selection)
	}
}

// close hands what we hold for others to the clipboard manager, if there is
// one: without one it goes with us, as with any program.
func (b *clipboard) close() {
	clip := b.c.atoms.of("CLIPBOARD")
	b.mu.Lock()
	o := b.offers[clip]
	b.mu.Unlock()
	manager := b.c.atoms.of("CLIPBOARD_MANAGER")
	r, err := xproto.GetSelectionOwner(b.c.Conn, manager).Reply()
	if o != nil && err == nil && r.Owner != 0 {
		ctx, cancel := context.WithTimeout(context.Background(), targetTime)
		_, _ = b.convert(ctx, manager, b.c.atoms.of("SAVE_TARGETS")) // it answers once it has it all, or not at all
		cancel()
	}
	b.c.close()
}
