package crash

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

func reports(dir string) Reports {
	return Reports{Dir: dir, Program: "hobkin", Hide: func(text string) string { return strings.ReplaceAll(text, "hunter2", "[hidden]") }}
}

// TestMain is also the program that dies, in the way that a variable says.
func TestMain(m *testing.M) {
	dir := os.Getenv("HOBKIN_TEST_CRASH_DIR")
	if dir == "" {
		m.Run()
		return
	}
	r := reports(dir)
	stop, err := r.Watch()
	if err != nil {
		panic(err)
	}
	defer r.Guard(func(sentence string) {
		stop()
		_, _ = fmt.Fprintln(os.Stderr, sentence)
	})
	switch os.Getenv("HOBKIN_TEST_CRASH") {
	case "main":
		panic(errors.New("the password is hunter2"))
	case "goroutine":
		go func() { panic("the password is hunter2") }()
		select {}
	}
	stop()
}

func TestReports(t *testing.T) {
	for how, want := range map[string]string{"main": "txt", "goroutine": "raw", "not at all": ""} {
		t.Run(how, func(t *testing.T) {
			dir := t.TempDir()
			cmd := exec.CommandContext(t.Context(), os.Args[0])
			cmd.Env = append(os.Environ(), "HOBKIN_TEST_CRASH_DIR="+dir, "HOBKIN_TEST_CRASH="+how)
			out, err := cmd.CombinedOutput()
			if (err == nil) != (want != "raw") {
				t.Fatalf("it ended with %v: %s", err, out)
			}
			if how == "main" && (!strings.Contains(string(out), "A report is in "+dir) || strings.Contains(string(out), "hunter2")) {
				t.Errorf("the person is told %q", out)
			}
			r := reports(dir)
			if r.Waiting() != (want == "raw") {
				t.Errorf("waiting is %v", r.Waiting())
			}
			fresh, err := r.Tidy()
			if err != nil || (len(fresh) == 1) != (want == "raw") || r.Waiting() {
				t.Errorf("new are %v, %v", fresh, err)
			}
			entries, err := os.ReadDir(dir)
			if err != nil || (len(entries) == 1) != (want != "") {
				t.Fatalf("left are %v, %v", entries, err)
			}
			for _, e := range entries {
				path := filepath.Join(dir, e.Name())
				text, err := os.ReadFile(path)
				if err != nil || strings.Contains(string(text), "hunter2") || !strings.Contains(string(text), "the password is [hidden]") ||
					!strings.Contains(string(text), "goroutine ") || !strings.Contains(string(text), "please report it") {
					t.Errorf("%v: %s", err, text)
				}
				if info, err := e.Info(); err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o600 {
					t.Errorf("its mode is %v, %v", info.Mode(), err)
				}
			}
		})
	}
}

// Only the newest few stay, and what belongs to a program that runs is left.
func TestTidy(t *testing.T) {
	dir := t.TempDir()
	r := reports(dir)
	for i := range kept + 3 {
		if err := os.WriteFile(filepath.Join(dir, fmt.Sprintf("%s202611%02d-000000-1.txt", prefix, i+1)), []byte("x"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	mine := filepath.Join(dir, fmt.Sprintf("%s20261201-000000-%d%s", prefix, os.Getpid(), raw))
	if err := os.WriteFile(mine, []byte("still running"), 0o600); err != nil {
		t.Fatal(err)
	}
	if fresh, err := r.Tidy(); err != nil || len(fresh) != 0 {
		t.Errorf("got %v, %v", fresh, err)
	}
	left, _ := filepath.Glob(filepath.Join(dir, "*"))
	if len(left) != kept+1 || !strings.Contains(left[0], "20261104") {
		t.Errorf("left are %v", left)
	}
}
