package file

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/hobkin/hobkin/core/capability"
	"github.com/hobkin/hobkin/core/capability/capabilitytest"
	"github.com/hobkin/hobkin/core/sandbox"
	"github.com/hobkin/hobkin/core/undo"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// TestTools covers every tool of the group: a new tool needs only its script.
func TestTools(t *testing.T) {
	capabilitytest.Contract(t, Tools.Bind(nil))
	capabilitytest.Scripts(t, func(t *testing.T, dir string) []capability.Capability {
		t.Helper()
		age(t, dir)
		return Tools.Bind(newHost(t, dir))
	})
}

// age gives everything below dir the same time, but for names that ask for
// another: *-older.*.
func age(t *testing.T, dir string) {
	t.Helper()
	when := time.Date(2026, 1, 2, 15, 4, 5, 0, time.Local)
	err := filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if e.Type()&fs.ModeSymlink != 0 {
			return ageLink(path, when)
		}
		at := when
		if ok, _ := filepath.Match("*-older.*", e.Name()); ok {
			at = when.AddDate(-1, 0, 0)
		}
		return os.Chtimes(path, at, at)
	})
	if err != nil {
		t.Fatal(err)
	}
}

// newHost makes a host whose workspace is dir, behind the real policy.
func newHost(t testing.TB, dir string) *Host {
	t.Helper()
	home := t.TempDir()
	policy, err := sandbox.New(sandbox.Config{Mode: sandbox.Strict, Home: home, Workspace: dir})
	if err != nil {
		t.Fatal(err)
	}
	return &Host{Paths: policy, Journal: &journal{}, Home: filepath.Dir(dir)}
}

// journal is a journal in memory.
type journal struct {
	mu      sync.Mutex
	changes []undo.Change
	fail    error // of the next record
	onWrite func()
}

func (j *journal) RecordChange(_ context.Context, c undo.Change) (string, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.fail != nil {
		return "", j.fail
	}
	c.ID = "c-" + strconv.Itoa(len(j.changes)+1)
	c.Before = slices.Clone(c.Before)
	j.changes = append(j.changes, c)
	if j.onWrite != nil {
		j.onWrite()
	}
	return c.ID, nil
}

func (j *journal) LastChange(_ context.Context, session, path string) (undo.Change, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	for _, c := range slices.Backward(j.changes) {
		if !c.Undone && (session == "" || c.Session == session) && (path == "" || c.Path == path) {
			return c, nil
		}
	}
	return undo.Change{}, undo.ErrNone
}

func (j *journal) ChangeByID(_ context.Context, id string) (undo.Change, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	for _, c := range j.changes {
		if c.ID == id {
			return c, nil
		}
	}
	return undo.Change{}, undo.ErrNone
}

func (j *journal) MarkUndone(_ context.Context, id string) error {
	j.mu.Lock()
	defer j.mu.Unlock()
	for i := range j.changes {
		if j.changes[i].ID == id {
			j.changes[i].Undone = true
			return nil
		}
	}
	return undo.ErrNone
}

// A workbench is a workspace with the tools on it, for tests in Go.
type workbench struct {
	t    testing.TB
	dir  string
	host *Host
	run  capability.Runner
	n    int
}

func newBench(t testing.TB) *workbench {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	b := &workbench{t: t, dir: dir, host: newHost(t, dir)}
	b.run.Registry = &capability.Registry{}
	if err := b.run.Registry.RegisterAll(Tools.Bind(b.host)...); err != nil {
		t.Fatal(err)
	}
	b.run.Approve = func(context.Context, *capability.Capability, capability.Call, capability.Preview) error { return nil }
	return b
}

func (b *workbench) path(name string) string { return filepath.Join(b.dir, name) }

func (b *workbench) put(name, data string) {
	b.t.Helper()
	if err := os.WriteFile(b.path(name), []byte(data), 0o600); err != nil {
		b.t.Fatal(err)
	}
}

func (b *workbench) holds(name, want string) {
	b.t.Helper()
	got, err := os.ReadFile(b.path(name))
	if errors.Is(err, fs.ErrNotExist) {
		got = []byte("(gone)")
	} else if err != nil {
		b.t.Fatal(err)
	}
	if string(got) != want {
		b.t.Errorf("%s holds %q, want %q", name, got, want)
	}
}

// call runs a tool through the whole path of a call.
func (b *workbench) call(ctx context.Context, tool, args string) *capability.Outcome {
	b.t.Helper()
	b.n++
	return b.run.Run(ctx, capability.Request{ID: "call-" + strconv.Itoa(b.n), Name: tool, Args: []byte(args), Filter: capability.Filter{
		Turn: capability.Turn{Session: "s", ID: "t", Workspace: b.dir, Trust: capability.Operator, Attended: true},
	}})
}

// ok is call for one that must succeed; it returns what the model reads.
func (b *workbench) ok(tool, args string) capability.Result {
	b.t.Helper()
	o := b.call(b.t.Context(), tool, args)
	if o.Failed() {
		b.t.Fatalf("%s %s: %v", tool, args, o.Err)
	}
	return o.Result
}

// fails is call for one that must fail with a code.
func (b *workbench) fails(tool, args, code string) *capability.UserError {
	b.t.Helper()
	o := b.call(b.t.Context(), tool, args)
	u, ok := capability.AsUserError(o.Err)
	if !ok || u.Code != code {
		b.t.Fatalf("%s %s: got %v %q, want %s", tool, args, o.Err, o.Result.Text, code)
	}
	return u
}

// clean fails when a temporary file is left anywhere in the workspace.
func (b *workbench) clean() {
	b.t.Helper()
	err := filepath.WalkDir(b.dir, func(path string, e fs.DirEntry, err error) error {
		if ok, _ := filepath.Match(tempPrefix+"*", e.Name()); ok {
			b.t.Errorf("left behind: %s", path)
		}
		return err
	})
	if err != nil {
		b.t.Fatal(err)
	}
}
