package native

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"time"

	"github.com/hobkin/hobkin/computeruse/wire"
)

// A kind of method.
type kind int

const (
	look    kind = iota // changes nothing: at any time
	act                 // one at a time, see gate.go
	control             // stops or prepares: at any time, never refused for being busy
)

// A method is how a request is met.
type method struct {
	kind  kind
	limit time.Duration
	run   func(context.Context, *Server, json.RawMessage) (any, error)
}

// The times that requests may take.
const (
	quick      = 5 * time.Second
	lookLimit  = 10 * time.Second
	actLimit   = 29 * time.Second // the agent gives one 30 s
	waitLimit  = 26 * time.Second // a wait may be 25 s
	probeLimit = 15 * time.Second
)

var methods = map[string]method{
	wire.Hello:      of(control, quick, (*Server).greet),
	wire.Probe:      of(control, probeLimit, (*Server).probe),
	wire.Displays:   of(look, quick, (*Server).displays),
	wire.Capture:    of(look, quick, (*Server).capture),
	wire.WaitChange: of(look, waitLimit, (*Server).waitChange),
	wire.Windows:    of(look, quick, (*Server).windows),
	wire.WindowAt:   of(look, quick, (*Server).windowAt),
	wire.Elements:   of(look, lookLimit, (*Server).elements),
	wire.Inspect:    of(look, lookLimit, (*Server).inspect),
	wire.Cursor:     of(look, quick, (*Server).cursor),
	wire.Person:     of(look, quick, (*Server).person),

	wire.Move:        acting((*Server).move),
	wire.Click:       acting((*Server).click),
	wire.ButtonDown:  acting((*Server).buttonDown),
	wire.ButtonUp:    acting((*Server).buttonUp),
	wire.Drag:        acting((*Server).drag),
	wire.Scroll:      acting((*Server).scroll),
	wire.Type:        acting((*Server).typeText),
	wire.Paste:       acting((*Server).pasteText),
	wire.Key:         acting((*Server).key),
	wire.HoldKey:     acting((*Server).holdKey),
	wire.Press:       acting((*Server).press),
	wire.SetValue:    acting((*Server).setValue),
	wire.FocusWindow: acting((*Server).focusWindow),

	wire.Pause:   of(control, quick, (*Server).pause),
	wire.Resume:  of(control, quick, (*Server).resume),
	wire.Release: of(control, quick, (*Server).release),
	wire.Bar:     of(control, quick, (*Server).bar),
	wire.Hotkey:  of(control, quick, (*Server).hotkey),
}

// none are the parameters of a method without, and the result of one without.
type none struct{}

// of makes a method of a function with parameters P and result R.
func of[P, R any](k kind, limit time.Duration, f func(*Server, context.Context, P) (R, error)) method {
	return method{k, limit, func(ctx context.Context, s *Server, raw json.RawMessage) (any, error) {
		p, err := params[P](raw)
		if err != nil {
			return nil, err
		}
		return f(s, ctx, p)
	}}
}

// acting makes a method of an act: it passes the gate, and is told to a strike
// what went out.
func acting[P, R any](f func(*Server, context.Context, *strike, P) (R, error)) method {
	return of(act, actLimit, func(s *Server, ctx context.Context, p P) (r R, err error) {
		ctx, st, err := s.gate.enter(ctx)
		if err != nil {
			return r, err
		}
		defer s.gate.leave(st)
		r, err = f(s, ctx, st, p)
		return r, s.gate.judge(ctx, st, err)
	})
}

// params reads parameters: no unknown ones, since what one side says and the
// other does not know could be what makes an act right.
func params[P any](raw json.RawMessage) (p P, err error) {
	if len(raw) == 0 {
		raw = []byte("{}")
	}
	if err := strict(raw, &p); err != nil {
		return p, badRequest("the parameters are not understood: " + err.Error())
	}
	return p, nil
}

// strict decodes one JSON value.
func strict(raw []byte, into any) error {
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.DisallowUnknownFields()
	if err := dec.Decode(into); err != nil {
		return err
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return errors.New("there is more after the value")
	}
	return nil
}

func badRequest(message string) error {
	return &wire.Error{Code: wire.BadRequest, Message: message}
}
