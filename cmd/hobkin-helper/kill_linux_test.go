package main

import (
	"bufio"
	"fmt"
	"io"
	"log"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/jezek/xgb"

	"github.com/hobkin/hobkin/computeruse/native/x11"
	"github.com/hobkin/hobkin/test/desk"
)

// holds are acts that hold something down, a while.
var holds = []string{
	`{"id":2,"method":"hold_key","params":{"chord":"ctrl+shift+a","duration_ms":5000}}`,
	`{"id":2,"method":"drag","params":{"path":[{"x":10,"y":10},{"x":700,"y":500}],"duration_ms":5000,"modifiers":["alt"]}}`,
	`{"id":2,"method":"button_down","params":{"point":{"x":50,"y":50},"button":"right"}}`,
	`{"id":2,"method":"type","params":{"text":"ABCdef ÄÖÜ 你好 ABCdef ÄÖÜ 你好 ABCdef ÄÖÜ 你好 ABCdef ÄÖÜ 你好"}}`,
	`{"id":2,"method":"hold_key","params":{"chord":"日","duration_ms":5000}}`,
}

// TestKilled: however and whenever the helper ends, no key and no button is
// down afterwards, no key is lent, and no process is left.
func TestKilled(t *testing.T) {
	n := 40
	if v, err := strconv.Atoi(os.Getenv("HOBKIN_KILLS")); err == nil {
		n = v
	}
	xgb.Logger = log.New(io.Discard, "", 0)
	d := desk.Screen(t, "800x600")
	program := buildHelper(t)
	free := unmapped(t, d)
	held := 0
	for i := range n {
		h := startChild(t, d, program)
		h.say(holds[i%len(holds)])
		wait := time.Duration(rand.IntN(60)) * time.Millisecond //nolint:gosec // a test
		<-time.After(wait)
		if len(heldNow(t, d)) > 0 {
			held++
		}
		h.end(t, i)
		d.Until("the end of the guard", func() bool { return !alive(h.guard) })
		if left := heldNow(t, d); len(left) > 0 {
			t.Fatalf("kill %d, %v into %s: still held %v", i, wait, holds[i%len(holds)], left)
		}
		if now := unmapped(t, d); now != free {
			t.Fatalf("kill %d: %d keys mean nothing, at first %d did", i, now, free)
		}
	}
	t.Logf("of %d ends %d came while something was held", n, held)
	if held < n/4 {
		t.Errorf("only %d of %d helpers held something as they ended", held, n)
	}
}

// TestKilledWithItsGuard: what nobody was left to release, the next helper
// releases as it starts.
func TestKilledWithItsGuard(t *testing.T) {
	xgb.Logger = log.New(io.Discard, "", 0)
	d := desk.Screen(t, "800x600")
	program := buildHelper(t)
	free := unmapped(t, d)
	h := startChild(t, d, program)
	h.say(holds[4])
	d.Until("a key that is held", func() bool { return len(heldNow(t, d)) > 0 })
	_ = syscall.Kill(h.guard, syscall.SIGKILL)
	d.Until("the end of the guard", func() bool { return !alive(h.guard) })
	h.end(t, 0)
	if len(heldNow(t, d)) == 0 {
		t.Error("the server released the key by itself, and the guard is not needed")
	}
	next := startChild(t, d, program)
	if left, now := heldNow(t, d), unmapped(t, d); len(left) > 0 || now != free {
		t.Errorf("after the next start %v is held, and %d keys mean nothing, at first %d did", left, now, free)
	}
	next.end(t, 6)
}

// TestStoppedServer: a display that does not answer does not keep the helper
// from ending.
func TestStoppedServer(t *testing.T) {
	d := desk.Screen(t, "800x600")
	h := startChild(t, d, buildHelper(t))
	h.say(holds[0])
	d.Until("a key that is held", func() bool { return len(heldNow(t, d)) > 0 })
	d.StopServer()
	began := time.Now()
	h.end(t, 6)
	d.GoOn()
	t.Logf("it ended after %v", time.Since(began))
	d.Until("the end of the guard", func() bool { return !alive(h.guard) })
	if left := heldNow(t, d); len(left) > 0 {
		t.Errorf("still held: %v", left)
	}
}

