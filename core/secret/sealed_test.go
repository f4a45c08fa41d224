package secret

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"
)

// sealedStore is a store whose keyring does not work and whose passphrase is
// phrase, empty for one that cannot be asked for.
func sealedStore(t *testing.T, dir, phrase string) *Store {
	t.Helper()
	t.Setenv("DBUS_SESSION_BUS_ADDRESS", "")
	ask := func(context.Context, bool) (Value, error) {
		if phrase == "" {
			return Value{}, ErrLocked
		}
		return Value{phrase}, nil
	}
	s, err := Open(Options{Dir: dir, Redactor: &Redactor{}, Passphrase: ask, Work: 10})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

const rightPhrase = "a right good passphrase"

func TestSealed(t *testing.T) {
	dir := t.TempDir()
	s := sealedStore(t, dir, rightPhrase)
	for _, name := range []string{"openai", "other"} {
		if err := s.Set(t.Context(), name, "value-of-"+name); err != nil {
			t.Fatal(err)
		}
	}
	moved, err := s.Move(t.Context(), Sealed)
	if err != nil || !slices.Equal(moved, []string{"openai", "other"}) {
		t.Fatalf("moved %v, %v", moved, err)
	}
	if err := s.Set(t.Context(), "third", "value-of-third"); err != nil {
		t.Fatal(err)
	}
	again := sealedStore(t, dir, rightPhrase) // as the next start has it
	for _, name := range []string{"openai", "other", "third"} {
		if got := get(t, again, name); got != "value-of-"+name {
			t.Errorf("%s: got %q", name, got)
		}
	}
	if got := again.redactor.Redact("x value-of-third"); got != "x "+Hidden {
		t.Errorf("the redactor did not learn: %s", got)
	}
	if err := again.Delete(t.Context(), "other"); err != nil {
		t.Fatal(err)
	}
	if _, err := again.Get(t.Context(), "other"); !errors.Is(err, ErrNotFound) {
		t.Errorf("after it was deleted: %v", err)
	}
	if values, err := again.sealed.read(); err != nil || len(values) != 2 {
		t.Errorf("the sealed file holds %d secrets, %v, want 2", len(values), err)
	}
	if st := again.Status(t.Context()); st.At != Sealed || st.Keyring || st.Locked || !strings.Contains(st.Text, "encrypted in") {
		t.Errorf("got %+v", st)
	}
	assertClosed(t, dir, "value-of", rightPhrase, "AGE-SECRET-KEY")
}

// assertClosed looks for texts that must not be in any file of a folder, and
// for files that others can read.
func assertClosed(t *testing.T, dir string, texts ...string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		path := filepath.Join(dir, e.Name())
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for _, secret := range texts {
			if strings.Contains(string(text), secret) {
				t.Errorf("%s holds %q", path, secret)
			}
		}
		if info, err := e.Info(); err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o600 {
			t.Errorf("%s: %v, %v", path, info.Mode(), err)
		}
	}
}

func TestSealedIsLocked(t *testing.T) {
	dir := t.TempDir()
	s := sealedStore(t, dir, rightPhrase)
	if _, err := s.Move(t.Context(), Sealed); err != nil {
		t.Fatal(err)
	}
	if err := s.Set(t.Context(), "openai", "value-of-openai"); err != nil {
		t.Fatal(err)
	}
	locked := sealedStore(t, dir, "")
	for what, err := range map[string]error{
		"get": errOf(locked.Get(t.Context(), "openai")), "resolve": errOf(locked.Resolve(t.Context(), "keyring:openai")),
		"set": locked.Set(t.Context(), "x", "value"), "delete": locked.Delete(t.Context(), "openai"),
	} {
		if !errors.Is(err, ErrLocked) || !strings.Contains(err.Error(), "hobkin secrets unlock") {
			t.Errorf("%s: got %v, want one that says how to unlock", what, err)
		}
	}
	if names, err := locked.List(t.Context()); err != nil || len(names) != 1 {
		t.Errorf("names need no passphrase: got %v, %v", names, err)
	}
	if !locked.IsLocked("openai") || locked.IsLocked("nobody") || !locked.Status(t.Context()).Locked {
		t.Error("it does not say that it is locked")
	}
	wrong := sealedStore(t, dir, "a wrong passphrase")
	if _, err := wrong.Get(t.Context(), "openai"); !errors.Is(err, ErrPassphrase) {
		t.Errorf("a wrong passphrase: got %v", err)
	}
	if err := locked.UnlockWith(t.Context(), Value{rightPhrase}); err != nil {
		t.Fatal(err)
	}
	if got := get(t, locked, "openai"); got != "value-of-openai" {
		t.Errorf("got %q", got)
	}
	locked.Lock()
	if _, err := locked.Get(t.Context(), "openai"); !errors.Is(err, ErrLocked) {
		t.Errorf("after Lock: got %v", err)
	}
	if text := fmt.Sprintf("%v %+v %#v", s.sealed, s.sealed, s.sealed); text != Hidden+" "+Hidden+" "+Hidden {
		t.Errorf("a store that is printed shows %s", text)
	}
}

