package secret

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"sync"
	"time"
)

// A Store keeps secrets by name. Open one with [Open]. It is safe for
// concurrent use, also by several programs.
type Store struct {
	ring     *ring
	vault    *vault
	redactor *Redactor

	mu     sync.Mutex
	reason string // why the last secret did not go into the keyring; empty when it did
}

// Options say how a Store is opened.
type Options struct {
	Dir      string    // folder, absolute: names of the secrets, and those that no keyring keeps
	Service  string    // name the keyring files them under; empty means hobkin
	Redactor *Redactor // told of every value that passes; nil tells none
}

// The errors of a Store.
var (
	ErrNotFound = errors.New("secret: no secret has that name")
	ErrName     = errors.New("secret: a name has 1 to 128 letters, digits or . _ - / @ : and starts with a letter or a digit")
	ErrValue    = errors.New("secret: a value has 1 byte to 64 KiB")
)

// mostBytes is the longest value: a key, a certificate with its chain.
const mostBytes = 64 << 10

var nameRE = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._/@:-]{0,127}$`)
})

// Open returns a store. Nothing is created or asked before it is needed.
func Open(o Options) (*Store, error) {
	if !filepath.IsAbs(o.Dir) {
		return nil, fmt.Errorf("secret: %q is not an absolute path", o.Dir)
	}
	if o.Service == "" {
		o.Service = "hobkin"
	}
	return &Store{ring: newRing(o.Service, system{}), vault: &vault{dir: o.Dir}, redactor: o.Redactor}, nil
}

// Set stores a secret, in the place of one of the same name. Where the keyring
// cannot take it, the file does; [Store.Status] tells.
func (s *Store) Set(ctx context.Context, name, value string) error {
	switch {
	case !nameRE().MatchString(name):
		return ErrName
	case value == "" || len(value) > mostBytes:
		return ErrValue
	}
	s.learn(value)
	err := s.ring.set(ctx, name, value)
	s.note(err)
	if err == nil {
		return s.vault.change(ctx, func(v *contents) {
			v.InKeyring = withName(v.InKeyring, name)
			delete(v.Values, name)
		})
	}
	if ctx.Err() != nil {
		return fmt.Errorf("secret: storing: %w", ctx.Err())
	}
	// An older one may still be in the keyring: its name stays listed, so that
	// it is deleted with this one.
	return s.vault.change(ctx, func(v *contents) { v.Values[name] = value })
}

// Get returns a secret; [ErrNotFound] when there is none.
func (s *Store) Get(ctx context.Context, name string) (Value, error) {
	if !nameRE().MatchString(name) {
		return Value{}, ErrName
	}
	known, err := s.vault.read()
	if err != nil {
		return Value{}, err
	}
	if value, ok := known.Values[name]; ok {
		s.learn(value)
		return Value{value}, nil
	}
	value, err := s.ring.get(ctx, name)
	switch {
	case err == nil:
		s.learn(value)
		return Value{value}, nil
	case errors.Is(err, ErrNotFound), !slices.Contains(known.InKeyring, name):
		return Value{}, fmt.Errorf("%w: %s", ErrNotFound, name)
	}
	s.note(err)
	return Value{}, fmt.Errorf("secret: %s is in the keyring, which cannot be read: %w", name, err)
}

// Delete removes a secret wherever it is; [ErrNotFound] when there is none.
func (s *Store) Delete(ctx context.Context, name string) error {
	if !nameRE().MatchString(name) {
		return ErrName
	}
	known, err := s.vault.read()
	if err != nil {
		return err
	}
	_, inFile := known.Values[name]
	inRing := slices.Contains(known.InKeyring, name)
	err = s.ring.delete(ctx, name)
	switch {
	case err == nil:
	case inRing && !errors.Is(err, ErrNotFound):
		return fmt.Errorf("secret: %s is in the keyring, which cannot be changed: %w", name, err)
	case !inFile && !inRing:
		return fmt.Errorf("%w: %s", ErrNotFound, name)
	}
	return s.vault.change(ctx, func(v *contents) {
		v.InKeyring = withoutName(v.InKeyring, name)
		delete(v.Values, name)
	})
}

// List returns the names of all secrets, sorted.
func (s *Store) List(context.Context) ([]string, error) {
	known, err := s.vault.read()
	if err != nil {
		return nil, err
	}
	names := slices.Clone(known.InKeyring)
	for name := range known.Values {
		names = withName(names, name)
	}
	slices.Sort(names)
	return names, nil
}

// Status says where secrets go.
type Status struct {
	Keyring bool   // into the keyring of the operating system
	Text    string // in a sentence, with the reason when they do not
}

// Status tells where the next secret goes and, in a sentence, why. It asks
// the keyring, which takes up to 3 seconds when that does not answer.
func (s *Store) Status(ctx context.Context) Status {
	_, err := s.ring.get(ctx, "hobkin-status")
	if err == nil || errors.Is(err, ErrNotFound) {
		s.mu.Lock()
		defer s.mu.Unlock()
		if s.reason == "" {
			return Status{Keyring: true, Text: "Secrets are kept in the keyring of this computer."}
		}
		return Status{Text: s.fileText(s.reason)}
	}
	return Status{Text: s.fileText(reason(err))}
}

func (s *Store) fileText(why string) string {
	return "Secrets are kept unencrypted in " + s.vault.path() + ", which only you can read, because " + why + "."
}

// note remembers why the keyring was not used.
func (s *Store) note(err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.reason = ""
	if err != nil && !errors.Is(err, ErrNotFound) {
		s.reason = reason(err)
	}
}

func (s *Store) learn(value string) {
	if s.redactor != nil {
		s.redactor.Add(value)
	}
}

func withName(names []string, name string) []string {
	if slices.Contains(names, name) {
		return names
	}
	return append(names, name)
}

func withoutName(names []string, name string) []string {
	return slices.DeleteFunc(names, func(n string) bool { return n == name })
}

// wait is how long the keyring may take. It has no time-out of its own, and
// may wait for ever for a bus or for a password that no one types.
const wait = 3 * time.Second
