package secret

import (
	"context"
	"encoding/json"
	"errors"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/zalando/go-keyring"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// open returns a store over a fake keyring, with a session bus to be seen.
func open(t *testing.T) (*Store, *fake) {
	t.Helper()
	t.Setenv("DBUS_SESSION_BUS_ADDRESS", "unix:path=/nonexistent")
	s, err := Open(Options{Dir: filepath.Join(t.TempDir(), "secrets"), Redactor: &Redactor{}})
	if err != nil {
		t.Fatal(err)
	}
	f := &fake{values: map[string]string{}}
	s.ring = newRing("hobkin", f)
	return s, f
}

func get(t *testing.T, s *Store, name string) string {
	t.Helper()
	v, err := s.Get(t.Context(), name)
	if err != nil {
		t.Fatalf("getting %s: %v", name, err)
	}
	return v.Reveal()
}

func onDisk(t *testing.T, s *Store) string {
	t.Helper()
	b, err := os.ReadFile(s.vault.path())
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		t.Fatal(err)
	}
	return string(b)
}

func TestStoreWithKeyring(t *testing.T) {
	s, f := open(t)
	if err := s.Set(t.Context(), "openai", "the-first-value"); err != nil {
		t.Fatal(err)
	}
	if err := s.Set(t.Context(), "mcp/gmail:token", "another-value"); err != nil {
		t.Fatal(err)
	}
	if got := get(t, s, "openai"); got != "the-first-value" {
		t.Errorf("got %q", got)
	}
	names, err := s.List(t.Context())
	if err != nil || !slices.Equal(names, []string{"mcp/gmail:token", "openai"}) {
		t.Errorf("got %v, %v", names, err)
	}
	if text := onDisk(t, s); strings.Contains(text, "value") && strings.Contains(text, "the-first-value") {
		t.Errorf("a secret is in the file: %s", text)
	}
	if st := s.Status(t.Context()); !st.Keyring || !strings.Contains(st.Text, "keyring of this computer") {
		t.Errorf("got %+v", st)
	}
	if got := s.redactor.Redact("x the-first-value y"); got != "x "+Hidden+" y" {
		t.Errorf("the redactor did not learn: %s", got)
	}
	if err := s.Delete(t.Context(), "openai"); err != nil {
		t.Fatal(err)
	}
	if len(f.values) != 1 {
		t.Errorf("the keyring holds %v", f.values)
	}
	for _, err := range []error{s.Delete(t.Context(), "openai"), errOf(s.Get(t.Context(), "openai"))} {
		if !errors.Is(err, ErrNotFound) {
			t.Errorf("got %v, want ErrNotFound", err)
		}
	}
}

func errOf(_ Value, err error) error { return err }

// A keyring that fails leaves the secret to the file, which says so; when the
// keyring is back the secret moves there with the next change.
func TestStoreFallsBack(t *testing.T) {
	s, f := open(t)
	f.err = errors.New("no collection")
	if err := s.Set(t.Context(), "openai", "plain-text-value"); err != nil {
		t.Fatal(err)
	}
	if got := get(t, s, "openai"); got != "plain-text-value" {
		t.Errorf("got %q", got)
	}
	if st := s.Status(t.Context()); st.Keyring || !strings.Contains(st.Text, "unencrypted in "+s.vault.path()) || !strings.Contains(st.Text, "no collection") {
		t.Errorf("got %+v", st)
	}
	info, err := os.Stat(s.vault.path())
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("got %v, %v, want mode 0600", info, err)
	}
	if info, err := os.Stat(s.vault.dir); err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("got %v, %v, want mode 0700", info, err)
	}
	var file contents
	if err := json.Unmarshal([]byte(onDisk(t, s)), &file); err != nil || !strings.Contains(file.About, "plain text") {
		t.Errorf("the file does not say what it is: %+v, %v", file, err)
	}
	f.err = nil
	if err := s.Set(t.Context(), "openai", "the-second-value"); err != nil {
		t.Fatal(err)
	}
	if text := onDisk(t, s); strings.Contains(text, "plain-text-value") || strings.Contains(text, "second") {
		t.Errorf("a secret stayed in the file: %s", text)
	}
	f.err = errors.New("locked")
	if err := s.Set(t.Context(), "openai", "the-third-value"); err != nil {
		t.Fatal(err)
	}
	if got := get(t, s, "openai"); got != "the-third-value" {
		t.Errorf("got %q", got)
	}
	if err := s.Delete(t.Context(), "openai"); err == nil {
		t.Error("deleted, though an older value is in a keyring that cannot be changed")
	}
	f.err = nil
	if err := s.Delete(t.Context(), "openai"); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Get(t.Context(), "openai"); !errors.Is(err, ErrNotFound) {
		t.Errorf("got %v, want ErrNotFound", err)
	}
}

