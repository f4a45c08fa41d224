package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/hobkin/hobkin/core/control"
)

// undoFlags are shared by the commands below undo.
type undoFlags struct {
	session          string
	json, force, yes bool
	limit            int
}

func (c *cli) undoCmd() *cobra.Command {
	var f undoFlags
	cmd := &cobra.Command{
		Use: "undo [PATH|CHANGE]", Short: "Take back a change that the agent made to a file", Args: cobra.MaximumNArgs(1),
		Long: "Take back a change that the agent made to a file: the last one, the last one to a path, or one by its id.\nWhat each command changed is listed by: hobkin undo list",
		RunE: func(cmd *cobra.Command, args []string) error {
			return c.undo(cmd.Context(), f, strings.Join(args, ""))
		},
	}
	cmd.Flags().StringVarP(&f.session, "session", "s", "", "only changes of this session")
	cmd.AddCommand(c.undoListCmd(), c.undoShowCmd(), c.undoRestoreCmd())
	return cmd
}

// undoRequest fills in what a command line says of a change.
func (c *cli) undoRequest(ctx context.Context, f undoFlags, target string) (*control.Client, control.UndoRequest, error) {
	dir, err := c.dir()
	if err != nil {
		return nil, control.UndoRequest{}, err
	}
	client, err := c.connect(ctx)
	if err != nil {
		return nil, control.UndoRequest{}, err
	}
	session, err := sessionID(ctx, client, f.session)
	return client, control.UndoRequest{Session: session, Workspace: dir, Path: target, Force: f.force}, err
}

func (c *cli) undo(ctx context.Context, f undoFlags, target string) error {
	client, req, err := c.undoRequest(ctx, f, target)
	if err != nil {
		return err
	}
	done, err := client.Undo(ctx, req)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintln(c.out, clean(done.Text))
	return err
}

func (c *cli) undoListCmd() *cobra.Command {
	var f undoFlags
	cmd := &cobra.Command{
		Use: "list", Short: "List the agent's changes to files, the newest first", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			client, req, err := c.undoRequest(cmd.Context(), f, "")
			if err != nil {
				return err
			}
			list, err := client.UndoList(cmd.Context(), control.UndoQuery{Session: req.Session, Limit: f.limit})
			if err != nil {
				return err
			}
			if f.json {
				return c.printJSON(list)
			}
			if len(list.Changes) == 0 {
				c.note("No changes.")
			}
			if list.Dropped != "" {
				c.note(list.Dropped)
			}
			return c.table(undoRows(list.Changes))
		},
	}
	cmd.Flags().StringVarP(&f.session, "session", "s", "", "only changes of this session (an id, its first 6 or more characters, or last)")
	cmd.Flags().IntVarP(&f.limit, "limit", "n", 0, "how many (default 50)")
	cmd.Flags().BoolVar(&f.json, "json", false, "print JSON")
	return cmd
}

func undoRows(list []control.UndoEntry) [][]string {
	rows := make([][]string, len(list))
	for i, x := range list {
		what := "changed"
		if x.Made {
			what = "made"
		}
		if x.Undone {
			what += ", taken back"
		}
		rows[i] = []string{x.ID, x.At.Local().Format(time.DateTime), what, clean(x.Path)}
	}
	return rows
}

func (c *cli) undoShowCmd() *cobra.Command {
	var f undoFlags
	cmd := &cobra.Command{
		Use: "show PATH|CHANGE", Short: "Show as a diff what taking a change back would do", Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			client, req, err := c.undoRequest(cmd.Context(), f, args[0])
			if err != nil {
				return err
			}
			plan, err := client.UndoPlan(cmd.Context(), req)
			if err != nil {
				return err
			}
			if f.json {
				return c.printJSON(plan)
			}
			return c.showPlan(plan)
		},
	}
	cmd.Flags().StringVarP(&f.session, "session", "s", "", "only changes of this session")
	cmd.Flags().BoolVar(&f.json, "json", false, "print JSON")
	return cmd
}

func (c *cli) showPlan(plan control.UndoPlan) error {
	if plan.Forced {
		c.note(clean(plan.Path) + " changed since. Lines with - are what is in it now; they would be lost, and could be had back as a change of their own.")
	}
	if plan.Made {
		c.note(clean(plan.Path) + " was made by the change and would be removed.")
	}
	_, err := io.WriteString(c.out, clean(plan.Diff))
	return err
}

func (c *cli) undoRestoreCmd() *cobra.Command {
	var f undoFlags
	cmd := &cobra.Command{
		Use: "restore PATH|CHANGE", Short: "Take a change back, after a look at what that does", Args: cobra.ExactArgs(1),
		Long: "Take a change back: the newest one to a path, or one by its id. On a terminal what it does is shown and asked first.\nA file that changed since is left alone unless --force is given; what it held is then a change of its own.",
		RunE: func(cmd *cobra.Command, args []string) error {
			if c.attended && !f.yes {
				if err := c.agreeToRestore(cmd.Context(), f, args[0]); err != nil {
					return err
				}
			}
			return c.undo(cmd.Context(), f, args[0])
		},
	}
	cmd.Flags().StringVarP(&f.session, "session", "s", "", "only changes of this session")
	cmd.Flags().BoolVar(&f.force, "force", false, "also when the file changed since")
	cmd.Flags().BoolVarP(&f.yes, "yes", "y", false, "do not ask")
	return cmd
}

// agreeToRestore shows what a restore does and asks. What would be refused is
// left to the restore, which says why.
func (c *cli) agreeToRestore(ctx context.Context, f undoFlags, target string) error {
	client, req, err := c.undoRequest(ctx, f, target)
	if err != nil {
		return err
	}
	plan, err := client.UndoPlan(ctx, req)
	if err != nil || plan.Forced && !f.force {
		return err
	}
	if err := c.showPlan(plan); err != nil {
		return err
	}
	_, _ = io.WriteString(c.err, "Restore? [y/N] ")
	line, ok := prompt(ctx, readLines(ctx, c.in))
	if answer := strings.ToLower(strings.TrimSpace(line)); !ok || answer != "y" && answer != "yes" {
		return &exitError{code: exitDenied, err: errors.New("nothing was changed")}
	}
	return nil
}
