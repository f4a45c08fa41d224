package file

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/hobkin/hobkin/core/capability"
	"github.com/hobkin/hobkin/core/sandbox"
	"github.com/hobkin/hobkin/core/undo"
)

func contains(text, part string) bool { return strings.Contains(text, part) }

func (b *workbench) turn() capability.Turn {
	return capability.Turn{Session: "s", ID: "t", Workspace: b.dir, Trust: capability.Operator, Attended: true}
}

func (b *workbench) callOf(n int) capability.Call {
	return capability.Call{ID: strconv.Itoa(n), Turn: b.turn()}
}

// A change that cannot be recorded is not made, and leaves nothing behind.
func TestNoRecordNoChange(t *testing.T) {
	b := newBench(t)
	b.put("a", "old\n")
	b.host.Journal.(*journal).fail = errors.New("the disk of the journal is full")
	for tool, args := range map[string]string{
		"file_edit":  `{"path": "a", "old_string": "old", "new_string": "new"}`,
		"file_write": `{"path": "new/deep/file", "content": "x"}`,
	} {
		if o := b.call(t.Context(), tool, args); !o.Failed() {
			t.Errorf("%s went through without a record", tool)
		}
	}
	b.holds("a", "old\n")
	b.holds("new", "(gone)")
	b.clean()
}

// The record is there before the change is to be seen.
func TestRecordComesFirst(t *testing.T) {
	b := newBench(t)
	b.put("a", "old\n")
	seen := ""
	b.host.Journal.(*journal).onWrite = func() {
		data, _ := os.ReadFile(b.path("a"))
		seen = string(data)
	}
	b.ok("file_edit", `{"path": "a", "old_string": "old", "new_string": "new"}`)
	if seen != "old\n" {
		t.Errorf("when the record was made the file held %q", seen)
	}
	c := b.host.Journal.(*journal).changes[0]
	if string(c.Before) != "old\n" || c.After != sumOf([]byte("new\n")) || !c.Existed || c.Path != b.path("a") || c.Session != "s" || c.Call != "call-1" {
		t.Errorf("the record is %+v", c)
	}
}

// A file that another program changes at the last moment is not overwritten,
// and the change is not left in the journal as if it had been made.
func TestChangedAtTheLastMoment(t *testing.T) {
	for name, args := range map[string][2]string{
		"edit":  {"file_edit", `{"path": "a", "old_string": "old", "new_string": "new"}`},
		"write": {"file_write", `{"path": "a", "content": "new\n"}`},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t)
			b.put("a", "old\n")
			b.run.Approve = func(context.Context, *capability.Capability, capability.Call, capability.Preview) error {
				b.put("a", "someone else's\n") // while the question is open
				return nil
			}
			u := b.fails(args[0], args[1], "stale")
			if !contains(u.Message, "while the question was open") {
				t.Errorf("message %q", u.Message)
			}
			b.holds("a", "someone else's\n")
			b.clean()
		})
	}
}

// A file that is removed while the person is asked is not brought back by an edit.
func TestRemovedMeanwhile(t *testing.T) {
	b := newBench(t)
	b.put("a", "old\n")
	b.run.Approve = func(context.Context, *capability.Capability, capability.Call, capability.Preview) error {
		return os.Remove(b.path("a"))
	}
	b.fails("file_edit", `{"path": "a", "old_string": "old", "new_string": "new"}`, "not_found")
	b.holds("a", "(gone)")
	b.run.Approve = nil
	b.fails("file_read", `{"path": "a"}`, "not_found")
}

func TestStaleMoves(t *testing.T) {
	b := newBench(t)
	b.put("a", "old\n")
	c, err := b.host.load(b.turn(), "a")
	if err != nil {
		t.Fatal(err)
	}
	defer c.close()
	if err := c.unmoved(); err != nil {
		t.Errorf("untouched: %v", err)
	}
	for name, touch := range map[string]func() error{
		"rewritten": func() error { return os.WriteFile(b.path("a"), []byte("longer than before\n"), 0o600) },
		"replaced": func() error {
			return errors.Join(os.WriteFile(b.path("b"), []byte("old\n"), 0o600), os.Rename(b.path("b"), b.path("a")))
		},
		"removed": func() error { return os.Remove(b.path("a")) },
	} {
		if err := touch(); err != nil {
			t.Fatal(err)
		}
		if err := c.unmoved(); !errors.Is(err, stale) {
			t.Errorf("%s: got %v, want stale", name, err)
		}
	}
}

func TestWriteProtected(t *testing.T) {
	b := newBench(t)
	b.put("a", "old\n")
	if err := os.Chmod(b.path("a"), 0o444); err != nil {
		t.Fatal(err)
	}
	b.fails("file_edit", `{"path": "a", "old_string": "old", "new_string": "new"}`, "read_only")
	b.fails("file_write", `{"path": "a", "content": "new\n"}`, "read_only")
	b.holds("a", "old\n")
}

// A cancelled call changes nothing and leaves nothing.
func TestCancelledWrite(t *testing.T) {
	b := newBench(t)
	b.put("a", strings.Repeat("old\n", 10))
	ctx, cancel := context.WithCancel(t.Context())
	b.run.Approve = func(context.Context, *capability.Capability, capability.Call, capability.Preview) error {
		cancel()
		return nil
	}
	if o := b.call(ctx, "file_write", `{"path": "a", "content": "new\n"}`); !errors.Is(o.Err, capability.Cancelled) {
		t.Errorf("got %v, want cancelled", o.Err)
	}
	b.holds("a", strings.Repeat("old\n", 10))
	b.clean()
}

