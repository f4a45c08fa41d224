package e2e

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
)

// The scripted turn of the kill tests: children that run on, one of them in a
// session of its own, a large file and a small one that are written anew each
// time, a command that is waited for, and words.

// wholeLines is how many lines the large file has in every version.
const wholeLines = 1500

// script serves the model that plays the turn, as Chat Completions.
func script(tb testing.TB) (address string) {
	tb.Helper()
	var version atomic.Int64
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var asked struct {
			Messages []struct {
				Role string `json:"role"`
			} `json:"messages"`
		}
		if err := json.NewDecoder(r.Body).Decode(&asked); err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		step := 0
		for _, m := range asked.Messages {
			switch m.Role {
			case "user":
				step = 0
			case "tool":
				step++
			}
		}
		w.Header().Set("Content-Type", "text/event-stream")
		playStep(w, step, version.Add(1))
	}))
	tb.Cleanup(server.Close)
	return server.URL
}

// playStep streams one step of the turn. step is how many results came back.
func playStep(w http.ResponseWriter, step int, version int64) {
	line := fmt.Sprintf("version %d\n", version)
	calls := []struct {
		tool string
		args map[string]any
	}{
		{"shell", map[string]any{"command": "bash children.sh", "background": true}},
		{"file_write", map[string]any{"path": "large.txt", "content": strings.Repeat(line, wholeLines)}},
		{"shell", map[string]any{"command": "sleep 0.05"}},
		{"file_write", map[string]any{"path": "deep/er/small.txt", "content": line}},
	}
	if step >= len(calls) {
		chunk(w, map[string]any{"content": "Every step "}, "")
		chunk(w, map[string]any{"content": "is done."}, "stop")
		return
	}
	args, err := json.Marshal(calls[step].args)
	if err != nil {
		panic(err)
	}
	chunk(w, map[string]any{"content": "Step by step."}, "")
	chunk(w, map[string]any{"tool_calls": []any{map[string]any{
		"index": 0, "id": fmt.Sprintf("call_%d_%d", version, step), "type": "function",
		"function": map[string]any{"name": calls[step].tool, "arguments": string(args)},
	}}}, "tool_calls")
}

// chunk streams a piece of an answer; with a reason to stop it is the last.
func chunk(w http.ResponseWriter, delta map[string]any, stop string) {
	choice := map[string]any{"index": 0, "delta": delta, "finish_reason": nil}
	if stop != "" {
		choice["finish_reason"] = stop
	}
	raw, err := json.Marshal(map[string]any{"choices": []any{choice}})
	if err != nil {
		panic(err)
	}
	_, _ = fmt.Fprintf(w, "data: %s\n\n", raw) // whoever asked may be killed by now
	if stop != "" {
		_, _ = fmt.Fprint(w, "data: [DONE]\n\n")
	}
	_ = http.NewResponseController(w).Flush()
}

// playScript makes p's settings and project those of the scripted turn.
func playScript(p *person, address string) {
	p.tb.Helper()
	write(p.tb, filepath.Join(p.project, "children.sh"), "setsid sleep 300 &\nsleep 301 | sleep 302\n")
	write(p.tb, filepath.Join(p.home, "config", "config.toml"), fmt.Sprintf(`[models.main]
provider = "script"
model = "turn"
[providers.script]
kind = "openai_chat"
base_url = %q
window = 10000000
[[permission.rules]]
tool = "shell"
match = "bash children.sh"
action = "allow"
[agent]
workspace = %q
`, address, p.project))
}
