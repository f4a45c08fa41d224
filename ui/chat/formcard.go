package chat

import (
	"image/color"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/theme"
	"fyne.io/fyne/v2/widget"

	"github.com/hobkin/hobkin/core/agent"
	"github.com/hobkin/hobkin/ui/look"
)

// form is a question of the agent's, with fields to answer it.
func (v *View) form(r *Row) rowWidget {
	f := r.Form
	parts := []fyne.CanvasObject{look.NewText(look.L("Hobkin asks you"), look.Style{Colour: look.ColorAsk, Bold: true})}
	send := look.NewButton(look.L("Send answer"), look.ButtonAccent, nil)
	problem := look.NewText("", look.Style{Colour: theme.ColorNameError})
	show := func(*Row) {
		problem.Set(f.Problem, look.Style{Colour: theme.ColorNameError})
		problem.Hidden = f.Problem == ""
		if f.Answered || f.Missing() != "" {
			send.Disable()
			return
		}
		send.Enable()
	}
	changed := func() { show(r) }
	send.Do = func() {
		if a, ok := f.Answer(); ok {
			v.glue.answerForm(r, a)
		}
		changed()
	}
	for _, q := range f.Questions {
		parts = append(parts, look.Stack(4, question(f, q, changed, send.Do)...))
	}
	parts = append(parts, problem, look.Row(8, -1, send))
	panel := look.NewPanel(look.Frame{Fill: look.ColorAskCard, Stroke: look.ColorAskLine, Radius: look.Radius, PadX: 14, PadY: 12},
		container.NewThemeOverride(look.Stack(10, parts...), &formTheme{}))
	show(r)
	return rowWidget{object: panel, show: show}
}

// question is one field with its question above it.
func question(f *Form, q agent.Question, changed, send func()) []fyne.CanvasObject {
	var out []fyne.CanvasObject
	if q.Header != "" {
		out = append(out, look.NewText(q.Header, look.Small))
	}
	out = append(out, look.NewText(q.Question, look.Plain))
	switch q.Kind {
	case "choice":
		return append(out, choices(f, q, changed)...)
	case "secret":
		e := widget.NewPasswordEntry()
		e.OnChanged = answerText(f, q, changed)
		e.OnSubmitted = func(string) { send() }
		return append(out, e, look.NewText(look.L("It is kept in the keyring and not shown to the model."), look.Small))
	}
	e := widget.NewEntry()
	if now := f.Answers[q.ID]; len(now) > 0 {
		e.SetText(now[0])
	}
	e.OnChanged = answerText(f, q, changed)
	e.OnSubmitted = func(string) { send() }
	return append(out, e)
}

func answerText(f *Form, q agent.Question, changed func()) func(string) {
	return func(s string) {
		f.Answers[q.ID] = []string{s}
		changed()
	}
}

// choices are the options of a question, and a field for another answer.
func choices(f *Form, q agent.Question, changed func()) []fyne.CanvasObject {
	var out []fyne.CanvasObject
	if q.MultiSelect {
		group := widget.NewCheckGroup(q.Options, nil)
		group.Selected = f.Answers[q.ID]
		group.OnChanged = func(list []string) {
			f.Answers[q.ID] = list
			changed()
		}
		out = append(out, group)
	} else {
		group := widget.NewRadioGroup(q.Options, nil)
		if now := f.Answers[q.ID]; len(now) > 0 {
			group.Selected = now[0]
		}
		group.OnChanged = func(s string) {
			f.Pick(q, s, s != "")
			changed()
		}
		out = append(out, group)
	}
	if q.AllowOther {
		e := widget.NewEntry()
		e.SetPlaceHolder(look.L("Another answer"))
		e.OnChanged = func(s string) {
			if s != "" {
				f.Answers[q.ID] = []string{s}
				changed()
			}
		}
		out = append(out, e)
	}
	return out
}

// formTheme draws fields with a line that is seen on the ground of a question.
type formTheme struct{ look.Theme }

// Color implements [fyne.Theme].
func (*formTheme) Color(n fyne.ThemeColorName, v fyne.ThemeVariant) color.Color {
	if n == theme.ColorNameInputBorder {
		n = look.ColorMark
	}
	return fyne.CurrentApp().Settings().Theme().Color(n, v)
}
