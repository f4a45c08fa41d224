package e2e

import (
	"cmp"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/hobkin/hobkin/core/agent"
	"github.com/hobkin/hobkin/core/provider"
	"github.com/hobkin/hobkin/core/provider/providertest"
	"github.com/hobkin/hobkin/test/aimock"
)

// tasks is what the mock answers. Each turn is two steps: calls, then words.
const tasks = `{"fixtures": [
  {"match": {"userMessage": "find TODO", "hasToolResult": false}, "response": {"usage": {"prompt_tokens": 120, "completion_tokens": 7}, "content": "I look at two things at once.", "toolCalls": [
    {"id": "call_search", "name": "content_search", "arguments": {"pattern": "TODO", "path": "core"}},
    {"id": "call_read", "name": "file_read", "arguments": {"path": "notes.txt"}}]}},
  {"match": {"userMessage": "find TODO", "hasToolResult": true}, "response": {"usage": {"prompt_tokens": 120, "completion_tokens": 7}, "content": "One TODO: the spoons. Olá, 世界!"}},
  {"match": {"userMessage": "replace", "hasToolResult": false}, "response": {"usage": {"prompt_tokens": 120, "completion_tokens": 7}, "toolCalls": [
    {"id": "call_edit", "name": "file_edit", "arguments": {"path": "notes.txt", "old_string": "foo", "new_string": "bar"}}]}},
  {"match": {"userMessage": "replace", "hasToolResult": true}, "response": {"usage": {"prompt_tokens": 120, "completion_tokens": 7}, "content": "Replaced."}},
  {"match": {"userMessage": "undo", "hasToolResult": false}, "response": {"usage": {"prompt_tokens": 120, "completion_tokens": 7}, "toolCalls": [
    {"id": "call_undo", "name": "file_undo", "arguments": {}}]}},
  {"match": {"userMessage": "undo", "hasToolResult": true}, "response": {"usage": {"prompt_tokens": 120, "completion_tokens": 7}, "content": "It is as it was."}},
  {"match": {"userMessage": "busy", "sequenceIndex": 0}, "response": {"error": {"message": "Slow down", "type": "rate_limit_error"}, "status": 429, "retryAfter": 1}},
  {"match": {"userMessage": "busy", "sequenceIndex": 1}, "response": {"content": "Now there is time."}},
  {"match": {"userMessage": "locked"}, "response": {"error": {"message": "Incorrect API key provided", "type": "authentication_error"}, "status": 401}},
  {"match": {"userMessage": "break off"}, "chunkSize": 4, "latency": 5, "response": {"content": "This answer is cut before it is whole, as happens on a bad network."}, "truncateAfterChunks": 9}
]}`

// A format is one of the interfaces that models have.
type format struct {
	kind, path, model string
}

var formats = map[string]format{
	"chat":      {"openai_chat", "/v1", "gpt-5-mini"},
	"responses": {"openai_responses", "/v1", "gpt-5"},
	"anthropic": {"anthropic", "", "claude-sonnet-4-5"},
}

// modelKey must never be seen anywhere.
const modelKey = "sk-e2e-5f2c9b7a41d8e6"

// withModel makes a person whose settings name the model at address.
func withModel(t *testing.T, f format, address string) *person {
	t.Helper()
	p := newPerson(t, "MOCK_KEY="+modelKey)
	write(t, filepath.Join(p.home, "config", "config.toml"), fmt.Sprintf(`[models.main]
provider = "mock"
model = %q
[providers.mock]
kind = %q
base_url = %q
key = "env:MOCK_KEY"
headers = { X-Test-Id = %q }
`, f.model, f.kind, address+f.path, t.Name())) // the mock counts for each
	t.Cleanup(func() {
		if strings.Contains(p.printed.String(), modelKey) {
			t.Error("the key was printed")
		}
		if files := p.holding(modelKey); len(files) > 0 {
			t.Errorf("the key lies in %v", files)
		}
	})
	return p
}

// TestTheMainJobWithModels gives the tasks of the first day to an independent
// mock of each interface, through the command line.
func TestTheMainJobWithModels(t *testing.T) {
	t.Parallel()
	address := aimock.Start(t, tasks)
	for name, f := range formats {
		t.Run(name, func(t *testing.T) {
			j := job{t: t, person: withModel(t, f, address), format: f, address: address}
			j.find()
			j.replace()
			j.undo()
		})
		t.Run(name+" in trouble", func(t *testing.T) {
			p := withModel(t, f, address)
			busy(t, p)
			locked(t, p)
			cut(t, p)
		})
	}
}

type job struct {
	*person
	t       *testing.T
	format  format
	address string
}

// asked is every request of this job, as Chat Completions would put it.
func (j job) asked() (list []providertest.Asked) {
	j.t.Helper()
	for _, e := range aimock.Journal(j.t, j.address) {
		if e.Headers["x-test-id"] != j.t.Name() {
			continue
		}
		if e.Headers["authorization"]+e.Headers["x-api-key"] == "" { // the mock does not keep what is in them
			j.t.Errorf("%s: no key arrived", e.Path)
		}
		a, err := providertest.ParseAsked("/chat/completions", string(e.Body))
		if err != nil {
			j.t.Fatal(err)
		}
		list = append(list, a)
	}
	return list
}

