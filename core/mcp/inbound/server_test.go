package inbound

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/hobkin/hobkin/core/capability"
)

// begun holds, by the text of a call of the tool slow, what to close when it runs.
var begun sync.Map

// tools is a registry with what the tests need, and its runner.
func tools(t *testing.T) (*capability.Registry, *capability.Runner) {
	t.Helper()
	type in struct {
		Text string `json:"text" jsonschema:"what to say"`
	}
	reg := &capability.Registry{}
	add := func(c capability.Capability, err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		c.Class, c.Category = capability.ReadOnly, capability.CategorySystem
		if err := reg.Register(c); err != nil {
			t.Fatal(err)
		}
	}
	add(capability.Func("echo", "Say it again.", func(_ context.Context, v in) (string, error) { return v.Text, nil }))
	add(capability.Func("broken", "Fails.", func(context.Context, in) (string, error) { return "", errors.New("the password is hunter2") }))
	add(capability.Func("secret", "The owner's.", func(context.Context, in) (string, error) { return "no one may see this", nil }))
	add(capability.Func("slow", "Takes long.", func(ctx context.Context, v in) (string, error) {
		if began, ok := begun.LoadAndDelete(v.Text); ok {
			close(began.(chan struct{}))
		}
		<-ctx.Done()
		return "", ctx.Err()
	}))
	return reg, &capability.Runner{Registry: reg, Approve: func(context.Context, *capability.Capability, capability.Call, capability.Preview) error { return nil }}
}

func serve(t *testing.T, change func(*Options)) (*Server, *capability.Registry) {
	t.Helper()
	reg, runner := tools(t)
	o := Options{
		Registry: reg, Run: runner.Run, Name: "hobkin", Version: "1", Timeout: 2 * time.Second,
		Filter: func(trust capability.Trust) capability.Filter {
			return capability.Filter{Turn: capability.Turn{Trust: trust, Channel: "mcp"}}
		},
		Exposure: Exposure{Kinds: []capability.Kind{capability.KindBuiltin}, Classes: []capability.Class{capability.ReadOnly}, Allowed: []string{"echo", "broken", "slow"}},
	}
	if change != nil {
		change(&o)
	}
	s := New(o)
	t.Cleanup(s.Close)
	return s, reg
}

// A peer is a client at the other end of two pipes.
type peer struct {
	t    *testing.T
	in   *io.PipeWriter
	out  *bufio.Reader
	done chan error
}

func talk(t *testing.T, s *Server) *peer {
	t.Helper()
	inR, inW := io.Pipe()
	outR, outW := io.Pipe()
	p := &peer{t, inW, bufio.NewReader(outR), make(chan error, 1)}
	go func() {
		err := s.ServeStdio(t.Context(), inR, outW)
		_ = outW.Close()
		p.done <- err
	}()
	t.Cleanup(func() {
		_ = inW.Close()
		_, _ = io.Copy(io.Discard, p.out)
		if err := <-p.done; err != nil {
			t.Errorf("serving ended with %v", err)
		}
	})
	return p
}

func (p *peer) send(format string, args ...any) {
	p.t.Helper()
	if _, err := fmt.Fprintf(p.in, format+"\n", args...); err != nil {
		p.t.Fatal(err)
	}
}

type message struct {
	ID     any             `json:"id"`
	Method string          `json:"method"`
	Params json.RawMessage `json:"params"`
	Result struct {
		ProtocolVersion string `json:"protocolVersion"`
		Tools           []struct{ Name, Description string }
		Content         []struct{ Type, Text string }
		IsError         bool
	}
	Error *struct {
		Code    int
		Message string
	}
}

func (p *peer) next() message {
	p.t.Helper()
	line, err := p.out.ReadString('\n')
	if err != nil {
		p.t.Fatal(err)
	}
	var m message
	if err := json.Unmarshal([]byte(line), &m); err != nil {
		p.t.Fatalf("%s: %v", line, err)
	}
	return m
}

