package chat

import (
	"fmt"
	"path/filepath"
	"strings"

	"github.com/hobkin/hobkin/core/control"
	"github.com/hobkin/hobkin/core/provider"
	"github.com/hobkin/hobkin/ui/say"
)

// A Window is what stands around the conversation: the session that is open,
// what can be picked, the input, and how the core is. The zero Window is one
// that knows nothing yet.
type Window struct {
	Info    control.Info
	Models  []control.Model
	Session control.Session // zero: a new conversation that has no session yet
	Home    string          // the person's home folder, shown as ~

	Mode      string // picked for a conversation without a session; empty takes the core's
	Model     string // the same for the model
	Workspace string // the same for the folder

	Images  []Attached
	Sending bool       // a message is on its way to the core
	Problem say.Phrase // what went wrong last; shown until the next try
	Try     string     // what to do about it
	Offline bool       // the core does not answer
}

// Attached is a picture that goes with the next message.
type Attached struct {
	Name  string
	Image provider.Image
}

// Modes are the permission modes, in the order of the picker.
func Modes() []string { return []string{"plan", "ask", "accept_edits", "auto"} }

// ModeName is a mode in words.
func ModeName(mode string) say.Phrase {
	switch mode {
	case "plan":
		return say.P("Plan")
	case "accept_edits":
		return say.P("Accept edits")
	case "auto":
		return say.P("Auto")
	}
	return say.P("Ask first")
}

// ModeHelp says what a mode does.
func ModeHelp(mode string) say.Phrase {
	switch mode {
	case "plan":
		return say.P("Looks and plans, changes nothing")
	case "accept_edits":
		return say.P("Changes files in the folder without asking; asks for the rest")
	case "auto":
		return say.P("Asks only where it is risky")
	}
	return say.P("Asks before it changes or runs anything")
}

// CurrentMode is the mode of the next message.
func (w *Window) CurrentMode() string { return first(w.Session.Mode, w.Mode, w.Info.Mode, "ask") }

// CurrentModel is the model of the next message, provider/model.
func (w *Window) CurrentModel() string {
	if w.Session.ID != "" {
		return first(w.Session.Model, w.Info.Model)
	}
	return first(w.Model, w.Info.Model)
}

// ModelName is the model of the next message for people.
func (w *Window) ModelName() string {
	id := w.CurrentModel()
	for _, m := range w.Models {
		if m.ID == id {
			return m.Title
		}
	}
	if id == w.Info.Model && w.Info.ModelName != "" {
		return w.Info.ModelName
	}
	_, name, ok := strings.Cut(id, "/")
	if !ok {
		return id
	}
	return name
}

// Folder is the folder of the next message, absolute.
func (w *Window) Folder() string { return first(w.Session.Workspace, w.Workspace, w.Info.Workspace) }

// Place is the folder and the sandbox, as the status bar shows them.
func (w *Window) Place() say.Phrase {
	dir := Short(w.Folder(), w.Home)
	switch {
	case dir == "":
		return say.Phrase{}
	case w.Info.Sandbox == "strict":
		return say.P("{{.Dir}} · strict sandbox", "Dir", dir)
	case w.Info.Sandbox == "open":
		return say.P("{{.Dir}} · no sandbox", "Dir", dir)
	}
	return say.P("{{.Dir}} · standard sandbox", "Dir", dir)
}

// Short writes a path with ~ for the home folder.
func Short(path, home string) string {
	rest, ok := strings.CutPrefix(path, home)
	if home == "" || !ok || rest != "" && !strings.HasPrefix(rest, string(filepath.Separator)) {
		return path
	}
	return "~" + rest
}

// first returns the first text that is not empty.
func first(all ...string) string {
	for _, s := range all {
		if s != "" {
			return s
		}
	}
	return ""
}

// StateName is a state in words.
func StateName(s control.State) say.Phrase {
	switch s {
	case control.StateWaiting:
		return say.P("Waiting for you")
	case control.StateWorking:
		return say.P("Working")
	case control.StatePaused:
		return say.P("Paused")
	case control.StateSetup:
		return say.P("Needs setup")
	case control.StateError:
		return say.P("Could not go on")
	}
	return say.P("Ready")
}

// Status is the state for the status bar.
func (w *Window) Status(m *Model) (control.State, say.Phrase) {
	if w.Offline {
		return control.StateError, say.P("Hobkin's background process does not answer")
	}
	s := m.State()
	if s == control.StateReady && w.Info.State == control.StateSetup {
		s = control.StateSetup
	}
	return s, StateName(s)
}

// ContextUse shows how full the model's memory is; nothing when no request was
// made yet. Where the size is not known it shows the tokens.
func (w *Window) ContextUse(m *Model) say.Phrase {
	if m.Context == 0 {
		return say.Phrase{}
	}
	for _, x := range w.Models {
		if x.ID == first(m.Using, w.CurrentModel()) && x.Window > 0 {
			return say.P("context {{.N}} %", "N", min(100, (m.Context*100+x.Window/2)/x.Window))
		}
	}
	if m.Context < 1000 {
		return say.P("context {{.N}} tokens", "N", m.Context)
	}
	return say.P("context {{.N}}k tokens", "N", say.Number(fmt.Sprintf("%.1f", float64(m.Context)/1000)))
}

// CostShown shows what the session cost; nothing when it cost nothing.
func CostShown(m *Model) say.Phrase {
	switch {
	case m.Cost <= 0:
		return say.Phrase{}
	case m.Cost < 0.01:
		return say.P("less than $0.01")
	}
	return say.P("${{.N}}", "N", say.Number(fmt.Sprintf("%.2f", m.Cost)))
}

// Examples are what one can do at once, without any model and in any folder.
func Examples() []say.Phrase {
	return []say.Phrase{say.P("what can you do?"), say.P("list files"), say.P("find TODO in this folder")}
}

// Request is the message to send, where there is anything to send. The window
// counts as sending until [Window.Sent].
func (w *Window) Request(text, locale string) (r control.SendRequest, ok bool) {
	text = strings.TrimSpace(text)
	if w.Sending || text == "" && len(w.Images) == 0 {
		return r, false
	}
	r = control.SendRequest{Session: w.Session.ID, Text: text, Channel: "desktop", Attended: true, Locale: locale}
	for _, a := range w.Images {
		r.Images = append(r.Images, a.Image)
	}
	if w.Session.ID == "" {
		r.Mode, r.Model, r.Workspace = w.Mode, w.Model, w.Workspace
	}
	w.Sending = true
	w.Dismiss()
	return r, true
}

// Sent says how sending went.
func (w *Window) Sent(err error) {
	w.Sending = false
	if err != nil {
		w.Fail(err)
		return
	}
	w.Images = nil
}

// Fail shows what went wrong.
func (w *Window) Fail(err error) {
	w.Problem, w.Try = say.Sentence(err)
}

// Dismiss takes the problem away.
func (w *Window) Dismiss() { w.Problem, w.Try = say.Phrase{}, "" }
