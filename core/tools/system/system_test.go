package system

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/hobkin/hobkin/core/capability"
	"github.com/hobkin/hobkin/core/capability/capabilitytest"
	"github.com/hobkin/hobkin/core/command"
	"github.com/hobkin/hobkin/core/sandbox"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// TestTools covers every tool of the group: a new tool needs only its script.
func TestTools(t *testing.T) {
	capabilitytest.Contract(t, Tools.Bind(nil))
	capabilitytest.Scripts(t, func(t *testing.T, dir string) []capability.Capability {
		t.Helper()
		h := newHost(t, dir)
		tools := Tools.Bind(h)
		if strings.HasSuffix(t.Name(), "command_make") {
			tools = append(tools, h.Presets("bare", []string{"dev_tools"})...)
			if !slices.ContainsFunc(tools, func(c capability.Capability) bool { return c.Name == "command_make" }) {
				t.Skip("make is not installed")
			}
		}
		for i := range tools {
			tools[i].Handler = timeless(tools[i].Handler)
		}
		tools = append(tools, remote()...)
		if err := h.Registry.RegisterAll(tools...); err != nil {
			t.Fatal(err)
		}
		return tools
	})
}

// remote are tools of a connected server, whose schemas may be left out.
func remote() []capability.Capability {
	post, err := capability.Func("mcp_crm_post_message", "Sends a message to a customer.", func(_ context.Context, in struct {
		To   string `json:"to" jsonschema:"name of the customer"`
		Text string `json:"text"`
	},
	) (string, error) {
		return "sent to " + in.To, nil
	})
	if err != nil {
		panic(err)
	}
	rain := post
	rain.Name, rain.Description = "mcp_sky_getweather", "Tells tomorrow's weather. "+strings.Repeat("It knows every place. ", 30)
	post.Class = capability.ExternalAPI
	post.Kind, post.Deferrable, rain.Kind, rain.Deferrable = capability.KindMCP, true, capability.KindMCP, true
	return []capability.Capability{post, rain}
}

var spans = regexp.MustCompile(`\b\d+(\.\d)? m?s\b|"(duration_ms|started)":("[^"]*"|\d+),?`)

// timeless takes out of results what differs from run to run.
func timeless(run capability.Handler) capability.Handler {
	clean := func(s string) string {
		return spans.ReplaceAllStringFunc(s, func(m string) string {
			if strings.HasPrefix(m, `"`) {
				return ""
			}
			return "$TIME"
		})
	}
	return func(ctx context.Context, call capability.Call) (capability.Result, error) {
		r, err := run(ctx, call)
		for i := range r.Streams {
			r.Streams[i].Text = clean(r.Streams[i].Text)
		}
		r.Text, r.Summary, r.Data = clean(r.Text), clean(r.Summary), []byte(clean(string(r.Data)))
		if u, ok := capability.AsUserError(err); ok {
			u.Message = clean(u.Message)
			delete(u.Details, "duration_ms")
		}
		return r, err
	}
}

// newHost makes a host whose workspace is dir, behind the real policy.
func newHost(t *testing.T, dir string) *Host {
	t.Helper()
	home := filepath.Join(filepath.Dir(dir), "home")
	if err := os.MkdirAll(home, 0o755); err != nil {
		t.Fatal(err)
	}
	config := sandbox.Config{Mode: sandbox.Strict, Home: home, Workspace: dir}
	policy, err := sandbox.New(config)
	if err != nil {
		t.Fatal(err)
	}
	h := &Host{
		Paths: policy, Registry: &capability.Registry{}, Outputs: outputs{}, Notifier: &screen{}, Asker: person{}, Grants: &grants{Policy: policy, config: config}, Budgets: budgets{}, Commands: texts{dir},
		Desktop: fakeDesktop(t, home),
		Env:     func() []string { return []string{"PATH=" + os.Getenv("PATH"), "HOME=" + config.Home, "EDITOR=vi"} },
		Limits:  Limits{Look: 2 * time.Second}, // a busy machine takes long to start one
	}
	t.Cleanup(func() { _ = h.Close() })
	return h
}

