package approve

import (
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/theme"
	"fyne.io/fyne/v2/widget"

	"github.com/hobkin/hobkin/core/control"
	"github.com/hobkin/hobkin/ui/look"
	"github.com/hobkin/hobkin/ui/prose"
)

// Deps are what a card needs from the window around it.
type Deps struct {
	Now    func() time.Time
	After  func(time.Duration, func()) // runs a function later, on the UI goroutine
	Answer func(*Model, control.ApprovalAnswer)
	Grown  func() // a click changed the card's height
}

// A Card draws a [Model].
type Card struct {
	widget.BaseWidget

	model *Model
	deps  Deps
	panel *look.Panel

	once, session, always, deny *look.Button
	write, back                 *look.Button
	first, second               *fyne.Container // buttons; the question about the rule
	problem                     *look.Text
	effect                      *effect
}

// NewCard makes a card.
func NewCard(m *Model, deps Deps) *Card {
	c := &Card{model: m, deps: deps}
	c.once = look.NewButton(look.L("Allow once"), look.ButtonAccent, func() { c.choose(Once) })
	c.session = look.NewButton(look.L("Allow for this session"), look.ButtonPlain, func() { c.choose(Session) })
	c.always = look.NewButton(look.L("Always…"), look.ButtonPlain, func() { c.choose(Always) })
	c.deny = look.NewButton(look.L("Deny"), look.ButtonQuiet, func() { c.choose(Deny) })
	c.write = look.NewButton(look.L("Always allow this"), look.ButtonAccent, func() { c.choose(Always) })
	c.back = look.NewButton(look.L("Back"), look.ButtonQuiet, func() { m.Back(deps.Now()); c.changed() })
	c.always.Hidden = m.Rule == ""
	c.first = look.Wrap(8, c.once, c.session, c.always, c.deny)
	c.second = look.Stack(8,
		look.NewText(look.L("This rule would be written, and similar calls would not be asked about again:"), look.Plain),
		ruleView(m.Rule), look.Wrap(8, c.write, c.back))
	c.problem = look.NewText("", look.Style{Colour: theme.ColorNameError})
	c.panel = look.NewPanel(look.Frame{Fill: look.ColorAskCard, Stroke: look.ColorAskLine, Radius: look.Radius, PadX: 14, PadY: 12}, c.content())
	c.ExtendBaseWidget(c)
	c.show()
	c.quiet()
	return c
}

// Model returns what the card draws.
func (c *Card) Model() *Model { return c.model }

// CreateRenderer implements [fyne.Widget].
func (c *Card) CreateRenderer() fyne.WidgetRenderer { return widget.NewSimpleRenderer(c.panel) }

func (c *Card) content() fyne.CanvasObject {
	m := c.model
	asked := look.Foreign(m.Question())
	if own := m.Asked(); !own.IsZero() {
		asked = look.Say(own)
	}
	head := []fyne.CanvasObject{look.NewText(asked, look.Style{Colour: look.ColorAsk, Bold: true})}
	if s := m.Preview.Summary; s != "" {
		head = append(head, look.NewText(s, look.Plain))
	}
	parts := []fyne.CanvasObject{look.Stack(4, head...)}
	c.effect = newEffect(c.effects())
	if len(c.effect.box.Objects) > 0 {
		parts = append(parts, c.effect)
	}
	if why := c.why(); len(why) > 0 {
		parts = append(parts, look.Stack(2, why...))
	}
	parts = append(parts, c.problem, look.Pad(0, 2, 0, 0, container.NewStack(c.first, c.second)))
	return look.Stack(8, parts...)
}

// effects are what exactly would happen.
func (c *Card) effects() []fyne.CanvasObject {
	m := c.model
	var out []fyne.CanvasObject
	code := func(lines []prose.Line) {
		v := prose.NewLines(lines, 0, c.deps.Grown)
		out = append(out, look.NewPanel(look.Frame{Fill: look.ColorCode, Radius: 6, PadX: 12, PadY: 8}, v))
	}
	if m.Preview.Shell != "" {
		code(prose.Highlight(m.Preview.Shell, "bash"))
	}
	if list := m.Commands(); len(list) > 0 {
		out = append(out, look.NewText(look.L("This line runs {{.N}} commands:", "N", len(list)), look.Small))
		for _, cmd := range list {
			out = append(out, look.Row(6, 1, look.NewLabel("›", look.Small), look.NewText(cmd, look.Style{Mono: true, Size: theme.SizeNameCaptionText})))
		}
	}
	if m.Preview.Diff != "" {
		code(prose.Diff(m.Preview.Diff))
	}
	if args := m.Arguments(); args != "" {
		code(prose.Highlight(args, "json"))
	}
	for _, f := range m.Facts() {
		out = append(out, look.Row(6, 1, look.NewLabel(look.Say(f.Name), look.Small), look.NewText(f.Value, look.Style{Size: theme.SizeNameCaptionText})))
	}
	return out
}

