package secret

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
)

// A Ref says where a secret is: keyring:NAME, env:NAME or file:/ABSOLUTE/PATH.
type Ref struct {
	Kind string // keyring, env or file
	Name string
}

// ErrRef is returned for a text that is no reference. It does not repeat the
// text, which may be the secret itself.
var ErrRef = errors.New("secret: a reference is keyring:NAME, env:NAME or file:/PATH; store the secret with: hobkin secrets set NAME")

// ParseRef reads a reference.
func ParseRef(text string) (Ref, error) {
	kind, name, ok := strings.Cut(text, ":")
	switch {
	case !ok || name == "" || strings.ContainsAny(text, "\x00\r\n"):
		return Ref{}, ErrRef
	case kind == "keyring" && nameRE().MatchString(name), kind == "env" && !strings.Contains(name, "="), kind == "file" && filepath.IsAbs(name):
		return Ref{kind, name}, nil
	}
	return Ref{}, ErrRef
}

// String is the reference as it is written.
func (r Ref) String() string { return r.Kind + ":" + r.Name }

// Resolve follows a reference. The redactor learns what it finds.
func (s *Store) Resolve(ctx context.Context, ref string) (Value, error) {
	r, err := ParseRef(ref)
	if err != nil {
		return Value{}, err
	}
	switch r.Kind {
	case "keyring":
		v, err := s.Get(ctx, r.Name)
		if errors.Is(err, ErrNotFound) {
			return Value{}, fmt.Errorf("%w; store it with: hobkin secrets set %s", err, r.Name)
		}
		return v, err
	case "env":
		value := os.Getenv(r.Name)
		if value == "" {
			return Value{}, fmt.Errorf("%w: the environment variable %s is not set", ErrNotFound, r.Name)
		}
		s.learn(value)
		return Value{value}, nil
	}
	return s.fromFile(r.Name)
}

// fromFile reads a file that holds one secret, as containers and password
// managers leave them. White space around it is not part of it.
func (s *Store) fromFile(path string) (Value, error) {
	info, err := os.Stat(path) // opening a pipe would wait for a writer
	switch {
	case err != nil:
		return Value{}, fmt.Errorf("secret: %w", err)
	case !info.Mode().IsRegular():
		return Value{}, fmt.Errorf("secret: %s is not a file", path)
	}
	f, err := os.Open(path)
	if err != nil {
		return Value{}, fmt.Errorf("secret: %w", err)
	}
	defer func() { _ = f.Close() }() // it was only read
	text, err := io.ReadAll(io.LimitReader(f, mostBytes+1))
	if err != nil {
		return Value{}, fmt.Errorf("secret: reading: %w", err)
	}
	value := strings.TrimSpace(string(text))
	if value == "" || len(text) > mostBytes {
		return Value{}, fmt.Errorf("%w: %s", ErrValue, path)
	}
	s.learn(value)
	return Value{value}, nil
}
