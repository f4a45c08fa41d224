package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/hobkin/hobkin/app"
	"github.com/hobkin/hobkin/core/control"
)

func (c *cli) sandboxCmd() *cobra.Command {
	cmd := &cobra.Command{Use: "sandbox", Short: "See and try what the agent may touch", Args: cobra.NoArgs}
	cmd.AddCommand(c.sandboxExplainCmd(), c.sandboxRunCmd())
	return cmd
}

func (c *cli) sandboxExplainCmd() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use: "explain PATH|COMMAND…", Short: "Tell what would be allowed, and by which rule", Args: cobra.MinimumNArgs(1),
		Long: `Tell what would be allowed, and by which rule. Nothing is run.

For a path: whether the agent's tools and its commands may read and write it.
For a command: what it runs, what each mode says to it, and what the kernel
would hold it to. A word that exists as a file, or begins as a path does, is a path.`,
		Example: "  hobkin sandbox explain ~/.ssh/id_ed25519\n  hobkin sandbox explain 'git push && rm -rf build'",
		RunE: func(cmd *cobra.Command, args []string) error {
			dir, err := c.dir()
			if err != nil {
				return err
			}
			client, err := c.connect(cmd.Context())
			if err != nil {
				return err
			}
			res, err := client.Explain(cmd.Context(), explainRequest(args, dir))
			if err != nil {
				return err
			}
			if asJSON {
				return c.printJSON(res)
			}
			return c.explained(res)
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
}

// explainRequest tells a path from a command line.
func explainRequest(args []string, dir string) control.ExplainRequest {
	req := control.ExplainRequest{Workspace: dir}
	word := args[0]
	path := word
	if !filepath.IsAbs(word) && !strings.HasPrefix(word, "~") {
		path = filepath.Join(dir, word)
	}
	_, err := os.Lstat(path)
	looks := strings.ContainsRune("/~.", rune(word[0])) && !strings.ContainsAny(word, " \t\n;|&")
	if len(args) == 1 && (err == nil || looks) {
		req.Path = path
		return req
	}
	req.Command = strings.Join(args, " ")
	return req
}

func (c *cli) explained(res control.Explained) error {
	if _, err := fmt.Fprintln(c.out, res.About); err != nil {
		return err
	}
	rows := make([][]string, len(res.Answers))
	for i, a := range res.Answers {
		reason := a.Reason
		if a.Fix != "" {
			reason += " → " + a.Fix
		}
		rows[i] = []string{"  " + a.Question, a.Answer, reason}
	}
	return c.table(rows)
}

func (c *cli) sandboxRunCmd() *cobra.Command {
	var network string
	cmd := &cobra.Command{
		Use: "run [--network on|off|allowlist] -- COMMAND…", Short: "Run a command as confined as the agent's are", Args: cobra.MinimumNArgs(1),
		Long: `Run a command as confined as the agent's are: with the same files, environment
and network, in the current folder. It has your terminal, and its exit code is passed on.`,
		Example: "  hobkin sandbox run -- ls -la ~\n  hobkin sandbox run --network off -- bash",
		RunE: func(cmd *cobra.Command, args []string) error {
			if !slices.Contains([]string{"", "on", "off", "allowlist"}, network) {
				return usage(fmt.Errorf("--network %s is not on, off or allowlist", network))
			}
			dir, err := c.dir()
			if err != nil {
				return err
			}
			interrupts := make(chan os.Signal, 1) // they are for the command, which gets them from the terminal too
			signal.Notify(interrupts, os.Interrupt)
			defer signal.Stop(interrupts)
			return c.runConfined(cmd.Context(), app.RunOptions{Dir: dir, Args: args, Network: network, Tell: c.note})
		},
	}
	cmd.Flags().StringVar(&network, "network", "", "whom it may talk to: on, off or allowlist; empty is as in the settings")
	cmd.Flags().SetInterspersed(false)
	return cmd
}

func (c *cli) runConfined(ctx context.Context, o app.RunOptions) error {
	code, err := app.RunConfined(ctx, o)
	switch {
	case err != nil:
		return err
	case code != exitOK:
		return &exitError{code: code, err: errors.New("the command failed"), said: true}
	}
	return nil
}