// why are the warnings and the reason for asking.
func (c *Card) why() []fyne.CanvasObject {
	m := c.model
	var out []fyne.CanvasObject
	warn := func(words string) {
		style := look.Style{Colour: look.ColorAsk, Size: theme.SizeNameCaptionText, Bold: true}
		out = append(out, look.RowTop(6, 1, look.Sign(theme.WarningIcon(), look.ColorAsk), look.NewText(words, style)))
	}
	for _, w := range m.Preview.Warnings {
		warn(w)
	}
	if r := look.Say(m.RiskText()); r != "" && len(m.Preview.Warnings) == 0 {
		warn(r)
	}
	if m.Preview.Destructive {
		warn(look.L("This may lose something for good."))
	}
	if m.Reason != "" {
		out = append(out, look.NewText(look.L("Asked because: {{.Reason}}", "Reason", m.Reason), look.Small))
	}
	return out
}

func ruleView(rule string) fyne.CanvasObject {
	return look.NewPanel(look.Frame{Fill: look.ColorCode, Radius: 6, PadX: 12, PadY: 8}, prose.NewLines(prose.Plain(rule), 0, nil))
}

func (c *Card) choose(d Decision) {
	a, ok := c.model.Choose(d, c.deps.Now())
	if ok {
		c.deps.Answer(c.model, a)
	}
	c.changed()
}

// Drawn is to be called when the card came to stand on the screen.
func (c *Card) Drawn() {
	c.model.Drawn(c.deps.Now())
	c.quiet()
}

// Moved is to be called when the card changed its place without the person's
// doing.
func (c *Card) Moved() {
	c.model.Appeared(c.deps.Now())
	c.quiet()
}

// quiet shows the buttons as not ready until the quiet time is over.
func (c *Card) quiet() {
	c.show()
	if wait := c.model.Wait(c.deps.Now()); wait > 0 && c.model.Answered == "" {
		c.deps.After(wait, c.show)
	}
}

// changed draws the card anew after a click.
func (c *Card) changed() {
	c.quiet()
	c.Refresh()
	if c.deps.Grown != nil {
		c.deps.Grown()
	}
}

// Sync draws what changed in the model.
func (c *Card) Sync() { c.quiet() }

func (c *Card) show() {
	c.first.Hidden, c.second.Hidden = c.model.Confirm, !c.model.Confirm
	c.problem.Hidden = c.model.Problem == ""
	c.problem.Set(c.model.Problem, look.Style{Colour: theme.ColorNameError})
	ready := c.model.Ready(c.deps.Now())
	for _, b := range []*look.Button{c.once, c.session, c.always, c.deny, c.write} {
		if ready == b.Disabled() {
			if ready {
				b.Enable()
			} else {
				b.Disable()
			}
		}
	}
}

// mostEffect is how tall the effect grows before it scrolls, so that the
// buttons stay in view.
const mostEffect = 300

// An effect is a column that scrolls when it is tall.
type effect struct {
	widget.BaseWidget

	box    *fyne.Container
	scroll *container.Scroll
}

func newEffect(parts []fyne.CanvasObject) *effect {
	e := &effect{box: look.Stack(6, parts...)}
	e.scroll = container.NewVScroll(e.box)
	e.ExtendBaseWidget(e)
	return e
}

// CreateRenderer implements [fyne.Widget].
func (e *effect) CreateRenderer() fyne.WidgetRenderer { return &effectRenderer{e} }

type effectRenderer struct{ e *effect }

func (r *effectRenderer) Layout(size fyne.Size) {
	look.Fit(r.e.box, size.Width) // it wraps, and only then knows its height
	r.e.scroll.Resize(size)
}

func (r *effectRenderer) MinSize() fyne.Size {
	m := r.e.box.MinSize()
	return fyne.NewSize(80, min(m.Height, mostEffect))
}

func (r *effectRenderer) Refresh() { r.e.scroll.Refresh() }

func (r *effectRenderer) Objects() []fyne.CanvasObject { return []fyne.CanvasObject{r.e.scroll} }

func (r *effectRenderer) Destroy() {}
