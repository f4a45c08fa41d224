package chat

import (
	"strings"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/theme"

	"github.com/hobkin/hobkin/core/control"
	"github.com/hobkin/hobkin/ui/look"
)

// A statusBar is the line at the foot of the window: state, context, cost,
// folder and sandbox. Its upper edge moves while something works.
type statusBar struct {
	v        *View
	list     *look.Button // shows the list of sessions, in a narrow window
	dot      *look.Dot
	state    *look.Text
	context  *look.Text
	cost     *look.Text
	place    *look.Text
	working  *look.Working
	contents *fyne.Container
	drawn    string // what sync drew last
}

func newStatusBar(v *View) *statusBar {
	s := &statusBar{v: v, dot: look.NewDot(look.ColorMark), working: look.NewWorking()}
	for _, t := range []**look.Text{&s.state, &s.context, &s.cost} {
		*t = look.NewLabel("", look.Small)
	}
	s.place = look.NewLine("", look.Small)
	s.place.SetAlign(fyne.TextAlignTrailing)
	folder := look.NewTap(look.L("Change the folder"), 4, s.place, v.glue.pickFolder)
	s.list = look.NewSmall("", look.Icon("panel"), v.root.toggle).Named(look.L("Show or hide the sessions"))
	s.list.Hide()
	row := look.Row(18, 3, look.Row(6, -1, s.list, s.dot, s.state), s.context, s.cost, folder)
	s.contents = look.Stack(0, s.working, look.Pad(14, 4, 14, 6, row))
	return s
}

func (s *statusBar) sync() {
	state, words := s.v.win.Status(s.v.model)
	context, cost, place := look.Say(s.v.win.ContextUse(s.v.model)), look.Say(CostShown(s.v.model)), look.Say(s.v.win.Place())
	now := strings.Join([]string{string(state), look.Say(words), context, cost, place}, "\n")
	if now == s.drawn {
		return
	}
	s.drawn = now
	style := look.Small
	switch state {
	case control.StateWaiting, control.StateSetup:
		s.dot.Set(look.ColorAskLine, false)
		style.Colour = look.ColorAsk
	case control.StateWorking:
		s.dot.Set(theme.ColorNamePrimary, true)
	case control.StateError:
		s.dot.Set(look.ColorBad, false)
		style.Colour = theme.ColorNameError
	default:
		s.dot.Set(look.ColorMark, false)
	}
	s.state.Set(look.Say(words), style)
	s.context.Set(context, look.Small)
	s.cost.Set(cost, look.Small)
	s.context.Hidden, s.cost.Hidden = context == "", cost == ""
	s.place.Set(place, look.Small)
	s.working.Set(state == control.StateWorking)
	s.contents.Refresh()
}

// offerList shows or hides the button for the list of sessions.
func (s *statusBar) offerList(offer bool) {
	if s.list.Hidden == offer {
		s.list.Hidden = !offer
		s.contents.Refresh()
	}
}