func TestStoreWithoutBus(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("only here a keyring needs a bus")
	}
	s, f := open(t)
	t.Setenv("DBUS_SESSION_BUS_ADDRESS", "")
	f.hang = make(chan struct{}) // a call would never end
	defer close(f.hang)
	start := time.Now()
	if err := s.Set(t.Context(), "openai", "plain-text-value"); err != nil {
		t.Fatal(err)
	}
	if got := get(t, s, "openai"); got != "plain-text-value" {
		t.Errorf("got %q", got)
	}
	if st := s.Status(t.Context()); st.Keyring || !strings.Contains(st.Text, "no message bus") {
		t.Errorf("got %+v", st)
	}
	if took := time.Since(start); took > 2*time.Second {
		t.Errorf("it took %s: the keyring was asked", took)
	}
}

// A keyring that hangs costs one time-out, then the file takes over at once.
func TestStoreWithHangingKeyring(t *testing.T) {
	s, f := open(t)
	s.ring.wait = 50 * time.Millisecond
	if err := s.Set(t.Context(), "before", "value-in-keyring"); err != nil {
		t.Fatal(err)
	}
	f.hang = make(chan struct{})
	if err := s.Set(t.Context(), "openai", "plain-text-value"); err != nil {
		t.Fatal(err)
	}
	start := time.Now()
	if _, err := s.Get(t.Context(), "before"); err == nil || errors.Is(err, ErrNotFound) || !strings.Contains(err.Error(), "did not answer in time") {
		t.Errorf("got %v", err)
	}
	if took := time.Since(start); took > 2*time.Second {
		t.Errorf("the second call waited %s", took)
	}
	close(f.hang)
	s.ring.busy <- struct{}{} // there is room once the call has ended
	<-s.ring.busy
	if got := get(t, s, "before"); got != "value-in-keyring" {
		t.Errorf("after it woke up: got %q", got)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := s.Set(ctx, "x", "value"); err == nil {
		t.Error("a cancelled request stored a secret")
	}
}

// The real library, with a bus that accepts and then says nothing. It runs in
// a process of its own, as its call can never be ended.
func TestDeadBus(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("only here a keyring needs a bus")
	}
	if os.Getenv("HOBKIN_TEST_DEAD_BUS") == "" {
		path := filepath.Join(t.TempDir(), "bus")
		l, err := new(net.ListenConfig).Listen(t.Context(), "unix", path)
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = l.Close() }()
		ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
		defer cancel()
		cmd := exec.CommandContext(ctx, os.Args[0], "-test.run=^TestDeadBus$")
		cmd.Env = append(os.Environ(), "HOBKIN_TEST_DEAD_BUS=1", "DBUS_SESSION_BUS_ADDRESS=unix:path="+path)
		out, err := cmd.CombinedOutput()
		if ctx.Err() != nil || !strings.Contains(string(out), "it was kept in the file") {
			t.Errorf("got %v: %s", err, out)
		}
		return
	}
	s, err := Open(Options{Dir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	start := time.Now()
	if err := s.Set(t.Context(), "openai", "plain-text-value"); err != nil {
		t.Fatal(err)
	}
	if took := time.Since(start); took > wait+5*time.Second {
		t.Fatalf("it took %s", took)
	}
	if got := get(t, s, "openai"); got == "plain-text-value" {
		_, _ = os.Stdout.WriteString("it was kept in the file")
	}
}

// The adapter to the library, with the library's own stand-in for a keyring.
func TestSystem(t *testing.T) {
	keyring.MockInit()
	if err := (system{}).Set("hobkin-test", "a", "b"); err != nil {
		t.Fatal(err)
	}
	if v, err := (system{}).Get("hobkin-test", "a"); err != nil || v != "b" {
		t.Errorf("got %q, %v", v, err)
	}
	if err := (system{}).Delete("hobkin-test", "a"); err != nil {
		t.Error(err)
	}
	if _, err := (system{}).Get("hobkin-test", "a"); !errors.Is(err, keyring.ErrNotFound) {
		t.Errorf("got %v", err)
	}
}

func TestStoreRefuses(t *testing.T) {
	s, _ := open(t)
	for _, name := range []string{"", "-x", "a b", "a\nb", "ä", strings.Repeat("a", 129), "../x"} {
		if err := s.Set(t.Context(), name, "value"); !errors.Is(err, ErrName) {
			t.Errorf("%q: got %v", name, err)
		}
	}
	for _, value := range []string{"", strings.Repeat("x", mostBytes+1)} {
		if err := s.Set(t.Context(), "a", value); !errors.Is(err, ErrValue) {
			t.Errorf("%d bytes: got %v", len(value), err)
		}
	}
	if _, err := Open(Options{Dir: "secrets"}); err == nil {
		t.Error("a relative folder was taken")
	}
	if err := os.MkdirAll(s.vault.dir, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(s.vault.path(), []byte(`{"values": {"a": "leaky-value`), 0o600); err != nil {
		t.Fatal(err)
	}
	_, err := s.List(t.Context())
	if err == nil || strings.Contains(err.Error(), "leaky") || !strings.Contains(err.Error(), "damaged") {
		t.Errorf("a damaged file: got %v", err)
	}
	if err := s.Set(t.Context(), "b", "value"); err == nil {
		t.Error("a damaged file was overwritten")
	}
}

func TestStoreConcurrent(t *testing.T) {
	s, f := open(t)
	f.err = errors.New("no keyring")
	other, err := Open(Options{Dir: s.vault.dir}) // as another program has it
	if err != nil {
		t.Fatal(err)
	}
	other.ring = newRing("hobkin", f)
	var wg sync.WaitGroup
	for i := range 8 {
		one := []*Store{s, other}[i%2]
		wg.Go(func() {
			if err := one.Set(t.Context(), "name-"+string(rune('a'+i)), "value"); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if names, err := s.List(t.Context()); err != nil || len(names) != 8 {
		t.Errorf("got %v, %v, want 8 names", names, err)
	}
}

func TestResolve(t *testing.T) {
	s, _ := open(t)
	if err := s.Set(t.Context(), "openai", "value-of-the-keyring"); err != nil {
		t.Fatal(err)
	}
	t.Setenv("HOBKIN_TEST_KEY", "value-of-the-variable")
	file := filepath.Join(t.TempDir(), "key")
	if err := os.WriteFile(file, []byte("value-of-the-file\r\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for ref, want := range map[string]string{"keyring:openai": "value-of-the-keyring", "env:HOBKIN_TEST_KEY": "value-of-the-variable", "file:" + file: "value-of-the-file"} {
		got, err := s.Resolve(t.Context(), ref)
		if err != nil || got.Reveal() != want {
			t.Errorf("%s: got %q, %v, want %q", ref, got.Reveal(), err, want)
		}
		if r := s.redactor.Redact(want); r != Hidden {
			t.Errorf("the redactor did not learn %s", ref)
		}
	}
	for ref, want := range map[string]string{
		"keyring:nobody": "hobkin secrets set nobody", "env:HOBKIN_TEST_NONE": "HOBKIN_TEST_NONE is not set", "file:" + file + ".not": "no such file",
		"file:" + filepath.Dir(file): "is not a file", "file:key": "a reference is", "sk-123456": "a reference is", "keyring:": "a reference is", "": "a reference is",
	} {
		_, err := s.Resolve(t.Context(), ref)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: got %v, want %q", ref, err, want)
		}
		if err != nil && strings.Contains(err.Error(), "sk-123456") {
			t.Errorf("the error repeats what may be a secret: %v", err)
		}
	}
}

func FuzzParseRef(f *testing.F) {
	f.Add("keyring:openai")
	f.Add("file:/x")
	f.Add("env:A")
	f.Fuzz(func(t *testing.T, text string) {
		if r, err := ParseRef(text); err == nil && r.String() != text {
			t.Errorf("%q became %q", text, r)
		}
	})
}
