//go:build linux

package process_test

import (
	"context"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/hobkin/hobkin/core/process"
)

func TestMain(m *testing.M) {
	switch {
	case os.Getenv("HOBKIN_TEST_AGENT") != "":
		agentThatIsKilled()
		return
	case os.Getenv("HOBKIN_TEST_REAPER") != "":
		reaper()
		return
	}
	goleak.VerifyTestMain(m)
}

var serial atomic.Int64

var env = []string{"PATH=" + os.Getenv("PATH")}

func sh(line string) process.Command {
	return process.Command{Args: []string{"sh", "-c", line}, Dir: "/", Env: env, Mark: strconv.FormatInt(serial.Add(1), 10)}
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
	open, err := syscall.Dup(0) // as a C library would leave it
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = syscall.Close(open) }()
	for name, tt := range map[string]struct {
		line, out, err, signal string
		code                   int
	}{
		"both streams":         {line: "echo a; echo b >&2", out: "a\n", err: "b\n"},
		"an exit code":         {line: "exit 7", code: 7},
		"a signal":             {line: "kill -TERM $$", code: -1, signal: "terminated"},
		"no input":             {line: "cat; echo done", out: "done\n"},
		"our files are shut":   {line: "ls /proc/self/fd | wc -l", out: "4\n"}, // 0, 1, 2 and the folder itself
		"a group of its own":   {line: `test "$(ps -o pgid= -p $$ | tr -d ' ')" = $$ && echo yes`, out: "yes\n"},
		"a session of its own": {line: `test "$(ps -o sid= -p $$ | tr -d ' ')" = $$ && echo yes`, out: "yes\n"},
		"no terminal":          {line: "(: </dev/tty) 2>/dev/null || echo none", out: "none\n"},
		"invalid UTF-8":        {line: `printf 'a\377b'`, out: "a\ufffdb"},
	} {
		t.Run(name, func(t *testing.T) {
			res := run(t, sh(tt.line))
			if got := res.Stdout.String(); got != tt.out {
				t.Errorf("stdout %q, want %q", got, tt.out)
			}
			if got := res.Stderr.String(); got != tt.err {
				t.Errorf("stderr %q, want %q", got, tt.err)
			}
			if res.ExitCode != tt.code || res.Signal != tt.signal || res.Stopped || res.Left {
				t.Errorf("code %d, signal %q, stopped %v; want %d, %q", res.ExitCode, res.Signal, res.Stopped, tt.code, tt.signal)
			}
		})
	}
}

func TestReturnsAlthoughAGrandchildHoldsThePipe(t *testing.T) {
	start := time.Now()
	c := sh("sleep 60 & echo started")
	res := run(t, c)
	if !res.Left {
		t.Error("the result does not tell of the grandchild")
	}
	if got := res.Stdout.String(); got != "started\n" || time.Since(start) > 10*time.Second {
		t.Errorf("printed %q after %v", got, time.Since(start))
	}
	noneLeft(t, "m"+c.Mark)
}

func TestWhatLeftTheGroupIsEndedToo(t *testing.T) {
	c := sh("setsid sh -c 'setsid sleep 61 & sleep 62' & sleep 0.3; echo $$")
	run(t, c)
	noneLeft(t, "m"+c.Mark)
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
			noneLeft(t, "m"+c.Mark)
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
	noneLeft(t, "m"+c.Mark)
}

func TestFloodIsBounded(t *testing.T) {
	for name, to := range map[string]string{"stdout": "", "stderr": ">&2"} {
		t.Run(name, func(t *testing.T) {
			c := sh("(echo first; yes flood | head -c 100000000; echo last) " + to)
			c.Keep = 64 << 10
			res := run(t, c)
			kept := res.Stdout
			if to != "" {
				kept = res.Stderr
			}
			got := kept.String()
			if !strings.HasPrefix(got, "first\n") || !strings.HasSuffix(got, "last\n") || len(got) > 70<<10 {
				t.Errorf("kept %d bytes, from %q to %q", len(got), got[:10], got[len(got)-10:])
			}
			if want := int64(100000000 + len("first\nlast\n")); kept.Total() != want {
				t.Errorf("counted %d bytes, want %d", kept.Total(), want)
			}
		})
	}
}

