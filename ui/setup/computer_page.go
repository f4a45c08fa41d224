package setup

import (
	"context"
	"strconv"
	"strings"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/widget"

	"github.com/hobkin/hobkin/core/control"
	"github.com/hobkin/hobkin/ui/look"
	"github.com/hobkin/hobkin/ui/say"
)

// A computerPage shows the use of the screen: whether it is on, what works here,
// how the model sees and points, how one pauses it, and which programs it may use.
type computerPage struct {
	*Window

	state  control.Computer
	loaded bool
	tried  *control.ComputerProbe // what was tried last; nil: nothing yet
	aim    *control.Calibration   // that was found last
	busy   string                 // what is being tried: probe, look, aim or install
	sheet  *sheet
}

func newComputerPage(w *Window) *computerPage {
	p := &computerPage{Window: w}
	p.sheet = newSheet(look.L("Computer use"), look.L("Hobkin can look at your screen and use the mouse and the keyboard, in conversations that you take part in. The first act in each program asks you; terminals, password managers and settings are never used."),
		nil, look.Wrap(8, look.NewButton(look.L("Never use a program…"), look.ButtonAccent, p.addApp)))
	p.draw(nil)
	return p
}

func (*computerPage) title() say.Phrase { return say.P("Computer use") }

func (p *computerPage) object() fyne.CanvasObject { return p.sheet.root }

func (p *computerPage) ask(ctx context.Context) func() {
	state, err := p.opts.Client.Computer(ctx)
	return func() { p.set(state, err) }
}

func (p *computerPage) set(state control.Computer, err error) {
	if err == nil {
		p.state, p.loaded = state, true
	}
	p.draw(err)
}

func (p *computerPage) draw(err error) {
	var cards []fyne.CanvasObject
	if p.loaded {
		cards = []fyne.CanvasObject{p.use(), p.works(), p.sight(), p.courtesy(), p.pausing()}
		for _, name := range p.state.Allowed {
			cards = append(cards, p.app(name, say.P("Used without asking"), Good, look.L("Never use it"), "deny"))
		}
		for _, name := range p.state.Denied {
			cards = append(cards, p.app(name, say.P("Never used"), Bad, "", ""))
		}
	}
	p.sheet.show(cards, p.loaded, err, "")
}

// use is the card that switches it.
func (p *computerPage) use() fyne.CanvasObject {
	status, mood := ComputerStatus(p.state)
	about := p.state.Helper.Path
	if about == "" {
		about = look.L("A program of its own, hobkin-helper, touches the screen.")
	}
	if p.state.Fix != "" && p.state.Enabled && p.state.Helper.Path != "" {
		about = strings.TrimPrefix(about+" · "+p.state.Fix, " · ")
	}
	var buttons []fyne.CanvasObject
	c := p.opts.Client
	if p.state.Helper.Path == "" && p.state.Helper.CanGet {
		buttons = append(buttons, p.trying("install", look.L("Fetch the helper"), look.L("Fetching…"), func(ctx context.Context) error {
			_, err := c.InstallComputer(ctx)
			return err
		}))
	}
	switch {
	case !p.state.Enabled, p.state.Helper.Path == "":
	case p.state.Paused:
		buttons = append(buttons, look.NewButton(look.L("Go on"), look.ButtonPlain, func() { p.do(c.ResumeComputer) }))
	default:
		buttons = append(buttons, look.NewButton(look.L("Pause it"), look.ButtonPlain, func() {
			p.do(func(ctx context.Context) error { _, err := c.PauseComputer(ctx, "window"); return err })
		}))
	}
	if p.state.Session != "" {
		buttons = append(buttons, look.NewButton(look.L("Stop"), look.ButtonPlain, func() { p.do(c.StopComputer) }))
	}
	words, value := look.L("Switch off"), "false"
	if !p.state.Enabled {
		words, value = look.L("Switch on"), "true"
	}
	buttons = append(buttons, look.NewButton(words, look.ButtonQuiet, func() { p.setting("computer_use.enabled", value) }))
	return card(look.L("Screen, mouse and keyboard"), about, look.Say(status), mood, buttons...)
}

// works is the card of what was tried.
func (p *computerPage) works() fyne.CanvasObject {
	rows := []fyne.CanvasObject{look.Stack(2, look.NewText(look.L("What works here"), look.Bold), look.NewText(look.L("Each part is tried for real: a picture is taken, not a permission read."), look.Small))}
	if p.tried == nil {
		rows = append(rows, line(say.P("Not tried yet"), Quiet))
	} else {
		for _, part := range p.tried.Parts {
			status, mood := PartStatus(part)
			rows = append(rows, line(status, mood))
		}
		for _, d := range p.tried.Displays {
			rows = append(rows, line(DisplayText(d), Quiet))
		}
	}
	rows = append(rows, look.Wrap(8, p.trying("probe", look.L("Try it"), look.L("Trying…"), func(ctx context.Context) error {
		r, err := p.opts.Client.ProbeComputer(ctx)
		if err == nil {
			p.opts.Post(func() { p.tried = &r })
		}
		return err
	})))
	return look.Card(look.Stack(8, rows...))
}

