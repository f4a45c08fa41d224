package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/hobkin/hobkin/app"
	"github.com/hobkin/hobkin/core/control"
)

func (c *cli) configCmd() *cobra.Command {
	cmd := &cobra.Command{Use: "config", Short: "See and change settings", Args: cobra.NoArgs}
	cmd.AddCommand(
		&cobra.Command{
			Use: "get [KEY]", Short: "Print one setting, those below a key, or all", Args: cobra.MaximumNArgs(1),
			RunE: func(cmd *cobra.Command, args []string) error {
				client, err := c.connect(cmd.Context())
				if err != nil {
					return err
				}
				values, err := client.ConfigGet(cmd.Context(), strings.Join(args, ""))
				if err != nil {
					return err
				}
				return c.printSettings(values, strings.Join(args, ""))
			},
		},
		&cobra.Command{
			Use: "set KEY VALUE", Short: "Change one setting; comments in the file stay", Args: cobra.ExactArgs(2),
			RunE: func(cmd *cobra.Command, args []string) error {
				client, err := c.connect(cmd.Context())
				if err != nil {
					return err
				}
				return client.ConfigSet(cmd.Context(), control.ConfigSetRequest{Key: args[0], Value: args[1]})
			},
		},
		&cobra.Command{
			Use: "path", Short: "Print where the settings are", Args: cobra.NoArgs,
			RunE: func(*cobra.Command, []string) error {
				path, err := app.ConfigPath()
				if err != nil {
					return err
				}
				_, err = fmt.Fprintln(c.out, path)
				return err
			},
		},
		&cobra.Command{
			Use: "check", Short: "Check the settings file", Args: cobra.NoArgs,
			RunE: func(*cobra.Command, []string) error {
				path, err := app.CheckConfig()
				if err != nil {
					return err
				}
				c.note(path + " is right.")
				return nil
			},
		},
	)
	return cmd
}

func (c *cli) printSettings(values []control.ConfigValue, key string) error {
	if len(values) == 1 && values[0].Key == key {
		_, err := fmt.Fprintln(c.out, values[0].Value)
		return err
	}
	for _, v := range values {
		line := v.Key + " = " + v.Value
		if !v.Set {
			line = c.paint(dim, line+"  # default")
		}
		if _, err := fmt.Fprintln(c.out, line); err != nil {
			return err
		}
	}
	return nil
}
