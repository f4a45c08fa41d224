package app

import (
	"strings"
	"testing"

	"github.com/hobkin/hobkin/core/config"
)

// The doctor names the programs of tool servers that nothing holds.
func TestDoctorNamesUnconfinedServers(t *testing.T) {
	s := openScripted(t)
	if c := s.checkServers(t.Context()); c.Status != "not_applicable" {
		t.Errorf("without servers: %+v", c)
	}
	for _, test := range []struct {
		confine, mode, status, names string
	}{
		{"false", "auto", "warning", "a, b"},
		{"true", "auto", "passed", "a, b"},
		{"true", "off", "warning", "a, b"}, // nothing is confined then
	} {
		cfg := *s.cfg.Load()
		cfg.Sandbox.Confine = test.mode
		cfg.MCP.Servers = map[string]config.MCPServer{
			"b": {Command: "x", Confine: test.confine == "true"}, "a": {Command: "x", Confine: test.confine == "true"},
			"url": {URL: "https://example.com/"}, "off": {Command: "x", Disabled: true},
		}
		s.cfg.Store(&cfg)
		if c := s.checkServers(t.Context()); c.Status != test.status || !strings.Contains(c.Detail, test.names) || strings.Contains(c.Detail, "url") {
			t.Errorf("%+v: %+v", test, c)
		}
	}
}
