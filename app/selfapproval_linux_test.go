package app

import (
	"context"
	"encoding/json"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/hobkin/hobkin/app/socket"
	"github.com/hobkin/hobkin/core/agent"
	"github.com/hobkin/hobkin/core/capability"
	"github.com/hobkin/hobkin/core/control"
	"github.com/hobkin/hobkin/core/permission"
	"github.com/hobkin/hobkin/core/provider/providertest"
	"github.com/hobkin/hobkin/core/sandbox/confine"
	"github.com/hobkin/hobkin/test/suite"
)

// sayVariable makes the test program say one line to a socket and print what it
// answers: SOCKET, a blank, the line.
const sayVariable = "HOBKIN_TEST_SAY"

func TestMain(m *testing.M) {
	confine.Inside() // an allowlist starts this program again
	if log := os.Getenv(deskVariable); log != "" {
		playDesk(log)
		return
	}
	path, line, ok := strings.Cut(os.Getenv(sayVariable), " ")
	if !ok {
		m.Run()
		return
	}
	conn, err := new(net.Dialer).DialContext(context.Background(), "unix", path)
	if err != nil {
		_, _ = os.Stdout.WriteString(err.Error())
		return
	}
	_, _ = fmt.Fprintln(conn, line)
	answer := make([]byte, 4096)
	n, _ := conn.Read(answer)
	_, _ = os.Stdout.Write(answer[:n])
}

// attacks are ways in which a command of the agent's may try to answer the
// question about another call of its own. $TRY is the attempt itself; every way
// waits until it has ended. What a shell leaves behind is taken in by the agent,
// which is therefore its ancestor however often it forks.
var attacks = map[string]string{
	"directly":                     `sh -c "$TRY"`,
	"by a grandchild":              `sh -c 'sh -c "$TRY"; true'; true`,
	"in a session of its own":      `setsid -w sh -c "$TRY"`,
	"under nohup":                  `nohup sh -c "$TRY" </dev/null 2>&1 | cat`,
	"without the mark":             `env -u HOBKIN_CALL sh -c "$TRY"`,
	"with an empty environment":    `env -i PATH="$PATH" sh -c "$TRY"`,
	"from an orphan":               `(sh -c "$TRY; touch '$DONE'" &) ; until [ -e "$DONE" ]; do sleep 0.05; done`,
	"from an orphan twice removed": `(setsid sh -c "(sleep 0.2; env -i PATH='$PATH' sh -c \"\$0\"; touch '$DONE') &" "$TRY" &) ; until [ -e "$DONE" ]; do sleep 0.05; done`,
}

// TestTheAgentCannotApproveItself: a question waits, and a command that the
// agent runs tries to answer it, with the program itself and past it. All that
// confinement adds is off: this layer holds alone.
func TestTheAgentCannotApproveItself(t *testing.T) {
	s := openScripted(t)
	if err := s.client.ConfigSet(t.Context(), control.ConfigSetRequest{Key: "sandbox.confine", Value: "off"}); err != nil {
		t.Fatal(err)
	}
	server, err := socket.Listen(t.Context(), s.opts.Paths.Socket(), s.Core)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = server.Close() }()
	program := builtProgram(t)
	victim := s.waitingCall(t)
	home := fmt.Sprintf("HOME='%s' HOBKIN_HOME='%s' ", os.Getenv("HOME"), os.Getenv("HOBKIN_HOME"))
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	answer, err := json.Marshal(control.WireRequest{Protocol: control.Protocol, Method: control.MethodAnswer, Params: mustJSON(t, control.ApprovalAnswer{
		ID: victim.ID, Fingerprint: victim.Fingerprint, Decision: "once", By: "window",
	})})
	if err != nil {
		t.Fatal(err)
	}
	for what, try := range map[string]struct{ line, want string }{
		"the program":  {`printf '/waiting\n/quit\n' | ` + home + `'` + program + `' chat`, "own commands may not use hobkin chat"},
		"the socket":   {home + sayVariable + `='` + s.opts.Paths.Socket() + ` ` + string(answer) + `' '` + self + `'`, `"code":"denied"`},
		"a call to it": {home + `'` + program + `' call --yes file_write path=made.txt content=x`, "own commands may not use hobkin call"},
	} {
		for how, way := range attacks {
			out := s.attack(t, way, try.line)
			if !strings.Contains(out, try.want) {
				t.Errorf("%s, %s: the command said %q, want %q", what, how, out, try.want)
			}
		}
	}
	if waits := s.broker.Pending(); len(waits) != 1 || waits[0].Request.ID != victim.ID {
		t.Errorf("the question does not wait any more: %+v", waits)
	}
	if _, err := os.Stat(filepath.Join(s.ws, "owned.txt")); err == nil {
		t.Error("the call that waits has run")
	}
	if list := s.refused.List(); len(list) == 0 || list[0].Count < len(attacks) || list[0].What != control.MethodAnswer {
		t.Errorf("the attempts are not on the list: %+v", list)
	}
	if err := s.broker.Answer(victim.ID, victim.Fingerprint, permission.DenyOnce, "test"); err != nil {
		t.Error(err)
	}
}

// builtProgram is the real command line: the one that make has built, or one
// that is built now.
func builtProgram(t *testing.T) string {
	t.Helper()
	made := filepath.Join(suite.Root(t), "bin", "hobkin")
	if _, err := os.Stat(made); err == nil {
		return made
	}
	made = filepath.Join(t.TempDir(), "hobkin")
	if out, err := exec.CommandContext(t.Context(), "go", "build", "-o", made, "../cmd/hobkin").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return made
}

func mustJSON(t *testing.T, v any) json.RawMessage {
	t.Helper()
	raw, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return raw
}

// waitingCall makes the agent ask about a call that is never answered.
func (s *scripted) waitingCall(t *testing.T) agent.ApprovalRequested {
	t.Helper()
	s.script.Add(providertest.Call(toolCall(t, "v", "file_write", map[string]any{"path": "owned.txt", "content": "x\n"})), providertest.Say("Done."))
	if _, err := s.client.Send(t.Context(), control.SendRequest{Text: "write", Channel: "desktop", Attended: true, Mode: "ask"}); err != nil {
		t.Fatal(err)
	}
	until(t, "the question", func() bool { return len(s.broker.Pending()) > 0 })
	return s.broker.Pending()[0].Request
}

// attack runs a command as the agent's shell would, agreed to by its owner, who
// cannot see what a script does.
func (s *scripted) attack(t *testing.T, way, try string) string {
	t.Helper()
	dir := t.TempDir()
	script := "TRY=$(cat '" + dir + "/try'); DONE='" + dir + "/done'; export TRY\n" + way + "\n"
	for name, text := range map[string]string{"try": try + " 2>&1", "attack.sh": script} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	runner := *s.runner
	runner.Approve = func(context.Context, *capability.Capability, capability.Call, capability.Preview) error { return nil }
	turn := ownerTurn(s.ws)
	turn.ID = "attack"
	out := runner.Run(ctx, capability.Request{ID: "attack", Name: "shell", Args: mustJSON(t, map[string]any{"command": "sh " + dir + "/attack.sh"}), Filter: capability.Filter{Turn: turn}})
	return out.Result.Text
}
