package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/hobkin/hobkin/app"
	"github.com/hobkin/hobkin/core/control"
	"github.com/hobkin/hobkin/core/secret"
)

func (c *cli) secretsCmd() *cobra.Command {
	cmd := &cobra.Command{
		Use: "secrets", Short: "Keep keys and passwords, outside the settings file", Args: cobra.NoArgs,
		Long: `Keep keys and passwords in the system's keyring, in a file sealed under a
passphrase, or in a private file in plain text where there is neither.
Settings name them: key = "keyring:openai".

The passphrase is typed where it is needed. Without a terminal it comes from the
file named in ` + secret.PassphraseFile + `, which only you may be able to read, or
from the program named in ` + secret.AskpassProgram + `.`,
	}
	cmd.AddCommand(
		c.secretSetCmd(), c.secretListCmd(), c.secretDeleteCmd(), c.secretWhereCmd(), c.secretMoveCmd(),
		c.secretUnlockCmd(), c.secretLockCmd(), c.secretPassphraseCmd(),
	)
	return cmd
}

// withSecrets gives the store to do, and does it again where a typed passphrase
// was wrong.
func (c *cli) withSecrets(do func(*secret.Store) error) error {
	s, err := app.OpenSecrets(c.passphrase)
	if err != nil {
		return err
	}
	const tries = 3
	for i := 1; ; i++ {
		err = do(s)
		if !errors.Is(err, secret.ErrPassphrase) || !c.canType() || i == tries {
			return plain(err)
		}
		c.note("The passphrase is wrong.")
	}
}

// plain takes the package's name off a sentence for people.
func plain(err error) error {
	if err == nil {
		return nil
	}
	return &plainError{err}
}

type plainError struct{ error }

// Error is the sentence without the name of a package.
func (e *plainError) Error() string { return strings.ReplaceAll(e.error.Error(), "secret: ", "") }

// Unwrap is the error itself.
func (e *plainError) Unwrap() error { return e.error }

func (c *cli) secretSetCmd() *cobra.Command {
	return &cobra.Command{
		Use: "set NAME", Short: "Store a secret, typed unseen or read from standard input", Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			value, err := c.readSecret(args[0])
			if err != nil {
				return err
			}
			return c.withSecrets(func(s *secret.Store) error {
				if err := s.Set(cmd.Context(), args[0], value); err != nil {
					return err
				}
				c.note("Stored. " + s.Status(cmd.Context()).Text + " Use it in the settings as \"keyring:" + args[0] + "\".")
				return nil
			})
		},
	}
}

func (c *cli) secretListCmd() *cobra.Command {
	return &cobra.Command{
		Use: "list", Short: "List the names and where each is; values are never shown", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return c.withSecrets(func(s *secret.Store) error {
				entries, err := s.Entries(cmd.Context())
				if err != nil {
					return err
				}
				c.note(s.Status(cmd.Context()).Text)
				rows := make([][]string, len(entries))
				for i, e := range entries {
					rows[i] = []string{e.Name, string(e.At)}
				}
				return c.table(rows)
			})
		},
	}
}

func (c *cli) secretDeleteCmd() *cobra.Command {
	return &cobra.Command{
		Use: "delete NAME", Short: "Forget a secret", Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return c.withSecrets(func(s *secret.Store) error { return s.Delete(cmd.Context(), args[0]) })
		},
	}
}

func (c *cli) secretWhereCmd() *cobra.Command {
	return &cobra.Command{
		Use: "where", Short: "Say where secrets are kept, and why", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return c.withSecrets(func(s *secret.Store) error {
				_, err := fmt.Fprintln(c.out, s.Status(cmd.Context()).Text)
				return err
			})
		},
	}
}

var places = []string{string(secret.Keyring), string(secret.Sealed), string(secret.File)}

func (c *cli) secretMoveCmd() *cobra.Command {
	var to string
	cmd := &cobra.Command{
		Use: "move --to keyring|sealed|file [NAME…]", Short: "Bring secrets to another place, and all new ones", Args: cobra.ArbitraryArgs,
		Long: "Bring all secrets to another place, and from now on every new one. With names only those move.\nEach is copied and read back before the original is removed.",
		RunE: func(cmd *cobra.Command, names []string) error {
			if !slices.Contains(places, to) {
				return usage(fmt.Errorf("--to is %q; it is one of %s", to, strings.Join(places, ", ")))
			}
			return c.withSecrets(func(s *secret.Store) error {
				moved, err := s.Move(cmd.Context(), secret.Kind(to), names...)
				for _, name := range moved {
					c.note("Moved " + name + " to the " + to + ".")
				}
				if err == nil && len(names) == 0 {
					c.note(s.Status(cmd.Context()).Text)
				}
				return err
			})
		},
	}
	cmd.Flags().StringVar(&to, "to", "", "keyring, sealed or file")
	return cmd
}

func (c *cli) secretUnlockCmd() *cobra.Command {
	return &cobra.Command{
		Use: "unlock", Short: "Open the sealed secrets for the running desktop", Args: cobra.NoArgs,
		Long: "Open the sealed secrets for the running desktop. The key stays in its memory until it ends or they are locked.",
		RunE: func(cmd *cobra.Command, _ []string) error {
			client, err := c.desktopFor(cmd.Context())
			if err != nil {
				return err
			}
			s, err := app.OpenSecrets(c.passphrase)
			if err != nil {
				return err
			}
			if !s.Status(cmd.Context()).HasSealed {
				return plain(secret.ErrNotSealed)
			}
			phrase, err := c.passphrase(cmd.Context(), false)
			if err != nil {
				return plain(err)
			}
			if err := client.UnlockSecrets(cmd.Context(), control.Unlock{Passphrase: phrase.Reveal()}); err != nil {
				return err
			}
			c.note("The sealed secrets are open for the desktop.")
			return nil
		},
	}
}

func (c *cli) secretLockCmd() *cobra.Command {
	return &cobra.Command{
		Use: "lock", Short: "Close the sealed secrets of the running desktop", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			client, err := c.desktopFor(cmd.Context())
			if err != nil {
				return err
			}
			return client.LockSecrets(cmd.Context())
		},
	}
}

// desktopFor finds the desktop, whose memory is what unlocking is about.
func (c *cli) desktopFor(ctx context.Context) (*control.Client, error) {
	client, err := app.Dial(ctx)
	if errors.Is(err, control.ErrNotRunning) {
		return nil, &control.Error{Code: "no_desktop", Message: "no desktop is running, so there is nothing to open or close", Try: "commands ask for the passphrase themselves"}
	}
	return client, err
}

func (c *cli) secretPassphraseCmd() *cobra.Command {
	return &cobra.Command{
		Use: "passphrase", Short: "Choose a new passphrase for the sealed secrets", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return c.withSecrets(func(s *secret.Store) error {
				if err := s.ChangePassphrase(cmd.Context()); err != nil {
					return err
				}
				c.note("The new passphrase holds from now on.")
				return nil
			})
		},
	}
}

// errNoSecret is told when nothing was given to store.
var errNoSecret = errors.New("no secret was given: type it, or pipe it in")
