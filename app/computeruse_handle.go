package app

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/hobkin/hobkin/computeruse/helper"
	"github.com/hobkin/hobkin/computeruse/wire"
	"github.com/hobkin/hobkin/core/capability"
	"github.com/hobkin/hobkin/core/config"
	"github.com/hobkin/hobkin/core/control"
	"github.com/hobkin/hobkin/core/netguard"
	"github.com/hobkin/hobkin/core/provider"
)

// computerStatus tells how the use of the screen stands.
func (c *Core) computerStatus(ctx context.Context, _ none) (control.Computer, error) {
	s, cu := c.computer, c.cfg.Load().ComputerUse
	st := s.session.State()
	out := control.Computer{
		Enabled: cu.Enabled, LookOnly: s.lookOnly(), Acting: st.Acting, Waiting: st.Waiting, Paused: st.Paused, By: st.By,
		Session: st.Session, Program: st.Program, Acts: st.Acts, MaxActs: cu.MaxActions,
		CourtesyIdleMS: cu.CourtesyIdleMS, Hotkey: cu.Hotkey, Corner: cu.Corner, Bar: cu.Bar,
		Helper: s.helper(ctx), Allowed: orNone(cu.AllowedApps), Denied: orNone(cu.DeniedApps),
	}
	if choices, err := c.choose(ctx, "main", ""); err == nil {
		info := choices[0].Model.Info()
		out.Model, out.Blind = info.Model, !info.Images
	}
	m := s.modelOf(out.Model)
	out.LongEdge, out.Coordinates = or0(m.Limits.Edge, usualEdge), string(m.Coordinates)
	if !cu.Enabled {
		return out, nil
	}
	if s.untried() {
		s.first() //nolint:contextcheck // the helper outlives the request
		out.Helper = s.helper(ctx)
	}
	err := s.ready()
	if out.Offered = err == nil; err != nil {
		out.Missing, out.Fix = reason(err)
	}
	return out, nil
}

func orNone(list []string) []string {
	if list == nil {
		return []string{}
	}
	return list
}

// helper says which program touches the screen. What it says of itself is known
// while it runs.
func (s *screen) helper(ctx context.Context) control.ComputerHelper {
	out := control.ComputerHelper{CanGet: s.release.SHA256 != ""}
	if path, err := s.find(ctx); err == nil {
		out.Path = path
	}
	if hello, ok := s.desk.Running(); ok {
		out.Version, out.Server, out.Backend = hello.Version, hello.DisplayServer, hello.Backend
	}
	return out
}

// reason is an error in a sentence, and what to do.
func reason(err error) (what, fix string) {
	if w, ok := errors.AsType[*wire.Error](err); ok {
		return w.Message, w.Fix
	}
	if errors.Is(err, helper.ErrMissing) {
		return err.Error(), "fetch it on the setup page, or install the package of Hobkin that has it"
	}
	if u, ok := capability.AsUserError(err); ok {
		return u.Message, u.Try
	}
	return err.Error(), ""
}

// screenFault is an error for a person who asked for something.
func screenFault(err error) error {
	if err == nil {
		return nil
	}
	what, fix := reason(err)
	return &control.Error{Code: "computer_use", Message: what, Try: fix}
}

func (c *Core) pauseComputer(ctx context.Context, r control.ComputerBy) (control.ComputerHalt, error) {
	halt, err := c.computer.session.Pause(ctx, or(r.By, "person"))
	return control.ComputerHalt{Released: halt.Released, Stopped: halt.Stopped}, screenFault(err)
}

func (c *Core) resumeComputer(ctx context.Context, _ none) (control.Computer, error) {
	if err := c.computer.session.Resume(ctx); err != nil {
		return control.Computer{}, screenFault(err)
	}
	return c.computerStatus(ctx, none{})
}

// stopComputer ends what is done with the screen and the turn that does it.
func (c *Core) stopComputer(ctx context.Context, _ none) (any, error) {
	holder := c.computer.session.State().Session
	if holder != "" {
		c.agent.Stop(holder) // at once and first: an act that fails is no reason for the turn to go on
	}
	return nil, screenFault(c.computer.session.Stop(ctx))
}

// probeComputer tries what works, for real.
func (c *Core) probeComputer(ctx context.Context, _ none) (control.ComputerProbe, error) {
	r, err := helper.Client{Caller: c.computer.desk}.Probe(ctx)
	if err != nil {
		return control.ComputerProbe{}, screenFault(err)
	}
	c.computer.try(ctx)
	out := control.ComputerProbe{Helper: c.computer.helper(ctx), Parts: []control.ComputerPart{}, Displays: c.computer.displays(ctx)}
	for _, p := range r.Capabilities {
		out.Parts = append(out.Parts, control.ComputerPart{Name: p.Name, Works: p.Works, Reason: p.Reason, Fix: p.Fix})
	}
	return out, nil
}

