//go:build linux

package process_test

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/hobkin/hobkin/core/process"
)

func TestMain(m *testing.M) {
	if process.GuardMain() {
		return
	}
	if os.Getenv("HOBKIN_TEST_AGENT") != "" {
		agentThatIsKilled()
		return
	}
	goleak.VerifyTestMain(m,
		goleak.IgnoreAnyFunction("github.com/hobkin/hobkin/core/process.startGuard.func1")) // ends with the program
}

var env = []string{"PATH=" + os.Getenv("PATH")}

func sh(line string) process.Command {
	return process.Command{Args: []string{"sh", "-c", line}, Dir: "/", Env: env, Mark: fmt.Sprintf("t%d", time.Now().UnixNano())}
}

func run(t *testing.T, c process.Command) process.Result {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	res, err := process.Run(ctx, c)
	if err != nil {
		t.Fatal(err)
	}
	return res
}

func TestRun(t *testing.T) {
	for name, tt := range map[string]struct {
		line, out, err, signal string
		code                   int
	}{
		"both streams":       {line: "echo a; echo b >&2", out: "a\n", err: "b\n"},
		"an exit code":       {line: "exit 7", code: 7},
		"a signal":           {line: "kill -TERM $$", code: -1, signal: "terminated"},
		"no input":           {line: "cat; echo done", out: "done\n"},
		"our files are shut": {line: "ls /proc/self/fd | wc -l", out: "4\n"}, // 0, 1, 2 and the folder itself
		"a group of its own": {line: `test "$(ps -o pgid= -p $$ | tr -d ' ')" = $$ && echo yes`, out: "yes\n"},
		"invalid UTF-8":      {line: `printf 'a\377b'`, out: "a\ufffdb"},
	} {
		t.Run(name, func(t *testing.T) {
			res := run(t, sh(tt.line))
			if got := res.Stdout.String(); got != tt.out {
				t.Errorf("stdout %q, want %q", got, tt.out)
			}
			if got := res.Stderr.String(); got != tt.err {
				t.Errorf("stderr %q, want %q", got, tt.err)
			}
			if res.ExitCode != tt.code || res.Signal != tt.signal || res.Stopped {
				t.Errorf("code %d, signal %q, stopped %v; want %d, %q", res.ExitCode, res.Signal, res.Stopped, tt.code, tt.signal)
			}
		})
	}
}

func TestReturnsAlthoughAGrandchildHoldsThePipe(t *testing.T) {
	start := time.Now()
	c := sh("sleep 60 & echo started")
	res := run(t, c)
	if got := res.Stdout.String(); got != "started\n" || time.Since(start) > 10*time.Second {
		t.Errorf("printed %q after %v", got, time.Since(start))
	}
	noneLeft(t, c.Mark)
}

func TestWhatLeftTheGroupIsEndedToo(t *testing.T) {
	c := sh("setsid sh -c 'setsid sleep 61 & sleep 62' & sleep 0.3; echo $$")
	run(t, c)
	noneLeft(t, c.Mark)
}

func TestStopping(t *testing.T) {
	for name, line := range map[string]string{
		"polite":                  "sleep 63",
		"ignores the polite way":  "trap '' TERM; while :; do sleep 1; done",
		"its children ignore too": "(trap '' TERM; while :; do sleep 1; done) & (trap '' TERM; sleep 64) & wait",
	} {
		t.Run(name, func(t *testing.T) {
			c := sh("echo up; " + line)
			c.Grace = 200 * time.Millisecond
			up := make(chan bool, 1)
			c.Output = func(process.Stream, []byte) { up <- true }
			p, err := process.Start(t.Context(), c)
			if err != nil {
				t.Fatal(err)
			}
			<-up
			p.Kill()
			p.Kill() // twice is once
			if res := p.Wait(); !res.Stopped {
				t.Error("the result does not say that it was stopped")
			}
			noneLeft(t, c.Mark)
		})
	}
}

func TestContextStops(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
	defer cancel()
	c := sh("echo so far; sleep 65")
	res, err := process.Run(ctx, c)
	if err != nil || !res.Stopped || res.Stdout.String() != "so far\n" {
		t.Errorf("Run = %+v %q, %v", res, res.Stdout, err)
	}
	noneLeft(t, c.Mark)
}

func TestFloodIsBounded(t *testing.T) {
	c := sh("echo first; yes flood | head -c 100000000; echo last")
	c.Keep = 64 << 10
	res := run(t, c)
	got := res.Stdout.String()
	if !strings.HasPrefix(got, "first\n") || !strings.HasSuffix(got, "last\n") || len(got) > 70<<10 {
		t.Errorf("kept %d bytes, from %q to %q", len(got), got[:10], got[len(got)-10:])
	}
	if want := int64(100000000 + len("first\nlast\n")); res.Stdout.Total() != want {
		t.Errorf("counted %d bytes, want %d", res.Stdout.Total(), want)
	}
}

func TestKeptSince(t *testing.T) {
	p, err := process.Start(t.Context(), sh("printf abc; printf def"))
	if err != nil {
		t.Fatal(err)
	}
	p.Wait()
	text, next := p.Kept(process.Stdout).Since(2)
	if text != "cdef" || next != 6 {
		t.Errorf("Since(2) = %q, %d; want cdef, 6", text, next)
	}
	if text, next = p.Kept(process.Stdout).Since(next); text != "" || next != 6 {
		t.Errorf("Since(6) = %q, %d; want nothing, 6", text, next)
	}
}

func TestNoProgram(t *testing.T) {
	for name, args := range map[string][]string{"none": nil, "empty": {""}, "unknown": {"no-such-program-here"}} {
		if _, err := process.Run(t.Context(), process.Command{Args: args, Env: env}); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

// agentThatIsKilled runs a command and waits to be killed.
func agentThatIsKilled() {
	c := process.Command{Args: []string{"sh", "-c", "setsid sleep 66 & sleep 67 & echo up; wait"}, Env: env, Mark: os.Getenv("HOBKIN_TEST_AGENT")}
	c.Output = func(process.Stream, []byte) { _, _ = os.Stdout.WriteString("up\n") }
	_, _ = process.Run(context.Background(), c)
}

func TestKillOfTheAgentLeavesNothing(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	mark := "killed" + strconv.Itoa(os.Getpid())
	cmd := exec.CommandContext(t.Context(), self)
	cmd.Env = append(os.Environ(), "HOBKIN_TEST_AGENT="+mark)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if _, err := io.ReadFull(out, make([]byte, 3)); err != nil {
		t.Fatal(err)
	}
	if len(process.Marked(mark)) == 0 {
		t.Fatal("the command does not run; the test shows nothing")
	}
	_ = syscall.Kill(cmd.Process.Pid, syscall.SIGKILL)
	_ = cmd.Wait()
	noneLeft(t, mark)
}

// noneLeft waits until no process carries the mark.
func noneLeft(t *testing.T, mark string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for {
		left := process.Marked(mark)
		if len(left) == 0 {
			return
		}
		select {
		case <-ctx.Done():
			t.Fatalf("processes %v are left", left)
		case <-tick.C:
		}
	}
}
