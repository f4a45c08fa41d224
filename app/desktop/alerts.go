package desktop

import (
	"context"
	"errors"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/hobkin/hobkin/app/notify"
	"github.com/hobkin/hobkin/app/words"
	"github.com/hobkin/hobkin/core/agent"
	"github.com/hobkin/hobkin/core/control"
)

// alerts shows notifications for what a person should know while the window is
// not before them: an approval with its buttons, a question, a failure, and the
// end of a turn that took long. It is for one goroutine.
type alerts struct {
	words   words.Words
	server  notify.Server // nil where there is none
	client  *control.Client
	inFront func() (bool, string)
	open    func(session string)

	asked   map[string][]asked   // by session: what waits for a person, oldest first
	said    map[string]string    // by session: the last words of the turn that runs
	last    map[string]time.Time // by session: when a notification was shown
	missing bool                 // the lack of a server was logged

	computer agent.ComputerState // as it was told last
	using    uint32              // notification about the use of the screen; 0 when none is shown
}

// asked is an approval or a question that waits.
type asked struct {
	id    string
	n     notify.Notification
	shown uint32 // the notification; 0 when none was shown
}

const (
	// longTurn is how long a turn takes before its end is worth a notification.
	longTurn = 15 * time.Second
	// calm is how long after a notification of a session no other one follows,
	// unless a person is needed.
	calm = 5 * time.Second
	// quiet is how long a decision is not taken from a new notification: it may
	// have come under a finger that meant the one before.
	quiet = time.Second
	// answerTime is how long the core may take to hear an answer.
	answerTime = 10 * time.Second
	// bodyRunes and bodyLines bound the text of a notification: servers cut a
	// longer one where they like.
	bodyRunes = 200
	bodyLines = 6
)

func newAlerts(w words.Words, server notify.Server, client *control.Client, inFront func() (bool, string), open func(string)) *alerts {
	return &alerts{
		words: w, server: server, client: client, inFront: inFront, open: open,
		asked: map[string][]asked{}, said: map[string]string{}, last: map[string]time.Time{},
	}
}

// apply takes in one event. The context is the desktop's life: buttons are
// pressed long after.
func (a *alerts) apply(ctx context.Context, e agent.Event) {
	if a.server == nil {
		return
	}
	switch p := e.Payload.(type) {
	case agent.ApprovalRequested:
		a.ask(ctx, e.Session, asked{id: p.ID, n: a.approval(ctx, e.Session, p)})
	case agent.QuestionAsked:
		a.ask(ctx, e.Session, asked{id: p.ID, n: a.question(p)})
	case agent.ApprovalResolved:
		a.resolved(ctx, e.Session, p.ID)
	case agent.QuestionAnswered:
		a.resolved(ctx, e.Session, p.ID)
	case agent.ComputerState:
		a.screen(ctx, e.Session, p)
	case agent.ToolCompleted:
		a.aside(ctx, e.Session, p)
	case agent.OutputCompleted:
		if p.Text != "" {
			a.said[e.Session] = p.Text
		}
	default:
		if agent.EndsTurn(p) {
			a.ended(ctx, e)
		}
	}
}

func (a *alerts) approval(ctx context.Context, session string, p agent.ApprovalRequested) notify.Notification {
	body, whole := a.approvalBody(p)
	n := notify.Notification{
		Title:   a.words.Foreign(p.Preview.Question),
		Body:    body,
		Urgency: notify.Critical,
		Actions: []notify.Action{{Key: "once", Label: a.words.L("Allow once")}, {Key: "deny", Label: a.words.L("Deny")}},
	}
	if !whole {
		n.Actions = n.Actions[1:]
	}
	n.Do = func(key string) {
		if !slices.ContainsFunc(n.Actions, func(b notify.Action) bool { return b.Key == key }) {
			a.open(session)
			return
		}
		ctx, cancel := context.WithTimeout(ctx, answerTime)
		defer cancel()
		err := a.client.Answer(ctx, control.ApprovalAnswer{ID: p.ID, Fingerprint: p.Fingerprint, Decision: key, By: "notification"})
		if err != nil {
			slog.Warn("desktop: answering from the notification", "error", err)
			a.open(session) // where one sees how it stands
		}
	}
	return n
}

// approvalBody says what exactly is asked, and whether that is all of it: one
// cannot agree to what one does not see, so then only the window may be used.
// The agent's own description of a command never stands in for the command.
func (a *alerts) approvalBody(p agent.ApprovalRequested) (text string, whole bool) {
	var body []string
	switch v := p.Preview; {
	case v.Shell != "":
		body = []string{v.Shell, a.words.L("in {{.Folder}}", "Folder", v.Dir)}
	case len(p.Commands) > 0:
		body = p.Commands
	case v.Summary == "" && v.URL == "" && v.Diff == "":
		body = []string{string(p.Args)}
	default:
		body = append([]string{v.Summary, v.URL}, changedLines(v.Diff)...)
	}
	body = slices.DeleteFunc(slices.Concat(body, p.Preview.Warnings), func(line string) bool { return line == "" })
	text, whole = cut(strings.Join(body, "\n"))
	if !whole {
		text += "\n" + a.words.L("Open it to see the rest and to allow it.")
	}
	return text, whole
}

