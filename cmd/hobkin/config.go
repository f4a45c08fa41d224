package main

import (
	"errors"
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

func (c *cli) secretsCmd() *cobra.Command {
	cmd := &cobra.Command{
		Use: "secrets", Short: "Keep keys and passwords, outside the settings file", Args: cobra.NoArgs,
		Long: "Keep keys and passwords in the system's keyring, or in a private file where there is none.\nSettings name them: key = \"keyring:openai\".",
	}
	cmd.AddCommand(
		&cobra.Command{
			Use: "set NAME", Short: "Store a secret, read from standard input", Args: cobra.ExactArgs(1),
			RunE: func(cmd *cobra.Command, args []string) error {
				value, err := c.readSecret(args[0])
				if err != nil {
					return err
				}
				where, err := app.SetSecret(cmd.Context(), args[0], value)
				if err != nil {
					return err
				}
				c.note("Stored. " + where + " Use it in the settings as \"keyring:" + args[0] + "\".")
				return nil
			},
		},
		&cobra.Command{
			Use: "list", Short: "List the names; values are never shown", Args: cobra.NoArgs,
			RunE: func(cmd *cobra.Command, _ []string) error {
				names, where, err := app.ListSecrets(cmd.Context())
				if err != nil {
					return err
				}
				c.note(where)
				for _, n := range names {
					if _, err := fmt.Fprintln(c.out, n); err != nil {
						return err
					}
				}
				return nil
			},
		},
		&cobra.Command{
			Use: "delete NAME", Short: "Forget a secret", Args: cobra.ExactArgs(1),
			RunE: func(cmd *cobra.Command, args []string) error { return app.DeleteSecret(cmd.Context(), args[0]) },
		},
	)
	return cmd
}

// errNoSecret is told when nothing was given to store.
var errNoSecret = errors.New("no secret was given: type it, or pipe it in")
