package main

import (
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/hobkin/hobkin/core/control"
)

func (c *cli) computerCmd() *cobra.Command {
	cmd := &cobra.Command{
		Use: "computer", Short: "The use of the screen, the mouse and the keyboard",
		Long: "The use of the screen, the mouse and the keyboard: see how it stands, pause it, and say what may be done with a program.\n" +
			"It is off until it is switched on: hobkin config set computer_use.enabled true",
	}
	cmd.AddCommand(
		c.computerStatusCmd(),
		c.computerOneCmd("pause", "Halt what moves, and let nothing be clicked or typed until it is resumed", c.computerPause),
		c.computerOneCmd("resume", "Let it go on", c.computerResume),
		c.computerOneCmd("stop", "End it, with the turn that does it", c.computerStop),
		c.computerOneCmd("probe", "Try for real what works here", c.computerProbe),
		c.computerOneCmd("calibrate", "Find out how the main model names places in a picture, by having it point at marks", c.computerCalibrate),
		c.computerOneCmd("install", "Fetch the native helper of this version, where it is missing", c.computerInstall),
		c.computerLookCmd(),
		c.computerAppCmd("allow", "Let a program be used without asking"),
		c.computerAppCmd("deny", "Never let a program be used"),
		c.computerAppCmd("ask", "Ask again about a program"),
	)
	return cmd
}

// computerOneCmd is a command without arguments.
func (c *cli) computerOneCmd(use, short string, do func(*cobra.Command, *control.Client) error) *cobra.Command {
	return &cobra.Command{
		Use: use, Short: short, Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			client, err := c.connect(cmd.Context())
			if err != nil {
				return err
			}
			return do(cmd, client)
		},
	}
}

func (c *cli) computerStatusCmd() *cobra.Command {
	var asJSON bool
	cmd := c.computerOneCmd("status", "Tell how it stands", func(cmd *cobra.Command, client *control.Client) error {
		st, err := client.Computer(cmd.Context())
		if err != nil {
			return err
		}
		if asJSON {
			return c.printJSON(st)
		}
		_, err = fmt.Fprintln(c.out, computerText(st))
		return err
	})
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
}

// computerText says how the use of the screen stands.
func computerText(st control.Computer) string {
	lines := []string{"on"}
	switch {
	case !st.Enabled:
		lines[0] = "off; switch it on with: hobkin config set computer_use.enabled true"
	case st.Paused:
		lines[0] = "paused, by " + or(st.By, "a person") + "; go on with: hobkin computer resume"
	case st.Missing != "":
		lines[0] = "on, and not offered: " + st.Missing
	case st.Session != "":
		lines[0] = fmt.Sprintf("in use by the session %s, in %s, %d of %d acts", st.Session, or(st.Program, "no program yet"), st.Acts, st.MaxActs)
	case st.LookOnly:
		lines[0] = "on, only to look: the sandbox is strict"
	}
	if st.Fix != "" && st.Enabled {
		lines = append(lines, "  "+st.Fix)
	}
	line := func(label, text string) {
		if text != "" {
			lines = append(lines, label+text)
		}
	}
	line("helper: ", st.Helper.Path)
	line("screen: ", strings.TrimSpace(st.Helper.Server+" "+st.Helper.Backend))
	line("without asking: ", strings.Join(st.Allowed, ", "))
	line("never: ", strings.Join(st.Denied, ", "))
	return strings.Join(lines, "\n")
}

// running refuses what is about the desktop when none runs: a core of this
// command's own uses no screen.
func running(cmd *cobra.Command, client *control.Client) error {
	info, err := client.Info(cmd.Context())
	if err == nil && !info.Desktop {
		err = errors.New("no desktop runs, so that nothing uses the screen; start it with: hobkin desktop")
	}
	return err
}

func (c *cli) computerPause(cmd *cobra.Command, client *control.Client) error {
	if err := running(cmd, client); err != nil {
		return err
	}
	halt, err := client.PauseComputer(cmd.Context(), "cli")
	if err != nil {
		return err
	}
	text := "Paused. Go on with: hobkin computer resume"
	if len(halt.Released) > 0 {
		text += "\nLet go of: " + strings.Join(halt.Released, ", ")
	}
	c.note(text)
	return nil
}

func (c *cli) computerResume(cmd *cobra.Command, client *control.Client) error {
	if err := running(cmd, client); err != nil {
		return err
	}
	if err := client.ResumeComputer(cmd.Context()); err != nil {
		return err
	}
	c.note("It may go on.")
	return nil
}

func (c *cli) computerStop(cmd *cobra.Command, client *control.Client) error {
	if err := running(cmd, client); err != nil {
		return err
	}
	if err := client.StopComputer(cmd.Context()); err != nil {
		return err
	}
	c.note("Stopped.")
	return nil
}

func (c *cli) computerProbe(cmd *cobra.Command, client *control.Client) error {
	p, err := client.ProbeComputer(cmd.Context())
	if err != nil {
		return err
	}
	for _, part := range p.Parts {
		text := "works"
		if !part.Works {
			text = "does not work: " + or(part.Reason, "no reason is known")
		}
		if _, err := fmt.Fprintf(c.out, "%-9s %s\n", part.Name, text); err != nil {
			return err
		}
		if part.Fix != "" && !part.Works {
			if _, err := fmt.Fprintf(c.out, "%-9s %s\n", "", part.Fix); err != nil {
				return err
			}
		}
	}
	for _, d := range p.Displays {
		if _, err := fmt.Fprintf(c.out, "display %s: %d×%d pixels, scale %g\n", d.Name, d.Width, d.Height, d.Scale); err != nil {
			return err
		}
	}
	return nil
}

func (c *cli) computerCalibrate(cmd *cobra.Command, client *control.Client) error {
	r, err := client.CalibrateComputer(cmd.Context())
	if err != nil {
		return err
	}
	text := fmt.Sprintf("%s names places by %s, and is off by %.0f pixels on average.", r.Model, r.Coordinates, r.Off)
	if r.Saved {
		text += " That is kept in the settings."
	}
	_, err = fmt.Fprintln(c.out, text)
	return err
}

func (c *cli) computerInstall(cmd *cobra.Command, client *control.Client) error {
	h, err := client.InstallComputer(cmd.Context())
	if err != nil {
		return err
	}
	_, err = fmt.Fprintln(c.out, h.Path)
	return err
}

func (c *cli) computerLookCmd() *cobra.Command {
	return &cobra.Command{
		Use: "look FILE.png", Short: "Save the screen as the main model would see it", Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			client, err := c.connect(cmd.Context())
			if err != nil {
				return err
			}
			l, err := client.LookComputer(cmd.Context())
			if err != nil {
				return err
			}
			if err := os.WriteFile(args[0], l.Image.Data, 0o600); err != nil {
				return err
			}
			_, err = fmt.Fprintf(c.out, "%d×%d of %d×%d on the display %s, in %d ms\n", l.Width, l.Height, l.Physical[0], l.Physical[1], l.Display, l.TookMS)
			return err
		},
	}
}

func (c *cli) computerAppCmd(use, short string) *cobra.Command {
	return &cobra.Command{
		Use: use + " PROGRAM", Short: short, Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			client, err := c.connect(cmd.Context())
			if err != nil {
				return err
			}
			return client.SetComputerApp(cmd.Context(), control.ComputerApp{Name: args[0], Use: use})
		},
	}
}
