package app

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"aead.dev/minisign"

	"github.com/hobkin/hobkin/computeruse"
	"github.com/hobkin/hobkin/computeruse/helper"
	"github.com/hobkin/hobkin/computeruse/wire"
	"github.com/hobkin/hobkin/core/agent"
	"github.com/hobkin/hobkin/core/capability"
	"github.com/hobkin/hobkin/core/control"
	"github.com/hobkin/hobkin/core/provider"
	"github.com/hobkin/hobkin/core/provider/providertest"
)

// openDesk is a core whose helper is this test program, on a desk that is told.
// More are further lines of the settings.
func openDesk(t *testing.T, more string, answers ...providertest.Answer) (s *scripted, log string) {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	log = filepath.Join(t.TempDir(), "asked")
	t.Setenv(deskVariable, log)
	s = openScripted(t, answers...)
	text := "[agent]\nworkspace = \"" + s.ws + "\"\n\n[computer_use]\nenabled = true\nhotkey = \"\"\nhelper = \"" + self + "\"\n" + more
	if err := os.WriteFile(s.file.Path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := s.reload(); err != nil {
		t.Fatal(err)
	}
	return s, log
}

func act(t *testing.T, id string, args map[string]any) providertest.Answer {
	t.Helper()
	return providertest.Call(toolCall(t, id, "computer_use", args))
}

func click(t *testing.T, id string) providertest.Answer {
	t.Helper()
	return act(t, id, map[string]any{"action": "left_click", "observation_id": "last", "x": 300, "y": 300})
}

func look(t *testing.T) providertest.Answer {
	t.Helper()
	return act(t, "1", map[string]any{"action": "screenshot"})
}

var asPerson = control.SendRequest{Text: "click it", Channel: "cli", Attended: true, Mode: "auto"}

// TestComputerUse: a look asks nothing, the first act in a program asks for that
// program, and “always” is kept in the list that the settings and the setup page
// have.
func TestComputerUse(t *testing.T) {
	s, log := openDesk(t, "", look(t), click(t, "2"), click(t, "3"), providertest.Say("done"))
	var asked []agent.ApprovalRequested
	events := s.play(t, asPerson, func(a agent.ApprovalRequested) string {
		asked = append(asked, a)
		return "always"
	})
	if len(asked) != 1 || !strings.Contains(asked[0].Preview.Question, "gedit") || asked[0].Rule != "allow computer_use: app:gedit" {
		t.Fatalf("asked %+v", asked)
	}
	for _, done := range payloads[agent.ToolCompleted](events) {
		if done.Failed || done.Images != 1 {
			t.Errorf("%+v", done)
		}
	}
	if got := s.cfg.Load().ComputerUse.AllowedApps; !slices.Equal(got, []string{"gedit"}) || len(s.cfg.Load().Permission.Rules) != 0 {
		t.Errorf("kept %v and %v", got, s.cfg.Load().Permission.Rules)
	}
	if n := count(did(log), wire.Click); n != 2 {
		t.Errorf("%d clicks went out", n)
	}
	st, err := s.client.Computer(t.Context())
	for end := time.Now().Add(turnTime); err == nil && st.Session != "" && time.Now().Before(end); { // the end of the turn lets go of the mouse
		<-time.After(time.Millisecond)
		st, err = s.client.Computer(t.Context())
	}
	if err != nil || !st.Offered || st.Session != "" || !slices.Equal(st.Allowed, []string{"gedit"}) || st.Helper.Backend != "told" {
		t.Errorf("it stands so: %+v, %v", st, err)
	}
	if err := s.client.SetComputerApp(t.Context(), control.ComputerApp{Name: "Gedit", Use: "ask"}); err != nil || len(s.cfg.Load().ComputerUse.AllowedApps) != 0 {
		t.Errorf("it is still allowed: %v", err)
	}
}

func count(list []string, one string) (n int) {
	for _, x := range list {
		if x == one {
			n++
		}
	}
	return n
}

// TestComputerUseIsOff: as delivered, and where no person takes part, the tool is
// not offered, and no helper is started.
func TestComputerUseIsOff(t *testing.T) {
	for name, tt := range map[string]struct {
		on      bool
		channel string
		there   bool
		helper  string
		want    bool
	}{
		"as delivered":    {false, "cli", true, "", false},
		"on":              {true, "cli", true, "", true},
		"no one is there": {true, "cli", false, "", false},
		"a job":           {true, "job", true, "", false},
		"another program": {true, "mcp", true, "", false},
		"no helper":       {true, "cli", true, "/nowhere/hobkin-helper", false},
	} {
		t.Run(name, func(t *testing.T) {
			s, log := openDesk(t, "", providertest.Say("done"))
			if !tt.on {
				setTo(t, s, "computer_use.enabled", "false")
			}
			if tt.helper != "" {
				setTo(t, s, "computer_use.helper", tt.helper)
			}
			s.play(t, control.SendRequest{Text: "go", Channel: tt.channel, Attended: tt.there, Mode: "auto"}, nil)
			offered := slices.ContainsFunc(s.script.Requests()[0].Tools, func(tool provider.Tool) bool { return tool.Name == "computer_use" })
			if offered != tt.want {
				t.Errorf("it is offered: %v", offered)
			}
			if started := len(did(log)) > 0; started != tt.want {
				t.Errorf("a helper was started: %v", started)
			}
		})
	}
}

func setTo(t *testing.T, s *scripted, key, value string) {
	t.Helper()
	if err := s.client.ConfigSet(t.Context(), control.ConfigSetRequest{Key: key, Value: value}); err != nil {
		t.Fatal(err)
	}
}

// TestComputerUseStrict: a strict sandbox only looks, in the agent and in the
// helper, which is started so.
func TestComputerUseStrict(t *testing.T) {
	s, log := openDesk(t, "\n[sandbox]\nmode = \"strict\"\n", look(t), click(t, "2"), providertest.Say("done"))
	events := s.play(t, asPerson, func(agent.ApprovalRequested) string { return "always" })
	done := payloads[agent.ToolCompleted](events)
	if len(done) != 2 || done[0].Failed || done[1].Code != "look_only" {
		t.Errorf("%+v", done)
	}
	raw, _ := os.ReadFile(log)
	if !strings.Contains(string(raw), `"look_only":true`) || slices.Contains(did(log), wire.Click) {
		t.Errorf("the helper was asked\n%s", raw)
	}
}

// TestComputerUseDenied: a program that the settings forbid is refused before
// anyone is asked.
func TestComputerUseDenied(t *testing.T) {
	s, log := openDesk(t, "denied_apps = [\"ged*\"]\n", look(t), click(t, "2"), providertest.Say("done"))
	done := payloads[agent.ToolCompleted](s.play(t, asPerson, nil))
	if len(done) != 2 || done[1].Code != "forbidden_program" || slices.Contains(did(log), wire.Click) {
		t.Errorf("%+v", done)
	}
}

// TestComputerUsePauseAndStop: a pause refuses acts until it is lifted, whoever
// asked for it; a stop ends the turn. Every surface is told of both.
func TestComputerUsePauseAndStop(t *testing.T) {
	s, log := openDesk(t, "allowed_apps = [\"gedit\"]\n", look(t), click(t, "2"), providertest.Say("waits"), click(t, "3"), providertest.Say("done"))
	ctx, cancel := context.WithTimeout(t.Context(), turnTime)
	defer cancel()
	var told []agent.ComputerState
	watching := make(chan struct{})
	events := s.client.Watch(ctx, control.WatchRequest{})
	go func() {
		defer close(watching)
		for e, err := range events {
			if err != nil {
				return
			}
			if p, ok := e.Payload.(agent.ComputerState); ok {
				told = append(told, p)
			}
		}
	}()
	halt, err := s.client.PauseComputer(ctx, "cli")
	if err != nil {
		t.Fatalf("%+v, %v", halt, err)
	}
	turn := s.play(t, asPerson, nil)
	done := payloads[agent.ToolCompleted](turn)
	if len(done) != 2 || done[0].Failed || done[1].Code != "paused" || slices.Contains(did(log), wire.Click) {
		t.Errorf("%+v", done)
	}
	if err := s.client.ResumeComputer(ctx); err != nil {
		t.Fatal(err)
	}
	again := asPerson
	again.Session = turn[0].Session
	done = payloads[agent.ToolCompleted](s.play(t, again, nil))
	if len(done) != 1 || done[0].Failed {
		t.Errorf("%+v", done)
	}
	if err := s.client.StopComputer(ctx); err != nil {
		t.Fatal(err)
	}
	cancel()
	<-watching
	states := func(is func(agent.ComputerState) bool) bool { return slices.ContainsFunc(told, is) }
	if !states(func(c agent.ComputerState) bool { return c.Paused && c.By == "cli" }) || !states(func(c agent.ComputerState) bool { return c.Held && c.Program == "gedit" }) {
		t.Errorf("told %+v", told)
	}
}

// TestComputerCommands are what a person can give in a conversation.
func TestComputerCommands(t *testing.T) {
	s, _ := openDesk(t, "")
	for _, step := range []struct{ text, want string }{
		{"/pause", "The use of the screen is paused. /resume lets it go on."},
		{"/computer", "Computer use is paused."},
		{"/resume", "The use of the screen may go on."},
		{"/computer deny gimp", "Computer use is ready."},
		{"/computer allow gedit", "Computer use is ready."},
	} {
		reply, err := s.client.Command(t.Context(), control.CommandRequest{SendRequest: control.SendRequest{Text: step.text, Channel: "cli", Attended: true}})
		if err != nil || len(reply.Parts) == 0 || reply.Parts[0].Say != step.want {
			t.Errorf("%s: %+v, %v", step.text, reply, err)
		}
	}
	cu := s.cfg.Load().ComputerUse
	if !slices.Equal(cu.AllowedApps, []string{"gedit"}) || !slices.Equal(cu.DeniedApps, []string{"gimp"}) {
		t.Errorf("the settings have %v and %v", cu.AllowedApps, cu.DeniedApps)
	}
	if _, err := s.client.Command(t.Context(), control.CommandRequest{SendRequest: control.SendRequest{Text: "/computer allow *", Channel: "cli", Attended: true}}); err == nil {
		t.Error("every program was allowed at once")
	}
}

// TestComputerDoctor: the row is what was tried; Wayland and its like say what
// works there and how to have the rest.
func TestComputerDoctor(t *testing.T) {
	s, log := openDesk(t, "")
	row := s.checkComputer(t.Context())
	if row.Status != "warning" || !strings.Contains(row.Detail, "tell your hands from its own") || !slices.Contains(did(log), wire.Probe) {
		t.Errorf("%+v", row)
	}
	setTo(t, s, "computer_use.helper", "/nowhere/hobkin-helper")
	s.computer.desk.Stop()
	if row := s.checkComputer(t.Context()); row.Status != "failed" || !strings.Contains(row.Detail, "/nowhere/hobkin-helper") {
		t.Errorf("%+v", row)
	}
	setTo(t, s, "computer_use.enabled", "false")
	if row := s.checkComputer(t.Context()); row.Status != "not_applicable" || row.Fix == "" {
		t.Errorf("%+v", row)
	}
}

func TestScreenRow(t *testing.T) {
	all := func(broken ...wire.Capability) (out []wire.Capability) {
		for name := range partNames {
			p := wire.Capability{Name: name, Works: true}
			for _, b := range broken {
				if b.Name == name {
					p = b
				}
			}
			out = append(out, p)
		}
		return out
	}
	x11, wayland := wire.HelloResult{DisplayServer: "x11", Backend: "x11"}, wire.HelloResult{DisplayServer: "wayland", Backend: "portal"}
	for name, tt := range map[string]struct {
		parts    []wire.Capability
		hello    wire.HelloResult
		lookOnly bool
		want     control.Check
	}{
		"all": {all(), x11, false, control.Check{Status: "passed", Detail: "a picture was taken, and everything works (x11, by x11)"}},
		"strict": {
			all(wire.Capability{Name: wire.CanPointer, Reason: "started only to look"}), x11, true,
			control.Check{Status: "passed", Detail: "a picture was taken (x11, by x11); the sandbox is strict, so that nothing is clicked or typed"},
		},
		"Wayland without windows": {
			all(wire.Capability{Name: wire.CanWindows, Reason: "Wayland does not tell", Fix: "log in to a session on X11 for that"}), wayland, false,
			control.Check{Status: "warning", Detail: "wayland, by portal: cannot tell the windows: Wayland does not tell", Fix: "log in to a session on X11 for that"},
		},
		"Wayland, denied": {
			all(wire.Capability{Name: wire.CanCapture, Reason: "the dialog was closed", Fix: "allow it"}, wire.Capability{Name: wire.CanPointer, Reason: "the dialog was closed", Fix: "allow it"}), wayland, false,
			control.Check{Status: "failed", Fix: "allow it"},
		},
	} {
		got := screenRow(tt.parts, tt.hello, tt.lookOnly)
		if got.Status != tt.want.Status || got.Fix != tt.want.Fix || tt.want.Detail != "" && got.Detail != tt.want.Detail {
			t.Errorf("%s: %+v, want %+v", name, got, tt.want)
		}
	}
}

// TestCalibration: a model is asked to point at discs, and how it names places
// is kept for it.
func TestCalibration(t *testing.T) {
	for name, tt := range map[string]struct {
		said string
		want control.Calibration
		code string
	}{
		"pixels":      {`{"red":[189,171],"green":[1193,139],"blue":[684,450]}`, control.Calibration{Model: "script-1", Coordinates: "pixels", Set: "pixels"}, ""},
		"thousandths": {"Here:\n```json\n{\"red\":[130,210],\"green\":[820,170],\"blue\":[470,550]}\n```", control.Calibration{Model: "script-1", Coordinates: "thousandths", Set: "pixels", Saved: true}, ""},
		"misses":      {`{"red":[1,2],"green":[3,4],"blue":[5,6]}`, control.Calibration{}, "no_aim"},
		"no answer":   {"I cannot see pictures.", control.Calibration{}, "no_aim"},
	} {
		t.Run(name, func(t *testing.T) {
			s, _ := openDesk(t, "")
			got, err := s.calibrate(t.Context(), providertest.NewScript(providertest.Say(tt.said)))
			if code := codeOf(err); code != tt.code {
				t.Fatalf("%v", err)
			}
			if tt.code == "" && (got.Coordinates != tt.want.Coordinates || got.Set != tt.want.Set || got.Saved != tt.want.Saved || got.Off > 2) {
				t.Errorf("got %+v, want %+v", got, tt.want)
			}
			if now := s.computer.modelOf("script-1").Coordinates; tt.want.Saved && now != computeruse.Thousandths {
				t.Errorf("afterwards it is %s", now)
			}
		})
	}
	s, _ := openDesk(t, "")
	blind := providertest.NewScript()
	blind.Description.Images = false
	if _, err := s.calibrate(t.Context(), blind); codeOf(err) != "blind_model" {
		t.Errorf("a blind model: %v", err)
	}
}

func codeOf(err error) string {
	if e, ok := err.(*control.Error); ok { //nolint:errorlint // it is not wrapped here
		return e.Code
	}
	if err != nil {
		return err.Error()
	}
	return ""
}

// TestComputerOfAModel: each model is sent what it can see, and hosted tools are
// told how large that is.
func TestComputerOfAModel(t *testing.T) {
	s, _ := openDesk(t, "[computer_use.models.\"big*\"]\nlong_edge = 2576\ntiles = 5000\ncoordinates = \"thousandths\"\n")
	s.computer.try(t.Context())
	for model, want := range map[string]struct {
		w, h int
		how  computeruse.Coordinates
	}{
		"claude-sonnet-4-5": {1456, 819, computeruse.Pixels},
		"gemini-3-pro":      {1456, 819, computeruse.Thousandths},
		"qwen/qwen3-vl-8b":  {1456, 819, computeruse.Thousandths},
		"big-1":             {1920, 1080, computeruse.Thousandths},
	} {
		if c := s.computer.computer(model); c == nil || c.Width != want.w || c.Height != want.h || s.computer.modelOf(model).Coordinates != want.how {
			t.Errorf("%s: %+v %s", model, c, s.computer.modelOf(model).Coordinates)
		}
	}
	got, err := s.client.LookComputer(t.Context())
	if err != nil || got.Width != 1456 || got.Height != 819 || got.Physical != [2]int{1920, 1080} || time.Since(got.At) > time.Minute {
		t.Errorf("%dx%d of %v at %v, %v", got.Width, got.Height, got.Physical, got.At, err)
	}
}

// TestHostedActsFit: what the providers' own tools ask for is what our tool
// takes, each action of theirs.
func TestHostedActsFit(t *testing.T) {
	s, _ := openDesk(t, "")
	c, ok := s.registry.Find("computer_use")
	if !ok {
		t.Fatal("there is no computer_use")
	}
	one, two := 1, 2
	point := provider.Act{Frame: provider.LastFrame, X: &one, Y: &two, Modifiers: []string{"shift"}, Checks: []provider.SafetyNote{{ID: "sc_1", Code: "x", Message: "A bank."}}}
	with := func(action string, change func(*provider.Act)) provider.Act {
		a := point
		a.Action = action
		if change != nil {
			change(&a)
		}
		return a
	}
	acts := []provider.Act{
		{Action: "screenshot"},
		{Action: "cursor_position"},
		{Action: "screenshot", Frame: provider.LastFrame, Region: &provider.ActRegion{X: 1, Y: 2, W: 3, H: 4}},
		{Action: "wait", MS: 2000},
		{Action: "type", Text: "Grüße"},
		{Action: "key", Key: "ctrl+s"},
		{Action: "hold_key", Key: "shift", MS: 1500},
		{Action: "left_click_drag", Frame: provider.LastFrame, Path: []provider.ActPoint{{X: 1, Y: 2}, {X: 3, Y: 4}}},
		with("scroll", func(a *provider.Act) { a.Direction, a.Amount = "down", 3 }),
	}
	for _, name := range []string{"mouse_move", "left_click", "right_click", "middle_click", "double_click", "triple_click", "left_mouse_down", "left_mouse_up"} {
		acts = append(acts, with(name, nil))
	}
	for _, a := range acts {
		if err := capability.ValidateJSON(c.Parameters, []byte(a.Args())); err != nil {
			t.Errorf("%s: %v", a.Args(), err)
		}
	}
}

// TestInstallHelper: a helper that is missing is fetched from the release, which
// must have the digest and the signature that the build knows, and is tried at
// once; what is not it, is not kept.
func TestInstallHelper(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	program, err := os.ReadFile(self)
	if err != nil {
		t.Fatal(err)
	}
	pub, private, err := minisign.GenerateKey(nil)
	if err != nil {
		t.Fatal(err)
	}
	key, err := pub.MarshalText()
	if err != nil {
		t.Fatal(err)
	}
	sum := sha256.Sum256(program)
	served := program
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasSuffix(r.URL.Path, ".minisig") {
			_, _ = w.Write(minisign.Sign(private, program))
			return
		}
		_, _ = w.Write(served)
	}))
	t.Cleanup(server.Close)
	s, _ := openDesk(t, "\n[net]\nallow_hosts = [\"127.0.0.1:*\"]\n")
	setTo(t, s, "computer_use.helper", "")
	s.computer.release = helper.Release{URL: server.URL, SHA256: hex.EncodeToString(sum[:]), Key: string(key)}

	st, err := s.client.Computer(t.Context())
	if err != nil || st.Offered || st.Helper.Path != "" || !st.Helper.CanGet || !strings.Contains(st.Missing, "not installed") {
		t.Fatalf("without a helper: %+v, %v", st, err)
	}
	served = append([]byte("#"), program...)
	if _, err := s.client.InstallComputer(t.Context()); codeOf(err) != "computer_use" || !strings.Contains(err.Error(), "digest") {
		t.Errorf("another file: %v", err)
	}
	served = program
	h, err := s.client.InstallComputer(t.Context())
	if err != nil || !strings.HasPrefix(h.Path, s.opts.Paths.Data) || h.Backend != "told" {
		t.Fatalf("installed %+v, %v", h, err)
	}
	if st, err := s.client.Computer(t.Context()); err != nil || !st.Offered {
		t.Errorf("with it: %+v, %v", st, err)
	}
	s.computer.desk.Stop()
	if err := os.WriteFile(h.Path, []byte("#!/bin/sh\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	if _, err := s.client.ProbeComputer(t.Context()); err == nil || !strings.Contains(err.Error(), "not the file that was fetched") {
		t.Errorf("a helper that was changed: %v", err)
	}
}
