package desktop

import (
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/hobkin/hobkin/core/agent"
	"github.com/hobkin/hobkin/core/control"
)

// TestComputerAlerts: a person is told that the screen is used where no bar says
// so, and that their pause worked where nothing else shows it; the buttons do
// what they say.
func TestComputerAlerts(t *testing.T) {
	using := agent.ComputerState{On: true, Held: true, Program: "gedit"}
	paused := agent.ComputerState{On: true, Held: true, Paused: true, By: "corner"}
	for name, tt := range map[string]struct {
		states []agent.Payload
		want   []string
		press  string
		asked  string
	}{
		"begins":                 {[]agent.Payload{using}, []string{"Hobkin is using the screen"}, "stop", control.MethodComputerStop},
		"begins, to be paused":   {[]agent.Payload{using}, []string{"Hobkin is using the screen"}, "pause", control.MethodComputerPause},
		"begins, with a bar":     {[]agent.Payload{agent.ComputerState{Held: true, Bar: true}}, nil, "", ""},
		"goes on":                {[]agent.Payload{using, agent.ComputerState{On: true, Held: true, Program: "gimp", Acts: 3}}, []string{"Hobkin is using the screen"}, "", ""},
		"ends":                   {[]agent.Payload{using, agent.ComputerState{On: true}}, nil, "", ""},
		"paused by the corner":   {[]agent.Payload{using, paused}, []string{"Computer use is paused"}, "resume", control.MethodComputerResume},
		"paused in the chat":     {[]agent.Payload{agent.ComputerState{Paused: true, By: "chat"}}, nil, "", ""},
		"resumed":                {[]agent.Payload{paused, agent.ComputerState{On: true}}, nil, "", ""},
		"stepped aside":          {[]agent.Payload{agent.ToolCompleted{Tool: "computer_use", Code: "user_active", Failed: true}}, []string{"Hobkin stepped aside"}, "", ""},
		"another tool's failure": {[]agent.Payload{agent.ToolCompleted{Tool: "shell", Code: "user_active", Failed: true}}, nil, "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := newScene()
				s.play(t, tt.states...)
				s.want(t, tt.want...)
				if tt.press == "" {
					return
				}
				n := s.only(t)
				<-time.After(quiet + time.Millisecond)
				n.Do(tt.press)
				if !slices.Equal(s.core.asked, []string{tt.asked}) || len(s.opened) != 0 {
					t.Errorf("%s asked %v and opened %v", tt.press, s.core.asked, s.opened)
				}
				n.Do("default")
				if !slices.Equal(s.opened, []string{"s"}) {
					t.Errorf("a click opened %v", s.opened)
				}
			})
		})
	}
}
