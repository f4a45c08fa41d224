//go:build unix

package atspi

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/hobkin/hobkin/computeruse/wire"
	"github.com/hobkin/hobkin/test/desk"
)

// A form is the window of testdata/form.py, which judges what is done to it.
type form struct {
	t      *testing.T
	tree   *Tree
	window wire.Window
	orders io.Writer
	cmd    *exec.Cmd
	said   chan statement
}

// A statement is something the form says of its own state.
type statement struct {
	What  string
	Value any
}

const wait = 20 * time.Second // for a program to come up or to react, on a busy machine

func startForm(t *testing.T, d *desk.Desk, tree *Tree, title string, more ...string) *form {
	t.Helper()
	return startProgram(t, d, tree, "form.py", title, more...)
}

func startProgram(t *testing.T, d *desk.Desk, tree *Tree, file, title string, more ...string) *form {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "/usr/bin/python3", append([]string{filepath.Join("testdata", file), title}, more...)...)
	cmd.Env = append(d.Env(), more...) // a word without = is no variable, but an argument
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	f := &form{t: t, tree: tree, orders: in, cmd: cmd, said: make(chan statement, 1000)}
	read := make(chan struct{})
	go func() {
		defer close(read)
		for sc := bufio.NewScanner(out); sc.Scan(); {
			var s statement
			if json.Unmarshal(sc.Bytes(), &s) == nil {
				f.said <- s
			}
		}
	}()
	t.Cleanup(func() {
		_ = in.Close() // it ends by itself then
		killer := time.AfterFunc(wait, func() { _ = cmd.Process.Kill() })
		<-read
		_ = cmd.Wait()
		killer.Stop()
	})
	at := f.await("ready").(map[string]any)
	num := func(key string) int { return int(at[key].(float64)) }
	f.window = wire.Window{
		ID: title, Title: title, App: file, PID: num("pid"), Active: true,
		Box: wire.Box{X: num("x"), Y: num("y"), W: num("w"), H: num("h")},
	}
	return f
}

// await returns the value of the next statement of that kind.
func (f *form) await(what string) any {
	f.t.Helper()
	limit := time.After(wait)
	for {
		select {
		case s := <-f.said:
			if s.What == what {
				return s.Value
			}
		case <-limit:
			f.t.Fatalf("the form did not say %q", what)
		}
	}
}

// quiet fails if the form has said something of that kind.
func (f *form) quiet(what string) {
	f.t.Helper()
	for {
		select {
		case s := <-f.said:
			if s.What == what {
				f.t.Errorf("the form says %s %v", s.What, s.Value)
			}
		default:
			return
		}
	}
}

func (f *form) look() wire.ElementsResult {
	f.t.Helper()
	res, err := f.tree.Elements(context.Background(), f.window, wire.ElementsParams{Timeout: 20_000})
	if err != nil {
		f.t.Fatalf("elements: %v", err)
	}
	return res
}

// find returns the element of that role and name.
func find(tb testing.TB, res wire.ElementsResult, role, name string) wire.Element {
	tb.Helper()
	i := slices.IndexFunc(res.Elements, func(e wire.Element) bool { return e.Role == role && e.Name == name })
	if i < 0 {
		tb.Fatalf("there is no %s %q among\n%s", role, name, list(res))
	}
	return res.Elements[i]
}

func list(res wire.ElementsResult) string {
	var b strings.Builder
	for _, e := range res.Elements {
		fmt.Fprintf(&b, "%s in %s: %s %q = %q %q %v %q\n", e.Ref, e.Parent, e.Role, e.Name, e.Value, e.States, e.Box, e.Actions)
	}
	return b.String()
}

func (f *form) press(role, name, action string) error {
	f.t.Helper()
	res := f.look()
	e := find(f.t, res, role, name)
	return f.tree.Press(context.Background(), wire.PressParams{Snapshot: res.Snapshot, Ref: e.Ref, Action: action})
}

func (f *form) set(role, name, value string) error {
	f.t.Helper()
	res := f.look()
	e := find(f.t, res, role, name)
	return f.tree.SetValue(context.Background(), wire.SetValueParams{Snapshot: res.Snapshot, Ref: e.Ref, Value: value})
}

// refusal checks that err is of a code and says something.
func refusal(tb testing.TB, err error, code, says string) {
	tb.Helper()
	said, ok := err.(*wire.Error) //nolint:errorlint // the very type is the contract
	if !ok {
		tb.Fatalf("got %v, want a refusal %s", err, code)
	}
	if said.Code != code || !strings.Contains(said.Message, says) {
		tb.Errorf("got %s: %q, want %s with %q", said.Code, said.Message, code, says)
	}
}
