package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/hobkin/hobkin/core/agent"
	"github.com/hobkin/hobkin/core/control"
)

func (c *cli) usageCmd() *cobra.Command {
	var days int
	var asJSON bool
	cmd := &cobra.Command{
		Use: "usage", Short: "See what models have used, and how the budgets stand", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			client, err := c.connect(cmd.Context())
			if err != nil {
				return err
			}
			report, err := client.Usage(cmd.Context(), control.UsageQuery{Days: days})
			if err != nil {
				return err
			}
			if asJSON {
				return c.printJSON(report)
			}
			return c.printUsage(report)
		},
	}
	cmd.Flags().IntVarP(&days, "days", "d", 30, "how many days, today included")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
}

func (c *cli) printUsage(report control.UsageReport) error {
	rows := [][]string{}
	var sum control.DayUsage
	row := func(name string, u control.DayUsage) {
		rows = append(rows, []string{name, fmt.Sprintf("%d in", u.Input), fmt.Sprintf("%d cached", u.Cached), fmt.Sprintf("%d out", u.Output), fmt.Sprintf("$%.4f", u.CostUSD)})
	}
	for _, u := range report.Days {
		if u.Input+u.Output > 0 {
			row(u.Day.Format(time.DateOnly), u)
		}
		sum.Input, sum.Output, sum.Cached, sum.CostUSD = sum.Input+u.Input, sum.Output+u.Output, sum.Cached+u.Cached, sum.CostUSD+u.CostUSD
	}
	if len(rows) == 0 {
		c.note("No model was used in this time.")
	} else {
		row("together", sum)
	}
	for _, b := range report.Budgets {
		rows = append(rows, []string{"budget of the " + b.Scope, b.Spent + " of " + b.Limit, fmt.Sprintf("%.0f %%", b.Percent), "then " + b.At, ""})
	}
	return c.table(rows)
}

func (c *cli) compactCmd() *cobra.Command {
	return &cobra.Command{
		Use: "compact ID", Short: "Shorten what is sent of a session; what is stored stays whole", Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			client, err := c.connect(cmd.Context())
			if err != nil {
				return err
			}
			id, err := sessionID(cmd.Context(), client, args[0])
			if err != nil {
				return err
			}
			sent, err := client.CompactSession(cmd.Context(), id)
			if err != nil {
				return err
			}
			return c.compacted(cmd.Context(), client, sent)
		},
	}
}

// compacted waits for the end of a compaction and says what came of it.
func (c *cli) compacted(ctx context.Context, client *control.Client, sent control.Sent) error {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	for e, err := range client.Watch(ctx, control.WatchRequest{Session: sent.Session, From: sent.From}) {
		if err != nil {
			return err
		}
		if e.Turn != sent.Turn {
			continue
		}
		switch p := e.Payload.(type) {
		case agent.ContextCompacted:
			c.note(shortened(p))
		case agent.TurnFailed:
			return errors.New(p.Message)
		default: // the rest says nothing of it
		}
		if agent.EndsTurn(e.Payload) {
			return nil
		}
	}
	return ctx.Err()
}

// shortened says what came of a compaction.
func shortened(p agent.ContextCompacted) string {
	if p.After < p.Before {
		return fmt.Sprintf("Shortened from %d to %d tokens (%s).", p.Before, p.After, p.Method)
	}
	return fmt.Sprintf("Nothing could be left out of %d tokens.", p.Before)
}