func buildHelper(t *testing.T) string {
	t.Helper()
	program := filepath.Join(t.TempDir(), "hobkin-helper")
	build := exec.CommandContext(t.Context(), "go", "build", "-o", program, ".")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return program
}

// A process is a helper that was started for a test.
type process struct {
	cmd   *exec.Cmd
	in    *os.File
	out   *bufio.Reader
	guard int
}

func startChild(t *testing.T, d *desk.Desk, program string) *process {
	t.Helper()
	cmd := exec.Command(program) //nolint:noctx // the test ends it
	cmd.Env = d.Env()
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	r, in, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	cmd.Stdin = r
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	_ = r.Close()
	p := &process{cmd: cmd, in: in, out: bufio.NewReader(out)}
	p.say(`{"id":1,"method":"hello","params":{"protocol":2}}`)
	if line, err := p.out.ReadString('\n'); err != nil || !strings.Contains(line, `"name":"pointer","works":true`) {
		t.Fatalf("hello = %s, %v", line, err)
	}
	p.guard = guardOf(t, cmd.Process.Pid)
	return p
}

func (p *process) say(line string) { _, _ = p.in.WriteString(line + "\n") }

// end ends the helper in one of the ways in which helpers end.
func (p *process) end(t *testing.T, i int) {
	t.Helper()
	pid := p.cmd.Process.Pid
	switch i % 7 {
	case 5:
		_ = syscall.Kill(pid, syscall.SIGTERM)
	case 6: // its input ends
	case 4: // with all of its group
		_ = syscall.Kill(-pid, syscall.SIGKILL)
	default:
		_ = syscall.Kill(pid, syscall.SIGKILL)
	}
	_ = p.in.Close()
	killer := time.AfterFunc(20*time.Second, func() { t.Error("the helper does not end"); _ = p.cmd.Process.Kill() })
	defer killer.Stop()
	_ = p.cmd.Wait()
}

// guardOf finds the guard, the one child of the helper.
func guardOf(t *testing.T, pid int) int {
	t.Helper()
	raw, err := os.ReadFile(fmt.Sprintf("/proc/%d/task/%d/children", pid, pid))
	for end := time.Now().Add(5 * time.Second); err == nil && time.Now().Before(end); {
		if ids := childrenOf(pid); len(ids) == 1 {
			return ids[0]
		}
	}
	t.Fatalf("the helper has no guard: %q, %v", raw, err)
	return 0
}

// childrenOf are those of all threads of a process.
func childrenOf(pid int) (ids []int) {
	tasks, _ := os.ReadDir(fmt.Sprintf("/proc/%d/task", pid))
	for _, task := range tasks {
		raw, _ := os.ReadFile(fmt.Sprintf("/proc/%d/task/%s/children", pid, task.Name()))
		for f := range strings.FieldsSeq(string(raw)) {
			if id, err := strconv.Atoi(f); err == nil {
				ids = append(ids, id)
			}
		}
	}
	return ids
}

func alive(pid int) bool {
	raw, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	return err == nil && !strings.Contains(string(raw), ") Z ")
}

func heldNow(t *testing.T, d *desk.Desk) []string {
	t.Helper()
	held, err := x11.Pressed(t.Context(), d.Display)
	if err != nil {
		t.Fatal(err)
	}
	return held
}

// unmapped counts the keys that mean nothing.
func unmapped(t *testing.T, d *desk.Desk) (n int) {
	t.Helper()
	out, err := d.Run("xmodmap", "-pke")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(out) {
		if strings.HasSuffix(strings.TrimSpace(line), "=") {
			n++
		}
	}
	return n
}
