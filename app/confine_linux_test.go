package app

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/hobkin/hobkin/app/socket"
	"github.com/hobkin/hobkin/core/capability"
	"github.com/hobkin/hobkin/core/control"
	"github.com/hobkin/hobkin/core/sandbox/confine"
)

// runs gives the result of a command line that its owner has agreed to.
func (s *scripted) runs(t *testing.T, line string) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	runner := *s.runner
	runner.Approve = func(context.Context, *capability.Capability, capability.Call, capability.Preview) error { return nil }
	turn := ownerTurn(s.ws)
	turn.ID = "runs"
	out := runner.Run(ctx, capability.Request{ID: "runs", Name: "shell", Args: mustJSON(t, map[string]any{"command": line}), Filter: capability.Filter{Turn: turn}})
	return out.Result.Text
}

// need skips where nothing holds commands as the test wants it.
func (s *scripted) need(t *testing.T, b confine.Backend) {
	t.Helper()
	for _, r := range s.confiner.Backends() {
		if r.Backend == b && r.Why == "" {
			s.confiner.Only = []confine.Backend{b}
			return
		}
	}
	t.Skipf("%s does not work here", b)
}

// A command that was kept from a host says from which, and where that is set.
func TestTheResultNamesTheHostsKeptFrom(t *testing.T) {
	s := openScripted(t)
	s.need(t, confine.Bubblewrap)
	for key, value := range map[string]string{"sandbox.network": "allowlist", "sandbox.network_hosts": "allowed.example"} {
		if err := s.client.ConfigSet(t.Context(), control.ConfigSetRequest{Key: key, Value: value}); err != nil {
			t.Fatal(err)
		}
	}
	out := s.runs(t, "curl -s -m 5 http://evil.example/?x=1; curl -s -m 5 https://evil.example:8443/ ; true")
	for _, want := range []string{"evil.example:80", "evil.example:8443", "[sandbox] network_hosts"} {
		if !strings.Contains(out, want) {
			t.Errorf("%q is not in %s", want, out)
		}
	}
	if out := s.runs(t, "echo fine"); strings.Contains(out, "kept from") {
		t.Error(out)
	}
}

// A command cannot have the owner's git run something without its being told, to
// the model and to the person.
func TestWhatGitRunsIsTold(t *testing.T) {
	s := openScripted(t)
	shown := make(told, 100)
	s.opts.Notifier = shown
	s.need(t, confine.Bubblewrap)
	if out := s.runs(t, "git init -q . && git init -q sub && git -C sub commit -q --allow-empty -m x; touch a"); strings.Contains(out, "git runs") {
		t.Error(out)
	}
	for _, try := range [][2]string{
		{`git config core.fsmonitor 'touch /tmp/x'`, "core.fsmonitor"},
		{`printf '[filter "x"]\nclean = evil\n' >> sub/.git/config`, "filter.x.clean"},
		{`echo '#!/bin/sh' > sub/.git/hooks/post-checkout`, "post-checkout"},
		{`mkdir new && git init -q new && git -C new config core.hooksPath /tmp`, "core.hookspath"},
		{`python3 -c 'open(".git/config","a").write("[core]\nsshcommand=evil\n")'; true`, "core.sshcommand"},
		{`rm -rf sub/.git && echo "gitdir: $PWD/elsewhere" > sub/.git`, "leads elsewhere"},
	} {
		line, want := try[0], try[1]
		if out := s.runs(t, line); !strings.Contains(out, "changed what git runs") || !strings.Contains(out, want) {
			t.Errorf("%s: %s", line, out)
		}
		select {
		case n := <-shown:
			if !strings.Contains(n.Body, want) {
				t.Errorf("%s: the person was told %q", line, n.Body)
			}
		default:
			t.Errorf("%s: the person was not told", line)
		}
	}
	if out := s.runs(t, "echo fine"); strings.Contains(out, "git runs") {
		t.Error(out)
	}
}

