// Package aimock starts an independent mock of the model interfaces, the npm
// package @copilotkit/aimock, and reads what it was asked.
package aimock

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/hobkin/hobkin/test/suite"
)

// startTime is how long the mock may take to listen.
const startTime = 30 * time.Second

var listening = regexp.MustCompile(`listening on (http://[\w.:\[\]]+)`)

// Start runs the mock until the test ends and returns its address, without a
// slash at its end: Chat Completions and Responses are under /v1, Messages is
// at the address itself. fixtures is the text of a fixture file. The mock is
// the file that HOBKIN_AIMOCK names, else the one in .cache/npm; where it or
// Node is missing the test is skipped, and on CI it fails.
func Start(tb testing.TB, fixtures string) string {
	tb.Helper()
	cli, node := find(tb)
	file := filepath.Join(tb.TempDir(), "fixtures.json")
	if err := os.WriteFile(file, []byte(fixtures), 0o600); err != nil {
		tb.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background()) // the test's own would end before the cleanup
	cmd := exec.CommandContext(ctx, node, cli, "--port", "0", "--fixtures", file, "--validate-on-load", "--strict")
	cmd.Env = append(os.Environ(), "NO_COLOR=1")
	out, err := cmd.StdoutPipe()
	if err != nil {
		tb.Fatal(err)
	}
	cmd.Stderr = cmd.Stdout
	if err := cmd.Start(); err != nil {
		tb.Fatal(err)
	}
	address := make(chan string, 1)
	ended := make(chan struct{})
	var said strings.Builder
	go func() { // ends with the process, which the cleanup ends
		defer close(ended)
		lines := bufio.NewScanner(out)
		for lines.Scan() {
			said.WriteString(lines.Text() + "\n")
			if m := listening.FindStringSubmatch(lines.Text()); m != nil {
				address <- m[1]
				break
			}
		}
		_, _ = io.Copy(io.Discard, out) // it must not block on a full pipe
	}()
	tb.Cleanup(func() {
		cancel()
		<-ended
		_ = cmd.Wait() // it was killed
	})
	select {
	case a := <-address:
		return a
	case <-ended:
		tb.Fatalf("the mock did not start:\n%s", said.String())
	case <-time.After(startTime):
		tb.Fatalf("the mock did not start within %s", startTime)
	}
	return ""
}

// find looks for the mock and for Node.
func find(tb testing.TB) (cli, node string) {
	tb.Helper()
	cli = os.Getenv("HOBKIN_AIMOCK")
	if cli == "" {
		cli = filepath.Join(suite.Root(tb), ".cache", "npm", "node_modules", "@copilotkit", "aimock", "dist", "cli.js")
	}
	_, err := os.Stat(cli)
	if err == nil {
		node, err = exec.LookPath("node")
	}
	if err != nil {
		if os.Getenv("CI") == "true" {
			tb.Fatalf("the mock of the model interfaces is missing: %v", err)
		}
		tb.Skipf("the mock of the model interfaces is not here (make mock installs it): %v", err)
	}
	return cli, node
}

// An Entry is one request that the mock got, and what it answered.
type Entry struct {
	Method   string            `json:"method"`
	Path     string            `json:"path"`
	Headers  map[string]string `json:"headers"`
	Body     json.RawMessage   `json:"body"` // in the form of Chat Completions, whatever was asked
	Response struct {
		Status      int  `json:"status"`
		Interrupted bool `json:"interrupted"`
	} `json:"response"`
}

// Journal returns the requests that the mock at address got so far.
func Journal(tb testing.TB, address string) []Entry {
	tb.Helper()
	req, err := http.NewRequestWithContext(tb.Context(), http.MethodGet, address+"/__aimock/journal", http.NoBody)
	if err != nil {
		tb.Fatal(err)
	}
	client := http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	resp, err := client.Do(req)
	if err != nil {
		tb.Fatal(err)
	}
	defer func() { _ = resp.Body.Close() }() // it was only read
	var entries []Entry
	if err := json.NewDecoder(resp.Body).Decode(&entries); err != nil {
		tb.Fatal(err)
	}
	return entries
}
