package main

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/hobkin/hobkin/core/control"
)

func (c *cli) memoryCmd() *cobra.Command {
	cmd := &cobra.Command{
		Use: "memory", Short: "See, change and export what Hobkin remembers", Args: cobra.NoArgs,
		Long: "See, change and export what Hobkin remembers. Nothing is lost by it: what was changed or forgotten can be restored.\nAn ID is that of a list, its first 6 or more characters, or the key where only one has it.",
	}
	cmd.AddCommand(c.memoryListCmd(), c.memoryShowCmd(), c.memoryAddCmd(), c.memoryEditCmd(),
		c.memoryDoCmd("forget ID", "Forget something; restore brings it back", (*control.Client).ForgetMemory),
		c.memoryDoCmd("restore ID", "Bring back what was forgotten, or an earlier version", (*control.Client).RestoreMemory),
		c.memoryDoCmd("approve ID", "Agree to something that waits", (*control.Client).ApproveMemory),
		c.memoryDoCmd("deny ID", "Turn down something that waits", (*control.Client).DenyMemory),
		c.memoryExportCmd(), c.memorySourcesCmd(),
	)
	return cmd
}

func (c *cli) memoryListCmd() *cobra.Command {
	var q control.MemoryQuery
	var held, all, asJSON bool
	cmd := &cobra.Command{
		Use: "list [WORDS…]", Short: "List what is remembered, or find it by words",
		RunE: func(cmd *cobra.Command, args []string) error {
			q.Search = strings.Join(args, " ")
			switch {
			case held:
				q.State = "held"
			case all:
				q.State = "all"
			}
			if q.State != "" && q.Search != "" {
				return usage(errors.New("words find only what counts; leave out --held and --all"))
			}
			client, err := c.connect(cmd.Context())
			if err != nil {
				return err
			}
			list, err := client.Memories(cmd.Context(), q)
			if err != nil {
				return err
			}
			if asJSON {
				return c.printJSON(list)
			}
			return c.showMemories(list, q.State)
		},
	}
	cmd.Flags().BoolVar(&held, "held", false, "what waits for your approval")
	cmd.Flags().BoolVar(&all, "all", false, "also what was replaced, forgotten or turned down")
	cmd.Flags().StringVar(&q.Category, "category", "", "only this category")
	cmd.Flags().IntVarP(&q.Limit, "limit", "n", 50, "how many at the most")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
}

func (c *cli) showMemories(list control.MemoryList, state string) error {
	if len(list.Memories) == 0 {
		c.note("Nothing.")
	}
	if list.Held > 0 && state != "held" {
		c.note(fmt.Sprintf("%d waiting for your approval, see: hobkin memory list --held", list.Held))
	}
	rows := make([][]string, len(list.Memories))
	for i, m := range list.Memories {
		rows[i] = []string{m.ID, m.At.Local().Format(time.DateOnly), m.Category, clean(m.Key), oneLine(m.Value)}
		if state != "" {
			rows[i] = append(rows[i], stateWord(m), oneLine(m.Source+"; "+m.Reason))
		}
	}
	return c.table(rows)
}

// stateWord is a state for a list; of what waits, also what it asks for.
func stateWord(m control.Memory) string {
	if m.State == "held" {
		return "held: " + m.Action
	}
	return m.State
}

func (c *cli) memoryShowCmd() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use: "show ID", Short: "Show one memory with its source, its versions and its history", Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			client, err := c.connect(cmd.Context())
			if err != nil {
				return err
			}
			m, err := client.Memory(cmd.Context(), args[0])
			if err != nil {
				return err
			}
			if asJSON {
				return c.printJSON(m)
			}
			return c.showMemory(m)
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
}

func (c *cli) showMemory(m control.MemoryDetail) error {
	rows := [][]string{{"key", clean(m.Key)}, {"value", oneLine(m.Value)}, {"category", m.Category}, {"scope", strings.TrimSpace(m.Scope + " " + m.Subject)}, {"state", stateWord(m.Memory)}, {"source", clean(m.Source)}}
	if m.Session != "" {
		rows = append(rows, []string{"session", m.Session})
	}
	if m.Reason != "" {
		rows = append(rows, []string{"held because", oneLine(m.Reason)})
	}
	if err := c.table(rows); err != nil {
		return err
	}
	rows = nil
	for _, v := range m.Versions {
		if len(m.Versions) > 1 {
			rows = append(rows, []string{"version", v.ID, v.At.Local().Format(time.DateTime), v.State, oneLine(v.Value)})
		}
	}
	for _, e := range m.History {
		rows = append(rows, []string{"history", e.Action, e.At.Local().Format(time.DateTime), "by " + e.By})
	}
	return c.table(rows)
}

