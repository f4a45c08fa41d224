package desktop

import (
	"context"
	"log/slog"

	"github.com/hobkin/hobkin/app/notify"
	"github.com/hobkin/hobkin/core/agent"
	"github.com/hobkin/hobkin/core/agent/policy"
)

// unseen is what a person did to pause, where no window of Hobkin's shows it: they
// are told that it worked, and how to go on. It is empty for the other ways.
func (a *alerts) unseen(by string) string {
	switch by {
	case "hotkey":
		return a.words.L("You pressed the keys for that.")
	case "corner":
		return a.words.L("You moved the mouse into a corner of the screen.")
	case "bar":
		return a.words.L("You clicked the bar on the screen.")
	}
	return ""
}

// screen tells of the use of the screen: that it begins, where no bar says so,
// and that it is paused, each with buttons.
func (a *alerts) screen(ctx context.Context, session string, now agent.ComputerState) {
	before := a.computer
	a.computer = now
	switch {
	case now.Paused && !before.Paused && a.unseen(now.By) != "":
		a.about(ctx, session, notify.Notification{
			Title: a.words.L("Computer use is paused"), Body: a.unseen(now.By), Urgency: notify.Normal,
			Actions: []notify.Action{{Key: "resume", Label: a.words.L("Resume")}, {Key: "stop", Label: a.words.L("Stop")}},
		})
	case now.Held && !before.Held && !now.Paused && !now.Bar:
		body := a.words.L("Move the mouse or use the keyboard, and it steps aside.")
		if now.Program != "" {
			body = a.words.L("In “{{.Program}}”. Move the mouse or use the keyboard, and it steps aside.", "Program", brief(now.Program, saidRunes))
		}
		a.about(ctx, session, notify.Notification{
			Title: a.words.L("Hobkin is using the screen"), Body: body, Urgency: notify.Low,
			Actions: []notify.Action{{Key: "pause", Label: a.words.L("Pause")}, {Key: "stop", Label: a.words.L("Stop")}},
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
		a.tell(ctx, session, a.words.L("Hobkin stepped aside"), a.words.L("You are using the mouse or the keyboard. It goes on when it finds a gap, or asks."), notify.Low)
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
