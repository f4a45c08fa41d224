package chromium_test

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/hobkin/hobkin/browser/browsertest"
)

// A kill of the agent, before, during and after the start of the browser, leaves
// no Chromium and no profile.
func TestKillOfTheAgentLeavesNothing(t *testing.T) {
	browsertest.Binary(t)
	instants := []time.Duration{0, 5 * time.Millisecond, 50 * time.Millisecond, 200 * time.Millisecond, -1}
	for i, after := range instants {
		dir := t.TempDir()
		agent := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^$") //nolint:gosec // this test's own program
		agent.Env = append(os.Environ(), "HOBKIN_TEST_BROWSER_AGENT="+dir)
		out, err := agent.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := agent.Start(); err != nil {
			t.Fatal(err)
		}
		lines := bufio.NewScanner(out)
		lines.Scan() // the profile is there
		if after < 0 {
			lines.Scan() // the browser answers
		} else {
			<-time.After(after)
		}
		if err := agent.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		_ = agent.Wait()
		gone(t, fmt.Sprintf("kill %d (%v)", i, after), dir)
	}
}

// gone waits until no process names the folder and it is empty.
func gone(t *testing.T, what, dir string) {
	t.Helper()
	deadline := time.Now().Add(10 * time.Second)
	for {
		procs, profiles := naming(dir), left(t, dir)
		if len(procs) == 0 && len(profiles) == 0 {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("%s: left are processes %v and profiles %v", what, procs, profiles)
		}
		<-time.After(20 * time.Millisecond)
	}
}

func left(t *testing.T, dir string) []string {
	t.Helper()
	list, err := filepath.Glob(filepath.Join(dir, "*"))
	if err != nil {
		t.Fatal(err)
	}
	return list
}

// naming lists the processes whose command line names dir.
func naming(dir string) (list []string) {
	lines, _ := filepath.Glob("/proc/[0-9]*/cmdline") // the pattern is well formed
	for _, path := range lines {
		if b, err := os.ReadFile(path); err == nil && strings.Contains(string(b), dir) {
			list = append(list, strings.ReplaceAll(string(b[:min(len(b), 80)]), "\x00", " "))
		}
	}
	return list
}
