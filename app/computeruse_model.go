package app

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/hobkin/hobkin/computeruse"
	"github.com/hobkin/hobkin/computeruse/wire"
	"github.com/hobkin/hobkin/core/agent/policy"
	"github.com/hobkin/hobkin/core/capability"
	"github.com/hobkin/hobkin/core/provider"
)

// model is how the model of a turn takes pictures and points into them.
func (s *screen) model(turn capability.Turn) computeruse.Model {
	return s.modelOf(s.nameOf(turn))
}

// modelOf is how a model takes pictures and points into them: by the settings,
// else by what is known of it.
func (s *screen) modelOf(name string) computeruse.Model {
	m := s.settings().For(name)
	out := computeruse.Model{Limits: computeruse.Limits{Edge: m.LongEdge, Tiles: m.Tiles}, Coordinates: computeruse.Coordinates(m.Coordinates)}
	if m.Coordinates == "auto" || m.Coordinates == "" {
		out.Coordinates = usualCoordinates(name)
	}
	return out
}

// thousandths are models that name places by thousandths of a picture, as their
// vendors say: Gemini's, and Qwen's for pictures from the third on.
var thousandths = []string{"gemini", "qwen3-vl", "qwen3.5", "qwen-vl-max"}

func usualCoordinates(model string) computeruse.Coordinates {
	model = strings.ToLower(model[strings.LastIndexByte(model, '/')+1:])
	if slices.ContainsFunc(thousandths, func(stem string) bool { return strings.HasPrefix(model, stem) }) {
		return computeruse.Thousandths
	}
	return computeruse.Pixels
}

// nameOf is the name of the model that a turn asks. It is looked up once a turn.
func (s *screen) nameOf(turn capability.Turn) string {
	s.mu.Lock()
	name, ok := s.asks[turn.Session]
	s.mu.Unlock()
	if ok {
		return name
	}
	ctx, cancel := context.WithTimeout(s.life, quickLook)
	defer cancel()
	override := ""
	if one, err := s.c.store.Session(ctx, turn.Session); err == nil {
		override = one.Model
	}
	if choices, err := s.c.choose(ctx, "main", override); err == nil && len(choices) > 0 {
		name = choices[0].Model.Info().Model
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.asks[turn.Session] = name
	return name
}

// forget ends what was looked up for a turn.
func (s *screen) forget(session string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.asks, session)
}

// quickLook bounds what is looked up while an act waits for it.
const quickLook = 2 * time.Second

// hosted says how a provider's own computer tool is used.
func (c *Core) hosted() provider.HostedUse {
	switch c.cfg.Load().ComputerUse.HostedTool {
	case "on":
		return provider.HostedOn
	case "off":
		return provider.HostedOff
	}
	return provider.HostedTried
}

// operating lets a model's provider use its own tool for the screen.
func (c *Core) operating(m provider.Model) provider.Model {
	return provider.Operating(m, func(context.Context) *provider.Computer { return c.computer.computer(m.Info().Model) })
}

// computer says how large the pictures of the screen are that a model is sent;
// nil while the screen is not used.
func (s *screen) computer(model string) *provider.Computer {
	s.mu.Lock()
	size := s.display
	s.mu.Unlock()
	if !s.settings().Enabled {
		return nil
	}
	if size.W == 0 {
		size = wire.Size{W: 1920, H: 1080} // it is not known yet: points are taken over where it differs
	}
	sent := s.modelOf(model).Limits.Fit(size, false)
	return &provider.Computer{Tool: policy.ScreenTool, Width: sent.W, Height: sent.H}
}
