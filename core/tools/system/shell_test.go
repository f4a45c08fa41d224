package system

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/hobkin/hobkin/core/capability"
	"github.com/hobkin/hobkin/core/process"
)

func TestOutputIsShownAsItComes(t *testing.T) {
	b := newBench(t)
	done := make(chan capability.Result, 1)
	go func() { // ends with the command, which waits for the file
		done <- b.call(context.Background(), "shell", `{"command": "echo first; echo oops >&2; until [ -e go ]; do sleep 0.02; done; echo last"}`).Result
	}()
	seen := map[string]bool{}
	for !seen["stdout:first\n"] || !seen["stderr:oops\n"] {
		select {
		case ev := <-b.heard:
			seen[ev] = true
		case <-time.After(20 * time.Second):
			t.Fatalf("heard only %v while the command runs", seen)
		}
	}
	if err := os.WriteFile(b.dir+"/go", nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if r := <-done; !strings.Contains(r.Text, "--- stdout\nfirst\nlast\n--- stderr\noops\n") {
		t.Errorf("result %q", r.Text)
	}
	if last := b.live[len(b.live)-1]; last != "stdout:last\n" {
		t.Errorf("the last event is %q", last)
	}
}

func TestAFloodIsFewEvents(t *testing.T) {
	b := newBench(t)
	start := time.Now()
	r := b.ok("shell", `{"command": "yes | head -c 20000000"}`)
	most := 2*int(time.Since(start)/flushEvery) + 2
	total := 0
	for _, ev := range b.live {
		total += len(ev)
	}
	if len(b.live) > most || total > most*(maxLive+100) {
		t.Errorf("%d events with %d bytes, want at most %d", len(b.live), total, most)
	}
	if len(r.Text) > 2000 || !strings.Contains(r.Text, "bytes left out") {
		t.Errorf("the result has %d bytes", len(r.Text))
	}
}

func TestCancelledWithWhatWasPrinted(t *testing.T) {
	b := newBench(t)
	ctx, cancel := context.WithCancel(t.Context())
	go func() { // ends with the first output
		<-b.heard
		cancel()
	}()
	o := b.call(ctx, "shell", `{"command": "echo so far; sleep 60"}`)
	u, _ := capability.AsUserError(o.Err)
	if u == nil || u.Code != "cancelled" || !strings.Contains(o.Result.Text, "\n--- stdout\nso far\n") {
		t.Errorf("got %v with %q, want cancelled with the output", o.Err, o.Result.Text)
	}
	if o.Duration > 10*time.Second {
		t.Errorf("it took %v to stop", o.Duration)
	}
}

// What is cut must be clear of secrets first: half of one would pass.
func TestLongOutputIsRedactedSavedAndCut(t *testing.T) {
	b := newBench(t)
	saved := ""
	b.run.Redact = func(s string) string { return strings.ReplaceAll(s, "hunter2", "•••") }
	b.run.Recall = "tool_result_recall"
	b.run.Save = func(_ context.Context, call capability.Call, text string) (string, error) {
		saved = text
		return "/outputs/" + call.ID, nil
	}
	const long = `seq 1 300; echo hunter2; seq 301 600; echo hunter2 >&2; seq 1 200 >&2`
	for name, tt := range map[string]struct {
		command string
		most    int
	}{
		"success": {long, 1<<10 + 400},
		"failure": {`seq 10000 20000; ` + long + `; exit 3`, 8<<10 + 400},
		"ended":   {`seq 10000 20000; ` + long + `; sleep 60`, 8<<10 + 700},
	} {
		o := b.call(t.Context(), "shell", `{"command": "`+tt.command+`", "timeout_ms": 2000}`)
		text := o.Result.Text
		switch {
		case strings.Contains(text+saved, "hunter2"):
			t.Errorf("%s: the secret is told", name)
		case !strings.Contains(saved, "\n300\n•••\n301\n") || !strings.Contains(saved, "--- stderr\n•••\n1\n"):
			t.Errorf("%s: saved is not the whole: %q", name, saved)
		case !strings.Contains(text, "(whole output: /outputs/"+o.Call.ID+"; search it with tool_result_recall, call_id "+o.Call.ID+")"):
			t.Errorf("%s: it does not say where the whole is: %q", name, text)
		case !strings.Contains(text, "--- stderr\n•••\n1\n") || !strings.Contains(text, "\n600\n"):
			t.Errorf("%s: text %q", name, text)
		case len(text) > tt.most || len(text) < tt.most/2:
			t.Errorf("%s: text has %d bytes, want about %d", name, len(text), tt.most)
		}
	}
	b.run.Save = func(context.Context, capability.Call, string) (string, error) { return "", errors.New("disk full") }
	if r := b.ok("shell", `{"command": "seq 1 600"}`); !strings.Contains(r.Text, "could not be saved") {
		t.Errorf("text %q", r.Text)
	}
}

// The time of a command is the owner's: when the call does not say, and at most.
func TestTimesOfTheSettings(t *testing.T) {
	b := newBench(t)
	b.host.Limits.Timeout, b.host.Limits.MaxTimeout = 100*time.Millisecond, 200*time.Millisecond
	for _, args := range []string{`{"command": "exec sleep 60"}`, `{"command": "exec sleep 60", "timeout_ms": 600000}`} {
		if o := b.call(t.Context(), "shell", args); o.Duration > 10*time.Second || !errors.Is(o.Err, timedOut) {
			t.Errorf("%s: %v after %v", args, o.Err, o.Duration)
		}
	}
}

// A key that Hobkin was started with does not reach a command.
func TestKeysDoNotReachCommands(t *testing.T) {
	t.Setenv("SEARCH_API_KEY", "secret-of-the-search")
	b := newBench(t)
	b.host.Env = nil
	r := b.ok("shell", `{"command": "env; cat /proc/$PPID/environ 2>/dev/null | tr '\\0' '\\n' | grep -c no-such-thing"}`)
	if strings.Contains(r.Text, "secret-of-the-search") || !strings.Contains(r.Text, "PATH=") || !strings.Contains(r.Text, "HOBKIN_CALL=") {
		t.Errorf("environment %q", r.Text)
	}
}

func TestListeningIsFlagged(t *testing.T) {
	if _, err := exec.LookPath("python3"); err != nil {
		t.Skip("python3 is not installed")
	}
	b := newBench(t)
	const server = `python3 -c 'import socket, time; s = socket.socket(); s.bind((\"%s\", 0)); s.listen(); time.sleep(%d)'`
	go func() { // ends with the notice; the command with its time-out at the latest
		for {
			b.mu.Lock()
			told := len(b.notice) > 0
			b.mu.Unlock()
			if told || t.Context().Err() != nil {
				_ = os.WriteFile(filepath.Join(b.dir, "told"), nil, 0o600)
				return
			}
			<-time.After(20 * time.Millisecond)
		}
	}()
	r := b.ok("shell", fmt.Sprintf(`{"command": "`+server+` & until [ -e told ]; do sleep 0.02; done", "timeout_ms": 60000}`, "0.0.0.0", 60))
	const warning = "Warning: It listens on 0.0.0.0:"
	if !strings.Contains(r.Text, warning) || !strings.Contains(string(r.Data), `"listening":["0.0.0.0:`) {
		t.Errorf("result %q %s", r.Text, r.Data)
	}
	if len(b.notice) != 1 {
		t.Errorf("told at once: %v", b.notice)
	}
	b.ok("shell", fmt.Sprintf(`{"command": "`+server+`", "background": true}`, "0.0.0.0", 60))
	for end := time.Now().Add(time.Minute); ; {
		r := b.ok("shell_output", `{"id": "bg-1", "wait_ms": 500, "since": 0}`)
		if strings.Contains(r.Text, warning) {
			break
		}
		if time.Now().After(end) {
			t.Fatalf("background: %q", r.Text)
		}
	}
	if r := b.ok("shell", fmt.Sprintf(`{"command": "`+server+`"}`, "127.0.0.1", 2)); strings.Contains(r.Text, "Warning") {
		t.Errorf("loopback: %q", r.Text)
	}
}

func TestBackgroundIsBounded(t *testing.T) {
	b := newBench(t)
	b.host.Limits.Background = 2
	const sleep = `{"command": "exec sleep 60", "background": true}`
	b.ok("shell", sleep)
	b.ok("shell", sleep)
	if message, _ := b.fails("shell", sleep, "too_many"); !strings.Contains(message, "bg-1") {
		t.Errorf("message %q does not list them", message)
	}
	b.ok("shell_kill", `{"id": "bg-1"}`)
	b.ok("shell", sleep)
	var states []string
	for _, one := range b.host.Background("s") {
		states = append(states, one.ID+" "+string(one.State))
	}
	if want := []string{"bg-1 killed", "bg-2 running", "bg-3 running"}; !slices.Equal(states, want) {
		t.Errorf("listed %v, want %v", states, want)
	}
}

func TestEndedCommandsAreForgottenAtLast(t *testing.T) {
	b := newBench(t)
	for range keptJobs + 5 {
		b.ok("shell", `{"command": "true", "background": true}`)
	}
	list := b.host.Background("s")
	if len(list) > keptJobs+1 || list[len(list)-1].ID != fmt.Sprintf("bg-%d", keptJobs+5) {
		t.Errorf("%d are kept, the last is %s", len(list), list[len(list)-1].ID)
	}
}

func TestBackgroundBelongsToItsSession(t *testing.T) {
	b := newBench(t)
	ended := make(chan Background, 10)
	b.host.Ended = func(one Background) { ended <- one }
	b.ok("shell", `{"command": "exec sleep 60", "background": true, "description": "Sleep"}`)
	mine := b.turn
	b.turn.Session = "another"
	b.fails("shell_output", `{"id": "bg-1"}`, "no_such_command")
	b.fails("shell_kill", `{"id": "bg-1"}`, "no_such_command")
	b.ok("shell", `{"command": "echo x; exec sleep 60", "background": true}`)
	b.turn = mine

	b.host.EndSession("s")
	if one := <-ended; one.ID != "bg-1" || one.State != Killed || one.Session != "s" || one.Description != "Sleep" || one.ExitCode != -1 {
		t.Errorf("ended: %+v", one)
	}
	if list := b.host.Background("s"); len(list) != 0 {
		t.Errorf("still listed: %+v", list)
	}
	if list := b.host.Background("another"); len(list) != 1 || list[0].State != Running {
		t.Errorf("the other session has %+v", list)
	}
	if err := b.host.Close(); err != nil {
		t.Fatal(err)
	}
	if one := <-ended; one.ID != "bg-2" || one.State != Killed {
		t.Errorf("ended: %+v", one)
	}
	b.fails("shell", `{"command": "true", "background": true}`, "cancelled")
}

// A background command outlives the context of the call that started it.
func TestBackgroundOutlivesItsCall(t *testing.T) {
	b := newBench(t)
	ended := make(chan Background, 1)
	b.host.Ended = func(one Background) { ended <- one }
	ctx, cancel := context.WithCancel(t.Context())
	o := b.call(ctx, "shell", `{"command": "until [ -e go ]; do sleep 0.02; done; exit 5", "background": true}`)
	cancel()
	if o.Failed() {
		t.Fatal(o.Err)
	}
	if err := os.WriteFile(b.dir+"/go", nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if one := <-ended; one.State != Ended || one.ExitCode != 5 {
		t.Errorf("ended: %+v", one)
	}
}

// Those who watch see what a background command prints after its call has ended.
func TestBackgroundOutputIsShownAsItComes(t *testing.T) {
	b := newBench(t)
	b.ok("shell", `{"command": "until [ -e go ]; do sleep 0.02; done; echo late; exec sleep 60", "background": true}`)
	if err := os.WriteFile(b.dir+"/go", nil, 0o600); err != nil {
		t.Fatal(err)
	}
	select {
	case ev := <-b.heard:
		if ev != "stdout:late\n" {
			t.Errorf("heard %q", ev)
		}
	case <-time.After(20 * time.Second):
		t.Error("heard nothing")
	}
}

func TestTranscriptTellsStreamsApart(t *testing.T) {
	tr := newTranscript(1000, nil)
	for _, c := range []struct {
		s    process.Stream
		text string
	}{{process.Stdout, "a\n"}, {process.Stdout, "b"}, {process.Stderr, "x"}, {process.Stderr, "y\n"}, {process.Stdout, "c\n"}} {
		tr.add(c.s, []byte(c.text))
	}
	if got, _ := tr.since(0, false); got != "a\nb\n[stderr]\nxy\n[stdout]\nc\n" {
		t.Errorf("transcript %q", got)
	}
}

func FuzzLive(f *testing.F) {
	f.Add("a€b", 2)
	f.Add("\xff\xfe", 1)
	f.Fuzz(func(t *testing.T, text string, at int) {
		if len(text) > maxLive {
			return
		}
		at = max(at, 0) % (len(text) + 1)
		var got strings.Builder
		run := capability.Runner{Registry: &capability.Registry{}}
		c, err := capability.Func("say", "Says.", func(context.Context, struct{}) (string, error) { return "", nil })
		if err != nil {
			t.Fatal(err)
		}
		c.Handler = func(_ context.Context, call capability.Call) (capability.Result, error) {
			l := newLive(call)
			l.add(process.Stdout, []byte(text[:at]))
			l.flush(false)
			l.add(process.Stdout, []byte(text[at:]))
			l.flush(true)
			return capability.Result{}, nil
		}
		if err := run.Registry.Register(c); err != nil {
			t.Fatal(err)
		}
		run.Run(t.Context(), capability.Request{Name: "say", Output: func(_, s string) { got.WriteString(s) }})
		if want := strings.ToValidUTF8(text, "\ufffd"); strings.ReplaceAll(got.String(), "\ufffd", "") != strings.ReplaceAll(want, "\ufffd", "") {
			t.Errorf("shown %q, want %q", got.String(), want)
		}
	})
}
