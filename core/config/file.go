package config

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/gofrs/flock"
)

// A File is the config file as something to read and edit. Edits by several
// programs at once are done one after another.
type File struct {
	Path string // absolute
}

// A Value is one setting as it holds.
type Value struct {
	Key  string
	TOML string // the value as TOML, on one line
	Set  bool   // it stands in the file; else it is the default
}

// ErrUnknownKey is returned for a key that is no setting.
var ErrUnknownKey = errors.New("config: no such setting")

// Load reads the file, see the function [Load].
func (f File) Load() (*Config, error) { return Load(f.Path) }

// Get returns the value that a key has: a setting or a whole table.
func (f File) Get(key string) (Value, error) {
	path, err := splitKey(key)
	if err != nil {
		return Value{}, err
	}
	c, d, err := f.read()
	if err != nil {
		return Value{}, err
	}
	if _, at, known, ok := slotOf(path); !ok {
		return Value{}, unknown(path, at, known)
	}
	_, set := d.find(path)
	v, ok := valueAt(c, path)
	if !ok {
		return Value{}, fmt.Errorf("%w: %s is not in the file", ErrUnknownKey, joinKey(path))
	}
	return Value{Key: joinKey(path), TOML: encode(v), Set: set}, nil
}

// All returns every setting that has a name of its own, in the order of the
// default file, with those that stand in the file under names of the owner's.
func (f File) All() ([]Value, error) {
	c, d, err := f.read()
	if err != nil {
		return nil, err
	}
	var out []Value
	for _, k := range Keys() {
		for _, path := range concrete(c, strings.Split(k.Name, ".")) {
			v, _ := valueAt(c, path)
			_, set := d.find(path)
			out = append(out, Value{Key: joinKey(path), TOML: encode(v), Set: set})
		}
	}
	return out, nil
}

// concrete puts the names and numbers that c has for NAME and N.
func concrete(c *Config, path []string) [][]string {
	i := slices.IndexFunc(path, func(s string) bool { return s == "NAME" || s == "N" })
	if i < 0 {
		return [][]string{path}
	}
	v, _ := valueAt(c, path[:i])
	var names []string
	if path[i] == "NAME" {
		for _, k := range v.MapKeys() {
			names = append(names, k.String())
		}
		slices.Sort(names)
	} else {
		for n := range v.Len() {
			names = append(names, strconv.Itoa(n))
		}
	}
	var out [][]string
	for _, name := range names {
		one := slices.Clone(path)
		one[i] = name
		out = append(out, concrete(c, one)...)
	}
	return out
}

// Set changes one setting. The value is TOML; where text is wanted, a bare
// word is taken as that text. The file stays as it is when the outcome would
// not load.
func (f File) Set(ctx context.Context, key, value string) error {
	path, err := splitKey(key)
	if err != nil {
		return err
	}
	s, at, known, ok := slotOf(path)
	if !ok {
		return unknown(path, at, known)
	}
	value, err = readValue(value, s.typ)
	if err != nil {
		return fmt.Errorf("config: %s: %w", joinKey(path), err)
	}
	return f.edit(ctx, func(d *document) ([]change, error) { return d.set(path, value) })
}

// Unset takes a setting out of the file, so that its default holds again.
func (f File) Unset(ctx context.Context, key string) error {
	path, err := splitKey(key)
	if err != nil {
		return err
	}
	if _, at, known, ok := slotOf(path); !ok {
		return unknown(path, at, known)
	}
	return f.edit(ctx, func(d *document) ([]change, error) { return d.unset(path) })
}

// AppendRule adds a permission rule behind the others. One that stands there
// already is not added again.
func (f File) AppendRule(ctx context.Context, rule Rule) error {
	return f.edit(ctx, func(d *document) ([]change, error) { return d.appendRule(rule) })
}

// AppendRoot adds a folder to sandbox.allowed_roots, once.
func (f File) AppendRoot(ctx context.Context, dir string) error {
	return f.edit(ctx, func(d *document) ([]change, error) { return d.appendRoot(dir) })
}

// RemoveRoot takes a folder out of sandbox.allowed_roots, however it is
// spelt there. One that is not there is no error.
func (f File) RemoveRoot(ctx context.Context, dir string) error {
	for { // a folder can stand there in several spellings; each round takes one
		found := false
		err := f.edit(ctx, func(d *document) ([]change, error) {
			changes := d.removeRoot(dir)
			found = len(changes) > 0
			return changes, nil
		})
		if err != nil || !found {
			return err
		}
	}
}

