//go:build linux

package tool

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"image"
	_ "image/png"
	"io"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/hobkin/hobkin/computeruse"
	"github.com/hobkin/hobkin/computeruse/helper"
	"github.com/hobkin/hobkin/core/agent"
	"github.com/hobkin/hobkin/core/capability"
	"github.com/hobkin/hobkin/core/permission"
	"github.com/hobkin/hobkin/core/sandbox"
	"github.com/hobkin/hobkin/test/desk"
)

// waitTime is for programs to come up or to react, on a busy machine.
const waitTime = 20 * time.Second

// A program is testdata/bench.py on the screen.
type program struct {
	t      *testing.T
	orders io.Writer
	area   image.Rectangle // of its canvas, on the desktop

	mu   sync.Mutex
	said []statement
	more chan struct{}
}

// A statement is what a program says of itself.
type statement struct {
	What, Text, Name, Label, Direction string
	X, Y, W, H, Button, Count, Code    int
	Down                               bool
	Held                               []string
}

func startProgram(t *testing.T, d *desk.Desk, name string, at image.Rectangle) *program {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "/usr/bin/python3", filepath.Join("testdata", "bench.py"), name,
		strconv.Itoa(at.Min.X), strconv.Itoa(at.Min.Y), strconv.Itoa(at.Dx()), strconv.Itoa(at.Dy()))
	cmd.Env = d.Env()
	var errs bytes.Buffer
	cmd.Stderr = &errs
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	p := &program{t: t, more: make(chan struct{}, 1)}
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	p.orders = in
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	read := make(chan struct{})
	go func() { // ends with the program
		defer close(read)
		for sc := bufio.NewScanner(out); sc.Scan(); {
			var s statement
			if json.Unmarshal(sc.Bytes(), &s) == nil {
				p.mu.Lock()
				p.said = append(p.said, s)
				p.mu.Unlock()
				select {
				case p.more <- struct{}{}:
				default:
				}
			}
		}
	}()
	t.Cleanup(func() {
		_ = in.Close()
		killer := time.AfterFunc(waitTime, func() { _ = cmd.Process.Kill() })
		<-read
		_ = cmd.Wait()
		killer.Stop()
		if t.Failed() && errs.Len() > 0 {
			t.Logf("%s: %s", name, errs.String())
		}
	})
	s := p.await("ready", func(s statement) bool { return s.What == "ready" })
	p.area = image.Rect(s.X, s.Y, s.X+s.W, s.Y+s.H)
	return p
}

// await returns the first statement that fits and forgets it and all before.
func (p *program) await(what string, fits func(statement) bool) statement {
	p.t.Helper()
	end := time.After(waitTime)
	for {
		p.mu.Lock()
		for i, s := range p.said {
			if fits(s) {
				p.said = p.said[i+1:]
				p.mu.Unlock()
				return s
			}
		}
		p.mu.Unlock()
		select {
		case <-p.more:
		case <-end:
			p.mu.Lock()
			defer p.mu.Unlock()
			p.t.Fatalf("waited in vain for %s; it said %+v", what, p.said)
		}
	}
}

// so reports whether it said something that fits, and forgets all it said.
func (p *program) so(fits func(statement) bool) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	defer func() { p.said = nil }()
	return slices.ContainsFunc(p.said, fits)
}

// quiet forgets what it said so far.
func (p *program) quiet() { p.so(func(statement) bool { return false }) }

func (p *program) order(format string, args ...any) {
	p.t.Helper()
	line := fmt.Sprintf(format, args...)
	if _, err := fmt.Fprintln(p.orders, line); err != nil {
		p.t.Fatal(err)
	}
	p.await("order "+line, func(s statement) bool { return s.What == "done" })
}

// A user drives the tool as a turn does: by the path of a call, with the real
// gate, and with a person who answers as the test says.
type user struct {
	t       *testing.T
	session *computeruse.Session
	helper  *helper.Helper
	runner  capability.Runner
	turn    capability.Turn
	cfg     computeruse.Config
	strict  bool
	limits  computeruse.Limits

	answer permission.Decision
	asked  []agent.ApprovalRequested
	during func() // while the person is asked
	rules  []permission.Rule
	calls  int
}

// Ask implements [permission.Asker].
func (u *user) Ask(_ context.Context, _ capability.Turn, req agent.ApprovalRequested) (permission.Answer, error) {
	u.asked = append(u.asked, req)
	if u.during != nil {
		u.during()
	}
	return permission.Answer{Decision: u.answer, By: "test"}, nil
}