// TestTheAgentCannotApproveItselfConfined: as TestTheAgentCannotApproveItself,
// with what holds every command of a user who changes no settings: the program
// and its socket are not even there.
func TestTheAgentCannotApproveItselfConfined(t *testing.T) {
	for _, b := range []confine.Backend{confine.Bubblewrap, confine.Landlock} {
		t.Run(string(b), func(t *testing.T) {
			s := openScripted(t)
			s.need(t, b)
			server, err := socket.Listen(t.Context(), s.opts.Paths.Socket(), s.Core)
			if err != nil {
				t.Fatal(err)
			}
			defer func() { _ = server.Close() }()
			victim := s.waitingCall(t)
			answer, err := json.Marshal(control.WireRequest{Protocol: control.Protocol, Method: control.MethodAnswer, Params: mustJSON(t, control.ApprovalAnswer{
				ID: victim.ID, Fingerprint: victim.Fingerprint, Decision: "once", By: "window",
			})})
			if err != nil {
				t.Fatal(err)
			}
			program := filepath.Join(s.ws, "say") // in the workspace, where it can be started
			self, err := os.ReadFile("/proc/self/exe")
			if err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(program, self, 0o700); err != nil { //nolint:gosec // it is to be run
				t.Fatal(err)
			}
			home := fmt.Sprintf("HOME='%s' HOBKIN_HOME='%s' ", os.Getenv("HOME"), os.Getenv("HOBKIN_HOME"))
			for how, line := range map[string]string{
				"the socket":           sayVariable + `='` + s.opts.Paths.Socket() + ` ` + string(answer) + `' ./say`,
				"without an ancestor":  `setsid sh -c "env -i ` + sayVariable + `='` + s.opts.Paths.Socket() + ` ` + strings.ReplaceAll(string(answer), `"`, `\"`) + `' ./say; touch done" & until [ -e done ]; do sleep 0.05; done`,
				"the service manager":  `systemd-run --user --wait ./say; busctl --user list; gdbus call --session -d org.freedesktop.DBus -o / -m x.y; echo ended`,
				"cron":                 `echo '* * * * * ./say' | crontab - ; echo '* * * * * root ./say' > /etc/cron.d/x; echo ./say | at now; echo ended`,
				"its settings":         `echo 'x' > '` + s.opts.Paths.ConfigFile() + `'; ls '` + filepath.Dir(s.opts.Paths.ConfigFile()) + `'`,
				"its own home":         home + `ls "$HOBKIN_HOME/data" "$HOBKIN_HOME/state" "$HOBKIN_HOME/run"`,
				"a socket of D-Bus":    `ls /run/user/*/bus /run/dbus/system_bus_socket /run/systemd/private; python3 -c 'import socket; socket.socket(socket.AF_UNIX).connect("/run/dbus/system_bus_socket")'`,
				"an autostart program": home + `mkdir -p ~/.config/autostart && echo x > ~/.config/autostart/x.desktop`,
			} {
				out := s.runs(t, line)
				if strings.Contains(out, `"result"`) || strings.Contains(out, `"code"`) {
					t.Errorf("%s: it was answered: %s", how, out)
				}
			}
			if waits := s.broker.Pending(); len(waits) != 1 || waits[0].Request.ID != victim.ID {
				t.Errorf("the question does not wait any more: %+v", waits)
			}
			for _, path := range []string{filepath.Join(s.ws, "owned.txt"), "/etc/cron.d/x", filepath.Join(os.Getenv("HOME"), ".config/autostart/x.desktop")} {
				if _, err := os.Stat(path); err == nil {
					t.Errorf("%s was made", path)
				}
			}
			if text, err := os.ReadFile(s.opts.Paths.ConfigFile()); err != nil || string(text) == "x\n" {
				t.Errorf("the settings were changed: %q, %v", text, err)
			}
		})
	}
}
