package secret

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/gofrs/flock"
)

// A vault is the file with the names of all secrets, and with those secrets
// that no keyring took.
type vault struct{ dir string }

// contents is what the file holds.
type contents struct {
	About     string            `json:"about"`
	InKeyring []string          `json:"in_keyring"` // names only; keyrings cannot be listed
	Values    map[string]string `json:"values"`     // secrets that no keyring took
}

const about = "Secrets of Hobkin. in_keyring are names of secrets that the keyring of this computer keeps. " +
	"values are secrets in plain text, which no keyring could take: anyone who can read this file has them. " +
	"Remove one with: hobkin secrets delete NAME"

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
		return nil, fmt.Errorf("secret: %s is damaged; move it away and store the secrets again", v.path()) // the cause may quote a secret
	}
	if c.Values == nil {
		c.Values = map[string]string{}
	}
	return c, nil
}

const lockWait = 5 * time.Second

// change edits the file, one program at a time, and replaces it at once.
func (v *vault) change(ctx context.Context, edit func(*contents)) (err error) {
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
	c, err := v.read()
	if err != nil {
		return err
	}
	edit(c)
	c.About = about
	text, err := json.MarshalIndent(c, "", "  ")
	if err != nil {
		return fmt.Errorf("secret: %w", err)
	}
	if err := v.write(append(text, '\n')); err != nil {
		return fmt.Errorf("secret: writing: %w", err)
	}
	return nil
}

// write replaces the file; it is never readable by others, not even at first.
func (v *vault) write(text []byte) (err error) {
	f, err := os.CreateTemp(v.dir, ".secrets.*") // mode 0600
	if err != nil {
		return err
	}
	_, err = f.Write(text)
	if err == nil {
		err = f.Sync()
	}
	err = errors.Join(err, f.Close())
	if err == nil {
		err = os.Rename(f.Name(), v.path())
	}
	if err != nil {
		return errors.Join(err, os.Remove(f.Name()))
	}
	return nil
}
