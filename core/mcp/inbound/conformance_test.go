package inbound

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/hobkin/hobkin/test/suite"
)

// upstream are the checks that fail because of mcp-go itself: its server
// answers every error of a handler with one code, so no handler can say that a
// client lacks an ability. Nothing of ours needs one. When it is mended this
// list is wrong, and the test says so.
var upstream = map[string][]string{
	"2026-07-28": {"sep-2575-missing-capability-http-400", "sep-2575-server-rejects-undeclared-capability"},
}

// TestConformance runs the protocol's own conformance suite against our server,
// over HTTP with all its checks; only the token is added on the way, since the
// suite cannot send one.
func TestConformance(t *testing.T) {
	program := suite.NPM(t, "@modelcontextprotocol/conformance", "dist/index.js")
	node := suite.Node(t)
	for _, revision := range []string{"2025-11-25", "2026-07-28"} {
		t.Run(revision, func(t *testing.T) {
			ctx, cancel := context.WithTimeout(t.Context(), 4*time.Minute)
			defer cancel()
			dir := resultsDir(t, revision)
			cmd := exec.CommandContext(ctx, node, program, "server", "--url", conformanceServer(t), "--requirements", revision, "-o", dir)
			cmd.Env = append(os.Environ(), "HOME="+t.TempDir(), "NO_COLOR=1")
			cmd.Dir = filepath.Dir(program)
			out, _ := cmd.CombinedOutput() // its exit code counts the failures that are known, too
			scored := required(t, program, revision)
			passed, failed := results(t, dir, scored)
			t.Logf("%s: %d scenarios, %d checks passed, %d failed", revision, len(scored), passed, len(failed))
			if !slices.Equal(failed, upstream[revision]) {
				t.Errorf("the checks that fail are %q, want %q\n%s", failed, upstream[revision], tail(string(out), 4000))
			}
		})
	}
}

// required are the scenarios of a server that a revision is judged by.
func required(t *testing.T, program, revision string) []string {
	t.Helper()
	raw, err := os.ReadFile(filepath.Join(filepath.Dir(program), "..", "requirements", revision+".yaml"))
	if err != nil {
		t.Fatal(err)
	}
	_, list, _ := strings.Cut(string(raw), "\nserver:\n")
	var out []string
	for line := range strings.Lines(list) {
		name, ok := strings.CutPrefix(line, "  - ")
		if !ok {
			break
		}
		out = append(out, strings.TrimSpace(name))
	}
	if len(out) < 20 {
		t.Fatalf("only %d scenarios are required", len(out))
	}
	return out
}

// results reads what the suite found in the scenarios that count. One without
// a result has failed.
func results(t *testing.T, dir string, scored []string) (passed int, failed []string) {
	t.Helper()
	for _, name := range scored {
		files, err := filepath.Glob(filepath.Join(dir, "server-"+name+"-2*", "*.json"))
		if err != nil || len(files) == 0 {
			failed = append(failed, name+" was not run")
			continue
		}
		for _, file := range files {
			raw, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			var checks []struct{ ID, Status string }
			if err := json.Unmarshal(raw, &checks); err != nil {
				t.Fatalf("%s: %v", file, err)
			}
			for _, c := range checks {
				switch c.Status {
				case "SUCCESS":
					passed++
				case "FAILURE":
					failed = append(failed, c.ID)
				}
			}
		}
	}
	slices.Sort(failed)
	return passed, failed
}

func tail(s string, n int) string { return s[max(0, len(s)-n):] }

// conformanceServer serves the suite's tools and returns the address.
func conformanceServer(t *testing.T) string {
	t.Helper()
	s, _ := serve(t, func(o *Options) {
		suiteTools(t, o.Registry)
		o.Extend = suiteServer
		o.Timeout = 20 * time.Second
		o.Exposure = Exposure{Kinds: o.Exposure.Kinds, Classes: o.Exposure.Classes, Allowed: []string{"json_schema_2020_12_tool"}}
		for _, c := range o.Registry.All() {
			if strings.HasPrefix(c.Name, "test_") {
				o.Exposure.Allowed = append(o.Exposure.Allowed, c.Name)
			}
		}
		for i := range 100 { // those that appear while the suite runs
			o.Exposure.Allowed = append(o.Exposure.Allowed, fmt.Sprintf("extra_%d", i+1))
		}
	})
	h := s.web(HTTPOptions{Token: "letmein", PerSecond: 10_000})
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		r.Header.Set("Authorization", "Bearer letmein")
		h.ServeHTTP(w, r)
	}))
	t.Cleanup(web.Close)
	t.Cleanup(func() { _ = h.mcp.Shutdown(context.Background()) })
	return web.URL + "/mcp"
}

// resultsDir is where the suite writes its results: to be kept when a folder is
// named.
func resultsDir(t *testing.T, revision string) string {
	t.Helper()
	if dir := os.Getenv("HOBKIN_CONFORMANCE"); dir != "" {
		return filepath.Join(dir, revision)
	}
	return t.TempDir()
}