// Writing most of a file away is pointed out to the person who is asked.
func TestShrinkingIsPointedOut(t *testing.T) {
	b := newBench(t)
	b.put("MEMORY.md", strings.Repeat("a fact\n", 1500))
	var asked capability.Preview
	b.run.Approve = func(_ context.Context, _ *capability.Capability, _ capability.Call, p capability.Preview) error {
		asked = p
		return nil
	}
	b.ok("file_write", `{"path": "MEMORY.md", "content": "a fact\n"}`)
	if len(asked.Warnings) != 1 || !contains(asked.Warnings[0], "Most of the file goes") {
		t.Errorf("warnings %q", asked.Warnings)
	}
	b.ok("file_undo", `{}`)
	b.holds("MEMORY.md", strings.Repeat("a fact\n", 1500))
}

// Many edits of one file at once all arrive.
func TestConcurrentEdits(t *testing.T) {
	b := newBench(t)
	var text strings.Builder
	for i := range 20 {
		fmt.Fprintf(&text, "line <%d>\n", i)
	}
	b.put("a", text.String())
	var wg sync.WaitGroup
	for i := range 20 {
		wg.Go(func() {
			_, err := b.host.edit(t.Context(), b.callOf(i),
				editIn{Path: "a", OldString: fmt.Sprintf("<%d>", i), NewString: "done"})
			if err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	b.holds("a", strings.Repeat("line done\n", 20))
	if n := len(b.host.locks.held); n != 0 {
		t.Errorf("%d locks are still held", n)
	}
}

// A change that was recorded and never reached the disk, because the program
// was killed in between, is passed over.
func TestUndoAfterKill(t *testing.T) {
	b := newBench(t)
	b.put("a", "one\n")
	b.ok("file_edit", `{"path": "a", "old_string": "one", "new_string": "two"}`)
	j := b.host.Journal
	for _, c := range []undo.Change{
		{Session: "s", Path: b.path("a"), Existed: true, Before: []byte("two\n"), After: sumOf([]byte("three\n")), At: time.Now()},
		{Session: "s", Path: b.path("never"), After: sumOf([]byte("x")), At: time.Now()},
	} {
		if _, err := j.RecordChange(t.Context(), c); err != nil {
			t.Fatal(err)
		}
	}
	r := b.ok("file_undo", `{}`)
	if !contains(r.Text, "c-1") {
		t.Errorf("took back %q, want c-1", r.Text)
	}
	b.holds("a", "one\n")
}

// Another session's changes are not this one's to take back; a person may.
func TestUndoChange(t *testing.T) {
	b := newBench(t)
	b.put("a", "one\n")
	b.ok("file_edit", `{"path": "a", "old_string": "one", "new_string": "two"}`)
	b.ok("file_edit", `{"path": "a", "old_string": "two", "new_string": "three"}`)
	if _, err := b.host.UndoChange(t.Context(), UndoRequest{Session: "other", Workspace: b.dir, Target: "c-2"}); !errors.Is(err, nothingToUndo) {
		t.Errorf("another session: got %v", err)
	}
	if _, err := b.host.UndoChange(t.Context(), UndoRequest{Workspace: b.dir, Target: "c-1"}); !errors.Is(err, changedSince) {
		t.Errorf("the older first: got %v", err)
	}
	for _, step := range []struct{ what, id, holds string }{{"c-2", "c-2", "two\n"}, {"a", "c-1", "one\n"}} {
		c, err := b.host.UndoChange(t.Context(), UndoRequest{Session: "s", Workspace: b.dir, Target: step.what})
		if err != nil || c.ID != step.id || !c.Undone {
			t.Errorf("%s: got %+v, %v", step.what, c, err)
		}
		b.holds("a", step.holds)
	}
	if _, err := b.host.UndoChange(t.Context(), UndoRequest{Session: "s", Workspace: b.dir}); !errors.Is(err, nothingToUndo) {
		t.Errorf("nothing left: got %v", err)
	}
}

// The way through a named temporary file, which other systems take always.
func TestNamedReplacement(t *testing.T) {
	b := newBench(t)
	b.put("a", "old\n")
	s, err := b.host.look(b.turn(), "a", sandbox.Write)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	r := replacement{root: s.Root, name: "a", data: []byte("new\n"), old: s.info, ready: func() error { return nil }}
	if err := r.named(t.Context()); err != nil {
		t.Fatal(err)
	}
	b.holds("a", "new\n")
	r.ready = func() error { return stale }
	if err := r.named(t.Context()); !errors.Is(err, stale) {
		t.Errorf("got %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := r.named(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	b.holds("a", "new\n")
	b.clean()
}

// What a kill left behind is swept by a later write, and nothing else is.
func TestSweep(t *testing.T) {
	b := newBench(t)
	mine, old := tempName(), tempPrefix+"1-old"
	for _, name := range []string{old, mine, tempPrefix + "x", "other"} {
		b.put(name, "x")
		long := time.Now().Add(-time.Hour)
		if name == mine {
			long = time.Now()
		}
		if err := os.Chtimes(b.path(name), long, long); err != nil {
			t.Fatal(err)
		}
	}
	b.ok("file_write", `{"path": "a", "content": "x"}`)
	b.holds(old, "(gone)")
	for _, name := range []string{mine, tempPrefix + "x", "other"} {
		b.holds(name, "x")
	}
}

func TestMemoryIsBounded(t *testing.T) {
	var m memory
	for i := range maxMarks + 100 {
		m.put(readKey("s", strconv.Itoa(i)), mark{sum: "x"})
	}
	if len(m.marks) != maxMarks || len(m.order) != maxMarks {
		t.Errorf("%d marks and %d keys are kept", len(m.marks), len(m.order))
	}
	if _, ok := m.get(readKey("s", "0")); ok {
		t.Error("the oldest is still there")
	}
}