// displays lists the screens; none where they cannot be told.
func (s *screen) displays(ctx context.Context) []control.ComputerDisplay {
	out := []control.ComputerDisplay{}
	list, err := helper.Client{Caller: s.desk}.Displays(ctx)
	if err != nil {
		return out // what is wrong stands among the parts
	}
	for _, d := range list.Displays {
		out = append(out, control.ComputerDisplay{Name: or(d.Name, d.ID), Width: d.Box.W, Height: d.Box.H, Scale: d.Scale, Primary: d.Primary})
	}
	return out
}

// lookComputer takes a picture of the primary display as the main model would
// be sent it.
func (c *Core) lookComputer(ctx context.Context, _ none) (control.ComputerLook, error) {
	model := ""
	if choices, err := c.choose(ctx, "main", ""); err == nil {
		model = choices[0].Model.Info().Model
	}
	desk := helper.Client{Caller: c.computer.desk}
	list, err := desk.Displays(ctx)
	if err != nil {
		return control.ComputerLook{}, screenFault(err)
	}
	if len(list.Displays) == 0 {
		return control.ComputerLook{}, screenFault(errors.New("the system names no display"))
	}
	i := max(0, slices.IndexFunc(list.Displays, func(d wire.Display) bool { return d.Primary }))
	d := list.Displays[i]
	size := c.computer.modelOf(model).Limits.Fit(wire.Size{W: d.Box.W, H: d.Box.H}, false)
	start := time.Now()
	shot, err := desk.Capture(ctx, wire.CaptureParams{Display: d.ID, Size: &size, Format: "png"})
	switch {
	case err != nil:
		return control.ComputerLook{}, screenFault(err)
	case len(shot.Image) == 0 || shot.Sent.W == 0:
		return control.ComputerLook{}, &control.Error{Code: "computer_use", Message: "the system gave an empty picture", Try: "let Hobkin record the screen in the settings of the system"}
	}
	return control.ComputerLook{
		Image: provider.Image{MIME: "image/png", Data: shot.Image}, Width: shot.Sent.W, Height: shot.Sent.H,
		Display: or(d.Name, d.ID), Physical: [2]int{d.Box.W, d.Box.H}, Model: model, TookMS: time.Since(start).Milliseconds(), At: shot.TakenAt,
	}, nil
}

// setComputerApp moves a program between the lists of the settings.
func (c *Core) setComputerApp(ctx context.Context, a control.ComputerApp) error {
	name := strings.ToLower(strings.TrimSpace(a.Name))
	known := slices.Contains([]string{"allow", "deny", "ask"}, a.Use)
	if !known || !config.ValidApp(strings.TrimSuffix(name, "*")) || a.Use == "allow" && strings.HasSuffix(name, "*") {
		return &control.Error{Code: "bad_app", Message: fmt.Sprintf("%q is no program that one can %s", a.Name, or(a.Use, "name")), Try: "name a program such as gedit, as the question about it does"}
	}
	cu := c.cfg.Load().ComputerUse
	lists := map[string][]string{"allowed_apps": cu.AllowedApps, "denied_apps": cu.DeniedApps}
	wanted := map[string]string{"allow": "allowed_apps", "deny": "denied_apps"}[a.Use]
	for key, list := range lists {
		now := slices.DeleteFunc(slices.Clone(list), func(n string) bool { return strings.EqualFold(n, name) })
		if key == wanted {
			now = append(now, name)
			slices.Sort(now)
		}
		if slices.Equal(now, list) {
			continue
		}
		if err := c.file.Set(ctx, "computer_use."+key, tomlList(now)); err != nil {
			return err
		}
	}
	return c.reload()
}

// tomlList writes names as a list of the settings file.
func tomlList(names []string) string {
	quoted := make([]string, len(names))
	for i, n := range names {
		quoted[i] = fmt.Sprintf("%q", n) // as in TOML: names hold no control characters
	}
	return "[" + strings.Join(quoted, ", ") + "]"
}

// installTime bounds the fetching of the helper.
const installTime = 10 * time.Minute

// installComputer fetches the helper of this version and tries it.
func (c *Core) installComputer(ctx context.Context, _ none) (control.ComputerHelper, error) {
	ctx, cancel := context.WithTimeout(ctx, installTime)
	defer cancel()
	client := c.guard.Client(netguard.ClientOptions{Timeout: installTime})
	if _, err := helper.Install(ctx, client, c.computer.release, c.opts.Paths.Data, nil); err != nil {
		return control.ComputerHelper{}, screenFault(err)
	}
	c.computer.desk.Stop()
	c.computer.try(ctx)
	return c.computer.helper(ctx), screenFault(c.computer.ready())
}

func appUse(name, use string) control.ComputerApp { return control.ComputerApp{Name: name, Use: use} }

// usualEdge is how long the longer side of a picture is where nothing else is
// said, in pixels.
const usualEdge = 1568
