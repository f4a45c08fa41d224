//go:build unix

package x11

import (
	"context"
	"testing"
	"time"

	"github.com/jezek/xgb"
	"github.com/jezek/xgb/xproto"

	"github.com/hobkin/hobkin/computeruse/wire"
	"github.com/hobkin/hobkin/test/desk"
)

// manage keeps the clipboard of programs that end, as the clipboard managers
// of desktops do: asked to save, it fetches all, owns it, and then answers.
func manage(t *testing.T, d *desk.Desk) (saved <-chan struct{}) {
	t.Helper()
	done := make(chan struct{}, 1)
	keeper, err := newClipboard(t.Context(), d.Display)
	if err != nil {
		t.Fatal(err)
	}
	asks := make(chan xproto.SelectionRequestEvent, 4)
	c, err := dial(t.Context(), d.Display, func(e xgb.Event) {
		if r, ok := e.(xproto.SelectionRequestEvent); ok {
			asks <- r
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	win, err := markWindow(c)
	if err != nil {
		t.Fatal(err)
	}
	xproto.SetSelectionOwner(c.Conn, win, c.atoms.of("CLIPBOARD_MANAGER"), xproto.TimeCurrentTime)
	if err := c.sync(); err != nil {
		t.Fatal(err)
	}
	go func() {
		for r := range asks {
			clip := keeper.c.atoms.of("CLIPBOARD")
			data, err := keeper.read(context.Background(), clip)
			if err == nil {
				_, err = keeper.own(context.Background(), clip, data)
			}
			n := xproto.SelectionNotifyEvent{Time: r.Time, Requestor: r.Requestor, Selection: r.Selection, Target: r.Target, Property: r.Property}
			if err != nil {
				n.Property = 0
			}
			xproto.SendEvent(c.Conn, false, r.Requestor, 0, string(n.Bytes()))
			done <- struct{}{}
		}
	}()
	t.Cleanup(func() {
		keeper.c.close()
		c.close()
		close(asks)
	})
	return done
}

// TestClipboardOutlivesUs: what was in the clipboard before a paste is there
// after the helper ended, where the desktop has a clipboard manager.
func TestClipboardOutlivesUs(t *testing.T) {
	t.Parallel()
	d := desk.Screen(t, "800x600")
	f := startFixture(t, d, "judge")
	saved := manage(t, d)
	t.Run("a helper that ends", func(t *testing.T) {
		c := serve(t, d)
		f.ask("copy keep me")
		f.arrives(c, wire.Paste, "over a text", "pasted")
	})
	select {
	case <-saved:
	case <-time.After(5 * time.Second):
		t.Fatal("the manager was not asked to keep anything")
	}
	if got := f.ask("clipboard").Text; got != "keep me" {
		t.Errorf("the clipboard has %q after the helper ended", got)
	}
}
