package system

import (
	"os"
	"strings"
	"testing"
	"time"

	"github.com/hobkin/hobkin/core/sandbox/confine"
)

func TestTerminalIsTypedInto(t *testing.T) {
	b := newBench(t)
	r := b.ok("shell", `{"command": "read -r x; echo \"got <$x>\"; cat; echo over", "pty": true, "input": "it's\n"}`)
	if !strings.Contains(r.Text, "got <it's>") || !strings.Contains(r.Text, "over") {
		t.Errorf("result %q", r.Text)
	}
	b.fails("shell", `{"command": "cat", "pty": true, "input": "a\u0000"}`, "bad_command")
}

// What is typed is judged like what a pipe brings: it may be commands.
func TestWhatIsTypedIsJudged(t *testing.T) {
	in := shellIn{Command: "bash", PTY: true, Input: "rm -rf ~; echo 'x'\n"}
	if got, want := in.typed(), "printf %s 'rm -rf ~; echo '\\''x'\\''\n' | {\nbash\n}"; got != want {
		t.Errorf("judged as %q, want %q", got, want)
	}
}

// Those who watch see the states of a progress bar, the model its last.
func TestTerminalInTheBackground(t *testing.T) {
	b := newBench(t)
	b.ok("shell", `{"command": "seq 1 30; printf '10 %%\\r\\033[1mready\\033[m'; exec sleep 60", "pty": true, "background": true}`)
	end := time.Now().Add(20 * time.Second)
	text := ""
	for !strings.Contains(text, "--- on its screen now\n8\n9\n") || !strings.Contains(text, "30\nready\n") {
		if time.Now().After(end) {
			t.Fatalf("result %q", text)
		}
		text = b.ok("shell_output", `{"id": "bg-1", "since": 0, "wait_ms": 100}`).Text
	}
	if !strings.Contains(text, "--- output from 0 to 14\n1\n2\n") {
		t.Errorf("result %q", text)
	}
	if r := b.ok("shell_kill", `{"id": "bg-1"}`); !strings.Contains(r.Text, "30\nready") || strings.Contains(r.Text, "on its screen") {
		t.Errorf("ended: %q", r.Text)
	}
}

// Under confinement a terminal is one, and nothing can be pushed into it that
// someone else would read.
func TestConfinedTerminal(t *testing.T) {
	if _, err := os.Stat("/usr/bin/python3"); err != nil {
		t.Skip("the system has no python3")
	}
	const push = `import fcntl, termios
try: fcntl.ioctl(0, termios.TIOCSTI, b"x"); print("pushed")
except OSError as e: print("refused", e.errno)`
	for _, backend := range []confine.Backend{confine.Bubblewrap, confine.Landlock} {
		t.Run(string(backend), func(t *testing.T) {
			h, turn := confinedHost(t, confine.Auto, backend)
			if held, _, err := h.Confine(turn, nil); held == nil || err != nil {
				t.Skipf("%s does not work here: %v", backend, err)
			}
			res, err := confinedShell(t, h, turn, shellIn{PTY: true, Command: "test -t 0 && test -t 1 && stty size; read -r x || echo no input; /usr/bin/python3 -c '" + push + "'"})
			if err != nil {
				t.Fatal(err)
			}
			text := res.Streams[0].Text
			for _, want := range []string{"24 80", "no input", "refused 1"} {
				if !strings.Contains(text, want) {
					t.Errorf("%q is not in\n%s%s", want, text, res.Text)
				}
			}
			start := time.Now()
			_, err = confinedShell(t, h, turn, shellIn{PTY: true, Command: "trap '' HUP INT TERM; stty raw; setsid sleep 60 & sleep 60", TimeoutMS: 500})
			if err == nil || time.Since(start) > 15*time.Second {
				t.Errorf("timed out: %v after %v", err, time.Since(start))
			}
		})
	}
}
