package desktop

import (
	"context"
	"log/slog"

	"github.com/hobkin/hobkin/app/notify"
	"github.com/hobkin/hobkin/core/agent"
	"github.com/hobkin/hobkin/core/agent/policy"
)

// unseen are the ways to pause that show nothing by themselves in a window of
// Hobkin's: the person is told that it worked, and how to go on.
var unseen = map[string]string{
	"hotkey": "You pressed the keys for that.",
	"corner": "You moved the mouse into a corner of the screen.",
	"bar":    "You clicked the bar on the screen.",
}

// screen tells of the use of the screen: that it begins, where no bar says so,
// and that it is paused, each with buttons.
func (a *alerts) screen(ctx context.Context, session string, now agent.ComputerState) {
	before := a.computer
	a.computer = now
	switch {
	case now.Paused && !before.Paused && unseen[now.By] != "":
		a.about(ctx, session, notify.Notification{
			Title: "Computer use is paused", Body: unseen[now.By], Urgency: notify.Normal,
			Actions: []notify.Action{{Key: "resume", Label: "Resume"}, {Key: "stop", Label: "Stop"}},
		})
	case now.Held && !before.Held && !now.Paused && !now.Bar:
		body := "Move the mouse or use the keyboard, and it steps aside."
		if now.Program != "" {
			body = "In “" + brief(now.Program, saidRunes) + "”. " + body
		}
		a.about(ctx, session, notify.Notification{
			Title: "Hobkin is using the screen", Body: body, Urgency: notify.Low,
			Actions: []notify.Action{{Key: "pause", Label: "Pause"}, {Key: "stop", Label: "Stop"}},
		})
	case !now.Held && !now.Paused && a.using != 0, before.Paused && !now.Paused && a.using != 0:
		a.server.Withdraw(a.using)
		a.using = 0
	}
}

// about shows a notification whose buttons pause, resume or stop.
func (a *alerts) about(ctx context.Context, session string, n notify.Notification) {
	n.Do = func(key string) {
		ctx, cancel := context.WithTimeout(ctx, answerTime)
		defer cancel()
		var err error
		switch key {
		case "pause":
			_, err = a.client.PauseComputer(ctx, "notification")
		case "resume":
			err = a.client.ResumeComputer(ctx)
		case "stop":
			err = a.client.StopComputer(ctx)
		default:
			a.open(session)
		}
		if err != nil {
			slog.Warn("desktop: a button about the use of the screen", "button", key, "error", err)
			a.open(session)
		}
	}
	if a.using != 0 {
		a.server.Withdraw(a.using)
	}
	a.using = a.show(ctx, session, n)
}

// aside tells that the agent stepped aside, since a person used the mouse.
func (a *alerts) aside(ctx context.Context, session string, p agent.ToolCompleted) {
	if p.Tool == policy.ScreenTool && p.Code == "user_active" {
		a.tell(ctx, session, "Hobkin stepped aside", "You are using the mouse or the keyboard. It goes on when it finds a gap, or asks.", notify.Low)
	}
}

// trouble tells of something that a person asked for and that failed.
func (a *alerts) trouble(ctx context.Context, title string, err error) {
	if a.server == nil {
		return
	}
	if _, err := a.server.Show(ctx, notify.Notification{Title: title, Body: err.Error(), Urgency: notify.Normal}); err != nil {
		slog.Warn("desktop: showing a notification", "error", err)
	}
}
