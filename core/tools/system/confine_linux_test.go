package system

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/hobkin/hobkin/core/capability"
	"github.com/hobkin/hobkin/core/process"
	"github.com/hobkin/hobkin/core/sandbox"
	"github.com/hobkin/hobkin/core/sandbox/confine"
)

// confinedHost is a host whose commands are confined in a mode by one backend.
func confinedHost(t *testing.T, mode confine.Mode, only confine.Backend) (*Host, capability.Turn) {
	t.Helper()
	dir := t.TempDir()
	policy, err := sandbox.New(sandbox.Config{Home: t.TempDir(), Workspace: dir})
	if err != nil {
		t.Fatal(err)
	}
	confiner := &confine.Confiner{Only: []confine.Backend{only}}
	h := &Host{Paths: policy, Confine: func(turn capability.Turn, _ []string) (process.Confinement, string, error) {
		held, report, err := confiner.Prepare(mode, confine.ForTurn(policy, turn, os.Getenv("PATH")))
		if held == nil || err != nil {
			return nil, report.Sentence(), err
		}
		return held, report.Sentence(), nil
	}}
	t.Cleanup(func() { _ = h.Close() })
	return h, capability.Turn{Workspace: dir, Session: "s", Trust: capability.Operator, Attended: true}
}

func confinedShell(t *testing.T, h *Host, turn capability.Turn, in shellIn) (capability.Result, error) {
	t.Helper()
	args, err := json.Marshal(in)
	if err != nil {
		t.Fatal(err)
	}
	return h.shell(t.Context(), capability.Call{ID: "c", Name: "shell", Args: args, Turn: turn}, in)
}

func TestShellIsConfined(t *testing.T) {
	for _, b := range []confine.Backend{confine.Bubblewrap, confine.Landlock} {
		t.Run(string(b), func(t *testing.T) {
			h, turn := confinedHost(t, confine.Auto, b)
			if held, _, err := h.Confine(turn, nil); held == nil || err != nil {
				t.Skipf("%s does not work here: %v", b, err)
			}
			res, err := confinedShell(t, h, turn, shellIn{Command: "echo in > in.txt && cat in.txt; echo out > /etc/hobkin-evil"})
			if err != nil {
				t.Fatal(err)
			}
			text := res.Text + res.Streams[0].Text
			if !strings.Contains(text, "in\n") || !strings.Contains(text, "request_directory_access") || strings.Contains(text, "not confined") {
				t.Errorf("the result is\n%s", text)
			}
			bg, err := confinedShell(t, h, turn, shellIn{Command: "echo bg; cat /etc/shadow; sleep 60", Background: true})
			if err != nil || !strings.Contains(bg.Text, "bg") || strings.Contains(bg.Text, "root:") {
				t.Errorf("in the background: %q, %v", bg.Text, err)
			}
			h.EndSession("s")
		})
	}
}

func TestShellSaysWhenItIsNotConfined(t *testing.T) {
	h, turn := confinedHost(t, confine.Auto, "none such")
	res, err := confinedShell(t, h, turn, shellIn{Command: "true"})
	if err != nil || !strings.Contains(res.Text, "This command was not confined by the kernel: ") {
		t.Errorf("the result is %q, %v", res.Text, err)
	}
	h, turn = confinedHost(t, confine.Required, "none such")
	_, err = confinedShell(t, h, turn, shellIn{Command: "touch ran"})
	if u, ok := capability.AsUserError(err); !ok || u.Code != "confinement_unavailable" || u.Try == "" {
		t.Errorf("the error is %v, want confinement_unavailable with what to do", err)
	}
	if _, err := os.Stat(turn.Workspace + "/ran"); err == nil {
		t.Error("the command ran all the same")
	}
}
