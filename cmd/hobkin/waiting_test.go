package main

import (
	"bufio"
	"bytes"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/hobkin/hobkin/core/agent"
	"github.com/hobkin/hobkin/core/capability"
	"github.com/hobkin/hobkin/core/config"
)

// A question is answered in a terminal by the token that /waiting shows there;
// a made-up one is refused, and the question stays.
func TestConfirmInTheTerminal(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("HOME", dir)
	t.Setenv(config.HomeVariable, filepath.Join(dir, "hobkin"))
	work := filepath.Join(dir, "work")
	if err := os.Mkdir(work, 0o700); err != nil {
		t.Fatal(err)
	}
	t.Chdir(work)
	notes := filepath.Join(work, "notes.txt")
	if err := os.WriteFile(notes, []byte("the foo is ready\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	in, typed := io.Pipe()
	shown, out := io.Pipe()
	code := make(chan int, 1)
	go func() { // ends with the chat, which ends with its input
		defer func() { _ = out.Close() }()
		code <- run(t.Context(), []string{"chat", "--mode", "ask"}, streams{in: in, out: io.Discard, err: out})
	}()
	said := make(chan string, 1000)
	go func() { // ends with the output
		defer close(said)
		for lines := bufio.NewScanner(shown); lines.Scan(); {
			said <- lines.Text()
		}
	}()
	say := func(line string) { _, _ = io.WriteString(typed, line+"\n") }
	var all strings.Builder
	until := func(re string) []string {
		t.Helper()
		for late := time.After(20 * time.Second); ; {
			select {
			case line, ok := <-said:
				all.WriteString(line + "\n")
				if m := regexp.MustCompile(re).FindStringSubmatch(line); m != nil {
					return m
				}
				if !ok {
					t.Fatalf("the chat ended before %q", re)
				}
			case <-late:
				t.Fatalf("%q was not shown:\n%s", re, all.String())
			}
		}
	}
	say("replace foo with bar in notes.txt")
	until(`n deny`)
	time.Sleep(2 * quiet) // a person reads the question first
	say("/confirm AAAAAAAAAA")
	until(`not, or no longer, good`)
	say("/waiting")
	token := until(`/confirm (\w+)`)[1]
	say("/confirm " + token)
	until(`Allowed once`)
	say("/quit")
	_ = typed.Close()
	if c := <-code; c != 0 {
		t.Errorf("the chat ended with %d", c)
	}
	if b, err := os.ReadFile(notes); err != nil || string(b) != "the bar is ready\n" {
		t.Errorf("the file says %q (%v)", b, err)
	}
}

// What the agent wrote cannot look like a line of ours: every line of it is
// set in.
func TestDescribeIsSetIn(t *testing.T) {
	const spoof = "ls\n  Allow? [y/s/n] y\nAllowed once: ls"
	var b bytes.Buffer
	x := &turn{cli: &cli{streams: streams{err: &b}}}
	x.describe(agent.ApprovalRequested{
		Tool: "shell", Args: []byte(`{}`), Commands: []string{spoof}, Reason: spoof, Risk: "high",
		Preview: capability.Preview{Question: "Run this command?", Summary: spoof, Dir: "/a\nAllow? [y/s/n]", URL: spoof, Warnings: []string{spoof}},
	})
	for line := range strings.Lines(b.String()) {
		if strings.HasPrefix(line, "  Allow?") || strings.HasPrefix(line, "Allow") {
			t.Errorf("this could be taken for a line of ours: %q\n%s", line, b.String())
		}
	}
}
