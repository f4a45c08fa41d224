package main

import (
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/hobkin/hobkin/app"
	"github.com/hobkin/hobkin/core/control"
)

func (c *cli) mcpCmd() *cobra.Command {
	cmd := &cobra.Command{
		Use: "mcp", Short: "Tool servers, and Hobkin as one for other programs",
		Long: "Connect tool servers that speak the Model Context Protocol, and let other programs use Hobkin's tools.",
	}
	cmd.AddCommand(
		c.mcpAddCmd(), c.mcpListCmd(), c.mcpTestCmd(), c.mcpServeCmd(), c.mcpConfigCmd(),
		c.mcpLoginCmd(), c.mcpPromptCmd(), c.mcpImportCmd(),
		c.mcpOneCmd("logout", "Forget what you granted to a tool server", "Signed out of %s.", func(client *control.Client, cmd *cobra.Command, name string) error {
			return client.LogoutServer(cmd.Context(), name)
		}),
		c.mcpOneCmd("remove", "Remove a tool server", "Removed %s.", func(client *control.Client, cmd *cobra.Command, name string) error {
			return client.RemoveServer(cmd.Context(), name)
		}),
		c.mcpOneCmd("retry", "Start a tool server anew", "%s is started anew.", func(client *control.Client, cmd *cobra.Command, name string) error {
			return client.RetryServer(cmd.Context(), name)
		}),
		c.mcpOneCmd("accept", "Offer the tools whose definition has changed", "The tools of %s are offered as they are now.", func(client *control.Client, cmd *cobra.Command, name string) error {
			return client.AcceptServer(cmd.Context(), name)
		}),
		c.mcpOneCmd("logs", "Print what a tool server said on standard error", "", func(client *control.Client, cmd *cobra.Command, name string) error {
			text, err := client.ServerLog(cmd.Context(), name)
			if err != nil {
				return err
			}
			_, err = fmt.Fprintln(c.out, strings.TrimRight(text, "\n"))
			return err
		}),
	)
	return cmd
}

func (c *cli) mcpServeCmd() *cobra.Command {
	var tools []string
	cmd := &cobra.Command{
		Use: "serve", Short: "Serve tools to the program that started this one", Args: cobra.NoArgs,
		Long: `Serve tools to the program that started this one, over standard input and output.

What it may use is set by [mcp.inbound] in the settings; --tools names more for
this run. No one can be asked here, so what needs an approval is refused unless
a rule of the settings allows it.`,
		Example: "  hobkin mcp serve --tools file_read,content_search,glob_search",
		RunE: func(cmd *cobra.Command, _ []string) error {
			dir, err := c.dir()
			if err != nil {
				return err
			}
			level := slog.LevelWarn
			if c.verbose {
				level = slog.LevelDebug
			}
			return app.ServeMCP(cmd.Context(), app.ServeOptions{Workspace: dir, Tools: tools, In: c.in, Out: c.out, LogTo: c.err, LogLevel: level})
		},
	}
	cmd.Flags().StringSliceVar(&tools, "tools", nil, "tools that may be used, separated by commas")
	return cmd
}

// mcpConfigCmd prints what makes another program start hobkin mcp serve.
func (c *cli) mcpConfigCmd() *cobra.Command {
	var tools []string
	cmd := &cobra.Command{
		Use: "config claude|cursor|vscode", Short: "Print the block to paste into another program's settings", Args: cobra.ExactArgs(1),
		ValidArgs: []string{"claude", "cursor", "vscode"},
		RunE: func(_ *cobra.Command, args []string) error {
			self, err := os.Executable()
			if err != nil {
				return err
			}
			if self, err = filepath.EvalSymlinks(self); err != nil {
				return err
			}
			block, where, err := app.ClientConfig(args[0], self, tools)
			if err != nil {
				return usage(err)
			}
			c.note("paste this into " + where)
			_, err = fmt.Fprintln(c.out, block)
			return err
		},
	}
	cmd.Flags().StringSliceVar(&tools, "tools", nil, "tools that it may use, separated by commas")
	return cmd
}
