package main

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/hobkin/hobkin/core/control"
)

func (c *cli) jobsCmd() *cobra.Command {
	cmd := &cobra.Command{
		Use: "jobs", Short: "Jobs that run by themselves, and reminders",
		Long: "Jobs that run by themselves, and reminders.\nThey run while the desktop runs, or hobkin jobs daemon.",
	}
	cmd.AddCommand(
		c.jobsListCmd(), c.jobsShowCmd(), c.jobsAddCmd(), c.jobsEditCmd(), c.jobsHistoryCmd(), c.jobsDaemonCmd(),
		c.jobsOneCmd("run", "Run a job now, beside its schedule", c.jobsRun),
		c.jobsOneCmd("pause", "Keep a job from running until it is resumed", c.jobsPause),
		c.jobsOneCmd("resume", "Let a paused job go on", c.jobsResume),
		c.jobsOneCmd("remove", "Remove a job and its history", c.jobsRemove),
	)
	return cmd
}

// jobsOneCmd is a command that does one thing to one job.
func (c *cli) jobsOneCmd(use, short string, do func(*cobra.Command, *control.Client, string) error) *cobra.Command {
	return &cobra.Command{
		Use: use + " JOB", Short: short, Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			client, err := c.connect(cmd.Context())
			if err != nil {
				return err
			}
			return do(cmd, client, args[0])
		},
	}
}

func (c *cli) jobsListCmd() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use: "list", Short: "List the jobs, those that come next first", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			client, err := c.connect(cmd.Context())
			if err != nil {
				return err
			}
			list, err := client.Jobs(cmd.Context())
			if err != nil {
				return err
			}
			if asJSON {
				return c.printJSON(list)
			}
			if len(list.Jobs) == 0 {
				c.note("There are no jobs. Make one with: hobkin jobs add")
				return nil
			}
			c.noteIdle(list.Running)
			rows := make([][]string, len(list.Jobs))
			for i, j := range list.Jobs {
				rows[i] = []string{clean(j.Name), jobState(j), clean(j.Meaning), j.ZoneText}
			}
			return c.table(rows)
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
}

// noteIdle says so where nothing runs the jobs.
func (c *cli) noteIdle(running bool) {
	if !running {
		c.note("No Hobkin runs the jobs at the moment. Start the desktop, or: hobkin jobs daemon")
	}
}

func jobState(j control.Job) string {
	switch {
	case j.Overdue:
		return "overdue; next " + j.NextTextOr("never")
	case j.State == "active":
		return "next " + j.NextTextOr("never")
	case j.Reason != "":
		return j.State + ": " + clean(j.Reason)
	}
	return j.State
}

func (c *cli) jobsShowCmd() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use: "show JOB", Short: "Show all about a job", Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			client, err := c.connect(cmd.Context())
			if err != nil {
				return err
			}
			j, err := client.Job(cmd.Context(), args[0])
			if err != nil {
				return err
			}
			if asJSON {
				return c.printJSON(j)
			}
			return c.printJob(j)
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
}

// printJob shows what a person needs to see a mistake: the meaning, the zone
// and the next runs.
func (c *cli) printJob(j control.Job) error {
	rows := [][]string{
		{"Name", clean(j.Name)}, {"ID", j.ID}, {"State", jobState(j)}, {"Runs", clean(j.Meaning) + " (" + clean(j.Schedule) + ")"}, {"Zone", j.ZoneText},
	}
	if j.ID == "" { // it is only tried
		rows = slices.Delete(rows, 1, 2)
	}
	for i, t := range j.NextText {
		rows = append(rows, []string{fmt.Sprint("Next ", i+1), t})
	}
	rows = append(rows, []string{"May do", clean(j.MayDo)}, []string{"Delivery", j.Delivery})
	if j.Description != "" {
		rows = append(rows, []string{"About", clean(j.Description)})
	}
	rows = append(rows, []string{"Task", clean(firstLine(j.Task))})
	return c.table(rows)
}

func (c *cli) jobsHistoryCmd() *cobra.Command {
	var asJSON bool
	q := control.JobQuery{}
	cmd := &cobra.Command{
		Use: "history JOB", Short: "List the runs of a job, the newest first", Args: cobra.ExactArgs(1),
		Long: "List the runs of a job, the newest first. The transcript of one is shown by: hobkin sessions export SESSION",
		RunE: func(cmd *cobra.Command, args []string) error {
			client, err := c.connect(cmd.Context())
			if err != nil {
				return err
			}
			q.ID = args[0]
			list, err := client.JobHistory(cmd.Context(), q)
			if err != nil {
				return err
			}
			if asJSON {
				return c.printJSON(list)
			}
			if len(list) == 0 {
				c.note("It has not run yet.")
			}
			rows := make([][]string, len(list))
			for i, r := range list {
				rows[i] = []string{r.Instant.Local().Format(time.DateTime), r.Kind, runState(r), r.Session, clean(firstLine(r.Text))}
			}
			return c.table(rows)
		},
	}
	cmd.Flags().IntVarP(&q.Limit, "limit", "n", 0, "how many (default 50)")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
}

func runState(r control.JobRun) string {
	state := r.State
	if r.Count > 1 {
		state += fmt.Sprintf(" (%d, until %s)", r.Count, r.Until.Local().Format(time.DateTime))
	}
	if len(r.Failed) > 0 {
		state += ", failed tools: " + strings.Join(r.Failed, ", ")
	}
	return state
}

func (c *cli) jobsRun(cmd *cobra.Command, client *control.Client, name string) error {
	r, err := client.RunJob(cmd.Context(), name)
	if err != nil {
		return err
	}
	list, err := client.Jobs(cmd.Context())
	if err != nil {
		return err
	}
	c.note("Queued as run " + r.ID + ". See what comes of it with: hobkin jobs history " + clean(name))
	c.noteIdle(list.Running)
	return nil
}

func (c *cli) jobsPause(cmd *cobra.Command, client *control.Client, name string) error {
	j, err := client.PauseJob(cmd.Context(), name)
	if err == nil {
		c.note(clean(j.Name) + " is paused.")
	}
	return err
}

func (c *cli) jobsResume(cmd *cobra.Command, client *control.Client, name string) error {
	j, err := client.ResumeJob(cmd.Context(), name)
	if err == nil {
		c.note(clean(j.Name) + " goes on, " + jobState(j) + ".")
	}
	return err
}

func (c *cli) jobsRemove(cmd *cobra.Command, client *control.Client, name string) error {
	err := client.RemoveJob(cmd.Context(), name)
	if err == nil {
		c.note(clean(name) + " and its history are removed.")
	}
	return err
}
