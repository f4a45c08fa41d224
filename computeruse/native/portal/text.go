//go:build linux

package portal

import (
	"context"
	"os"
	"strings"
	"time"

	"github.com/godbus/dbus/v5"

	"github.com/hobkin/hobkin/computeruse/wire"
)

// Type types a text. What every layout can type goes out as keys; other
// characters would be lost where the layout lacks them, as some desktops say
// nothing then, and so go by the clipboard.
func (d *Desk) Type(ctx context.Context, text string, still func() error) (wire.TypeResult, error) {
	if strings.ContainsFunc(text, func(r rune) bool { return r > '~' }) {
		return d.Paste(ctx, text, still)
	}
	res := wire.TypeResult{Method: "keys"}
	c, err := d.session(ctx)
	if err != nil {
		return res, err
	}
	for _, r := range text {
		if err := still(); err != nil {
			return res, err
		}
		sym := d.o.Keys.Sym(r)
		if err := d.key(ctx, c, sym, string(r), down); err != nil {
			return res, err
		}
		if err := d.key(context.WithoutCancel(ctx), c, sym, string(r), up); err != nil {
			return res, err
		}
		res.Typed++
	}
	return res, nil
}

// Paste puts in a text by the clipboard.
func (d *Desk) Paste(ctx context.Context, text string, still func() error) (wire.TypeResult, error) {
	res := wire.TypeResult{Method: "clipboard"}
	c, err := d.session(ctx)
	if err != nil {
		return res, err
	}
	if !c.paste {
		return res, &wire.Error{
			Code: wire.Unsupported, Message: "This desktop lets no program use its clipboard, so only what is on an English keyboard can be typed.",
			Fix: "Use set_value on the field, if it is among the elements; GNOME from version 45 and KDE Plasma from 6 share the clipboard.",
		}
	}
	if err := still(); err != nil {
		return res, err
	}
	taken := d.shots.offer(text)
	kinds := vardict{"mime_types": dbus.MakeVariant([]string{"text/plain;charset=utf-8", "text/plain", "UTF8_STRING"})}
	if err := d.call(ctx, clipboard+".SetSelection", c.path, kinds).Err; err != nil {
		return res, failed("the desktop did not take the clipboard", err)
	}
	release, err := d.Hold(ctx, "ctrl+v")
	if err != nil {
		return res, err
	}
	if err := release(); err != nil {
		return res, err
	}
	return res, d.taken(ctx, taken, &res, text)
}

// takeTime is how long a program may take to ask for what was pasted.
const takeTime = 3 * time.Second

func (d *Desk) taken(ctx context.Context, taken <-chan struct{}, res *wire.TypeResult, text string) error {
	slow := time.NewTimer(takeTime)
	defer slow.Stop()
	select {
	case <-taken:
		res.Typed = len([]rune(text))
		return nil
	case <-ctx.Done():
	case <-slow.C:
	}
	return &wire.Error{
		Code: wire.TimedOut, Sent: true, Message: "The program did not ask for the text on the clipboard.",
		Fix: "See that a field has the focus; terminals paste with ctrl+shift+v.",
	}
}

// transfer gives the text to a program that pastes.
func (d *Desk) transfer(ctx context.Context, c *control, sig *dbus.Signal) {
	if sig.Name != clipboard+".SelectionTransfer" || len(sig.Body) < 3 {
		return
	}
	serial, ok := sig.Body[2].(uint32)
	text, offered := d.shots.offered()
	if !ok || !offered {
		return
	}
	var fd dbus.UnixFD
	if err := d.call(ctx, clipboard+".SelectionWrite", c.path, serial).Store(&fd); err != nil {
		return
	}
	f := os.NewFile(uintptr(fd), "clipboard")
	_ = f.SetWriteDeadline(time.Now().Add(takeTime))
	_, err := f.WriteString(text)
	_ = f.Close()
	_ = d.call(ctx, clipboard+".SelectionWriteDone", c.path, serial, err == nil).Err
	if err == nil {
		d.shots.took()
	}
}