func TestSealedPassphraseChanges(t *testing.T) {
	dir := t.TempDir()
	phrases := []string{rightPhrase, "another good passphrase"}
	s := sealedStore(t, dir, rightPhrase)
	s.ask = func(context.Context, bool) (Value, error) {
		next := phrases[0]
		phrases = phrases[1:]
		return Value{next}, nil
	}
	if err := s.ChangePassphrase(t.Context()); !errors.Is(err, ErrNotSealed) {
		t.Errorf("before there is a file: got %v", err)
	}
	if _, err := s.Move(t.Context(), Sealed); err != nil {
		t.Fatal(err)
	}
	if err := s.Set(t.Context(), "openai", "value-of-openai"); err != nil {
		t.Fatal(err)
	}
	if err := s.ChangePassphrase(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := sealedStore(t, dir, rightPhrase).Unlock(t.Context()); !errors.Is(err, ErrPassphrase) {
		t.Errorf("the old passphrase: got %v", err)
	}
	if got := get(t, sealedStore(t, dir, "another good passphrase"), "openai"); got != "value-of-openai" {
		t.Errorf("got %q", got)
	}
	if err := sealedStore(t, t.TempDir(), "short").Unlock(t.Context()); !errors.Is(err, ErrWeak) {
		t.Errorf("a short passphrase: got %v", err)
	}
}

// A damaged file is named, kept as it is, and not written over.
func TestSealedDamaged(t *testing.T) {
	for _, name := range []string{"sealed.age", "sealed-key.age", "secrets.json"} {
		for what, harm := range map[string]func([]byte) []byte{
			"cut":     func(b []byte) []byte { return b[:len(b)/2] },
			"changed": func(b []byte) []byte { b[len(b)/2] ^= 1; return append(b[:len(b)-3], 'x') },
			"empty":   func([]byte) []byte { return nil },
		} {
			t.Run(name+" "+what, func(t *testing.T) {
				dir := t.TempDir()
				s := sealedStore(t, dir, rightPhrase)
				if _, err := s.Move(t.Context(), Sealed); err != nil {
					t.Fatal(err)
				}
				if err := s.Set(t.Context(), "openai", "value-of-openai"); err != nil {
					t.Fatal(err)
				}
				path := filepath.Join(dir, name)
				text, err := os.ReadFile(path)
				if err != nil {
					t.Fatal(err)
				}
				text = harm(text)
				if err := os.WriteFile(path, text, 0o600); err != nil {
					t.Fatal(err)
				}
				s = sealedStore(t, dir, rightPhrase)
				if _, err := s.Get(t.Context(), "openai"); err == nil || !strings.Contains(err.Error(), path) && !errors.Is(err, ErrPassphrase) {
					t.Errorf("getting: %v, want an error that names %s", err, path)
				}
				if err := s.Set(t.Context(), "x", "value"); err == nil {
					t.Error("it was written over")
				}
				if now, err := os.ReadFile(path); err != nil || string(now) != string(text) {
					t.Errorf("it was changed: %v", err)
				}
			})
		}
	}
}

// Moving back and forth loses nothing, and leaves nothing behind.
func TestMove(t *testing.T) {
	s, f := open(t)
	s.sealed.work, s.ask = 10, func(context.Context, bool) (Value, error) { return Value{rightPhrase}, nil }
	for _, name := range []string{"a", "b"} {
		if err := s.Set(t.Context(), name, "value-of-"+name); err != nil {
			t.Fatal(err)
		}
	}
	for _, to := range []Kind{Sealed, File, Keyring, File, Sealed, Keyring} {
		if _, err := s.Move(t.Context(), to); err != nil {
			t.Fatalf("to %s: %v", to, err)
		}
		entries, err := s.Entries(t.Context())
		if err != nil || !slices.Equal(entries, []Entry{{"a", to}, {"b", to}}) {
			t.Errorf("to %s: got %v, %v", to, entries, err)
		}
		if got := get(t, s, "a") + get(t, s, "b"); got != "value-of-avalue-of-b" {
			t.Errorf("to %s: got %q", to, got)
		}
		if inRing := len(f.values); (inRing == 2) != (to == Keyring) || inRing == 1 {
			t.Errorf("to %s: the keyring holds %d", to, inRing)
		}
		if plain := strings.Contains(onDisk(t, s), "value-of"); plain != (to == File) {
			t.Errorf("to %s: in plain text %v", to, plain)
		}
		if values, err := s.sealed.read(); err != nil || (len(values) == 2) != (to == Sealed) || len(values) == 1 {
			t.Errorf("to %s: sealed are %d, %v", to, len(values), err)
		}
	}
	if moved, err := s.Move(t.Context(), Sealed, "a", "nobody"); !errors.Is(err, ErrNotFound) || !slices.Equal(moved, []string{"a"}) {
		t.Errorf("got %v, %v", moved, err)
	}
	if st := s.Status(t.Context()); st.At != Keyring {
		t.Errorf("moving one changed where new ones go: %+v", st)
	}
	f.err = errors.New("no collection")
	if _, err := s.Move(t.Context(), Keyring, "a"); err == nil || !strings.Contains(err.Error(), "no collection") {
		t.Errorf("into a broken keyring: got %v", err)
	}
	if got := get(t, s, "a"); got != "value-of-a" {
		t.Errorf("after a move that failed: got %q", got)
	}
}

// A write that is cut short leaves the file of before, and no scrap for long.
func TestReplaceIsWhole(t *testing.T) {
	dir := t.TempDir()
	s := sealedStore(t, dir, "")
	if err := os.WriteFile(filepath.Join(dir, tempPrefix+"123"), []byte(`{"values":{"a":"half`), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := s.Set(t.Context(), "a", "value"); err != nil {
		t.Fatal(err)
	}
	if left, _ := filepath.Glob(filepath.Join(dir, tempPrefix+"*")); len(left) > 0 {
		t.Errorf("left are %v", left)
	}
	var c contents
	if err := json.Unmarshal([]byte(onDisk(t, s)), &c); err != nil || c.Values["a"] != "value" {
		t.Errorf("got %+v, %v", c, err)
	}
}

func TestPassphraseFromEnvironment(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the programs here are shell scripts")
	}
	dir := t.TempDir()
	file := func(name, text string, mode os.FileMode) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), mode); err != nil {
			t.Fatal(err)
		}
		return path
	}
	good := file("good", "the phrase\n", 0o600)
	for name, c := range map[string]struct{ path, program, want, err string }{
		"nothing":       {err: "locked"},
		"file":          {path: good, want: "the phrase"},
		"file wins":     {path: good, program: "/bin/false", want: "the phrase"},
		"open file":     {path: file("open", "x", 0o644), err: "chmod 600"},
		"missing file":  {path: filepath.Join(dir, "none"), err: "no such file"},
		"folder":        {path: dir, err: "is not a file"},
		"empty file":    {path: file("empty", "\n", 0o600), err: "empty"},
		"program":       {program: file("ask", "#!/bin/sh\necho \"$1\" | grep -q assphrase && echo ' typed '\n", 0o700), want: " typed "},
		"it fails":      {program: file("fails", "#!/bin/sh\necho leaked >&2\nexit 3\n", 0o700), err: "gave no passphrase"},
		"it says much":  {program: file("much", "#!/bin/sh\nexec head -c 100000 /dev/zero\n", 0o700), want: strings.Repeat("\x00", mostPhrase+2)},
		"no such thing": {program: filepath.Join(dir, "none"), err: "gave no passphrase"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Setenv(PassphraseFile, c.path)
			t.Setenv(AskpassProgram, c.program)
			got, err := FromEnvironment(t.Context(), false)
			if got.text != c.want || (err == nil) != (c.err == "") || err != nil && (!strings.Contains(err.Error(), c.err) || strings.Contains(err.Error(), "leaked")) {
				t.Errorf("got %q, %v, want %q, %q", got.text, err, c.want, c.err)
			}
		})
	}
	hangs := file("hangs", "#!/bin/sh\nsleep 60\n", 0o700)
	t.Setenv(PassphraseFile, "")
	t.Setenv(AskpassProgram, hangs)
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	if _, err := FromEnvironment(ctx, false); err == nil || !strings.Contains(err.Error(), "in time") {
		t.Errorf("a program that hangs: got %v", err)
	}
}

