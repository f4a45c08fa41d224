package main

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/hobkin/hobkin/core/control"
)

func (c *cli) sessionsCmd() *cobra.Command {
	cmd := &cobra.Command{Use: "sessions", Short: "See, search, export and delete conversations", Args: cobra.NoArgs}
	var limit int
	var asJSON bool
	list := &cobra.Command{
		Use: "list", Short: "List sessions, the newest first", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return c.listSessions(cmd.Context(), control.SessionQuery{Limit: limit}, asJSON)
		},
	}
	search := &cobra.Command{
		Use: "search WORDS…", Short: "Find sessions by their words", Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return c.listSessions(cmd.Context(), control.SessionQuery{Search: strings.Join(args, " "), Limit: limit}, asJSON)
		},
	}
	for _, sub := range []*cobra.Command{list, search} {
		sub.Flags().IntVarP(&limit, "limit", "n", 50, "how many at the most")
		sub.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	}
	cmd.AddCommand(list, search, c.compactCmd(),
		c.exportCmd("show ID", "Print a session", "markdown"),
		c.exportCmd("export ID", "Write a session out as a document", ""),
		c.sessionCmd("delete ID", "Delete a session; restore brings it back for 30 days", (*control.Client).DeleteSession, "Deleted. Bring it back with: hobkin sessions restore %s"),
		c.sessionCmd("restore ID", "Bring a deleted session back", (*control.Client).RestoreSession, "Restored %s."),
	)
	return cmd
}

func (c *cli) listSessions(ctx context.Context, q control.SessionQuery, asJSON bool) error {
	client, err := c.connect(ctx)
	if err != nil {
		return err
	}
	list, err := client.Sessions(ctx, q)
	if err != nil {
		return err
	}
	if asJSON {
		return c.printJSON(list)
	}
	if len(list) == 0 {
		c.note("No sessions.")
		return nil
	}
	rows := make([][]string, len(list))
	for i, s := range list {
		rows[i] = []string{s.ID, s.Updated.Local().Format(time.DateTime), s.Title}
		if s.Snippet != "" {
			rows[i] = append(rows[i], strings.Join(strings.Fields(s.Snippet), " "))
		}
	}
	return c.table(rows)
}

func (c *cli) exportCmd(use, short, format string) *cobra.Command {
	cmd := &cobra.Command{
		Use: use, Short: short, Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			client, err := c.connect(cmd.Context())
			if err != nil {
				return err
			}
			id, err := sessionID(cmd.Context(), client, args[0])
			if err != nil {
				return err
			}
			doc, err := client.ExportSession(cmd.Context(), control.ExportRequest{ID: id, Format: format})
			if err != nil {
				return err
			}
			_, err = fmt.Fprintln(c.out, strings.TrimRight(doc.Text, "\n"))
			return err
		},
	}
	if format == "" {
		cmd.Flags().StringVarP(&format, "format", "f", "markdown", "markdown, html or json")
	}
	return cmd
}

func (c *cli) sessionCmd(use, short string, do func(*control.Client, context.Context, string) error, done string) *cobra.Command {
	return &cobra.Command{
		Use: use, Short: short, Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			client, err := c.connect(cmd.Context())
			if err != nil {
				return err
			}
			if err := do(client, cmd.Context(), args[0]); err != nil {
				return err
			}
			c.note(fmt.Sprintf(done, args[0]))
			return nil
		},
	}
}
