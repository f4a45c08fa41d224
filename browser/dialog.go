package browser

import (
	"context"
	"strconv"
	"time"

	"github.com/hobkin/hobkin/browser/cdp"
	"github.com/hobkin/hobkin/core/capability"
)

// A Dialog is a question of a page that holds everything else up.
type Dialog struct {
	Kind    string // alert, confirm, prompt or beforeunload
	Message string // the page's words, at most 500 characters
	Default string // of a prompt
	URL     string // of the document that asks

	session *cdp.Session
	timer   *time.Timer
}

// dialogCount bounds what a page may ask in one go.
type dialogCount struct {
	shown int       // dialogs that were reported, each right after the one before
	last  time.Time // when the last one closed
	told  bool      // that further ones are dismissed
}

const (
	// dialogTime is how long a dialog waits for its answer where no person sees
	// it. Then it is dismissed: a page that is held up for ever holds its memory.
	dialogTime = 60 * time.Second
	// maxDialogs in a row are reported. Then the script that asks is ended.
	maxDialogs = 10
	// rowTime is how soon after another a dialog belongs to the same row.
	rowTime = 2 * time.Second
)

// open is what calls fail with while the dialog is there.
func (d *Dialog) open() *capability.UserError {
	return DialogOpen.Becausef("the page shows a dialog (%s) that says %s", d.Kind, strconv.QuoteToGraphic(d.Message))
}

func (v *view) listenDialogs(s *cdp.Session) {
	cdp.On(s, "Page.javascriptDialogOpening", func(e struct {
		URL     string `json:"url"`
		Message string `json:"message"`
		Type    string `json:"type"`
		Default string `json:"defaultPrompt"`
	},
	) {
		v.opening(&Dialog{Kind: e.Type, Message: clip(e.Message, 500), Default: clip(e.Default, 500), URL: e.URL, session: s})
	})
	cdp.On(s, "Page.javascriptDialogClosed", func(struct{}) { v.closing() })
}

// opening takes in a dialog. It runs on the reader's goroutine.
func (v *view) opening(d *Dialog) {
	flood, told := false, false
	v.update(func() {
		if time.Since(v.dialogs.last) > rowTime {
			v.dialogs = dialogCount{}
		}
		if v.dialogs.shown >= maxDialogs {
			flood, told = true, v.dialogs.told
			v.dialogs.told = true
			return
		}
		v.dialogs.shown++
		if !v.in.watched() {
			d.timer = time.AfterFunc(dialogTime, func() { v.dismiss(d, "nobody answered it") })
		}
		v.dialog = d
		for _, s := range v.sessionsLocked() {
			s.Interrupt(d.open())
		}
	})
	if !flood {
		return
	}
	d.session.Post("Runtime.terminateExecution", nil) // takes effect when the dialog is closed
	d.session.Post("Page.handleJavaScriptDialog", map[string]any{"accept": false})
	if !told {
		v.noteDialog(d, "the page shows dialogs without an end; its script was ended")
	}
}

// closing notes that a dialog is no more, whoever has answered it.
func (v *view) closing() {
	v.update(func() {
		v.dialogs.last = time.Now()
		if v.dialog == nil {
			return
		}
		if v.dialog.timer != nil {
			v.dialog.timer.Stop()
		}
		v.dialog = nil
		for _, s := range v.sessionsLocked() {
			s.Resume()
		}
	})
}

// dismiss closes a dialog without an answer.
func (v *view) dismiss(d *Dialog, why string) {
	v.mu.Lock()
	same := v.dialog == d
	v.mu.Unlock()
	if same {
		d.session.Post("Page.handleJavaScriptDialog", map[string]any{"accept": false})
		v.noteDialog(d, why)
	}
}

func (v *view) noteDialog(d *Dialog, why string) {
	if t := v.owner(); t != nil {
		v.in.b.note(Note{Kind: NoteDialog, Tab: t.id, Text: d.Kind + " " + strconv.QuoteToGraphic(d.Message) + ": " + why})
	}
}

// Dialog is the dialog that the tab shows; nil without one.
func (t *Tab) Dialog() *Dialog { return t.Info().Dialog }

// AnswerDialog answers the open dialog: accept is its OK button (for
// beforeunload: leave the page), text is what a prompt gets, and nil its
// default. It tells what came of it, which may be the next dialog.
func (t *Tab) AnswerDialog(ctx context.Context, accept bool, text *string) (*Effect, error) {
	v, done, err := t.use(ctx)
	if err != nil {
		return nil, err
	}
	defer done()
	v.mu.Lock()
	d := v.dialog
	v.mu.Unlock()
	if d == nil {
		return nil, NoDialog.Becausef("no dialog is open in the tab %s", t.id)
	}
	params := map[string]any{"accept": accept}
	switch {
	case text != nil:
		params["promptText"] = *text
	case d.Kind == "prompt":
		params["promptText"] = d.Default
	}
	return t.settle(ctx, v, func(ctx context.Context) error {
		if err := d.session.CallAlways(ctx, "Page.handleJavaScriptDialog", params, nil); err != nil {
			if _, own := asProtocol(err); !own {
				return err
			}
			v.closing() // it was gone already
		}
		return v.await(ctx, func() bool { return v.dialog != d })
	})
}
