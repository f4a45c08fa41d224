package secret

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"filippo.io/age"
)

// A sealed is a file of secrets that nobody can read without a passphrase. The
// secrets are encrypted for a key of their own; the key is in a second file,
// encrypted under the passphrase. So the slow step that makes guessing dear is
// taken once a process, and a new passphrase leaves the secrets alone.
type sealed struct {
	dir  string
	work int // see [Options.Work]

	mu  sync.Mutex
	key *age.X25519Identity // in memory only; nil while it is locked
}

// The errors of the sealed file.
var (
	ErrLocked     = errors.New("secret: the sealed file is locked; unlock it with: hobkin secrets unlock, or name a file with the passphrase in " + PassphraseFile)
	ErrPassphrase = errors.New("secret: the passphrase is wrong")
	ErrWeak       = errors.New("secret: a passphrase has 8 to 1024 characters")
)

const (
	usualWork   = 18 // what age itself uses: about a second, and 256 MiB for as long
	mostWork    = 20 // a file that demands more is not ours
	leastPhrase = 8
	mostPhrase  = 1 << 10
	mostSealed  = 32 << 20 // bytes of the file, far above what anyone keeps
)

// Format writes [Hidden], whatever the verb.
func (*sealed) Format(f fmt.State, _ rune) {
	_, _ = io.WriteString(f, Hidden) // a Formatter has no one to tell
}

func (s *sealed) keyPath() string { return filepath.Join(s.dir, "sealed-key.age") }

func (s *sealed) path() string { return filepath.Join(s.dir, "sealed.age") }

// exists reports whether it was set up.
func (s *sealed) exists() bool {
	_, err := os.Lstat(s.keyPath())
	return err == nil
}

func (s *sealed) locked() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.key == nil
}

// lock forgets the key.
func (s *sealed) lock() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.key = nil
}

// unlock opens the key with a passphrase.
func (s *sealed) unlock(phrase Value) error {
	scrypt, err := age.NewScryptIdentity(phrase.text)
	if err != nil {
		return ErrPassphrase // an empty one
	}
	scrypt.SetMaxWorkFactor(mostWork)
	text, err := s.open(s.keyPath(), scrypt)
	if _, wrong := errors.AsType[*age.NoIdentityMatchError](err); wrong {
		return ErrPassphrase
	}
	if err != nil {
		return err
	}
	key, err := age.ParseX25519Identity(strings.TrimSpace(string(text)))
	if err != nil {
		return damaged(s.keyPath())
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.key = key
	return nil
}

// create makes the key, or puts the one that is unlocked under a new passphrase.
func (s *sealed) create(phrase Value) error {
	if n := len(phrase.text); n < leastPhrase || n > mostPhrase {
		return ErrWeak
	}
	scrypt, err := age.NewScryptRecipient(phrase.text)
	if err != nil {
		return fmt.Errorf("secret: sealing: %w", err)
	}
	scrypt.SetWorkFactor(s.work)
	s.mu.Lock()
	defer s.mu.Unlock()
	key := s.key
	switch {
	case key != nil:
	case s.exists():
		return ErrLocked
	default:
		if key, err = age.GenerateX25519Identity(); err != nil {
			return fmt.Errorf("secret: making a key: %w", err)
		}
	}
	if err := seal(s.keyPath(), []byte(key.String()+"\n"), scrypt); err != nil {
		return err
	}
	s.key = key
	return nil
}

// read returns all secrets, or [ErrLocked].
func (s *sealed) read() (map[string]string, error) {
	s.mu.Lock()
	key := s.key
	s.mu.Unlock()
	values := map[string]string{}
	if key == nil {
		return nil, ErrLocked
	}
	text, err := s.open(s.path(), key)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return values, nil // nothing was sealed yet
	case err != nil:
		if _, wrong := errors.AsType[*age.NoIdentityMatchError](err); wrong {
			return nil, fmt.Errorf("secret: %s was sealed with another key than %s; put the two files that belong together back", s.path(), s.keyPath())
		}
		return nil, err
	case json.Unmarshal(text, &values) != nil:
		return nil, damaged(s.path())
	}
	return values, nil
}

// write replaces all secrets.
func (s *sealed) write(values map[string]string) error {
	s.mu.Lock()
	key := s.key
	s.mu.Unlock()
	if key == nil {
		return ErrLocked
	}
	text, err := json.Marshal(values)
	if err != nil {
		return fmt.Errorf("secret: sealing: %w", err)
	}
	return seal(s.path(), text, key.Recipient())
}

// open decrypts a file. What is no whole file of age's is damaged; it is left
// as it is.
func (s *sealed) open(path string, id age.Identity) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("secret: reading: %w", err)
	}
	defer func() { _ = f.Close() }() // it was only read
	r, err := age.Decrypt(io.LimitReader(f, mostSealed), id)
	if _, wrong := errors.AsType[*age.NoIdentityMatchError](err); wrong {
		return nil, err
	}
	if err != nil {
		return nil, damaged(path)
	}
	text, err := io.ReadAll(r)
	if err != nil {
		return nil, damaged(path)
	}
	return text, nil
}

// damaged is the error of a file that cannot be decrypted. The cause is left
// out: it may quote what is in there.
func damaged(path string) error {
	return fmt.Errorf("secret: %s is damaged and was left as it is; put a copy from a backup in its place, or move it away and store the secrets again", path)
}

// seal encrypts text into a file, which appears at once or not at all.
func seal(path string, text []byte, to age.Recipient) error {
	var b bytes.Buffer
	w, err := age.Encrypt(&b, to)
	if err == nil {
		_, err = w.Write(text)
	}
	if err == nil {
		err = w.Close()
	}
	if err == nil {
		err = replace(path, b.Bytes())
	}
	if err != nil {
		return fmt.Errorf("secret: sealing: %w", err)
	}
	return nil
}