// changedLines picks the lines of a unified diff that say what changes.
func changedLines(diff string) (out []string) {
	hunk := false
	for line := range strings.Lines(diff) {
		switch {
		case strings.HasPrefix(line, "@@"):
			hunk = true
		case hunk && strings.HasPrefix(line, "+"), hunk && strings.HasPrefix(line, "-"):
			out = append(out, strings.TrimRight(line, "\n"))
		}
	}
	return out
}

func (a *alerts) question(p agent.QuestionAsked) notify.Notification {
	n := notify.Notification{Title: a.words.L("Hobkin has a question"), Urgency: notify.Normal}
	if len(p.Questions) > 0 {
		n.Body, _ = cut(p.Questions[0].Question)
	}
	return n
}

// cut is as much of text as a notification holds, and whether that is all.
func cut(text string) (short string, whole bool) {
	text = strings.TrimSpace(text)
	short = text
	if r := []rune(short); len(r) > bodyRunes {
		short = string(r[:bodyRunes])
	}
	if l := strings.Split(short, "\n"); len(l) > bodyLines {
		short = strings.Join(l[:bodyLines], "\n")
	}
	if short == text {
		return text, true
	}
	return strings.TrimSpace(short) + "…", false
}

// ask shows what a person is asked, and remembers it until it is resolved.
func (a *alerts) ask(ctx context.Context, session string, q asked) {
	q.shown = a.show(ctx, session, q.n)
	a.asked[session] = append(a.asked[session], q)
}

// resolved takes a question off the screen. The one before, whose place it had
// taken, comes back.
func (a *alerts) resolved(ctx context.Context, session, id string) {
	waiting := a.asked[session]
	i := slices.IndexFunc(waiting, func(q asked) bool { return q.id == id })
	if i < 0 {
		return
	}
	a.withdraw(waiting[i])
	newest := i == len(waiting)-1
	waiting = slices.Delete(waiting, i, i+1)
	if len(waiting) == 0 {
		delete(a.asked, session)
		return
	}
	a.asked[session] = waiting
	if newest {
		q := &waiting[len(waiting)-1]
		q.shown = a.show(ctx, session, q.n)
	}
}

func (a *alerts) withdraw(q asked) {
	if q.shown != 0 {
		a.server.Withdraw(q.shown)
	}
}

// ended tells how a turn ended, when a person would want to know.
func (a *alerts) ended(ctx context.Context, e agent.Event) {
	for _, q := range a.asked[e.Session] {
		a.withdraw(q)
	}
	said := a.said[e.Session]
	delete(a.asked, e.Session)
	delete(a.said, e.Session)
	switch p := e.Payload.(type) {
	case agent.TurnFailed:
		a.tell(ctx, e.Session, a.words.L("Hobkin could not finish"), strings.TrimSpace(a.words.Foreign(p.Message)+"\n"+a.words.Foreign(p.Try)), notify.Normal)
	case agent.TurnSealed:
		a.tell(ctx, e.Session, a.words.L("Hobkin stopped at a limit"), a.words.Foreign(p.Reason), notify.Normal)
	case agent.TurnCompleted:
		if took := time.Duration(p.DurationMS) * time.Millisecond; took > longTurn {
			a.tell(ctx, e.Session, a.words.L("Hobkin is done"), said, notify.Low)
		}
	default: // whoever stopped it knows
	}
}

// tell shows something that no one has to act on; so it is left out soon after
// another notification of the session.
func (a *alerts) tell(ctx context.Context, session, title, text string, u notify.Urgency) {
	maps.DeleteFunc(a.last, func(_ string, at time.Time) bool { return time.Since(at) >= calm })
	if _, busy := a.last[session]; busy {
		return
	}
	body, _ := cut(text)
	a.show(ctx, session, notify.Notification{Title: title, Body: body, Urgency: u})
}

// show shows n unless the window is before the person's eyes already. It
// returns 0 when nothing was shown.
func (a *alerts) show(ctx context.Context, session string, n notify.Notification) uint32 {
	if front, _ := a.inFront(); front {
		return 0
	}
	n.Session = session
	do, at := n.Do, time.Now()
	n.Do = func(key string) {
		if do == nil || time.Since(at) < quiet {
			a.open(session)
			return
		}
		do(key)
	}
	shown, err := a.server.Show(ctx, n)
	switch unavailable := errors.Is(err, notify.ErrUnavailable); {
	case err == nil:
		a.missing = false
		a.last[session] = at
		return shown
	case !unavailable:
		slog.Warn("desktop: showing a notification", "error", err)
	case !a.missing:
		slog.Warn("desktop: notifications", "error", err)
		a.missing = true
	}
	return 0
}
