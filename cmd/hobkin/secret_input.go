package main

import (
	"fmt"
	"io"
	"os"
	"strings"

	"golang.org/x/term"
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