// texts are the commands of a folder, beside a built-in one and a prompt.
type texts struct{ dir string }

func (x texts) table() *command.Table {
	table := command.NewTable(command.Command{Name: "undo"})
	table.Files = func() ([]command.File, []*command.Fault) { return command.ReadFolder(filepath.Join(x.dir, "commands")) }
	table.Prompts = prompts{}
	return table
}

// Known implements [Commands].
func (x texts) Known(ctx context.Context, name string) error { return x.table().Known(ctx, name) }

// Expand implements [Commands].
func (x texts) Expand(ctx context.Context, name, args string) (Expansion, error) {
	e, err := x.table().Expand(ctx, name, args)
	return Expansion{Name: e.Name, Text: e.Text, Bound: e.Bound, Outside: e.Outside}, err
}

// prompts are those of one server.
type prompts struct{}

func (prompts) Await(context.Context) {}

func (prompts) Prompts(context.Context) []command.Prompt {
	return []command.Prompt{{Server: "docs", Name: "summary", Blanks: []command.Blank{{Name: "topic", Required: true}}}}
}

func (prompts) Prompt(_ context.Context, _, _ string, args map[string]string) (string, error) {
	return "Sum up " + args["topic"] + ".", nil
}

// fakeDesktop is a desktop whose programs are scripts: a clipboard in a file, and
// an opener that knows no pictures and stays with folders.
func fakeDesktop(t *testing.T, home string) func() []string {
	t.Helper()
	bin := filepath.Join(home, "desktop-bin")
	if err := os.MkdirAll(bin, 0o755); err != nil {
		t.Fatal(err)
	}
	for name, script := range map[string]string{
		"xclip":    `case $3 in -in) cat > "$HOME/clip" ; sleep 5 & ;; *) cat "$HOME/clip" 2>/dev/null || { echo "Error: target STRING not available" >&2; exit 1; } ;; esac`,
		"xdg-open": `echo "$1" >> "$HOME/opened"; case $1 in *.png) echo "no application" >&2; exit 3 ;; */sub) sleep 5 ;; esac`,
	} {
		if err := os.WriteFile(filepath.Join(bin, name), []byte("#!/bin/sh\n"+script+"\n"), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	return func() []string { return []string{"PATH=" + bin + ":/usr/bin:/bin", "HOME=" + home, "DISPLAY=:99"} }
}

// grants are kept in memory.
type grants struct {
	*sandbox.Policy
	config sandbox.Config
	fail   error
}

func (g *grants) AddGrant(_ context.Context, abs, _ string) error {
	if g.fail != nil {
		return g.fail
	}
	g.config.AllowedRoots = append(g.config.AllowedRoots, abs)
	return g.Update(g.config)
}

// outputs has one of a thousand lines.
type outputs struct{}

func (outputs) Output(_ context.Context, session, call string) (string, []string, error) {
	switch {
	case session != "session":
		return "", nil, nil
	case call == "broken":
		return "", nil, errors.New("the disk is gone")
	case call != "turn_1.1":
		return "", []string{"turn_1.1", "turn_0.2"}, nil
	}
	var b strings.Builder
	for i := range 1000 {
		b.WriteString("line " + strconv.Itoa(i+1))
		switch {
		case i == 499:
			b.WriteString(" " + strings.Repeat("x", 5000) + " Needle " + strings.Repeat("y", 5000))
		case i%250 == 0:
			b.WriteString(": ERROR in the böiler")
		}
		b.WriteByte('\n')
	}
	return b.String(), nil, nil
}

// screen shows notifications, but for one title.
type screen struct {
	mu    sync.Mutex
	shown []Notification
}

func (s *screen) Notify(_ context.Context, n Notification) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if n.Title == "Nobody listens" {
		return errors.New("no notification server answers; install one, such as dunst")
	}
	s.shown = append(s.shown, n)
	return nil
}

// person answers by the ids of the questions.
type person struct{}

func (person) AskUser(ctx context.Context, _ capability.Call, form []Question) (map[string][]string, error) {
	out := map[string][]string{}
	for _, q := range form {
		switch q.ID {
		case "silent":
			<-ctx.Done()
			return nil, ctx.Err()
		case "closed":
			return nil, context.Canceled
		case "blank":
		case "leak":
			out[q.ID] = []string{"hunter2"}
		case "broken":
			return nil, errors.New("no surface")
		case "token":
			out[q.ID] = []string{"keyring:asked-1"}
		case "several":
			out[q.ID] = q.Options
		default:
			out[q.ID] = []string{q.Options[0], "and one that was not offered"}
		}
	}
	return out, nil
}

// A workbench is a workspace with the tools on it, for tests in Go.
type workbench struct {
	t    *testing.T
	dir  string
	host *Host
	run  capability.Runner
	turn capability.Turn

	mu     sync.Mutex
	n      int
	live   []string // output events, "stream:text"
	heard  chan string
	notice []string
}

func newBench(t *testing.T) *workbench {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	b := &workbench{t: t, dir: dir, host: newHost(t, dir), heard: make(chan string, 1000)}
	b.turn = capability.Turn{Session: "s", ID: "t", Workspace: dir, Trust: capability.Operator, Attended: true}
	b.run.Registry = b.host.Registry
	if err := b.run.Registry.RegisterAll(Tools.Bind(b.host)...); err != nil {
		t.Fatal(err)
	}
	b.run.Approve = func(context.Context, *capability.Capability, capability.Call, capability.Preview) error { return nil }
	return b
}

// call runs a tool through the whole path of a call.
func (b *workbench) call(ctx context.Context, tool, args string) *capability.Outcome {
	b.t.Helper()
	b.mu.Lock()
	b.n++
	id := "call-" + strconv.Itoa(b.n)
	b.mu.Unlock()
	return b.run.Run(ctx, capability.Request{
		ID: id, Name: tool, Args: []byte(args), Filter: capability.Filter{Turn: b.turn},
		Output: func(stream, text string) {
			b.mu.Lock()
			b.live = append(b.live, stream+":"+text)
			b.mu.Unlock()
			b.heard <- stream + ":" + text
		},
		Progress: func(text string) {
			b.mu.Lock()
			defer b.mu.Unlock()
			b.notice = append(b.notice, text)
		},
	})
}

// ok is call for one that must succeed; it returns what the model reads.
func (b *workbench) ok(tool, args string) capability.Result {
	b.t.Helper()
	o := b.call(b.t.Context(), tool, args)
	if o.Failed() {
		b.t.Fatalf("%s %s: %v", tool, args, o.Err)
	}
	return o.Result
}

// fails is call for one that must fail with a code; it returns what it says.
func (b *workbench) fails(tool, args, code string) (message, try string) {
	b.t.Helper()
	o := b.call(b.t.Context(), tool, args)
	u, ok := capability.AsUserError(o.Err)
	if !ok || u.Code != code {
		b.t.Fatalf("%s %s: got %v %q, want %s", tool, args, o.Err, o.Result.Text, code)
	}
	return u.Message, u.Try
}

// budgets are two: one nearly spent, one hardly.
type budgets struct{}

func (budgets) Budgets(context.Context, capability.Turn) ([]Budget, error) {
	return []Budget{
		{Scope: "turn", Spent: "45000 tokens", Limit: "50000 tokens", Percent: 90, At: "stop"},
		{Scope: "day", Spent: "$0.20", Limit: "$2.00", Percent: 10, At: "pause"},
	}, nil
}

func TestCheckBudgetWithoutBudgets(t *testing.T) {
	got, err := (&Host{}).budget(t.Context(), capability.Call{}, budgetIn{})
	if err != nil || got.Summary != "no budget" {
		t.Errorf("got %+v, %v", got, err)
	}
}
