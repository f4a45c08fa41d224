//go:build !windows

package permission

import (
	"os"
	"path/filepath"
	"testing"
)

// TestEverydayCommands counts how often auto mode asks about what changes
// nothing: a question too many teaches people to agree without reading.
func TestEverydayCommands(t *testing.T) {
	b := newBench(t)
	for _, name := range []string{"b.txt", "main.go", "a.csv", "a.json", "package.json"} {
		if err := os.WriteFile(filepath.Join(b.ws, name), []byte("x\n"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	all := lines(t, "everyday")
	asked := 0
	for _, line := range all {
		if v := b.shell(Auto, line); outcome(v) != "auto" {
			asked++
			t.Logf("asks: %s (%s)", line, v.Reason)
		}
	}
	t.Logf("%d everyday commands, %d questions too many (%.1f %%)", len(all), asked, 100*float64(asked)/float64(len(all)))
	if len(all) < 300 || asked*100 >= 2*len(all) {
		t.Errorf("%d of %d everyday commands ask; under 2 %% may", asked, len(all))
	}
}
