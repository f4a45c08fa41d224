package secret

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/gofrs/flock"
)

// A vault is the file with the names of all secrets, and with those secrets
// that are kept in plain text.
type vault struct{ dir string }

// contents is what the file holds.
type contents struct {
	About     string            `json:"about"`
	Keep      Kind              `json:"keep,omitempty"`   // where the owner wants secrets; empty: the keyring, where there is one
	InKeyring []string          `json:"in_keyring"`       // names only; keyrings cannot be listed
	Sealed    []string          `json:"sealed,omitempty"` // names only
	Values    map[string]string `json:"values"`           // secrets in plain text
}

const about = "Secrets of Hobkin. in_keyring and sealed are names of secrets that the keyring of this computer and the sealed file keep. " +
	"values are secrets in plain text: anyone who can read this file has them. " +
	"Remove one with: hobkin secrets delete NAME. Seal them with: hobkin secrets move --to sealed"

// place tells where a secret is read from; empty when there is none.
func (c *contents) place(name string) Kind {
	switch _, plain := c.Values[name]; {
	case plain:
		return File
	case slices.Contains(c.Sealed, name):
		return Sealed
	case slices.Contains(c.InKeyring, name):
		return Keyring
	}
	return ""
}

// put notes that a secret is in one place and in no other.
func (c *contents) put(name string, at Kind) {
	c.forget(name)
	switch at {
	case Keyring:
		c.InKeyring = append(c.InKeyring, name)
	case Sealed:
		c.Sealed = append(c.Sealed, name)
	case File: // its value is its note
	}
}

func (c *contents) forget(name string) {
	other := func(n string) bool { return n == name }
	c.InKeyring, c.Sealed = slices.DeleteFunc(c.InKeyring, other), slices.DeleteFunc(c.Sealed, other)
	delete(c.Values, name)
}

func (c *contents) names() []string {
	names := slices.Concat(c.InKeyring, c.Sealed)
	for name := range c.Values {
		names = append(names, name)
	}
	slices.Sort(names)
	return slices.Compact(names)
}

func (v *vault) path() string { return filepath.Join(v.dir, "secrets.json") }

// read returns what the file holds; nothing when there is no file.
func (v *vault) read() (*contents, error) {
	c := &contents{Values: map[string]string{}}
	text, err := os.ReadFile(v.path())
	if errors.Is(err, fs.ErrNotExist) {
		return c, nil
	}
	if err != nil {
		return nil, fmt.Errorf("secret: reading: %w", err)
	}
	if err := json.Unmarshal(text, c); err != nil {
		return nil, damaged(v.path())
	}
	if c.Values == nil {
		c.Values = map[string]string{}
	}
	return c, nil
}

const lockWait = 5 * time.Second

// change edits the file, one program at a time, and replaces it at once. An
// edit that fails leaves it as it is.
func (v *vault) change(ctx context.Context, edit func(*contents) error) (err error) {
	if err := os.MkdirAll(v.dir, 0o700); err != nil {
		return fmt.Errorf("secret: %w", err)
	}
	ctx, cancel := context.WithTimeout(ctx, lockWait)
	defer cancel()
	lock := flock.New(filepath.Join(v.dir, ".lock"), flock.SetPermissions(0o600))
	if _, err := lock.TryLockContext(ctx, 20*time.Millisecond); err != nil {
		return fmt.Errorf("secret: another program is storing secrets: %w", err)
	}
	defer func() { err = errors.Join(err, lock.Unlock()) }()
	v.sweep()
	c, err := v.read()
	if err != nil {
		return err
	}
	if err := edit(c); err != nil {
		return err
	}
	c.About = about
	text, err := json.MarshalIndent(c, "", "  ")
	if err != nil {
		return fmt.Errorf("secret: %w", err)
	}
	if err := replace(v.path(), append(text, '\n')); err != nil {
		return fmt.Errorf("secret: writing: %w", err)
	}
	return nil
}

// sweep removes what a kill has left of a write. It runs under the lock.
func (v *vault) sweep() {
	entries, _ := os.ReadDir(v.dir) // what cannot be listed is swept another time
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), tempPrefix) {
			_ = os.Remove(filepath.Join(v.dir, e.Name()))
		}
	}
}

const tempPrefix = ".secrets."

// replace writes a file that is never readable by others, not even at first,
// and never half.
func replace(path string, text []byte) (err error) {
	f, err := os.CreateTemp(filepath.Dir(path), tempPrefix+"*") // mode 0600
	if err != nil {
		return err
	}
	_, err = f.Write(text)
	if err == nil {
		err = f.Sync()
	}
	err = errors.Join(err, f.Close())
	if err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		return errors.Join(err, os.Remove(f.Name()))
	}
	if dir, err := os.Open(filepath.Dir(path)); err == nil { // the name lasts too, where the system can
		_ = dir.Sync()
		_ = dir.Close()
	}
	return nil
}
