package main

import (
	"errors"

	"github.com/hobkin/hobkin/computeruse/native"
	"github.com/hobkin/hobkin/computeruse/wire"
)

// without are the parts of a system where nothing works, and why.
func without(err error) native.Parts {
	why := wire.Capability{Reason: err.Error()}
	if e := (*wire.Error)(nil); errors.As(err, &e) {
		why.Fix = e.Fix
	}
	p := native.Parts{DisplayServer: "none", Backend: "none"}
	for _, name := range []string{
		wire.CanCapture, wire.CanPointer, wire.CanText, wire.CanKeys, wire.CanElements,
		wire.CanWindows, wire.CanPerson, wire.CanBar, wire.CanHotkey,
	} {
		c := why
		c.Name = name
		p.Missing = append(p.Missing, c)
	}
	return p
}
