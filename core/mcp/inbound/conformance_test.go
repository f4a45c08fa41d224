package inbound

import (
	"context"
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
	"2026-07-28": {"server-stateless: sep-2575-missing-capability-http-400", "server-stateless: sep-2575-server-rejects-undeclared-capability"},
}

// TestConformance runs the protocol's own conformance suite against our server,
// over HTTP with all its checks; only the token is added on the way, since the
// suite cannot send one.
func TestConformance(t *testing.T) {
	program := suite.Conformance(t)
	node := suite.Node(t)
	for _, revision := range []string{"2025-11-25", "2026-07-28"} {
		t.Run(revision, func(t *testing.T) {
			ctx, cancel := context.WithTimeout(t.Context(), 4*time.Minute)
			defer cancel()
			dir := suite.ConformanceDir(t, revision)
			cmd := exec.CommandContext(ctx, node, program, "server", "--url", conformanceServer(t), "--requirements", revision, "-o", dir)
			cmd.Env = append(os.Environ(), "HOME="+t.TempDir(), "NO_COLOR=1")
			cmd.Dir = filepath.Dir(program)
			out, _ := cmd.CombinedOutput() // its exit code counts the failures that are known, too
			scored := suite.ConformanceRequired(t, "server", revision, 20)
			got := suite.ConformanceResults(t, dir, scored, func(name string) string {
				return filepath.Join("server-"+name+"-2*", "*.json")
			})
			t.Logf("%s: %d scenarios, %d checks passed, %d failed", revision, len(scored), got.Passed, len(got.Failed))
			if !slices.Equal(got.Failed, upstream[revision]) {
				t.Errorf("the checks that fail are %q, want %q\n%s", got.Failed, upstream[revision], tail(string(out), 4000))
			}
		})
	}
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
