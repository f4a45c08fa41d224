package imports

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestParse(t *testing.T) {
	none := map[string]string{}
	for name, tt := range map[string]struct {
		in    string
		want  []Server
		notes int
	}{
		"Claude Desktop": {
			`{"mcpServers":{"fs":{"command":"npx","args":["-y","x"],"env":{"A":"b","N":5}}}}`,
			[]Server{{Name: "fs", Command: "npx", Args: []string{"-y", "x"}, Env: map[string]string{"A": "b", "N": "5"}}},
			0,
		},
		"Claude Code, projects, a name twice": {
			`{"numStartups":5,"mcpServers":{"a":{"type":"http","url":"https://a.example/mcp","headers":{"X":"y"}}},"projects":{"/p":{"mcpServers":{"a":{"command":"other"},"b":{"command":"bee"}}}}}`,
			[]Server{
				{Name: "a", URL: "https://a.example/mcp", Headers: map[string]string{"X": "y"}, Env: none},
				{Name: "b", Command: "bee", Env: none},
			},
			0,
		},
		"VS Code, with comments": {
			"{\n // servers\n \"inputs\": [],\n \"servers\": { /* one */ \"gh\": {\"type\":\"stdio\",\"command\":\"gh//x\",\"args\":[\"a\",],}, },\n}",
			[]Server{{Name: "gh", Command: "gh//x", Args: []string{"a"}, Env: none}},
			0,
		},
		"VS Code, settings":   {`{"editor":1,"mcp":{"servers":{"a":{"command":"x"}}}}`, []Server{{Name: "a", Command: "x", Env: none}}, 0},
		"Windsurf":            {`{"mcpServers":{"a":{"serverUrl":"https://a.example","disabled":true}}}`, []Server{{Name: "a", URL: "https://a.example", Env: none, Disabled: true}}, 0},
		"Zed":                 {`{"context_servers":{"a":{"command":{"path":"x","args":["y"],"env":{"B":"c"}}},"b":{"command":"z","enabled":false}}}`, []Server{{Name: "a", Command: "x", Args: []string{"y"}, Env: map[string]string{"B": "c"}}, {Name: "b", Command: "z", Env: none, Disabled: true}}, 0},
		"some that are wrong": {`{"mcpServers":{"a":5,"b":{},"c":{"command":"x","url":"https://y"},"d":{"url":"ftp://x"},"e":{"command":[1]},"f":{"command":"f"}}}`, []Server{{Name: "f", Command: "f", Env: none}}, 5},
	} {
		t.Run(name, func(t *testing.T) {
			got, notes, err := Parse([]byte(tt.in))
			if err != nil || len(notes) != tt.notes {
				t.Errorf("%v, notes %q", err, notes)
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
	if _, _, err := Parse([]byte(`{"a":1}`)); !errors.Is(err, ErrNone) {
		t.Errorf("a file without servers: %v", err)
	}
	if _, _, err := Parse([]byte(`{`)); err == nil {
		t.Error("half a file is read")
	}
}

func TestJudge(t *testing.T) {
	looks := func(s string) bool { return strings.HasPrefix(s, "ghp_") }
	for _, tt := range []struct {
		name, text string
		want       Value
	}{
		{"LOG_LEVEL", "debug", Value{Text: "debug"}},
		{"API_KEY", "abcdef123456", Value{Text: "abcdef123456", Secret: true}},
		{"X", "ghp_123", Value{Text: "ghp_123", Secret: true}},
		{"GITHUB_TOKEN", "${GITHUB_TOKEN}", Value{Variable: "GITHUB_TOKEN"}},
		{"TOKEN", "${env:GH}", Value{Variable: "GH"}},
		{"TOKEN", "${GH:-none}", Value{Variable: "GH"}},
		{"TOKEN", "${input:token}", Value{Asked: true, Secret: true}},
		{"KEY_FILE", "/home/ada/key.pem", Value{Text: "/home/ada/key.pem"}},
		{"USE_AUTH", "true", Value{Text: "true"}},
	} {
		if got := Judge(tt.name, tt.text, looks); got != tt.want {
			t.Errorf("%s=%s: got %+v, want %+v", tt.name, tt.text, got, tt.want)
		}
	}
}

func TestName(t *testing.T) {
	for in, want := range map[string]string{"github": "github", "My Server!": "My-Server", "@scope/x": "scope-x", "42": "", "ü": "", strings.Repeat("a", 40): strings.Repeat("a", 32)} {
		if got := Name(in); got != want {
			t.Errorf("%q: got %q, want %q", in, got, want)
		}
	}
}

func FuzzParse(f *testing.F) {
	for _, s := range []string{`{"mcpServers":{"a":{"command":"x","env":{"A":1}}}}`, `{"servers":{"a":{"url":"https://x"}},}`, "// x\n{}", `{"a":"\"//"}`, `/*`, `{"mcp":{"mcp":{}}}`} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		if json.Valid(text) && !json.Valid(plain(text)) {
			t.Errorf("sound JSON was broken: %q", text)
		}
		servers, _, err := Parse(text)
		for _, s := range servers {
			if err != nil || (s.Command == "") == (s.URL == "") {
				t.Errorf("%+v, %v", s, err)
			}
		}
	})
}
