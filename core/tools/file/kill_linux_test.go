package file

import (
	"bufio"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"
)

// TestKill kills a program at random moments while it writes one file over and
// over: the file is always whole, and the next write leaves nothing lying about.
func TestKill(t *testing.T) {
	if dir := os.Getenv("FILE_TEST_WRITES_IN"); dir != "" {
		writeForEver(t, dir)
		return
	}
	b := newBench(t)
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for range 20 {
		cmd := exec.CommandContext(t.Context(), self, "-test.run=^TestKill$", "-test.timeout=60s")
		cmd.Env = append(os.Environ(), "FILE_TEST_WRITES_IN="+b.dir, "TMPDIR="+t.TempDir()) // what it leaves lies in ours
		out, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		if _, err := bufio.NewReader(out).ReadString('\n'); err != nil { // it has begun
			t.Fatal(err)
		}
		<-time.After(time.Duration(rand.IntN(20_000)) * time.Microsecond)
		_ = cmd.Process.Kill()
		_ = cmd.Wait() // killed
		data, err := os.ReadFile(b.path("file"))
		if err != nil {
			t.Fatal(err)
		}
		first, rest, _ := strings.Cut(string(data), "\n")
		if want := strings.Repeat(first+"\n", lines-1); rest != want {
			t.Fatalf("half a file: %d bytes after the line %q", len(rest), first)
		}
	}
	b.ok("file_write", `{"path": "other", "content": "x"}`)
	b.clean()
}

const lines = 20_000

func writeForEver(t *testing.T, dir string) {
	t.Helper()
	h := newHost(t, dir)
	b := &workbench{t: t, dir: dir, host: h}
	for i := 0; ; i++ {
		in := writeIn{Path: "file", Content: strings.Repeat(fmt.Sprintf("version %d\n", i), lines)}
		if _, err := h.write(t.Context(), b.callOf(i), in); err != nil {
			t.Fatal(err)
		}
		if i == 0 {
			if _, err := os.Stdout.WriteString("\nbegun\n"); err != nil {
				t.Fatal(err)
			}
		}
	}
}
