package secret

import (
	"context"
	"errors"
	"fmt"
	"maps"
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
	sealed   *sealed
	redactor *Redactor
	ask      Passphrase

	mu     sync.Mutex
	reason string // why the last secret did not go into the keyring; empty when it did
}

// Options say how a Store is opened.
type Options struct {
	Dir      string    // folder, absolute: names of the secrets, and those that no keyring keeps
	Service  string    // name the keyring files them under; empty means hobkin
	Redactor *Redactor // told of every value that passes; nil tells none

	Passphrase Passphrase // asks for that of the sealed file; nil is [FromEnvironment]
	Work       int        // of guessing a passphrase, as a power of two; 0 means 18, what age uses
}

// Kind is a place where secrets are kept.
type Kind string

// The places.
const (
	Keyring Kind = "keyring" // that of the operating system
	Sealed  Kind = "sealed"  // a file that is encrypted under a passphrase
	File    Kind = "file"    // a file in plain text that only the owner can read
)

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
	if o.Work == 0 {
		o.Work = usualWork
	}
	if o.Passphrase == nil {
		o.Passphrase = FromEnvironment
	}
	return &Store{
		ring: newRing(o.Service, system{}), vault: &vault{dir: o.Dir}, sealed: &sealed{dir: o.Dir, work: o.Work},
		redactor: o.Redactor, ask: o.Passphrase,
	}, nil
}

// Set stores a secret, in the place of one of the same name: where the owner
// wants them, else in the keyring. Where that cannot take it the sealed file
// does, if it was set up, else the plain one; [Store.Status] tells.
func (s *Store) Set(ctx context.Context, name, value string) error {
	switch {
	case !nameRE().MatchString(name):
		return ErrName
	case value == "" || len(value) > mostBytes:
		return ErrValue
	}
	s.learn(value)
	known, err := s.vault.read()
	if err != nil {
		return err
	}
	switch known.Keep {
	case Sealed, File:
		return s.put(ctx, known.Keep, name, value)
	}
	err = s.ring.set(ctx, name, value)
	s.note(err)
	switch {
	case err == nil:
		return s.vault.change(ctx, func(v *contents) error { v.put(name, Keyring); return nil })
	case ctx.Err() != nil:
		return fmt.Errorf("secret: storing: %w", ctx.Err())
	case s.sealed.exists():
		return s.put(ctx, Sealed, name, value)
	}
	return s.put(ctx, File, name, value)
}

// put stores a secret in one place. An older one may still be in the keyring:
// its name stays listed, so that it is deleted with this one.
func (s *Store) put(ctx context.Context, at Kind, name, value string) error {
	if at == Keyring {
		if err := s.ring.set(ctx, name, value); err != nil {
			return fmt.Errorf("secret: %s was not stored: %s", name, reason(err))
		}
		return s.vault.change(ctx, func(v *contents) error { v.put(name, Keyring); return nil })
	}
	if at == Sealed {
		if err := s.Unlock(ctx); err != nil {
			return err
		}
	}
	return s.vault.change(ctx, func(v *contents) error {
		inRing := slices.Contains(v.InKeyring, name)
		v.put(name, at)
		if inRing {
			v.InKeyring = append(v.InKeyring, name)
		}
		if at == File {
			v.Values[name] = value
			return nil
		}
		return s.reseal(v, func(values map[string]string) { values[name] = value })
	})
}

// reseal edits the sealed file. What the list does not name any more goes.
func (s *Store) reseal(v *contents, edit func(map[string]string)) error {
	values, err := s.sealed.read()
	if err != nil {
		return err
	}
	edit(values)
	maps.DeleteFunc(values, func(name, _ string) bool { return !slices.Contains(v.Sealed, name) })
	return s.sealed.write(values)
}

// Get returns a secret; [ErrNotFound] when there is none, [ErrLocked] when it
// is sealed and no one can be asked for the passphrase.
func (s *Store) Get(ctx context.Context, name string) (Value, error) {
	if !nameRE().MatchString(name) {
		return Value{}, ErrName
	}
	known, err := s.vault.read()
	if err != nil {
		return Value{}, err
	}
	switch known.place(name) {
	case File:
		s.learn(known.Values[name])
		return Value{known.Values[name]}, nil
	case Sealed:
		return s.unseal(ctx, name)
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

// unseal returns a secret of the sealed file.
func (s *Store) unseal(ctx context.Context, name string) (Value, error) {
	if err := s.Unlock(ctx); err != nil {
		return Value{}, err
	}
	values, err := s.sealed.read()
	if err != nil {
		return Value{}, err
	}
	for _, value := range values {
		s.learn(value)
	}
	value, ok := values[name]
	if !ok {
		return Value{}, fmt.Errorf("%w: %s, which should be in %s", ErrNotFound, name, s.sealed.path())
	}
	return Value{value}, nil
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
	if known.place(name) == Sealed {
		if err := s.Unlock(ctx); err != nil {
			return err
		}
	}
	inRing := slices.Contains(known.InKeyring, name)
	err = s.ring.delete(ctx, name)
	switch {
	case err == nil:
	case inRing && !errors.Is(err, ErrNotFound):
		return fmt.Errorf("secret: %s is in the keyring, which cannot be changed: %w", name, err)
	case known.place(name) == "":
		return fmt.Errorf("%w: %s", ErrNotFound, name)
	}
	return s.vault.change(ctx, func(v *contents) error {
		wasSealed := slices.Contains(v.Sealed, name)
		v.forget(name)
		if wasSealed {
			return s.reseal(v, func(map[string]string) {})
		}
		return nil
	})
}

// List returns the names of all secrets, sorted.
func (s *Store) List(context.Context) ([]string, error) {
	known, err := s.vault.read()
	if err != nil {
		return nil, err
	}
	return known.names(), nil
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

// wait is how long the keyring may take. It has no time-out of its own, and
// may wait for ever for a bus or for a password that no one types.
const wait = 3 * time.Second
