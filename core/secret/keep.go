package secret

import (
	"context"
	"errors"
	"fmt"
)

// An Entry is a secret as lists show it.
type Entry struct {
	Name string
	At   Kind
}

// Entries lists all secrets by name, and where each is.
func (s *Store) Entries(context.Context) ([]Entry, error) {
	known, err := s.vault.read()
	if err != nil {
		return nil, err
	}
	var out []Entry
	for _, name := range known.names() {
		out = append(out, Entry{name, known.place(name)})
	}
	return out, nil
}

// Unlock asks for the passphrase of the sealed file, unless it is open. The key
// stays in memory until [Store.Lock]. Where the file was not set up yet, it is.
func (s *Store) Unlock(ctx context.Context) error {
	if !s.sealed.locked() {
		return nil
	}
	fresh := !s.sealed.exists()
	phrase, err := s.ask(ctx, fresh)
	if err != nil {
		return err
	}
	return s.UnlockWith(ctx, phrase)
}

// UnlockWith is Unlock with a passphrase that is known. A wrong one is
// [ErrPassphrase].
func (s *Store) UnlockWith(ctx context.Context, phrase Value) error {
	if s.sealed.exists() {
		return s.sealed.unlock(phrase)
	}
	return s.vault.change(ctx, func(*contents) error { return s.sealed.create(phrase) })
}

// Lock forgets the key of the sealed file.
func (s *Store) Lock() { s.sealed.lock() }

// IsLocked reports whether a secret is sealed and the file is locked.
func (s *Store) IsLocked(name string) bool {
	known, err := s.vault.read()
	return err == nil && known.place(name) == Sealed && s.sealed.locked()
}

// ErrNotSealed is returned where there is no sealed file.
var ErrNotSealed = errors.New("secret: there is no sealed file yet; make one with: hobkin secrets move --to sealed")

// ChangePassphrase puts the sealed file under a new passphrase.
func (s *Store) ChangePassphrase(ctx context.Context) error {
	if !s.sealed.exists() {
		return ErrNotSealed
	}
	if err := s.Unlock(ctx); err != nil {
		return err
	}
	phrase, err := s.ask(ctx, true)
	if err != nil {
		return err
	}
	return s.vault.change(ctx, func(*contents) error { return s.sealed.create(phrase) })
}

// Move brings secrets to another place, and from now on all new ones. Names
// picks some; then new ones go on as before. It returns those that it moved,
// also when it fails for another.
func (s *Store) Move(ctx context.Context, to Kind, names ...string) (moved []string, err error) {
	all, err := s.Entries(ctx)
	if err != nil {
		return nil, err
	}
	if to == Sealed {
		if err := s.Unlock(ctx); err != nil {
			return nil, err
		}
	}
	wanted := map[string]bool{}
	for _, name := range names {
		wanted[name] = true
	}
	for _, e := range all {
		if len(names) > 0 && !wanted[e.Name] {
			continue
		}
		delete(wanted, e.Name)
		if e.At == to {
			continue
		}
		if err := s.moveOne(ctx, e, to); err != nil {
			return moved, err
		}
		moved = append(moved, e.Name)
	}
	for name := range wanted {
		return moved, fmt.Errorf("%w: %s", ErrNotFound, name)
	}
	if len(names) > 0 {
		return moved, nil
	}
	return moved, s.vault.change(ctx, func(v *contents) error { v.Keep = to; return nil })
}

// moveOne copies a secret, reads the copy, and only then removes the original.
func (s *Store) moveOne(ctx context.Context, e Entry, to Kind) error {
	value, err := s.Get(ctx, e.Name)
	if err != nil {
		return err
	}
	if err := s.put(ctx, to, e.Name, value.text); err != nil {
		return err
	}
	if back, err := s.Get(ctx, e.Name); err != nil || back != value {
		return errors.Join(fmt.Errorf("secret: %s does not read back from the %s as it was stored", e.Name, to), err)
	}
	if e.At != Keyring {
		return s.vault.change(ctx, func(v *contents) error {
			if e.At == Sealed {
				return s.reseal(v, func(map[string]string) {})
			}
			return nil
		})
	}
	if err := s.ring.delete(ctx, e.Name); err != nil && !errors.Is(err, ErrNotFound) {
		return fmt.Errorf("secret: %s is in the %s now, but could not be removed from the keyring: %w", e.Name, to, err)
	}
	return s.vault.change(ctx, func(v *contents) error {
		value, plain := v.Values[e.Name]
		v.put(e.Name, to)
		if plain {
			v.Values[e.Name] = value
		}
		return nil
	})
}

// Status says where secrets go.
type Status struct {
	At        Kind   // where the next secret goes
	Keyring   bool   // into the keyring of the operating system
	Locked    bool   // the sealed file is locked
	HasSealed bool   // a sealed file was set up
	Text      string // in a sentence, with the reason when it is not the keyring
}

// Status tells where the next secret goes and, in a sentence, why. It may ask
// the keyring, which takes up to 3 seconds when that does not answer.
func (s *Store) Status(ctx context.Context) Status {
	st := s.status(ctx)
	st.HasSealed = s.sealed.exists()
	return st
}

func (s *Store) status(ctx context.Context) Status {
	known, err := s.vault.read()
	if err != nil {
		return Status{At: File, Text: "Secrets cannot be read: " + err.Error() + "."}
	}
	switch known.Keep {
	case Sealed:
		return s.sealedStatus("as you wanted")
	case File:
		return Status{At: File, Text: s.fileText("you wanted it so")}
	}
	why := s.whyNotKeyring(ctx)
	switch {
	case why == "":
		return Status{At: Keyring, Keyring: true, Text: "Secrets are kept in the keyring of this computer."}
	case s.sealed.exists():
		return s.sealedStatus("because " + why)
	}
	return Status{At: File, Text: s.fileText(why) + " Seal them under a passphrase with: hobkin secrets move --to sealed"}
}

func (s *Store) sealedStatus(why string) Status {
	st := Status{At: Sealed, Locked: s.sealed.locked(), Text: "Secrets are kept encrypted in " + s.sealed.path() + ", " + why + "."}
	if st.Locked {
		st.Text += " It is locked."
	}
	return st
}

// whyNotKeyring is empty where the keyring works.
func (s *Store) whyNotKeyring(ctx context.Context) string {
	_, err := s.ring.get(ctx, "hobkin-status")
	if err != nil && !errors.Is(err, ErrNotFound) {
		return reason(err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.reason
}

func (s *Store) fileText(why string) string {
	return "Secrets are kept unencrypted in " + s.vault.path() + ", which only you can read, because " + why + "."
}

// Learn tells the redactor every secret that can be read without asking: those
// in plain text, those of the sealed file while it is open and, where ring is
// set, those of the keyring.
func (s *Store) Learn(ctx context.Context, ring bool) error {
	entries, err := s.Entries(ctx)
	if err != nil {
		return err
	}
	for _, e := range entries {
		if e.At == File || e.At == Keyring && ring || e.At == Sealed && !s.sealed.locked() {
			if _, oneErr := s.Get(ctx, e.Name); oneErr != nil { // what cannot be read cannot get out either
				err = errors.Join(err, oneErr)
			}
		}
	}
	return err
}
