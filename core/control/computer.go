package control

import (
	"context"
	"time"

	"github.com/hobkin/hobkin/core/provider"
)

// The methods about the screen, the mouse and the keyboard.
const (
	MethodComputer          = "computer.status"
	MethodComputerPause     = "computer.pause"
	MethodComputerResume    = "computer.resume"
	MethodComputerStop      = "computer.stop"
	MethodComputerProbe     = "computer.probe"
	MethodComputerLook      = "computer.look"
	MethodComputerApp       = "computer.app"
	MethodComputerInstall   = "computer.install"
	MethodComputerCalibrate = "computer.calibrate"
)

// Computer says how the use of the screen stands.
type Computer struct {
	Enabled  bool   `json:"enabled"`
	Offered  bool   `json:"offered"`             // switched on, and the helper answers
	LookOnly bool   `json:"look_only,omitempty"` // the sandbox is strict
	Missing  string `json:"missing,omitempty"`   // why it is not offered although it is switched on
	Fix      string `json:"fix,omitempty"`

	Acting  bool   `json:"acting,omitempty"`
	Waiting bool   `json:"waiting,omitempty"` // for your hands to rest
	Paused  bool   `json:"paused,omitempty"`
	By      string `json:"by,omitempty"`      // who paused
	Session string `json:"session,omitempty"` // that holds the mouse
	Program string `json:"program,omitempty"` // that was last acted on
	Acts    int    `json:"acts,omitempty"`
	MaxActs int    `json:"max_acts,omitempty"`

	CourtesyIdleMS int    `json:"courtesy_idle_ms"` // that your hands must have rested
	Hotkey         string `json:"hotkey,omitempty"` // keys that pause; empty: none
	Corner         bool   `json:"corner"`           // the mouse in a corner pauses
	Bar            bool   `json:"bar"`              // a bar on the screen says what happens

	Model       string `json:"model,omitempty"` // the main one, which the next two are of
	LongEdge    int    `json:"long_edge"`       // pixels of the longer side of its pictures
	Coordinates string `json:"coordinates"`     // how it names places: pixels or thousandths
	Blind       bool   `json:"blind,omitempty"` // it cannot see pictures

	Helper  ComputerHelper `json:"helper"`
	Allowed []string       `json:"allowed"` // programs that are used without asking
	Denied  []string       `json:"denied"`  // programs that are never used, beyond those that never are
}

// ComputerHelper is the program that touches the screen.
type ComputerHelper struct {
	Path    string `json:"path,omitempty"` // empty: it is not there
	Version string `json:"version,omitempty"`
	Server  string `json:"server,omitempty"`  // x11, wayland, quartz, windows
	Backend string `json:"backend,omitempty"` // x11, portal, robotgo
	CanGet  bool   `json:"can_get,omitempty"` // it can be fetched from the release
}

// ComputerPart is one thing that was tried on the screen.
type ComputerPart struct {
	Name   string `json:"name"` // capture, pointer, text, keys, elements, windows, person, bar, hotkey
	Works  bool   `json:"works"`
	Reason string `json:"reason,omitempty"`
	Fix    string `json:"fix,omitempty"`
}

// ComputerProbe is what was tried, for real, just now.
type ComputerProbe struct {
	Helper ComputerHelper `json:"helper"`
	Parts  []ComputerPart `json:"parts"`

	Displays []ComputerDisplay `json:"displays"`
}

// ComputerDisplay is one screen.
type ComputerDisplay struct {
	Name    string  `json:"name"`
	Width   int     `json:"width"` // pixels
	Height  int     `json:"height"`
	Scale   float64 `json:"scale"`
	Primary bool    `json:"primary,omitempty"`
}

// ComputerLook is the screen as a model sees it.
type ComputerLook struct {
	Image    provider.Image `json:"image"`
	Width    int            `json:"width"`
	Height   int            `json:"height"`
	Display  string         `json:"display"`
	Physical [2]int         `json:"physical"` // pixels of the display
	Model    string         `json:"model"`    // whose limits it has
	TookMS   int64          `json:"took_ms"`
	At       time.Time      `json:"at"`
}

// ComputerApp lets a program be used without asking, or never, or asks again.
type ComputerApp struct {
	Name string `json:"name"`
	Use  string `json:"use"` // allow, deny or ask
}

// ComputerHalt says what a pause let go of.
type ComputerHalt struct {
	Released []string `json:"released,omitempty"` // keys and buttons
	Stopped  bool     `json:"stopped,omitempty"`  // an act was under way
}

// ComputerBy says where something was asked.
type ComputerBy struct {
	By string `json:"by"` // chat, cli, tray, notification, window
}

// Calibration is how well a model points.
type Calibration struct {
	Model       string  `json:"model"`
	Coordinates string  `json:"coordinates"` // pixels or thousandths: what its answers fit
	Set         string  `json:"set"`         // what the settings say
	Off         float64 `json:"off"`         // pixels that it was off on average, read so
	Saved       bool    `json:"saved,omitempty"`
}

// Computer tells how the use of the screen stands.
func (c *Client) Computer(ctx context.Context) (Computer, error) {
	return ask[Computer](ctx, c, MethodComputer, nil)
}

// PauseComputer halts what moves and refuses acts until they are resumed.
func (c *Client) PauseComputer(ctx context.Context, by string) (ComputerHalt, error) {
	return ask[ComputerHalt](ctx, c, MethodComputerPause, ComputerBy{by})
}

// ResumeComputer lets acts through again.
func (c *Client) ResumeComputer(ctx context.Context) error {
	return c.Do(ctx, MethodComputerResume, nil, nil)
}

// StopComputer ends what is done with the screen, and the turn that does it.
func (c *Client) StopComputer(ctx context.Context) error {
	return c.Do(ctx, MethodComputerStop, nil, nil)
}

// ProbeComputer tries for real what works.
func (c *Client) ProbeComputer(ctx context.Context) (ComputerProbe, error) {
	return ask[ComputerProbe](ctx, c, MethodComputerProbe, nil)
}

// LookComputer takes a picture of the screen as the main model would see it.
func (c *Client) LookComputer(ctx context.Context) (ComputerLook, error) {
	return ask[ComputerLook](ctx, c, MethodComputerLook, nil)
}

// SetComputerApp changes what may be done with a program.
func (c *Client) SetComputerApp(ctx context.Context, a ComputerApp) error {
	return c.Do(ctx, MethodComputerApp, a, nil)
}

// InstallComputer fetches the helper of this version and tries it.
func (c *Client) InstallComputer(ctx context.Context) (ComputerHelper, error) {
	return ask[ComputerHelper](ctx, c, MethodComputerInstall, nil)
}

// CalibrateComputer has the main model point at marks in a drawn picture, and
// keeps what its answers fit.
func (c *Client) CalibrateComputer(ctx context.Context) (Calibration, error) {
	return ask[Calibration](ctx, c, MethodComputerCalibrate, nil)
}
