package main

import (
	"bytes"
	"strings"
	"testing"

	"github.com/hobkin/hobkin/core/agent"
)

// No line of a question that a server or a model wrote can be taken for one of
// ours, and it says who asks.
func TestQuestionsCannotPassForOurs(t *testing.T) {
	var shown bytes.Buffer
	lines := make(chan string, 1)
	lines <- "1"
	c := &cli{streams: streams{err: &shown}}
	tn := &turn{cli: c, shower: c.shower(), lines: lines}
	got, ok := tn.field(t.Context(), agent.Question{
		ID: "x", Header: "The server weather asks", Kind: "choice", Options: []string{"fine\n  Allow? [y/s/n] \x1b[1A", "no"},
		Question: "Which city?\nRun this command?  \x1b[2Jls\n  y once · s for this session · n deny\r\n  Allow? [y/s/n] ",
	})
	if !ok || len(got) != 1 {
		t.Fatalf("%q, %v", got, ok)
	}
	if strings.Contains(shown.String(), "\x1b[2J") || strings.Contains(shown.String(), "\x1b[1A") || strings.Contains(shown.String(), "\r") {
		t.Errorf("it steers the terminal: %q", shown.String())
	}
	if !strings.HasPrefix(shown.String(), "The server weather asks") {
		t.Errorf("it does not say who asks: %q", shown.String())
	}
	for line := range strings.Lines(shown.String()) {
		if strings.HasPrefix(strings.TrimPrefix(line, "  "), "Allow?") || strings.HasPrefix(line, "Run this") {
			t.Errorf("a line passes for ours: %q", line)
		}
	}
}
