package desktop

import (
	"testing"
	"time"

	"github.com/hobkin/hobkin/core/agent"
	"github.com/hobkin/hobkin/core/control"
)

func TestStatus(t *testing.T) {
	at := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	e := func(session, turn string, p agent.Payload) agent.Event {
		return agent.Event{Session: session, Turn: turn, At: at, Payload: p}
	}
	said := e("s", "1", agent.InputMessage{Text: "find TODO in core\nplease"})
	start := e("s", "1", agent.TurnStarted{})
	ask := e("s", "1", agent.ApprovalRequested{ID: "a"})
	held := e("s", "1", agent.ComputerState{On: true, Held: true, Program: "gedit"})
	for name, tt := range map[string]struct {
		events    []agent.Event
		degraded  string
		wantState control.State
		wantText  string
		wantBusy  bool
	}{
		"nothing":         {nil, "", control.StateReady, "Ready", false},
		"queued":          {[]agent.Event{said}, "", control.StateReady, "Ready", false},
		"working":         {[]agent.Event{said, start}, "", control.StateWorking, "Working: “find TODO in core”", true},
		"waiting":         {[]agent.Event{said, start, ask}, "", control.StateWaiting, "Waiting for you", true},
		"answered":        {[]agent.Event{said, start, ask, e("s", "1", agent.ApprovalResolved{ID: "a"})}, "", control.StateWorking, "Working: “find TODO in core”", true},
		"done":            {[]agent.Event{said, start, e("s", "1", agent.TurnCompleted{})}, "", control.StateReady, "Ready", false},
		"failed":          {[]agent.Event{said, start, e("s", "1", agent.TurnFailed{Message: "no network"})}, "", control.StateError, "Error: no network", false},
		"another starts":  {[]agent.Event{said, start, e("s", "1", agent.TurnFailed{Message: "x"}), e("t", "2", agent.TurnStarted{})}, "", control.StateWorking, "Working", true},
		"stopped waiting": {[]agent.Event{said, start, ask, e("s", "1", agent.TurnCancelled{})}, "", control.StateReady, "Ready", false},
		"lagged":          {[]agent.Event{said, start, ask, e("", "", agent.Lagged{Missed: 3})}, "", control.StateReady, "Ready", false},
		"using":           {[]agent.Event{said, start, held}, "", control.StateUsing, "Using “gedit”", true},
		"hands":           {[]agent.Event{said, start, e("s", "1", agent.ComputerState{Held: true, Waiting: true})}, "", control.StateUsing, "Waiting for your hands to rest", true},
		"using, asked":    {[]agent.Event{said, start, held, ask}, "", control.StateWaiting, "Waiting for you", true},
		"paused":          {[]agent.Event{said, start, e("s", "1", agent.ComputerState{Held: true, Paused: true})}, "", control.StatePaused, "Computer use is paused", true},
		"paused, idle":    {[]agent.Event{e("", "", agent.ComputerState{On: true, Paused: true})}, "", control.StatePaused, "Computer use is paused", false},
		"let go":          {[]agent.Event{said, start, held, e("", "", agent.ComputerState{On: true})}, "", control.StateWorking, "Working: “find TODO in core”", true},
		"using, lagged":   {[]agent.Event{said, start, held, e("", "", agent.Lagged{Missed: 3})}, "", control.StateUsing, "Using “gedit”", false},
		"degraded":        {nil, "the database was damaged", control.StateError, "the database was damaged", false},
	} {
		t.Run(name, func(t *testing.T) {
			var s status
			for _, ev := range tt.events {
				s.apply(ev)
			}
			v := s.view(tt.degraded)
			if v.State != tt.wantState || v.Text != tt.wantText || v.Busy != tt.wantBusy {
				t.Errorf("view = %q %q busy %v; want %q %q %v", v.State, v.Text, v.Busy, tt.wantState, tt.wantText, tt.wantBusy)
			}
			if !v.Busy && tt.wantState == control.StateReady && len(tt.events) > 1 && len(s.sessions) != 0 {
				t.Errorf("an idle session is still kept: %v", s.sessions)
			}
			if v.Using != (tt.wantState == control.StateUsing) {
				t.Errorf("the icon is the stop button: %v", v.Using)
			}
		})
	}
}