// Create writes the default file where there is none.
func (f File) Create(ctx context.Context) error {
	if _, err := os.Stat(f.Path); err == nil {
		return nil
	}
	return f.locked(ctx, func() error {
		if _, err := os.Stat(f.Path); err == nil {
			return nil
		}
		return f.write(DefaultFile())
	})
}

func (f File) read() (*Config, *document, error) {
	text, err := read(f.Path)
	if err != nil {
		return nil, nil, err
	}
	c, err := Parse(f.Path, text)
	if err != nil {
		return nil, nil, err
	}
	d, err := parse(withoutBOM(text))
	if err != nil {
		return nil, nil, fmt.Errorf("config: %w", err)
	}
	return c, d, nil
}

// edit makes the first of the changes whose outcome is right. No change at all
// leaves the file alone.
func (f File) edit(ctx context.Context, plan func(*document) ([]change, error)) error {
	return f.locked(ctx, func() error {
		text, err := read(f.Path)
		if err != nil {
			return err
		}
		mark := text[:len(text)-len(withoutBOM(text))]
		if text == nil {
			text = DefaultFile()
		}
		if _, err := Parse(f.Path, text); err != nil {
			return err
		}
		d, err := parse(withoutBOM(text))
		if err != nil {
			return fmt.Errorf("config: %w", err)
		}
		changes, err := plan(d)
		if err != nil || len(changes) == 0 {
			return err
		}
		after, err := d.apply(f.Path, changes)
		if err != nil {
			return err
		}
		return f.write(append(slices.Clone(mark), after...))
	})
}

const lockWait = 5 * time.Second

func (f File) locked(ctx context.Context, do func() error) error {
	if !filepath.IsAbs(f.Path) {
		return fmt.Errorf("config: %q is not an absolute path", f.Path)
	}
	if err := os.MkdirAll(filepath.Dir(f.Path), 0o700); err != nil {
		return fmt.Errorf("config: %w", err)
	}
	ctx, cancel := context.WithTimeout(ctx, lockWait)
	defer cancel()
	lock := flock.New(filepath.Join(filepath.Dir(f.Path), "."+filepath.Base(f.Path)+".lock"), flock.SetPermissions(0o600))
	if _, err := lock.TryLockContext(ctx, 20*time.Millisecond); err != nil {
		return fmt.Errorf("config: another program is changing %s: %w", f.Path, err)
	}
	return errors.Join(do(), lock.Unlock())
}

// write replaces the file at once and keeps the one before as a backup. A
// link, as people have who keep their settings elsewhere, stays a link.
func (f File) write(text []byte) error {
	path := f.Path
	if target, err := filepath.EvalSymlinks(path); err == nil {
		path = target
	}
	mode := os.FileMode(0o600)
	if before, err := os.ReadFile(path); err == nil {
		if info, err := os.Stat(path); err == nil {
			mode = info.Mode().Perm()
		}
		if err := writeFile(f.Path+".bak", before, 0o600); err != nil {
			return fmt.Errorf("config: keeping a backup: %w", err)
		}
	}
	if err := writeFile(path, text, mode); err != nil {
		return fmt.Errorf("config: writing: %w", err)
	}
	return nil
}

// readValue makes what a person typed a TOML value on one line or more.
func readValue(value string, t reflect.Type) (string, error) {
	value = strings.TrimSpace(value)
	_, err := decodeValue(value)
	switch {
	case err == nil:
		if text := t.Kind() == reflect.String || t == durationType; text && !strings.HasPrefix(value, `"`) && !strings.HasPrefix(value, "'") {
			return quote(value), nil // 5 or true where text is wanted
		}
		return value, nil
	case t.Kind() == reflect.String, t == durationType:
		if strings.ContainsAny(value, "\"'\r\n") {
			break
		}
		return quote(value), nil
	case t.Kind() == reflect.Slice && t.Elem().Kind() == reflect.String && value != "" && !strings.ContainsAny(value, "\"'[]\r\n"):
		return "[" + quote(value) + "]", nil
	}
	return "", errors.New("the value is not TOML; text stands in quotes, a list in [ ]")
}

func unknown(path []string, at int, known []string) error {
	near := nearest(path[at], known)
	if near == "" {
		near = elsewhere(path[at])
	} else {
		near = joinKey(append(slices.Clone(path[:at]), near))
	}
	err := fmt.Errorf("%w: %s", ErrUnknownKey, joinKey(path[:at+1]))
	if near != "" {
		err = fmt.Errorf("%w; did you mean %s?", err, near)
	}
	return err
}
