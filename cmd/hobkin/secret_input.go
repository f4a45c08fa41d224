package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"golang.org/x/term"

	"github.com/hobkin/hobkin/core/secret"
)

// maxSecret bounds a secret, in bytes.
const maxSecret = 64 << 10

// readSecret reads a secret without showing it. It is never an argument: those
// can be read by every program on the machine.
func (c *cli) readSecret(name string) (string, error) {
	f, ok := c.in.(*os.File)
	if !ok || !term.IsTerminal(int(f.Fd())) {
		b, err := io.ReadAll(io.LimitReader(c.in, maxSecret))
		if err != nil {
			return "", fmt.Errorf("reading the secret: %w", err)
		}
		return nonEmpty(string(b))
	}
	_, _ = fmt.Fprintf(c.err, "Secret for %s (not shown): ", name)
	b, err := term.ReadPassword(int(f.Fd()))
	c.note("")
	if err != nil {
		return "", fmt.Errorf("reading the secret: %w", err)
	}
	return nonEmpty(string(b))
}

func nonEmpty(s string) (string, error) {
	s = strings.TrimRight(s, "\r\n")
	if s == "" {
		return "", errNoSecret
	}
	return s, nil
}

// passphrase is that of the sealed secrets: from where the environment says,
// else typed unseen. A new one is typed twice.
func (c *cli) passphrase(ctx context.Context, fresh bool) (secret.Value, error) {
	given, err := secret.FromEnvironment(ctx, fresh)
	if !errors.Is(err, secret.ErrLocked) {
		return given, err
	}
	tty, done := c.keyboard()
	if tty == nil {
		return secret.Value{}, secret.ErrLocked
	}
	defer done()
	if !fresh {
		return c.typed(tty, "Passphrase of the sealed secrets (not shown): ")
	}
	c.note("The passphrase seals your secrets. Without it no one can open them again, not even you.")
	first, err := c.typed(tty, "New passphrase, 8 or more characters (not shown): ")
	if err != nil {
		return secret.Value{}, err
	}
	again, err := c.typed(tty, "The same again: ")
	if err == nil && again != first {
		err = errors.New("the two passphrases differ; nothing was changed")
	}
	return first, err
}

func (c *cli) typed(tty *os.File, question string) (secret.Value, error) {
	_, _ = io.WriteString(c.err, question)
	b, err := term.ReadPassword(int(tty.Fd()))
	c.note("")
	if err != nil {
		return secret.Value{}, fmt.Errorf("reading the passphrase: %w", err)
	}
	return secret.NewValue(string(b)), nil
}

// canType reports whether a person is there to type a passphrase.
func (c *cli) canType() bool {
	if os.Getenv(secret.PassphraseFile) != "" || os.Getenv(secret.AskpassProgram) != "" {
		return false
	}
	tty, done := c.keyboard()
	if tty != nil {
		done()
	}
	return tty != nil
}

// keyboard is the terminal that a person types at, nil where there is none:
// standard input, or the terminal itself where that is a pipe.
func (c *cli) keyboard() (tty *os.File, done func()) {
	if f, ok := c.in.(*os.File); ok && term.IsTerminal(int(f.Fd())) {
		return f, func() {}
	}
	if terminal(c.err) == nil {
		return nil, nil
	}
	f, err := os.OpenFile("/dev/tty", os.O_RDWR, 0)
	if err != nil {
		return nil, nil
	}
	return f, func() { _ = f.Close() }
}
