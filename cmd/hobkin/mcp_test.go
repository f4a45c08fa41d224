package main

import (
	"path/filepath"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/hobkin/hobkin/test/suite"
)

// TestMCPScripts drives other people's tool servers, and lets other people's
// client drive ours.
func TestMCPScripts(t *testing.T) {
	node := suite.Node(t)
	modules := filepath.Dir(filepath.Dir(filepath.Dir(filepath.Dir(suite.NPM(t, "@modelcontextprotocol/server-filesystem", "dist/index.js")))))
	testscript.Run(t, testscript.Params{
		Dir: "testdata/mcp",
		Setup: func(e *testscript.Env) error {
			e.Setenv("HOBKIN_HOME", filepath.Join(e.WorkDir, ".home"))
			e.Setenv("LANG", "en_US.UTF-8")
			e.Setenv("NODE", node)
			e.Setenv("PEERS", filepath.Join(modules, "@modelcontextprotocol"))
			return nil
		},
	})
}
