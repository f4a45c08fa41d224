//go:build unix

package sandbox

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/hobkin/hobkin/core/capability"
)

func TestRefusals(t *testing.T) {
	log := filepath.Join(t.TempDir(), "logs", "refusals.jsonl")
	h := build(t, func(c *Config) { c.Log = log })
	for range 3 {
		_, _ = h.Judge(h.turn, "~/other/c.txt", Read)
	}
	_, _ = h.Judge(h.turn, "~/.ssh/id_ed25519", Write)
	_, _ = h.Judge(h.turn, "none/../x", Read) // a slip, no refusal
	got := h.Refusals()
	if len(got) != 2 {
		t.Fatalf("got %d refusals, want 2: %+v", len(got), got)
	}
	if r := got[0]; r.Code != "protected_path" || r.Use != "write" || r.Grant != "" || r.Count != 1 {
		t.Errorf("got %+v", r)
	}
	if r := got[1]; r.Code != "outside_root" || r.Path != h.home+"/other/c.txt" || r.Grant != h.home+"/other" || r.Count != 3 {
		t.Errorf("got %+v", r)
	}
	info, err := os.Stat(log)
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the log: %v, %v", info, err)
	}
	afterRestart(t, h, got)
}

func afterRestart(t *testing.T, h house, want []Refusal) {
	t.Helper()
	again, err := New(h.rules.Load().cfg)
	if err != nil {
		t.Fatal(err)
	}
	if got := again.Refusals(); len(got) != len(want) || got[0].Code != want[0].Code {
		t.Errorf("after a restart: %+v, want %+v", got, want)
	}
}

func TestRefusalsAreBounded(t *testing.T) {
	r := openRefusals(filepath.Join(t.TempDir(), "r"), nil)
	for i := range keptMost * 3 {
		r.add(OutsideRoot.Becausef("path %d", i), Read)
	}
	if got := len(r.list()); got != keptMost {
		t.Errorf("kept %d, want %d", got, keptMost)
	}
	if info, err := os.Stat(r.path); err != nil || info.Size() > 100<<10 {
		t.Errorf("the file has %v bytes, %v", info, err)
	}
	r.rows[5].At = time.Now().Add(-keptFor - time.Hour)
	if got := len(r.list()); got != keptMost-1 {
		t.Errorf("an old one stays: %d", got)
	}
}

func TestDamagedLog(t *testing.T) {
	path := filepath.Join(t.TempDir(), "r")
	write(t, path, "{\"at\":\""+time.Now().Format(time.RFC3339)+"\",\"code\":\"outside_root\"}\nnot json\n{}\n{\"code\":")
	if got := openRefusals(path, nil).list(); len(got) != 1 {
		t.Errorf("got %+v, want the one good line", got)
	}
}

func TestUpdateWhileJudging(t *testing.T) {
	h := build(t, nil)
	cfg := h.rules.Load().cfg
	done := make(chan error, 1)
	go func() {
		for i := range 50 {
			next := cfg
			next.AllowedRoots = []string{fmt.Sprintf("%s/%d", h.outside, i)}
			if err := h.Update(next); err != nil {
				done <- err
				return
			}
		}
		done <- nil
	}()
	for range 200 {
		if _, err := h.Judge(h.turn, "a.txt", Read); err != nil {
			t.Fatal(err)
		}
		h.Roots(capability.Turn{})
	}
	if err := <-done; err != nil {
		t.Fatal(err)
	}
}