func TestLastWordsAreKeptThoughTheReaderIsSlow(t *testing.T) {
	c := sh("sleep 60 & head -c 60000 /dev/zero | tr '\\0' x; echo; echo last")
	first := true
	c.Output = func(process.Stream, []byte) {
		if first { // longer than the pipe is waited for after the end
			first = false
			<-time.After(300 * time.Millisecond)
		}
	}
	if res := run(t, c); !strings.HasSuffix(res.Stdout.String(), "x\nlast\n") {
		t.Errorf("printed %d bytes, the last line is lost", res.Stdout.Total())
	}
}

func TestLeave(t *testing.T) {
	c := sh("sleep 60 & echo $!")
	c.Leave = true
	res := run(t, c)
	left := process.Marked("m" + c.Mark)
	if got := strings.TrimSpace(res.Stdout.String()); len(left) != 1 || strconv.Itoa(left[0]) != got {
		t.Fatalf("left are %v, want %s", left, got)
	}
	_ = syscall.Kill(left[0], syscall.SIGKILL)
	noneLeft(t, "m"+c.Mark)
}

func TestBriefEndsItsGroup(t *testing.T) {
	c := sh("sleep 61 & echo $$")
	c.Brief = true
	res := run(t, c)
	pid, err := strconv.Atoi(strings.TrimSpace(res.Stdout.String()))
	if err != nil {
		t.Fatal(err)
	}
	until(t, "the group is gone", func() bool { return !process.Lives(pid) })
}

// What takes the mark out of its environment is found as long as it can be
// told who its parents are.
func TestWithoutTheMark(t *testing.T) {
	c := sh("env -i setsid /bin/sh -c '/bin/sleep 62; :' & env -i /bin/sleep 63 & echo $$; wait")
	up := make(chan string, 1)
	c.Output = func(_ process.Stream, b []byte) { up <- string(b) }
	p, err := process.Start(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	<-up
	running := func(what string) bool {
		return exec.CommandContext(context.Background(), "pgrep", "-xf", what).Run() == nil
	}
	until(t, "all run", func() bool { return running("/bin/sleep 62") && running("/bin/sleep 63") })
	p.Kill()
	p.Wait()
	until(t, "none runs", func() bool { return !running("/bin/sleep 62") && !running("/bin/sleep 63") })
}

func TestAGuardThatIsEndedComesBack(t *testing.T) {
	run(t, sh(":"))
	guards := func() []string {
		out, _ := exec.CommandContext(context.Background(), "pgrep", "-P", strconv.Itoa(os.Getpid()), "-f", "^/bin/sh -c trap").Output()
		return strings.Fields(string(out))
	}
	old := guards()
	if len(old) != 1 {
		t.Fatalf("guards %v, want one", old)
	}
	pid, _ := strconv.Atoi(old[0])
	_ = syscall.Kill(pid, syscall.SIGKILL)
	until(t, "it is gone", func() bool { return !process.Lives(pid) })
	if res := run(t, sh("echo fine")); res.Stdout.String() != "fine\n" {
		t.Errorf("printed %q", res.Stdout)
	}
	if now := guards(); len(now) != 1 || now[0] == old[0] {
		t.Errorf("guards %v, want a new one", now)
	}
}

// reaper adopts an orphan, which dies, and waits until it is taken in.
func reaper() {
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	died := make(chan os.Signal, 1)
	signal.Notify(died, syscall.SIGCHLD)
	if err := process.BecomeSubreaper(ctx); err != nil {
		_, _ = os.Stdout.WriteString(err.Error())
		return
	}
	go process.ReapAdopted(ctx, died, 100*time.Millisecond)
	c := sh("env -i setsid /bin/sh -c '/bin/sleep 0.3; exit 3' & echo $!")
	c.Leave = true
	res, err := process.Run(ctx, c)
	if err != nil {
		_, _ = os.Stdout.WriteString(err.Error())
		return
	}
	pid, _ := strconv.Atoi(strings.TrimSpace(res.Stdout.String()))
	adopted := false
	for tick := time.NewTicker(10 * time.Millisecond); ; <-tick.C {
		parent, alive := process.Parent(pid)
		switch {
		case !alive && adopted:
			_, _ = os.Stdout.WriteString("taken in")
			return
		case ctx.Err() != nil || !alive:
			_, _ = os.Stdout.WriteString("not adopted, or never taken in")
			return
		case parent == os.Getpid():
			adopted = true
		}
	}
}

func TestOrphansAreTakenIn(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), self)
	cmd.Env = append(os.Environ(), "HOBKIN_TEST_REAPER=1")
	if out, err := cmd.CombinedOutput(); err != nil || string(out) != "taken in" {
		t.Errorf("the reaper says %q, %v", out, err)
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
	if len(process.Marked("m"+mark)) == 0 {
		t.Fatal("the command does not run; the test shows nothing")
	}
	_ = syscall.Kill(cmd.Process.Pid, syscall.SIGKILL)
	_ = cmd.Wait()
	noneLeft(t, "m"+mark)
}