// The whole way through a real Secret Service, in a session bus of its own.
func TestRealKeyring(t *testing.T) {
	if os.Getenv("HOBKIN_TEST_KEYRING") != "" {
		s, err := Open(Options{Dir: t.TempDir()})
		if err != nil {
			t.Fatal(err)
		}
		value := "välue-" + strings.Repeat("x", 5000)
		if err := s.Set(t.Context(), "hobkin-test/openai", value); err != nil {
			t.Fatal(err)
		}
		if got := get(t, s, "hobkin-test/openai"); got != value || strings.Contains(onDisk(t, s), "xxxx") {
			t.Errorf("got %d bytes; the file is %s", len(got), onDisk(t, s))
		}
		if st := s.Status(t.Context()); !st.Keyring {
			t.Errorf("got %+v", st)
		}
		if err := s.Delete(t.Context(), "hobkin-test/openai"); err != nil {
			t.Error(err)
		}
		if _, err := s.Get(t.Context(), "hobkin-test/openai"); !errors.Is(err, ErrNotFound) {
			t.Errorf("got %v", err)
		}
		_, _ = os.Stdout.WriteString("all of it worked")
		return
	}
	for _, program := range []string{"dbus-run-session", "gnome-keyring-daemon"} {
		if _, err := exec.LookPath(program); err != nil {
			t.Skip(program + " is not installed")
		}
	}
	home := t.TempDir()
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	cmd := exec.CommandContext(ctx, "dbus-run-session", "--", "sh", "-c",
		`printf "\n" | gnome-keyring-daemon --unlock --components=secrets >/dev/null && exec "$0" -test.run='^TestRealKeyring$'`, os.Args[0])
	cmd.Env = append(os.Environ(), "HOBKIN_TEST_KEYRING=1", "HOME="+home, "XDG_RUNTIME_DIR="+home, "XDG_DATA_HOME="+home+"/data", "DISPLAY=", "WAYLAND_DISPLAY=")
	cmd.WaitDelay = time.Second
	if out, err := cmd.CombinedOutput(); !strings.Contains(string(out), "all of it worked") {
		t.Errorf("got %v: %s", err, out)
	}
}

// The redactor knows secrets before they are used.
func TestLearn(t *testing.T) {
	s, _ := open(t)
	s.sealed.work, s.ask = 10, func(context.Context, bool) (Value, error) { return Value{rightPhrase}, nil }
	for at, name := range map[Kind]string{Keyring: "a", Sealed: "b", File: "c"} {
		if err := s.Set(t.Context(), name, "value-of-"+name); err != nil {
			t.Fatal(err)
		}
		if _, err := s.Move(t.Context(), at, name); err != nil {
			t.Fatal(err)
		}
	}
	text := "value-of-a value-of-b value-of-c"
	for _, step := range []struct {
		ring, locked bool
		want         string
	}{
		{false, true, "value-of-a value-of-b " + Hidden}, {true, true, Hidden + " value-of-b " + Hidden}, {true, false, Hidden + " " + Hidden + " " + Hidden},
	} {
		s.redactor = &Redactor{}
		s.Lock()
		if !step.locked {
			if err := s.Unlock(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		if err := s.Learn(t.Context(), step.ring); err != nil {
			t.Error(err)
		}
		if got := s.redactor.Redact(text); got != step.want {
			t.Errorf("%+v: got %q", step, got)
		}
	}
}
