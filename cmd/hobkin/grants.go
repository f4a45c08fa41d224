package main

import (
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"
)

func (c *cli) grantCmd() *cobra.Command {
	return &cobra.Command{
		Use: "grant FOLDER", Short: "Let the agent use a folder", Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			path, err := absolute(args[0])
			if err != nil {
				return err
			}
			client, err := c.connect(cmd.Context())
			if err != nil {
				return err
			}
			g, err := client.Grant(cmd.Context(), path)
			if err != nil {
				return err
			}
			c.note("The agent may use " + g.Path + " now. Take it back with: hobkin revoke " + g.Path)
			return nil
		},
	}
}

func (c *cli) revokeCmd() *cobra.Command {
	return &cobra.Command{
		Use: "revoke FOLDER", Short: "Take a grant back", Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			path, err := absolute(args[0])
			if err != nil {
				return err
			}
			client, err := c.connect(cmd.Context())
			if err != nil {
				return err
			}
			if err := client.Revoke(cmd.Context(), path); err != nil {
				return err
			}
			c.note("The agent may no longer use " + path + ".")
			return nil
		},
	}
}

func (c *cli) grantsCmd() *cobra.Command {
	return &cobra.Command{
		Use: "grants", Short: "List the folders the agent may use", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			client, err := c.connect(cmd.Context())
			if err != nil {
				return err
			}
			list, err := client.Grants(cmd.Context())
			if err != nil {
				return err
			}
			if len(list) == 0 {
				c.note("No grants. The agent may use the workspace alone; add a folder with: hobkin grant FOLDER")
				return nil
			}
			rows := make([][]string, len(list))
			for i, g := range list {
				when := ""
				if !g.Created.IsZero() {
					when = g.Created.Local().Format(time.DateTime)
				}
				rows[i] = []string{g.Path, g.Source, when}
			}
			return c.table(rows)
		},
	}
}

// absolute leaves ~ to the core, which knows whose home is meant.
func absolute(path string) (string, error) {
	if path == "~" || strings.HasPrefix(path, "~/") {
		return path, nil
	}
	abs, err := filepath.Abs(path)
	if err != nil {
		return "", fmt.Errorf("%s: %w", path, err)
	}
	return abs, nil
}
