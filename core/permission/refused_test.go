//go:build !windows

package permission

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestRefusalLog(t *testing.T) {
	path := filepath.Join(t.TempDir(), "refused.jsonl")
	l := &RefusalLog{Path: path}
	for range 5 {
		l.Add("shell", "it deletes the home folder")
	}
	l.Add("approval.answer", "a process of the agent's own")
	for _, log := range []*RefusalLog{l, {Path: path}} { // the second one reads the file
		got := log.List()
		if len(got) != 2 || got[0].What != "approval.answer" || got[1].Count != 5 {
			t.Errorf("got %+v", got)
		}
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the file: %v, %v", info, err)
	}
	for i := range 3 * refusedMost {
		l.Add("shell", fmt.Sprint("reason ", i))
	}
	if n := len(l.List()); n != refusedMost {
		t.Errorf("%d are kept", n)
	}
	if err := os.WriteFile(path, []byte("no json\n{\"at\":\"2001-01-01T00:00:00Z\",\"count\":1,\"reason\":\"old\"}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if got := (&RefusalLog{Path: path}).List(); len(got) != 0 {
		t.Errorf("damaged and old lines came back: %+v", got)
	}
	hiding := &RefusalLog{Redact: func(s string) string { return strings.ReplaceAll(s, "sk-secret", "…") }}
	hiding.Add("shell sk-secret", "it reads sk-secret")
	if got := hiding.List()[0]; strings.Contains(got.What+got.Reason, "secret") {
		t.Errorf("a secret is kept: %+v", got)
	}
	var none *RefusalLog
	none.Add("x", "y")
	if none.List() != nil {
		t.Error("no log has rows")
	}
}

// What the floor stops is on the list, with the words a person can check.
func TestFloorIsLogged(t *testing.T) {
	b := newBench(t)
	b.Refused = &RefusalLog{}
	_ = b.approve(t, "rm -rf ~", `{}`)
	if got := b.Refused.List(); len(got) != 1 || got[0].What != "shell" || got[0].Reason == "" {
		t.Errorf("the log has %+v", got)
	}
}
