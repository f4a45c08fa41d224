package process_test

import (
	"context"
	"crypto/rand"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/hobkin/hobkin/core/process"
)

// onTerminal runs a script with a terminal.
func onTerminal(t *testing.T, input, script string) process.Result {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	res, err := process.Run(ctx, process.Command{
		Args: []string{"/bin/bash", "--norc", "-c", script}, Dir: t.TempDir(), Env: []string{"PATH=" + os.Getenv("PATH"), "TERM=xterm"},
		Mark: "tty-" + rand.Text(), Grace: 100 * time.Millisecond, Terminal: &process.Terminal{Cols: 80, Rows: 24, Input: input},
	})
	if err != nil {
		t.Fatal(err)
	}
	return res
}

func TestTerminal(t *testing.T) {
	for name, tt := range map[string]struct {
		input, script, want string
		code                int
	}{
		"is one":                 {script: `test -t 0 -a -t 1 -a -t 2 && stty size && : < /dev/tty && echo yes`, want: "24 80\r\nyes"},
		"its own":                {script: `tty; exit 3`, want: "/dev/pts/", code: 3},
		"reads what is typed":    {input: "hello\n", script: `read -r x; echo "got [$x]"`, want: "got [hello]"},
		"without a line end":     {input: "hello", script: `read -r x; echo "got [$x]"`, want: "got [hello]"},
		"then finds the end":     {input: "a\n", script: `cat; cat; echo over`, want: "over"},
		"finds the end at once":  {script: `cat; read x || echo none`, want: "none"},
		"also when it is hidden": {script: `read -rsp "Password: " x || echo; echo "got [$x]"`, want: "got []"},
		"descriptors":            {script: `ls /proc/self/fd | tr '\n' ' '`, want: "0 1 2 3 "}, // 3 is the folder that ls reads
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			res := onTerminal(t, tt.input, tt.script)
			if got := res.Stdout.String(); !strings.Contains(got, tt.want) || res.Stopped || res.ExitCode != tt.code {
				t.Errorf("got %q, ended with %d %s, stopped %v", got, res.ExitCode, res.Signal, res.Stopped)
			}
		})
	}
}

// What is typed and not read, and what stays at the terminal, hold nothing up.
func TestTerminalIsLetGoOf(t *testing.T) {
	for name, tt := range map[string]struct{ input, script string }{
		"input that is not read": {strings.Repeat("x\n", 50_000), `echo said`},
		"a grandchild holds it":  {"", `setsid -w sleep 60 & disown; echo said`},
		"a flood":                {"", `head -c 3000000 /dev/zero | tr '\0' x; echo said`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			res := onTerminal(t, tt.input, tt.script)
			if !strings.Contains(res.Stdout.String(), "said") || res.Stopped {
				t.Errorf("got %.100q, stopped %v %s", res.Stdout.String(), res.Stopped, res.Signal)
			}
		})
	}
}

func TestTerminalIsStopped(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
	defer cancel()
	start := time.Now()
	res, err := process.Run(ctx, process.Command{
		Args: []string{"/bin/bash", "-c", `trap '' HUP TERM INT; stty raw; echo up; (trap '' HUP TERM; sleep 47) & kill -STOP $$; sleep 47`}, Dir: t.TempDir(),
		Env: []string{"PATH=" + os.Getenv("PATH")}, Mark: "tty-stop", Grace: 100 * time.Millisecond, Terminal: &process.Terminal{Cols: 80, Rows: 24},
	})
	if err != nil || !res.Stopped || time.Since(start) > 10*time.Second || !strings.Contains(res.Stdout.String(), "up") {
		t.Errorf("%+v %v after %v", res, err, time.Since(start))
	}
	if left := process.Marked("mtty-stop"); len(left) > 0 {
		t.Errorf("%v still run", left)
	}
}
