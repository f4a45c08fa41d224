package desktop

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"sync"
	"time"

	"github.com/hobkin/hobkin/app/notify"
	"github.com/hobkin/hobkin/core/agent"
	"github.com/hobkin/hobkin/core/control"
)

// alerts shows notifications for what a person should know while the window is
// not before them: an approval with its buttons, a question, a failure, and the
// end of a turn that took long.
type alerts struct {
	server  notify.Server // nil where there is none
	client  *control.Client
	inFront func() (bool, string)
	open    func(session string)

	mu      sync.Mutex
	shown   map[string]uint32 // notification by approval or question id
	started map[string]time.Time
	missing bool // the lack of a server was logged
}

// longTurn is how long a turn takes before its end is worth a notification.
const longTurn = 15 * time.Second

// bodyRunes bounds the text of a notification; servers cut where they like.
const bodyRunes = 200

// apply takes in one event. The context is the desktop's life: buttons are
// pressed long after.
func (a *alerts) apply(ctx context.Context, e agent.Event) {
	if a.server == nil {
		return
	}
	switch p := e.Payload.(type) {
	case agent.TurnStarted:
		a.mu.Lock()
		a.started[e.Session] = e.At
		a.mu.Unlock()
	case agent.ApprovalRequested:
		a.approval(ctx, e, p)
	case agent.QuestionAsked:
		a.show(ctx, e.Session, p.ID, notify.Notification{Title: "Hobkin has a question", Body: p.Questions[0].Question, Urgency: notify.Normal})
	case agent.ApprovalResolved:
		a.withdraw(p.ID)
	case agent.QuestionAnswered:
		a.withdraw(p.ID)
	case agent.TurnFailed:
		a.show(ctx, e.Session, "", notify.Notification{Title: "Hobkin could not finish", Body: p.Message, Urgency: notify.Normal})
	case agent.OutputCompleted:
		a.mu.Lock()
		long := e.At.Sub(a.started[e.Session]) > longTurn
		a.mu.Unlock()
		if long {
			a.show(ctx, e.Session, "", notify.Notification{Title: "Hobkin is done", Body: brief(p.Text, bodyRunes), Urgency: notify.Low})
		}
	default: // the rest is for those who watch
	}
}

func (a *alerts) approval(ctx context.Context, e agent.Event, p agent.ApprovalRequested) {
	body, whole := approvalBody(p)
	n := notify.Notification{
		Title:   p.Preview.Question,
		Body:    body,
		Urgency: notify.Critical,
		Actions: []notify.Action{{Key: "once", Label: "Allow once"}, {Key: "deny", Label: "Deny"}},
	}
	if !whole {
		n.Actions = n.Actions[1:]
	}
	n.Do = func(key string) {
		if key == notify.ActionOpen {
			a.open(e.Session)
			return
		}
		err := a.client.Answer(ctx, control.ApprovalAnswer{ID: p.ID, Fingerprint: p.Fingerprint, Decision: key, By: "notification"})
		if err != nil {
			slog.Warn("desktop: answering from the notification", "error", err)
		}
	}
	a.show(ctx, e.Session, p.ID, n)
}

// approvalBody says what exactly is asked, and whether that is all of it: one
// cannot agree to what one does not see, so then only the window may be used.
func approvalBody(p agent.ApprovalRequested) (text string, whole bool) {
	lines := []string{p.Preview.Summary}
	switch {
	case len(p.Commands) > 0:
		lines = append(lines, p.Commands...)
	case p.Preview.Diff != "":
		lines = append(lines, changedLines(p.Preview.Diff)...)
	}
	text = strings.TrimSpace(strings.Join(lines, "\n"))
	if r := []rune(text); len(r) > bodyRunes {
		return string(r[:bodyRunes]) + "…\nOpen it to see the rest and to allow it.", false
	}
	return text, true
}

// changedLines picks the lines of a unified diff that say what changes.
func changedLines(diff string) (out []string) {
	for line := range strings.Lines(diff) {
		if strings.HasPrefix(line, "+++") || strings.HasPrefix(line, "---") {
			continue
		}
		if strings.HasPrefix(line, "+") || strings.HasPrefix(line, "-") {
			out = append(out, strings.TrimRight(line, "\n"))
		}
	}
	return out
}

// show shows n unless its session is before the person's eyes already.
func (a *alerts) show(ctx context.Context, session, id string, n notify.Notification) {
	if front, _ := a.inFront(); front {
		return
	}
	n.Session = session
	if n.Do == nil {
		n.Do = func(string) { a.open(session) }
	}
	shown, err := a.server.Show(ctx, n)
	a.mu.Lock()
	defer a.mu.Unlock()
	switch {
	case errors.Is(err, notify.ErrUnavailable):
		if !a.missing {
			slog.Warn("desktop: notifications", "error", err)
		}
		a.missing = true
	case err != nil:
		slog.Warn("desktop: showing a notification", "error", err)
	case id != "":
		a.shown[id] = shown
	}
}

func (a *alerts) withdraw(id string) {
	a.mu.Lock()
	shown, ok := a.shown[id]
	delete(a.shown, id)
	a.mu.Unlock()
	if ok {
		a.server.Withdraw(shown)
	}
}
