package socket_test

import (
	"context"
	"encoding/json"
	"errors"
	"iter"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/hobkin/hobkin/app/socket"
	"github.com/hobkin/hobkin/core/agent"
	"github.com/hobkin/hobkin/core/control"
)

// TestMain plays the other process when the tests start this program again:
// it asks for the info through the socket and prints the answer.
func TestMain(m *testing.M) {
	if path := os.Getenv("HOBKIN_TEST_DIAL"); path != "" {
		c, err := control.Dial(context.Background(), path)
		if err != nil {
			_, _ = os.Stdout.WriteString("error: " + err.Error())
			return
		}
		info, err := c.Info(context.Background())
		if err != nil {
			_, _ = os.Stdout.WriteString("error: " + err.Error())
			return
		}
		_, _ = os.Stdout.WriteString(info.StateText)
		return
	}
	goleak.VerifyTestMain(m)
}

// core is the smallest possible core: it tells who asks.
type core struct{ stopped chan string }

func (c *core) Handle(ctx context.Context, peer control.Peer, method string, params json.RawMessage) (any, error) {
	switch method {
	case control.MethodInfo:
		who := "a person"
		if peer.Agents {
			who = "the agent"
		}
		return control.Info{Protocol: control.Protocol, StateText: who}, nil
	case control.MethodDoctor: // takes until it is hung up on
		<-ctx.Done()
		c.stopped <- method
		return nil, ctx.Err()
	case control.MethodStop:
		return nil, &control.Error{Code: "no_session", Message: "there is no such session", Try: "list them"}
	}
	return string(params), nil
}

func (c *core) Events(ctx context.Context, req control.WatchRequest) iter.Seq2[agent.Event, error] {
	return func(yield func(agent.Event, error) bool) {
		for i := range int64(3) {
			if !yield(agent.Event{Seq: req.From + i, Session: req.Session, At: time.Unix(0, 0).UTC(), Payload: agent.Notice{Text: "n"}}, nil) {
				return
			}
		}
		<-ctx.Done()
		c.stopped <- "watch"
	}
}

func start(t *testing.T) (*core, *socket.Server, string) {
	t.Helper()
	dir, err := os.MkdirTemp("", "sock") //nolint:usetesting // its own would be too long for a socket
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	c := &core{stopped: make(chan string, 4)}
	path := filepath.Join(dir, "run", "control.sock")
	s, err := socket.Listen(t.Context(), path, c)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	return c, s, path
}

func TestAskAndErrors(t *testing.T) {
	_, _, path := start(t)
	client, err := control.Dial(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	if info, err := client.Info(t.Context()); err != nil || info.StateText != "a person" {
		t.Errorf("Info = %+v, %v; want a person: the test's own process asks", info, err)
	}
	err = client.Stop(t.Context(), "x")
	if e, ok := errors.AsType[*control.Error](err); !ok || e.Code != "no_session" || e.Try != "list them" {
		t.Errorf("Stop = %#v, want the core's error whole", err)
	}
	for p, want := range map[string]os.FileMode{path: 0o600, filepath.Dir(path): 0o700} {
		if fi, err := os.Stat(p); err != nil || fi.Mode().Perm() != want {
			t.Errorf("%s has mode %v, want %v (%v)", p, fi.Mode().Perm(), want, err)
		}
	}
}

func TestHangingUpCancels(t *testing.T) {
	c, _, path := start(t)
	client := &control.Client{Transport: mustDial(t, path)}
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	if _, err := client.Doctor(ctx); err == nil {
		t.Error("Doctor returned although it takes for ever")
	}
	wait(t, c.stopped, control.MethodDoctor)

	var seqs []int64
	watch, stop := context.WithCancel(t.Context())
	defer stop()
	for e, err := range client.Watch(watch, control.WatchRequest{Session: "s", From: 5}) {
		if err != nil {
			t.Fatal(err)
		}
		if seqs = append(seqs, e.Seq); len(seqs) == 3 {
			break
		}
	}
	if len(seqs) != 3 || seqs[0] != 5 || seqs[2] != 7 {
		t.Errorf("watched %v, want 5 to 7", seqs)
	}
	wait(t, c.stopped, "watch")
}

func TestTheAgentsOwnProcessesAreKnown(t *testing.T) {
	_, s, path := start(t)
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	dial := func(shell string) string {
		cmd := exec.CommandContext(t.Context(), "sh", "-c", shell)
		cmd.Env = append(os.Environ(), "HOBKIN_TEST_DIAL="+path, "SELF="+self)
		out, err := cmd.Output()
		if err != nil {
			t.Fatal(err)
		}
		return string(out)
	}
	for name, shell := range map[string]string{
		"a child":                  `exec "$SELF"`,
		"a grandchild":             `sh -c '"$SELF"; true'; true`,
		"in a session of its own":  `setsid -w "$SELF"`,
		"with a clean environment": `env -i HOBKIN_TEST_DIAL="$HOBKIN_TEST_DIAL" "$SELF"`,
		"with the mark of a call":  `HOBKIN_CALL=1 "$SELF"`,
	} {
		if got := dial(shell); got != "the agent" {
			t.Errorf("%s: the core took it for %q", name, got)
		}
	}
	// The window is our child too, yet a person sits before it.
	cmd := exec.CommandContext(t.Context(), "sh", "-c", `read go; exec "$SELF"`)
	cmd.Env = append(os.Environ(), "HOBKIN_TEST_DIAL="+path, "SELF="+self)
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	cmd.Stdout = &out
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	s.Window(cmd.Process.Pid, true)
	_, _ = in.Write([]byte("go\n"))
	if err := cmd.Wait(); err != nil || out.String() != "a person" {
		t.Errorf("the window was taken for %q (%v)", out.String(), err)
	}
}

func TestRudePeers(t *testing.T) {
	_, _, path := start(t)
	for name, tt := range map[string]struct{ say, want string }{
		"not JSON":         {"hello\n", "not one line of JSON"},
		"another protocol": {`{"protocol":99,"method":"doctor"}` + "\n", "protocol 1, the program that asks 99"},
	} {
		t.Run(name, func(t *testing.T) {
			var d net.Dialer
			conn, err := d.DialContext(t.Context(), "unix", path)
			if err != nil {
				t.Fatal(err)
			}
			defer func() { _ = conn.Close() }()
			if _, err := conn.Write([]byte(tt.say)); err != nil {
				t.Fatal(err)
			}
			var a control.WireAnswer
			if err := json.NewDecoder(conn).Decode(&a); err != nil || a.Error == nil || !strings.Contains(a.Error.Message, tt.want) {
				t.Errorf("answer %+v (%v), want an error with %q", a.Error, err, tt.want)
			}
		})
	}
}

// A socket file that nobody listens on is taken over, and is no running desktop.
func TestStaleSocket(t *testing.T) {
	_, s, path := start(t)
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := control.Dial(t.Context(), path); !errors.Is(err, control.ErrNotRunning) {
		t.Errorf("Dial = %v, want ErrNotRunning", err)
	}
	s, err := socket.Listen(t.Context(), path, &core{})
	if err != nil {
		t.Fatalf("a stale socket stood in the way: %v", err)
	}
	_ = s.Close()
}

func mustDial(t *testing.T, path string) control.Transport {
	t.Helper()
	c, err := control.Dial(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	return c.Transport
}

func wait(t *testing.T, ch <-chan string, want string) {
	t.Helper()
	select {
	case got := <-ch:
		if got != want {
			t.Errorf("%s ended, want %s", got, want)
		}
	case <-time.After(5 * time.Second):
		t.Errorf("%s was not cancelled by hanging up", want)
	}
}