func (c *cli) memoryAddCmd() *cobra.Command {
	var ch control.MemoryChange
	var asJSON bool
	cmd := &cobra.Command{
		Use: "add KEY VALUE…", Short: "Remember something", Args: cobra.MinimumNArgs(2),
		RunE: func(cmd *cobra.Command, args []string) error {
			ch.Key, ch.Value = args[0], strings.Join(args[1:], " ")
			return c.changeMemory(cmd.Context(), asJSON, func(ctx context.Context, client *control.Client) (control.Memory, error) {
				return client.AddMemory(ctx, ch)
			})
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	cmd.Flags().StringVar(&ch.Category, "category", "", "identity, preference, interest, goal, project, environment, instruction or correction")
	return cmd
}

func (c *cli) memoryEditCmd() *cobra.Command {
	var ch control.MemoryChange
	var asJSON bool
	cmd := &cobra.Command{
		Use: "edit ID [VALUE…]", Short: "Change a memory; the old version can be restored", Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			ch.ID, ch.Value = args[0], strings.Join(args[1:], " ")
			if ch.Value == "" && ch.Key == "" && ch.Category == "" {
				return usage(errors.New("nothing to change: give a new value, --key or --category"))
			}
			return c.changeMemory(cmd.Context(), asJSON, func(ctx context.Context, client *control.Client) (control.Memory, error) {
				return client.EditMemory(ctx, ch)
			})
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	cmd.Flags().StringVar(&ch.Key, "key", "", "a new key")
	cmd.Flags().StringVar(&ch.Category, "category", "", "another category")
	return cmd
}

func (c *cli) memoryDoCmd(use, short string, do func(*control.Client, context.Context, string) (control.Memory, error)) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use: use, Short: short, Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return c.changeMemory(cmd.Context(), asJSON, func(ctx context.Context, client *control.Client) (control.Memory, error) {
				return do(client, ctx, args[0])
			})
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
}

// changeMemory does something to a memory and tells what it is now.
func (c *cli) changeMemory(ctx context.Context, asJSON bool, do func(context.Context, *control.Client) (control.Memory, error)) error {
	client, err := c.connect(ctx)
	if err != nil {
		return err
	}
	m, err := do(ctx, client)
	if err != nil {
		return err
	}
	if asJSON {
		return c.printJSON(m)
	}
	return c.table([][]string{{m.ID, stateWord(m), m.Category, clean(m.Key), oneLine(m.Value)}})
}

func (c *cli) memoryExportCmd() *cobra.Command {
	var format string
	cmd := &cobra.Command{
		Use: "export", Short: "Write down what is remembered; as JSON also what was replaced or forgotten", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			client, err := c.connect(cmd.Context())
			if err != nil {
				return err
			}
			text, err := client.ExportMemory(cmd.Context(), format)
			if err != nil {
				return err
			}
			_, err = fmt.Fprint(c.out, text)
			return err
		},
	}
	cmd.Flags().StringVarP(&format, "format", "f", "markdown", "markdown or json")
	return cmd
}

func (c *cli) memorySourcesCmd() *cobra.Command {
	cmd := &cobra.Command{Use: "sources", Short: "Files that recall looks into", Args: cobra.NoArgs}
	var asJSON bool
	list := &cobra.Command{
		Use: "list", Short: "List the files", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			client, err := c.connect(cmd.Context())
			if err != nil {
				return err
			}
			sources, err := client.MemorySources(cmd.Context())
			if err != nil {
				return err
			}
			if asJSON {
				return c.printJSON(sources)
			}
			rows := make([][]string, len(sources))
			for i, x := range sources {
				rows[i] = []string{clean(x.Path), fmt.Sprint(x.Passages, " passages"), clean(x.Problem)}
			}
			return c.table(rows)
		},
	}
	list.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	cmd.AddCommand(list,
		c.sourceCmd("add PATH", "Let recall look into a text, Markdown or PDF file", func(ctx context.Context, client *control.Client, path string) error {
			_, err := client.AddMemorySource(ctx, path)
			return err
		}),
		c.sourceCmd("remove PATH", "Have recall no longer look into a file, which stays", func(ctx context.Context, client *control.Client, path string) error {
			return client.RemoveMemorySource(ctx, path)
		}))
	return cmd
}

func (c *cli) sourceCmd(use, short string, do func(context.Context, *control.Client, string) error) *cobra.Command {
	return &cobra.Command{
		Use: use, Short: short, Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			path, err := filepath.Abs(args[0])
			if err != nil {
				return err
			}
			client, err := c.connect(cmd.Context())
			if err != nil {
				return err
			}
			return do(cmd.Context(), client, path)
		},
	}
}
