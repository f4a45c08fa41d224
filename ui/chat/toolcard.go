package chat

import (
	"encoding/json"
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/theme"

	"github.com/hobkin/hobkin/ui/look"
	"github.com/hobkin/hobkin/ui/prose"
)

// A toolCard is one line until it is opened.
type toolCard struct {
	v   *View
	row *Row

	dot               *look.Dot
	title, line, took *look.Text
	status            *look.Text
	plan, details     *fyne.Container
	output            *prose.LinesView // live output, while it runs and is open
}

func (v *View) toolCard(r *Row) rowWidget {
	c := &toolCard{v: v, row: r}
	c.dot = look.NewDot(look.ColorGood)
	c.title = look.NewLabel(look.Foreign(r.Tool.Title), look.Bold)
	c.line = look.NewLine("", look.Quiet)
	c.status = look.NewLabel("", look.Small)
	c.took = look.NewLabel("", look.Small)
	c.plan, c.details = look.Stack(4), look.Stack(8)
	head := look.NewTap(look.Foreign(r.Tool.Title), look.Radius, look.Pad(12, 8, 12, 8, look.Row(10, 2, c.dot, c.title, c.line, c.status, c.took)), c.toggle)
	panel := look.NewPanel(look.Frame{Fill: look.ColorCard, Stroke: look.ColorLine, Radius: look.Radius},
		look.Stack(0, head, c.plan, c.details))
	c.show(r)
	return rowWidget{object: panel, show: c.show}
}

func (c *toolCard) toggle() {
	c.row.Open = !c.row.Open
	c.row.Version++
	c.v.flow.update(false)
}

func (c *toolCard) show(r *Row) {
	t := r.Tool
	switch t.State {
	case ToolRunning:
		c.dot.Set(theme.ColorNamePrimary, true)
	case ToolWaiting:
		c.dot.Set(look.ColorAskLine, true)
	case ToolFailed:
		c.dot.Set(look.ColorBad, false)
	case ToolDone:
		c.dot.Set(look.ColorGood, false)
	}
	c.line.Set(t.Line(), look.Quiet)
	c.status.Set(look.Say(t.Status()), statusStyle(t))
	c.status.Hidden = c.status.String() == ""
	took := ""
	if t.Ended() && !t.Cut && t.Took >= worthSaying {
		took = look.Number(Took(t.Took))
	}
	c.took.Set(took, look.Small)
	c.took.Hidden = took == ""
	c.showPlan(t)
	c.showDetails(r)
}

// worthSaying is the least time that a card tells.
const worthSaying = 50 * time.Millisecond

func statusStyle(t *Tool) look.Style {
	switch t.State {
	case ToolFailed:
		return look.Style{Colour: theme.ColorNameError, Size: theme.SizeNameCaptionText}
	case ToolWaiting:
		return look.Style{Colour: look.ColorAsk, Size: theme.SizeNameCaptionText}
	}
	return look.Small
}

// showPlan draws the agent's plan, which is there to be seen.
func (c *toolCard) showPlan(t *Tool) {
	c.plan.Objects = nil
	for _, s := range t.Plan {
		mark, style := prose.Marker(prose.Open), look.Plain
		switch s.State {
		case "completed", "done":
			mark, style = prose.Marker(prose.Ticked), look.Quiet
		case "in_progress":
			mark, style = look.Sign(theme.MenuExpandIcon(), theme.ColorNamePrimary), look.Bold
		}
		c.plan.Objects = append(c.plan.Objects, look.Pad(12, 0, 12, 0, look.RowTop(8, 1, mark, look.NewText(s.Text, style))))
	}
	if len(t.Plan) > 0 {
		c.plan.Objects = append(c.plan.Objects, look.Pad(0, 0, 0, 6, look.Stack(0)))
	}
	c.plan.Hidden = len(t.Plan) == 0
	c.plan.Refresh()
}

// showDetails draws what is behind the line, when it is open.
func (c *toolCard) showDetails(r *Row) {
	t := r.Tool
	c.details.Hidden = !r.Open
	switch {
	case !r.Open:
		c.details.Objects, c.output = nil, nil
		return
	case c.output != nil && !t.Ended():
		c.output.Set(prose.Plain(t.Output))
		return
	}
	var parts []fyne.CanvasObject
	add := func(name string, o fyne.CanvasObject) {
		parts = append(parts, look.Pad(12, 0, 12, 0, look.Stack(4, look.NewLabel(name, look.Small), o)))
	}
	if cmd := shellLine(t); cmd != "" {
		add(look.L("Command"), c.block(prose.Highlight(cmd, "bash"), cmd))
	} else if t.Args != "" && t.Args != "{}" && t.Args != "null" {
		add(look.L("Asked for"), c.block(prose.Highlight(t.Args, "json"), t.Args))
	}
	for _, note := range t.Repaired {
		parts = append(parts, look.Pad(12, 0, 12, 0, look.NewText(look.L("Mended: {{.Note}}", "Note", note), look.Small)))
	}
	if t.Diff != "" {
		add(look.L("Change"), c.block(prose.Diff(t.Diff), t.Diff))
	}
	c.output = nil
	switch {
	case !t.Ended():
		c.output = prose.NewLines(prose.Plain(t.Output), 0, nil)
		add(look.L("Output so far"), framed(c.output))
	case t.Output != "":
		add(look.L("Result"), c.block(prose.Plain(t.Output), t.Output))
	}
	if t.SavedAs != "" {
		parts = append(parts, look.Pad(12, 0, 12, 0, look.NewText(look.L("The whole result is in {{.Path}}", "Path", Short(t.SavedAs, c.v.win.Home)), look.Small)))
	}
	parts = append(parts, c.undoRow(t)...)
	c.details.Objects = append(parts, look.Pad(0, 0, 0, 4, look.Stack(0)))
	c.details.Refresh()
}

// undoRow offers to take a change back.
func (c *toolCard) undoRow(t *Tool) []fyne.CanvasObject {
	var out []fyne.CanvasObject
	if t.UndoProblem != "" {
		out = append(out, look.Pad(12, 0, 12, 0, look.NewText(t.UndoProblem, look.Style{Colour: theme.ColorNameError})))
	}
	if t.Undo() != "" {
		b := look.NewButton(look.L("Take back this change"), look.ButtonPlain, func() { c.v.glue.undo(c.row) })
		out = append(out, look.Pad(12, 0, 12, 0, look.Row(0, -1, b)))
	}
	return out
}

// block shows lines with a button to copy them.
func (c *toolCard) block(lines []prose.Line, text string) fyne.CanvasObject {
	copyIt := look.NewSmall("", theme.ContentCopyIcon(), func() { fyne.CurrentApp().Clipboard().SetContent(text) }).Named(look.L("Copy text"))
	const first = 20
	v := prose.NewLines(lines, first, func() { c.v.flow.again(c.row) })
	return look.NewPanel(look.Frame{Fill: look.ColorCode, Radius: 6, PadX: 10, PadY: 6}, look.RowTop(4, 0, v, copyIt))
}

func framed(o fyne.CanvasObject) fyne.CanvasObject {
	return look.NewPanel(look.Frame{Fill: look.ColorCode, Radius: 6, PadX: 10, PadY: 6}, o)
}

// shellLine is the command of a call that runs one.
func shellLine(t *Tool) string {
	if t.Name != "shell" {
		return ""
	}
	var in struct {
		Command string `json:"command"`
	}
	if json.Unmarshal([]byte(t.Args), &in) != nil {
		return ""
	}
	return in.Command
}
