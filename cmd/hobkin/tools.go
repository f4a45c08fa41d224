package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/hobkin/hobkin/core/control"
)

func (c *cli) toolsCmd() *cobra.Command {
	cmd := &cobra.Command{Use: "tools", Short: "See what the agent can do", Args: cobra.NoArgs}
	var all, asJSON bool
	list := &cobra.Command{
		Use: "list", Short: "List the tools", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return c.listTools(cmd.Context(), control.ToolQuery{All: all}, asJSON)
		},
	}
	list.Flags().BoolVar(&all, "all", false, "also hidden ones and those that cannot run here")
	list.Flags().BoolVar(&asJSON, "json", false, "print JSON, with the parameters")
	search := &cobra.Command{
		Use: "search WORDS…", Short: "Find tools by what they do", Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return c.listTools(cmd.Context(), control.ToolQuery{Search: strings.Join(args, " ")}, false)
		},
	}
	show := &cobra.Command{
		Use: "show TOOL", Short: "All about one tool", Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			client, err := c.connect(cmd.Context())
			if err != nil {
				return err
			}
			text, err := client.ToolHelp(cmd.Context(), args[0])
			if err != nil {
				return err
			}
			_, err = fmt.Fprintln(c.out, strings.TrimRight(text, "\n"))
			return err
		},
	}
	cmd.AddCommand(list, search, show)
	return cmd
}

func (c *cli) listTools(ctx context.Context, q control.ToolQuery, asJSON bool) error {
	client, err := c.connect(ctx)
	if err != nil {
		return err
	}
	tools, err := client.Tools(ctx, q)
	if err != nil {
		return err
	}
	if asJSON {
		return c.printJSON(tools)
	}
	if len(tools) == 0 {
		c.note("No tool fits these words; hobkin tools list shows them all.")
		return nil
	}
	rows := make([][]string, len(tools))
	for i, t := range tools {
		first, _, _ := strings.Cut(t.Description, "\n")
		first, _, _ = strings.Cut(first, ". ")
		rows[i] = []string{t.Name, t.Class, strings.TrimSuffix(first, ".")}
	}
	return c.table(rows)
}