// line is a state with its dot.
func line(status say.Phrase, mood Mood) fyne.CanvasObject {
	style := look.Plain
	style.Colour = inks[mood]
	return look.RowTop(8, 1, look.Pad(0, 6, 0, 0, look.NewDot(marks[mood])), look.NewText(look.Say(status), style))
}

// sight is the card of how the main model sees and points.
func (p *computerPage) sight() fyne.CanvasObject {
	status, mood := AimText(p.state), Quiet
	if p.aim != nil && p.aim.Model == p.state.Model {
		status, mood = AimResult(*p.aim), Good
	}
	return card(look.L("The screen as the model sees it"), look.L("Where its clicks land beside things, the test of its aim finds out why and corrects it."), look.Say(status), mood,
		p.trying("look", look.L("Show it"), look.L("Looking…"), func(ctx context.Context) error {
			l, err := p.opts.Client.LookComputer(ctx)
			if err == nil {
				p.opts.Post(func() { p.showLook(l) })
			}
			return err
		}),
		p.trying("aim", look.L("Test its aim"), look.L("Asking the model…"), func(ctx context.Context) error {
			r, err := p.opts.Client.CalibrateComputer(ctx)
			if err == nil {
				p.opts.Post(func() { p.aim = &r })
			}
			return err
		}))
}

// showLook shows a picture of the screen over the page.
func (p *computerPage) showLook(l control.ComputerLook) {
	c := p.win.Canvas()
	img := canvas.NewImageFromResource(fyne.NewStaticResource("screen.png", l.Image.Data))
	img.FillMode = canvas.ImageFillContain
	size := c.Size()
	width := min(size.Width-80, float32(l.Width))
	height := width * float32(l.Height) / float32(max(l.Width, 1))
	if most := size.Height - 160; height > most {
		width, height = width*most/height, most
	}
	img.SetMinSize(fyne.NewSize(width, height))
	var pop *widget.PopUp
	closer := look.NewButton(look.L("Close"), look.ButtonQuiet, func() { pop.Hide() })
	pop = widget.NewModalPopUp(look.Pad(14, 14, 14, 14, look.Stack(10,
		look.NewLine(look.L("The screen as the model sees it"), look.Bold), look.NewText(look.Say(LookText(l)), look.Small), container.NewCenter(img), look.Wrap(8, closer))), c)
	pop.Show()
}

// courtesy is the card of the room that a person is left.
func (p *computerPage) courtesy() fyne.CanvasObject {
	return card(look.L("Courtesy"), look.L("When you use the mouse or the keyboard, Hobkin steps aside."), look.Say(CourtesyText(p.state)), Quiet,
		look.NewButton(look.L("Change…"), look.ButtonPlain, p.editCourtesy))
}

func (p *computerPage) editCourtesy() {
	question{
		title: look.L("Courtesy"), action: look.L("Save"), busy: look.L("Storing…"),
		fields: []field{
			{label: look.L("Seconds that your hands must have rested"), value: look.Number(say.Number(strconv.FormatFloat(float64(p.state.CourtesyIdleMS)/1000, 'f', -1, 64)))},
			{label: look.L("Acts of one turn, at most"), value: strconv.Itoa(p.state.MaxActs)},
			{label: look.L("Pixels of the longer side of a picture"), value: strconv.Itoa(p.state.LongEdge)},
		},
		do: func(a []string, told func(string, error)) {
			ms, most, long, err := Courtesy(a[0], a[1], a[2])
			if err != nil {
				told("", err)
				return
			}
			p.save(map[string]string{"courtesy_idle_ms": strconv.Itoa(ms), "max_actions": strconv.Itoa(most), "long_edge": strconv.Itoa(long)}, told)
		},
	}.ask(p.win)
}

// pausing is the card of the ways to pause.
func (p *computerPage) pausing() fyne.CanvasObject {
	toggle := func(on bool, onWords, offWords, key string) fyne.CanvasObject {
		words := offWords
		if on {
			words = onWords
		}
		return look.NewButton(words, look.ButtonPlain, func() { p.setting("computer_use."+key, strconv.FormatBool(!on)) })
	}
	return card(look.L("Pausing"), look.L("While the screen is used, the tray icon stops it, and a bar on the screen says what happens and pauses at a click."), look.Say(PauseText(p.state)), Quiet,
		look.NewButton(look.L("Change the keys…"), look.ButtonPlain, p.editHotkey),
		toggle(p.state.Corner, look.L("Do without the corner"), look.L("Pause in the corner"), "corner"),
		toggle(p.state.Bar, look.L("Hide the bar"), look.L("Show the bar"), "bar"))
}

func (p *computerPage) editHotkey() {
	question{
		title: look.L("Keys that pause"), action: look.L("Save"), busy: look.L("Storing…"),
		fields: []field{{label: look.L("Keys joined by +; nothing takes none"), value: p.state.Hotkey, hint: "ctrl+alt+Pause"}},
		do: func(a []string, told func(string, error)) {
			p.save(map[string]string{"hotkey": strconv.Quote(strings.TrimSpace(a[0]))}, told)
		},
	}.ask(p.win)
}
