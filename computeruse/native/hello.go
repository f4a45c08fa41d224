package native

import (
	"context"
	"errors"
	"fmt"
	"runtime"

	"github.com/hobkin/hobkin/computeruse/wire"
)

// greet answers the first request.
func (s *Server) greet(_ context.Context, p wire.HelloParams) (wire.HelloResult, error) {
	if p.Protocol != wire.Protocol {
		return wire.HelloResult{}, &wire.Error{
			Code:    wire.WrongProtocol,
			Message: fmt.Sprintf("the helper speaks version %d of the protocol and Hobkin version %d", wire.Protocol, p.Protocol),
			Fix:     "install the two from the same release",
		}
	}
	s.gate.mu.Lock()
	s.gate.lookOnly = s.gate.lookOnly || p.LookOnly
	s.gate.noCorner = p.NoCorner
	lookOnly := s.gate.lookOnly
	s.gate.mu.Unlock()
	s.mu.Lock()
	s.hello = true
	s.mu.Unlock()
	return wire.HelloResult{
		Protocol: wire.Protocol, Version: wire.Version, Platform: runtime.GOOS,
		DisplayServer: s.parts.DisplayServer, Backend: s.parts.Backend,
		Capabilities: s.capabilities(), LookOnly: lookOnly,
	}, nil
}

// capabilities are those of the parts that there are, and why others are not.
func (s *Server) capabilities() []wire.Capability {
	list := []wire.Capability{}
	for _, p := range s.named() {
		if p.part != nil {
			list = append(list, wire.Capability{Name: p.name, Works: true})
			continue
		}
		list = append(list, s.missing(p.name))
	}
	return list
}

type namedPart struct {
	name string
	part any // nil where there is none
}

// named are the parts by the names of their capabilities. An interface that
// holds nothing must not become one that holds a nil.
func (s *Server) named() []namedPart {
	list := []namedPart{
		{wire.CanCapture, nil},
		{wire.CanPointer, nil},
		{wire.CanKeys, nil},
		{wire.CanText, nil},
		{wire.CanWindows, nil},
		{wire.CanElements, nil},
		{wire.CanPerson, nil},
		{wire.CanHotkey, nil},
		{wire.CanBar, nil},
	}
	for i, has := range []any{
		s.parts.Screen, s.parts.Pointer, s.parts.Keyboard, s.parts.Keyboard, s.parts.Windows,
		s.parts.Elements, s.parts.Watcher, s.parts.Watcher, s.parts.Strip,
	} {
		list[i].part = has
	}
	return list
}

// missing says why a part is not there.
func (s *Server) missing(name string) wire.Capability {
	for _, c := range s.parts.Missing {
		if c.Name == name {
			c.Works = false
			return c
		}
	}
	return wire.Capability{Name: name, Reason: "this system offers no way to do it"}
}

// unsupported is the error of a request whose part is not there.
func (s *Server) unsupported(name string) error {
	c := s.missing(name)
	return &wire.Error{Code: wire.Unsupported, Message: name + " does not work here: " + c.Reason, Fix: c.Fix}
}

// probe tries each part for real: what the system says of itself is not
// always so.
func (s *Server) probe(ctx context.Context, _ none) (wire.ProbeResult, error) {
	list := s.capabilities()
	for i, p := range s.named() {
		var err error
		switch {
		case p.part == nil:
			continue
		case p.name == wire.CanCapture:
			err = s.probeCapture(ctx)
		case p.name == wire.CanPointer:
			_, err = s.parts.Pointer.Where(ctx)
		}
		if t, ok := p.part.(Prober); ok && err == nil {
			err = t.Probe(ctx)
		}
		if err != nil {
			list[i] = cannot(p.name, err)
		}
	}
	return wire.ProbeResult{Capabilities: list}, nil
}

func cannot(name string, err error) wire.Capability {
	c := wire.Capability{Name: name, Reason: err.Error()}
	if e := (*wire.Error)(nil); errors.As(err, &e) {
		c.Fix = e.Fix
	}
	return c
}

// probeCapture takes a picture: a permission that reads as given may yield no
// display, or a picture of no size.
func (s *Server) probeCapture(ctx context.Context) error {
	shot, err := s.shoot(ctx, "", nil)
	if err == nil && shot.pix.Bounds().Empty() {
		err = &wire.Error{Code: wire.Denied, Message: "the picture of the screen has no size", Fix: "allow Hobkin to record the screen, and start it again"}
	}
	return err
}
