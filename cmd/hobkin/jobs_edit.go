package main

import (
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/hobkin/hobkin/app"
	"github.com/hobkin/hobkin/core/control"
)

// jobFlags are what can be said of a job on the command line.
type jobFlags struct {
	zone, about, expires, missed, delivery, mode, model, folder string
	allow, tools                                                []string
	reminder                                                    bool
	timeout, jitter                                             time.Duration
}

func (f *jobFlags) add(fs *pflag.FlagSet) {
	fs.BoolVar(&f.reminder, "reminder", false, "only show the task, with buttons for later and done; no model works")
	fs.StringVar(&f.zone, "zone", "", "IANA time zone (default: the system's, wherever it travels)")
	fs.StringVar(&f.about, "about", "", "what it is for")
	fs.StringVar(&f.expires, "expires", "", "instant with offset from which on it does not run")
	fs.StringVar(&f.missed, "missed", "", "what becomes of a run whose time passed: run_once, skip or an age such as 6h")
	fs.StringVar(&f.delivery, "delivery", "", "where its result goes: notification or none")
	fs.StringVar(&f.mode, "mode", "", "what its runs may do with no one there: plan, unattended, accept_edits or auto")
	fs.StringArrayVar(&f.allow, "allow", nil, "a rule for its runs, such as \"shell: git pull\" or file_write (repeat for more)")
	fs.StringSliceVar(&f.tools, "tools", nil, "the only tools its runs may use")
	fs.StringVar(&f.model, "model", "", "PROVIDER/MODEL")
	fs.StringVar(&f.folder, "folder", "", "folder to work in, absolute")
	fs.DurationVar(&f.timeout, "timeout", 0, "time that a run may take")
	fs.DurationVar(&f.jitter, "jitter", 0, "a run begins up to so much later, at random")
}

// spec takes over the flags that were given.
func (f *jobFlags) spec(fs *pflag.FlagSet) (s control.JobSpec, err error) {
	text := map[string]struct {
		to   **string
		from *string
	}{
		"zone": {&s.Zone, &f.zone}, "about": {&s.Description, &f.about}, "missed": {&s.Missed, &f.missed}, "delivery": {&s.Delivery, &f.delivery},
		"mode": {&s.Mode, &f.mode}, "model": {&s.Model, &f.model}, "folder": {&s.Workspace, &f.folder},
	}
	for name, t := range text {
		if fs.Changed(name) {
			*t.to = t.from
		}
	}
	if fs.Changed("reminder") {
		s.Reminder = &f.reminder
	}
	if fs.Changed("tools") {
		s.Tools = &f.tools
	}
	seconds := func(name string, d time.Duration) *int {
		if !fs.Changed(name) {
			return nil
		}
		n := int(d / time.Second)
		return &n
	}
	s.TimeoutS, s.JitterS = seconds("timeout", f.timeout), seconds("jitter", f.jitter)
	if fs.Changed("allow") {
		rules := []control.JobRule{}
		for _, a := range f.allow {
			tool, match, _ := strings.Cut(a, ":")
			rules = append(rules, control.JobRule{Tool: strings.TrimSpace(tool), Match: strings.TrimSpace(match)})
		}
		s.Allow = &rules
	}
	if fs.Changed("expires") {
		t, err := time.Parse(time.RFC3339, f.expires)
		if err != nil {
			return s, usage(fmt.Errorf("--expires %q is no instant such as 2026-12-24T18:00:00+01:00", f.expires))
		}
		s.Expires = &t
	}
	return s, nil
}

func (c *cli) jobsAddCmd() *cobra.Command {
	var f jobFlags
	var asJSON, dry bool
	cmd := &cobra.Command{
		Use:   "add NAME SCHEDULE TASK",
		Short: "Make a job or a reminder",
		Long: `Make a job or a reminder. A schedule is an interval ("every 30 minutes"), a cron line of five fields,
one instant with its offset, or an RRULE. What it means is shown, with the next runs.`,
		Example: "  hobkin jobs add stretch \"0 9 * * 1-5\" \"Stretch\" --reminder\n  hobkin jobs add pull \"every 2 hours\" \"Pull the repository and tell what is new\" --allow \"shell: git pull\"",
		Args:    cobra.ExactArgs(3),
		RunE: func(cmd *cobra.Command, args []string) error {
			s, err := f.spec(cmd.Flags())
			if err != nil {
				return err
			}
			s.Name, s.Schedule, s.Task = &args[0], &args[1], &args[2]
			client, err := c.connect(cmd.Context())
			if err != nil {
				return err
			}
			keep := client.AddJob
			if dry {
				keep = client.TryJob
			}
			j, err := keep(cmd.Context(), s)
			if err != nil {
				return err
			}
			if asJSON {
				return c.printJSON(j)
			}
			return c.printJob(j)
		},
	}
	f.add(cmd.Flags())
	cmd.Flags().BoolVar(&dry, "dry-run", false, "only show what it would mean")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
}

func (c *cli) jobsEditCmd() *cobra.Command {
	var f jobFlags
	var name, schedule, task string
	cmd := &cobra.Command{
		Use: "edit JOB", Short: "Change what is given of a job", Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			s, err := f.spec(cmd.Flags())
			if err != nil {
				return err
			}
			for flag, to := range map[string]struct {
				field **string
				value *string
			}{"name": {&s.Name, &name}, "schedule": {&s.Schedule, &schedule}, "task": {&s.Task, &task}} {
				if cmd.Flags().Changed(flag) {
					*to.field = to.value
				}
			}
			client, err := c.connect(cmd.Context())
			if err != nil {
				return err
			}
			j, err := client.ChangeJob(cmd.Context(), control.JobChange{ID: args[0], Spec: s})
			if err != nil {
				return err
			}
			return c.printJob(j)
		},
	}
	f.add(cmd.Flags())
	cmd.Flags().StringVar(&name, "name", "", "a new name")
	cmd.Flags().StringVar(&schedule, "schedule", "", "a new schedule")
	cmd.Flags().StringVar(&task, "task", "", "a new task")
	return cmd
}

func (c *cli) jobsDaemonCmd() *cobra.Command {
	return &cobra.Command{
		Use: "daemon", Short: "Run the jobs without the desktop, until stopped", Args: cobra.NoArgs,
		Long: "Run the jobs without the desktop, until stopped. While another Hobkin runs them this one waits, and takes over when that ends.",
		RunE: func(cmd *cobra.Command, _ []string) error {
			c.note("Running the jobs. Stop with Ctrl+C.")
			return app.RunJobs(cmd.Context(), app.ConnectOptions{LogTo: c.err, LogLevel: c.level(), Redactor: c.redactor})
		},
	}
}