// Rules implements [permission.RuleStore].
func (u *user) Rules() []permission.Rule { return u.rules }

// AddRule implements [permission.RuleStore].
func (u *user) AddRule(_ context.Context, r permission.Rule) error {
	u.rules = append(u.rules, r)
	return nil
}

func newUser(t *testing.T, d *desk.Desk) *user {
	t.Helper()
	return newUserWith(t, d.Env())
}

// newUserWith is a user whose helper has an environment of its own.
func newUserWith(t *testing.T, env []string) *user {
	t.Helper()
	path := realHelper(t)
	u := &user{t: t, answer: permission.Once, cfg: computeruse.Config{Enabled: true, NoBar: true, CourtesyIdle: time.Millisecond}}
	u.helper = helper.New(helper.Options{
		Find: func(context.Context) (string, error) { return path, nil }, Env: env, NoCorner: func() bool { return true }, LookOnly: func() bool { return u.strict },
		OnEvent: func(name string, data json.RawMessage) { u.session.Event(name, data) },
	})
	u.session = computeruse.New(computeruse.Options{
		Desk: u.helper, Config: func() computeruse.Config { return u.cfg }, LookOnly: func() bool { return u.strict },
		Model: func(capability.Turn) computeruse.Model { return computeruse.Model{Limits: u.limits} },
	})
	t.Cleanup(func() { u.session.Close(); u.helper.Close() })
	dir := t.TempDir()
	policy, err := sandbox.New(sandbox.Config{Mode: sandbox.Strict, Home: t.TempDir(), Workspace: dir})
	if err != nil {
		t.Fatal(err)
	}
	gate := &permission.Gate{Policy: policy, Rules: u, Asker: u}
	u.runner = capability.Runner{Registry: &capability.Registry{}, Approve: gate.Approve}
	if err := u.runner.Registry.RegisterAll(Bind(&Host{Session: u.session})...); err != nil {
		t.Fatal(err)
	}
	u.turn = capability.Turn{Session: "s", ID: "t1", Workspace: dir, Trust: capability.Operator, Attended: true, Channel: "desktop", Provenance: capability.FromPerson, Mode: "ask"}
	return u
}

// try makes a call of the tool.
func (u *user) try(a in) *capability.Outcome {
	u.t.Helper()
	raw, err := json.Marshal(a)
	if err != nil {
		u.t.Fatal(err)
	}
	u.calls++
	return u.runner.Run(u.t.Context(), capability.Request{ID: fmt.Sprint("c", u.calls), Name: Name, Args: raw, Filter: capability.Filter{Turn: u.turn}})
}

// done makes a call that must succeed.
func (u *user) done(a in) *capability.Outcome {
	u.t.Helper()
	o := u.try(a)
	if o.Failed() {
		u.t.Fatalf("%+v: %v", a, o.Err)
	}
	return o
}

// refused makes a call that must fail so.
func (u *user) refused(a in, code string) {
	u.t.Helper()
	o := u.try(a)
	e, ok := capability.AsUserError(o.Err)
	if !ok || e.Code != code {
		u.t.Errorf("%+v: got %v, want %s", a, o.Err, code)
	}
}

// shot takes a screenshot and returns its id.
func (u *user) shot() string {
	u.t.Helper()
	return ObservationID(u.done(in{Action: screenshot}).Result.Text)
}

// pixel is a place of the desktop in the newest picture, which shows all of the
// one display.
func (u *user) pixel(p image.Point) (x, y *float64) {
	f := u.session.LastFrame(u.turn.Session, "")
	s, ok := f.Picture(wirePoint(p))
	if !ok {
		u.t.Fatalf("%v is not in %+v", p, f)
	}
	return &s.X, &s.Y
}

// at is an action at a place of the desktop.
func (u *user) at(action string, p image.Point) in {
	u.t.Helper()
	a := in{Action: action, Observation: u.shot()}
	a.X, a.Y = u.pixel(p)
	return a
}

// data is the structured part of an act.
func data(t *testing.T, o *capability.Outcome) (r receipt) {
	t.Helper()
	if err := json.Unmarshal(o.Result.Data, &r); err != nil {
		t.Fatalf("%v in %s", err, o.Result.Data)
	}
	return r
}

// picture is the one picture of a result.
func picture(t *testing.T, o *capability.Outcome) image.Image {
	t.Helper()
	if len(o.Result.Images) != 1 {
		t.Fatalf("%d pictures", len(o.Result.Images))
	}
	im, _, err := image.Decode(bytes.NewReader(o.Result.Images[0].Data))
	if err != nil {
		t.Fatal(err)
	}
	return im
}