// noneLeft waits until no process carries the mark.
func noneLeft(t *testing.T, mark string) {
	t.Helper()
	until(t, "no process is left", func() bool { return len(process.Marked(mark)) == 0 })
}

// until waits for a condition.
func until(t *testing.T, what string, ok func() bool) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for !ok() {
		select {
		case <-ctx.Done():
			t.Fatalf("waited in vain until %s", what)
		case <-tick.C:
		}
	}
}

func TestListening(t *testing.T) {
	if _, err := exec.LookPath("python3"); err != nil {
		t.Skip("python3 is not installed")
	}
	c := sh(`exec python3 -c '
import socket, sys
a = socket.socket(); a.bind(("0.0.0.0", 0)); a.listen()
b = socket.socket(); b.bind(("127.0.0.1", 0)); b.listen()
print(a.getsockname()[1]); sys.stdout.flush()
import time; time.sleep(60)'`)
	up := make(chan string, 1)
	c.Output = func(_ process.Stream, b []byte) { up <- strings.TrimSpace(string(b)) }
	p, err := process.Start(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	port := <-up
	got := p.Listening()
	p.Kill()
	p.Wait()
	if len(got) != 1 || got[0].String() != "0.0.0.0:"+port {
		t.Errorf("listens at %v, want 0.0.0.0:%s alone", got, port)
	}
	if after := p.Listening(); len(after) != 0 {
		t.Errorf("listens at %v after its end", after)
	}
}

// A long session runs thousands of commands.
func TestManyCommandsLeaveNothingOpen(t *testing.T) {
	files := func() int {
		entries, err := os.ReadDir("/proc/self/fd")
		if err != nil {
			t.Fatal(err)
		}
		return len(entries)
	}
	threads := func() int {
		entries, err := os.ReadDir("/proc/self/task")
		if err != nil {
			t.Fatal(err)
		}
		return len(entries)
	}
	run(t, sh(":"))
	fds, tasks := files(), threads()
	for range 100 {
		run(t, sh("head -c 100000 /dev/zero; sleep 60 &"))
	}
	if got := files(); got > fds {
		t.Errorf("%d files are open, %d were", got, fds)
	}
	if got := threads(); got > tasks+10 {
		t.Errorf("%d threads, %d there were", got, tasks)
	}
}

func BenchmarkRun(b *testing.B) {
	for name, brief := range map[string]bool{"marked": false, "brief": true} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				c := process.Command{Args: []string{"/bin/true"}, Dir: "/", Env: env, Mark: "bench", Brief: brief}
				if _, err := process.Run(b.Context(), c); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkFlood(b *testing.B) {
	const size = 100_000_000
	b.SetBytes(size)
	for b.Loop() {
		c := process.Command{Args: []string{"head", "-c", strconv.Itoa(size), "/dev/zero"}, Dir: "/", Env: env}
		if res, err := process.Run(b.Context(), c); err != nil || res.Stdout.Total() != size {
			b.Fatal(err, res.Stdout.Total())
		}
	}
}
