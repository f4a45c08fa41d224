package app

import (
	"context"
	"strings"

	"github.com/hobkin/hobkin/core/command"
	"github.com/hobkin/hobkin/core/control"
)

// screenCommands are the commands about the use of the screen. Stopping it is a
// part of /stop, which ends the turn that uses it.
func (c *Core) screenCommands() []command.Command {
	return []command.Command{
		{Name: "pause", Summary: "Pause the use of the screen, the mouse and the keyboard", Do: c.pauseCommand},
		{Name: "resume", Summary: "Let the use of the screen go on", Do: c.resumeCommand},
		{Name: "computer", Hint: "[ask|allow|deny PROGRAM]", Summary: "See how the use of the screen stands, or what may be done with a program", Do: c.computerCommand},
	}
}

func (c *Core) pauseCommand(ctx context.Context, g command.Given) (command.Reply, error) {
	halt, err := c.pauseComputer(ctx, control.ComputerBy{By: or(g.Channel, "chat")})
	if err != nil {
		return command.Reply{}, err
	}
	reply := command.Say("The use of the screen is paused. /resume lets it go on.")
	if halt.Stopped {
		reply.Parts = append(reply.Parts, command.Sentence("What was under way was stopped."))
	}
	if len(halt.Released) > 0 {
		reply.Parts = append(reply.Parts, command.Sentence("Let go of: {{.Keys}}", "Keys", strings.Join(halt.Released, ", ")))
	}
	return reply, nil
}

func (c *Core) resumeCommand(ctx context.Context, _ command.Given) (command.Reply, error) {
	if _, err := c.resumeComputer(ctx, none{}); err != nil {
		return command.Reply{}, err
	}
	return command.Say("The use of the screen may go on."), nil
}

func (c *Core) computerCommand(ctx context.Context, g command.Given) (command.Reply, error) {
	use, name, given := strings.Cut(strings.TrimSpace(g.Rest), " ")
	if given {
		if err := c.setComputerApp(ctx, control.ComputerApp{Name: name, Use: use}); err != nil {
			return command.Reply{}, err
		}
	} else if use != "" {
		return command.Reply{}, &control.Error{Code: "bad_command", Message: "name a program, too", Try: "/computer " + use + " gedit"}
	}
	st, err := c.computerStatus(ctx, none{})
	if err != nil {
		return command.Reply{}, err
	}
	reply := command.Say(standing(st))
	if st.Missing != "" {
		reply.Parts = append(reply.Parts, command.Part{Text: strings.TrimSpace(st.Missing + "\n" + st.Fix)})
	}
	if len(st.Allowed)+len(st.Denied) > 0 {
		rows := command.Rows{Head: []string{"Program", "Use"}, Ours: []int{1}}
		for _, name := range st.Allowed {
			rows.Rows = append(rows.Rows, []string{name, "without asking"})
		}
		for _, name := range st.Denied {
			rows.Rows = append(rows.Rows, []string{name, "never"})
		}
		reply.Parts = append(reply.Parts, command.Part{Rows: &rows})
	}
	return reply, nil
}

// standing says in a sentence how the use of the screen stands.
func standing(st control.Computer) string {
	switch {
	case !st.Enabled:
		return "Computer use is switched off."
	case st.Paused:
		return "Computer use is paused."
	case st.Missing != "":
		return "Computer use is switched on, and does not work:"
	case st.Session != "":
		return "The screen is being used."
	case st.LookOnly:
		return "Computer use is ready to look; the sandbox is strict, so that nothing is clicked or typed."
	}
	return "Computer use is ready."
}
