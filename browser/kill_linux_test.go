package browser_test

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/hobkin/hobkin/browser/browsertest"
)

// A kill of the agent at any instant of the browser's life leaves no Chromium and
// no profile. HOBKIN_KILLS says at how many instants.
func TestKillOfTheAgentLeavesNothing(t *testing.T) {
	t.Parallel()
	browsertest.Binary(t)
	kills, err := strconv.Atoi(os.Getenv("HOBKIN_KILLS"))
	if err != nil {
		kills = 4
	}
	const life = 900 * time.Millisecond // from nothing to a browser with a tab
	for i := range kills {
		after := life * time.Duration(i) / time.Duration(kills)
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
		lines.Scan() // it begins
		if i == kills-1 {
			lines.Scan() // it runs
		} else {
			<-time.After(after)
		}
		if err := agent.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		_ = agent.Wait()
		begin := time.Now()
		browsertest.Until(t, func() bool { return len(workIn(dir)) == 0 && empty(dir) })
		if took := time.Since(begin); took > 5*time.Second {
			t.Errorf("kill %d: gone after %v", i, took)
		}
	}
}

// workIn lists the processes that work in dir, also when that is gone.
func workIn(dir string) (list []string) {
	links, _ := filepath.Glob("/proc/[0-9]*/cwd") // the pattern is well formed
	for _, link := range links {
		if at, err := os.Readlink(link); err == nil && strings.HasPrefix(at, dir) {
			list = append(list, fmt.Sprint(link, " at ", at))
		}
	}
	return list
}

func empty(dir string) bool {
	entries, err := os.ReadDir(dir)
	return err == nil && len(entries) == 0
}
