package atspi

import (
	"context"
	"errors"
	"fmt"

	"github.com/godbus/dbus/v5"

	"github.com/hobkin/hobkin/computeruse/wire"
)

// hung says that a program took longer for an answer than we wait.
type hung struct{ program string }

func (h hung) Error() string { return h.program + " does not answer" }

// asWire makes any error one of the protocol.
func asWire(err error) *wire.Error {
	var said *wire.Error
	var slow hung
	switch {
	case errors.As(err, &said):
		return said
	case errors.As(err, &slow):
		return &wire.Error{
			Code:    wire.TimedOut,
			Message: fmt.Sprintf("The program %s does not answer: it may hang, or be at work.", slow.program),
			Fix:     "Wait, or look at a screenshot whether it reacts at all.",
		}
	case gone(err):
		return &wire.Error{Code: wire.StaleElement, Message: "The program has ended, or the element is gone.", Fix: "List the elements again."}
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return &wire.Error{Code: wire.TimedOut, Message: "Reading the elements took too long."}
	}
	return &wire.Error{Code: wire.Failed, Message: "The accessibility service failed: " + short(err.Error(), maxValue) + "."}
}

// goneNames are the errors of D-Bus that a program answers, or the bus for it,
// when an object or the whole program is no longer there.
var goneNames = map[string]bool{
	"org.freedesktop.DBus.Error.UnknownObject":    true,
	"org.freedesktop.DBus.Error.UnknownMethod":    true, // what GTK says of an object that it knew
	"org.freedesktop.DBus.Error.UnknownInterface": true,
	"org.freedesktop.DBus.Error.ServiceUnknown":   true,
	"org.freedesktop.DBus.Error.NameHasNoOwner":   true,
	"org.freedesktop.DBus.Error.NoReply":          true, // the program ended while it was asked
	"org.freedesktop.DBus.Error.Disconnected":     true,
}

// gone reports whether err says that what was asked is no longer there.
func gone(err error) bool {
	var e dbus.Error
	return errors.As(err, &e) && goneNames[e.Name] || errors.Is(err, dbus.ErrClosed)
}

func bad(format string, args ...any) error {
	return &wire.Error{Code: wire.BadRequest, Message: fmt.Sprintf(format, args...)}
}

func refused(fix, format string, args ...any) error {
	return &wire.Error{Code: wire.NotActionable, Message: fmt.Sprintf(format, args...), Fix: fix}
}

func stale(format string, args ...any) error {
	return &wire.Error{Code: wire.StaleElement, Message: fmt.Sprintf(format, args...), Fix: "List the elements again."}
}

// wrap makes an error one of the protocol, if there is one.
func wrap(err error) error {
	if err == nil {
		return nil
	}
	return asWire(err)
}