func (p *peer) greet() {
	p.t.Helper()
	p.send(`{"jsonrpc":"2.0","id":"hello","method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`)
	if m := p.next(); m.Result.ProtocolVersion != "2025-11-25" {
		p.t.Fatalf("initialize gave %+v", m)
	}
	p.send(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
}

func names(m message) (out []string) {
	for _, t := range m.Result.Tools {
		out = append(out, t.Name)
	}
	return out
}

func TestOnlyWhatIsExposedIsShownAndRuns(t *testing.T) {
	s, _ := serve(t, func(o *Options) { o.Exposure.Tools = map[string]Override{"echo": {Description: "Ours."}} })
	p := talk(t, s)
	p.greet()
	p.send(`{"jsonrpc":"2.0","id":1,"method":"tools/list"}`)
	list := p.next()
	if got := names(list); !slices.Equal(got, []string{"broken", "echo", "slow"}) || list.Result.Tools[1].Description != "Ours." {
		t.Errorf("the list is %+v", list.Result.Tools)
	}
	p.send(`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"echo","arguments":{"text":"hi"}}}`)
	if m := p.next(); m.Result.IsError || m.Result.Content[0].Text != "hi" {
		t.Errorf("echo gave %+v", m)
	}
	p.send(`{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"secret","arguments":{"text":"hi"}}}`)
	if m := p.next(); m.Error == nil || strings.Contains(fmt.Sprint(m), "no one may see") {
		t.Errorf("a hidden tool gave %+v", m)
	}
}

func TestFailuresAreResultsThatLeakNothing(t *testing.T) {
	s, _ := serve(t, nil)
	p := talk(t, s)
	p.greet()
	p.send(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"broken","arguments":{"text":"x"}}}`)
	if m := p.next(); !m.Result.IsError || strings.Contains(m.Result.Content[0].Text, "hunter2") {
		t.Errorf("an internal error gave %+v", m)
	}
	p.send(`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"echo","arguments":{"text":{"a":1}}}}`)
	if m := p.next(); !m.Result.IsError || !strings.Contains(m.Result.Content[0].Text, "/text") {
		t.Errorf("bad arguments gave %+v", m)
	}
	p.send(`{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"echo"}}`)
	if m := p.next(); !m.Result.IsError {
		t.Errorf("no arguments gave %+v", m)
	}
	p.send(`{"jsonrpc":"2.0","id":4,"method":"tools/call","params":{"name":"slow","arguments":{"text":"x"}}}`)
	if m := p.next(); !m.Result.IsError || !strings.Contains(m.Result.Content[0].Text, "time") {
		t.Errorf("a call past its time gave %+v", m)
	}
}

func TestACallCanBeCancelled(t *testing.T) {
	s, _ := serve(t, func(o *Options) { o.Timeout = time.Minute })
	p := talk(t, s)
	p.greet()
	runs := make(chan struct{})
	begun.Store("the one to cancel", runs)
	p.send(`{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"slow","arguments":{"text":"the one to cancel"}}}`)
	<-runs // a cancellation of what has not begun says nothing
	p.send(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":7}}`)
	if m := p.next(); m.ID != float64(7) || !m.Result.IsError {
		t.Errorf("a cancelled call gave %+v", m)
	}
}

func TestChangesOfTheRegistryAreTold(t *testing.T) {
	s, reg := serve(t, nil)
	p := talk(t, s)
	p.greet()
	reg.Unregister("echo")
	if m := p.next(); m.Method != "notifications/tools/list_changed" {
		t.Fatalf("after a change came %+v", m)
	}
	p.send(`{"jsonrpc":"2.0","id":1,"method":"tools/list"}`)
	if got := names(p.next()); !slices.Equal(got, []string{"broken", "slow"}) {
		t.Errorf("the list is %v", got)
	}
}

func TestRudeInput(t *testing.T) {
	s, _ := serve(t, nil)
	p := talk(t, s)
	p.send(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","arguments":{"text":"x"}}}`)
	if m := p.next(); m.Error == nil || !strings.Contains(m.Error.Message, "initialize") {
		t.Errorf("a call before initialize gave %+v", m)
	}
	p.send(`this is not JSON`)
	if m := p.next(); m.Error == nil || m.Error.Code != -32700 {
		t.Errorf("garbage gave %+v", m)
	}
	p.send(`   `)
	p.send(`{"jsonrpc":"2.0","id":"big","method":"ping","params":{"x":"%s"}}`, strings.Repeat("y", mostLine))
	if m := p.next(); m.Error == nil || !strings.Contains(m.Error.Message, "longer than") {
		t.Errorf("a long line gave %+v", m)
	}
	p.greet() // and it goes on
	p.send(`{"jsonrpc":"2.0","id":"x","method":"no/such"}`)
	if m := p.next(); m.Error == nil || m.Error.Code != -32601 || m.ID != "x" {
		t.Errorf("an unknown method gave %+v", m)
	}
	p.send(`{"jsonrpc":"2.0","method":"notifications/no-such"}`)
	p.send(`[1,2]`)
	if m := p.next(); m.Error == nil {
		t.Errorf("a list gave %+v", m)
	}
}

func TestServingEndsWithItsContext(t *testing.T) {
	s, _ := serve(t, func(o *Options) { o.Timeout = time.Minute })
	ctx, cancel := context.WithCancel(t.Context())
	in, w := io.Pipe()
	defer w.Close()
	done := make(chan error, 1)
	go func() { done <- s.ServeStdio(ctx, in, io.Discard) }()
	_, _ = io.WriteString(w, `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`+"\n"+
		`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"slow","arguments":{"text":"x"}}}`+"\n")
	cancel()
	select {
	case err := <-done:
		if err != nil {
			t.Error(err)
		}
	case <-time.After(5 * time.Second):
		t.Fatal("it goes on")
	}
}

func FuzzStdio(f *testing.F) {
	f.Add(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{}}`)
	f.Add(`{"jsonrpc":"2.0","id":{},"method":"tools/call","params":{"name":"echo","arguments":[]}}`)
	f.Add("{\n}\n\n[]")
	f.Fuzz(func(t *testing.T, text string) {
		s, _ := serve(t, func(o *Options) { o.Timeout = 50 * time.Millisecond })
		if err := s.ServeStdio(t.Context(), strings.NewReader(text), io.Discard); err != nil {
			t.Error(err)
		}
	})
}