// turn asks and holds what is true of every turn of two steps.
func (j job) turn(mode, text string, flags ...string) (done []agent.ToolCompleted, carried []providertest.Entry) {
	j.t.Helper()
	before := len(j.asked())
	list := j.ask(append(flags, "--mode", mode, text)...)
	end, ok := list[len(list)-1].Payload.(agent.TurnCompleted)
	if !ok || end.Steps != 2 {
		j.t.Fatalf("%s: ended with %+v", text, list[len(list)-1].Payload)
	}
	j.account(mode, list)
	started := of[agent.ToolStarted](list)
	done = of[agent.ToolCompleted](list)
	// Parallel calls begin and end as they like; their ids are in the order of the model.
	slices.SortFunc(started, func(a, b agent.ToolStarted) int { return cmp.Compare(a.Call, b.Call) })
	slices.SortFunc(done, func(a, b agent.ToolCompleted) int { return cmp.Compare(a.Call, b.Call) })
	if !slices.EqualFunc(started, done, func(s agent.ToolStarted, d agent.ToolCompleted) bool { return s.Call == d.Call && s.Tool == d.Tool }) {
		j.t.Errorf("%s: started %+v, done %+v", text, started, done)
	}
	asked := j.asked()[before:]
	if len(asked) != 2 {
		j.t.Fatalf("%s: %d requests arrived, want 2", text, len(asked))
	}
	if len(asked[0].Entries) < 1 || len(asked[1].Entries) <= len(asked[0].Entries) {
		j.t.Fatalf("%s: the conversation did not grow: %+v", text, asked)
	}
	j.steady(asked)
	return done, asked[1].Entries[len(asked[0].Entries):]
}

// account looks at what is told about the model.
func (j job) account(mode string, list []agent.Event) {
	j.t.Helper()
	started := of[agent.TurnStarted](list)
	if len(started) != 1 || started[0].Provider != "mock" || started[0].Model != j.format.model || started[0].Mode != mode {
		j.t.Errorf("started %+v", started)
	}
	steps := of[agent.ModelGeneration](list)
	if len(steps) != 2 || steps[0].Stop != provider.StopTools || steps[1].Stop != provider.StopEnd {
		j.t.Errorf("the steps are %+v, want one that stops for tools and one that ends", steps)
	}
	for _, s := range steps {
		if s.Usage.Input != 120 || s.Usage.Output != 7 {
			j.t.Errorf("usage %+v, want 120 and 7 as the mock said", s.Usage)
		}
	}
}

// steady holds what must not change from step to step, as models keep what
// begins alike.
func (j job) steady(asked []providertest.Asked) {
	j.t.Helper()
	first, second := asked[0], asked[1]
	if first.System == "" || first.System != second.System || first.Model != j.format.model {
		j.t.Errorf("the system prompt or the model changed within a turn: %q", second.Model)
	}
	if diff := gocmp.Diff(first.Tools, second.Tools); diff != "" {
		j.t.Errorf("the tools changed within a turn:\n%s", diff)
	}
	if diff := gocmp.Diff(first.Entries, second.Entries[:len(first.Entries)]); diff != "" {
		j.t.Errorf("what was said changed within a turn:\n%s", diff)
	}
	for _, name := range []string{"content_search", "file_read", "file_edit", "file_undo"} {
		has := func(tool string) bool { return strings.HasPrefix(tool, name+": ") }
		at := slices.IndexFunc(first.Tools, has)
		if at < 0 || !strings.Contains(first.Tools[at], `"properties"`) || !strings.Contains(first.Tools[at], `"type":"object"`) {
			j.t.Errorf("%s was not offered with its schema", name)
		}
	}
}

// carriedBack are the results that went to the model for the calls that it
// made, which must have the same ids in the same order.
func (j job) carriedBack(entries []providertest.Entry) (texts []string) {
	j.t.Helper()
	var calls, results []string
	for _, e := range entries {
		switch e.Kind {
		case "call":
			calls = append(calls, e.ID)
		case "result":
			results = append(results, e.ID)
			texts = append(texts, e.Text)
		}
	}
	if len(calls) == 0 || !slices.Equal(calls, results) || slices.Contains(calls, "") {
		j.t.Errorf("the calls %q were answered as %q", calls, results)
	}
	return texts
}

func (j job) find() {
	j.t.Helper()
	done, carried := j.turn("accept_edits", "find TODO in core")
	if len(done) != 2 || done[0].Tool != "content_search" || done[1].Tool != "file_read" {
		j.t.Fatalf("done: %+v, want the search and the reading, in this order", done)
	}
	if done[0].Failed || !strings.Contains(done[0].Text, "count the spoons") || done[1].Failed || !strings.Contains(done[1].Text, "The foo is ready.") {
		j.t.Errorf("done: %+v", done)
	}
	texts := j.carriedBack(carried)
	if len(texts) != 2 || !strings.Contains(texts[0], "count the spoons") || !strings.Contains(texts[1], "The foo is ready.") {
		j.t.Errorf("carried back: %q", texts)
	}
}

func (j job) replace() {
	j.t.Helper()
	done, carried := j.turn("accept_edits", `replace "foo" with "bar" in notes.txt`, "--session", "last")
	if len(done) != 1 || done[0].Failed || !strings.Contains(done[0].Diff, "+The bar is ready.") {
		j.t.Errorf("done: %+v", done)
	}
	if got := read(j.t, filepath.Join(j.project, "notes.txt")); got != "The bar is ready.\nNothing else.\n" {
		j.t.Errorf("the file is %q", got)
	}
	if texts := j.carriedBack(carried); len(texts) != 1 || !strings.Contains(texts[0], "notes.txt") {
		j.t.Errorf("carried back: %q", texts)
	}
}

func (j job) undo() {
	j.t.Helper()
	done, carried := j.turn("auto", "undo", "--session", "last")
	if len(done) != 1 || done[0].Failed || done[0].Tool != "file_undo" {
		j.t.Errorf("done: %+v", done)
	}
	if got := read(j.t, filepath.Join(j.project, "notes.txt")); got != "The foo is ready.\nNothing else.\n" {
		j.t.Errorf("the file is %q", got)
	}
	j.carriedBack(carried)
}
