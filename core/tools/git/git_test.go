package git

import (
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/hobkin/hobkin/core/capability"
	"github.com/hobkin/hobkin/core/capability/capabilitytest"
	"github.com/hobkin/hobkin/core/sandbox"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// TestTools covers both tools: their words, and the calls that fail before git
// is started. What git does is told by the tests in Go.
func TestTools(t *testing.T) {
	capabilitytest.Contract(t, Tools.Bind(nil))
	capabilitytest.Scripts(t, func(t *testing.T, dir string) []capability.Capability {
		t.Helper()
		return Tools.Bind(newHost(t, dir))
	})
}

// gitEnv is an environment in which commits are always the same.
func gitEnv() []string {
	return []string{
		"PATH=" + os.Getenv("PATH"), "HOME=/nonexistent", "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_NOSYSTEM=1",
		"GIT_AUTHOR_NAME=Ada", "GIT_AUTHOR_EMAIL=ada@example.org", "GIT_AUTHOR_DATE=2026-01-02T03:04:05Z",
		"GIT_COMMITTER_NAME=Ada", "GIT_COMMITTER_EMAIL=ada@example.org", "GIT_COMMITTER_DATE=2026-01-02T03:04:05Z",
	}
}

func newHost(t testing.TB, dir string) *Host {
	t.Helper()
	policy, err := sandbox.New(sandbox.Config{Mode: sandbox.Strict, Home: t.TempDir(), Workspace: dir})
	if err != nil {
		t.Fatal(err)
	}
	return &Host{Paths: policy, Env: gitEnv, Home: filepath.Dir(dir)}
}

// A bench is a workspace with the tools on it.
type bench struct {
	t     testing.TB
	base  string // outside
	dir   string // the workspace
	host  *Host
	run   capability.Runner
	asked capability.Preview
	n     int
}

// newBench makes a workspace that is an empty repository.
func newBench(t testing.TB) *bench {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is not installed")
	}
	base, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	b := &bench{t: t, base: base, dir: filepath.Join(base, "work")}
	if err := os.Mkdir(b.dir, 0o755); err != nil {
		t.Fatal(err)
	}
	b.host = newHost(t, b.dir)
	b.run.Registry = &capability.Registry{}
	if err := b.run.Registry.RegisterAll(Tools.Bind(b.host)...); err != nil {
		t.Fatal(err)
	}
	b.run.Approve = func(_ context.Context, _ *capability.Capability, _ capability.Call, p capability.Preview) error {
		b.asked = p
		return nil
	}
	b.git("init", "-q", "-b", "main")
	return b
}

// git runs plain git in the workspace, as the owner would.
func (b *bench) git(args ...string) string {
	b.t.Helper()
	return b.gitIn(b.dir, args...)
}

func (b *bench) gitIn(dir string, args ...string) string {
	b.t.Helper()
	out, err := b.tryGit(dir, args...)
	if err != nil {
		b.t.Fatalf("git %q: %v\n%s", args, err, out)
	}
	return strings.TrimSpace(out)
}

func (b *bench) tryGit(dir string, args ...string) (string, error) {
	ctx, cancel := context.WithTimeout(b.t.Context(), 20*time.Second)
	defer cancel()
	cmd := exec.CommandContext(ctx, "git", args...)
	cmd.WaitDelay = time.Second
	cmd.Dir, cmd.Env = dir, append(gitEnv(), "GIT_ALLOW_PROTOCOL=file:ext:http:https:ssh:git", "GIT_EDITOR=true", "GIT_TERMINAL_PROMPT=0")
	out, err := cmd.CombinedOutput()
	return string(out), err
}

func (b *bench) put(name, data string) {
	b.t.Helper()
	at := name
	if !filepath.IsAbs(name) {
		at = filepath.Join(b.dir, name)
	}
	if err := os.MkdirAll(filepath.Dir(at), 0o755); err != nil {
		b.t.Fatal(err)
	}
	if err := os.WriteFile(at, []byte(data), 0o644); err != nil {
		b.t.Fatal(err)
	}
}

// commit puts a file and commits all.
func (b *bench) commit(name, data, message string) {
	b.t.Helper()
	b.put(name, data)
	b.git("add", "-A")
	b.git("commit", "-q", "-m", message)
}

func (b *bench) call(ctx context.Context, tool, repo, command string, args ...string) *capability.Outcome {
	b.t.Helper()
	raw, err := json.Marshal(map[string]any{"command": command, "repo": repo, "args": append([]string{}, args...)})
	if err != nil {
		b.t.Fatal(err)
	}
	b.n++
	b.asked = capability.Preview{}
	return b.run.Run(ctx, capability.Request{ID: "call-" + strconv.Itoa(b.n), Name: tool, Args: raw, Filter: capability.Filter{
		Turn: capability.Turn{Session: "s", ID: "t", Workspace: b.dir, Trust: capability.Operator, Attended: true},
	}})
}

func (b *bench) must(tool, command string, args ...string) capability.Result {
	b.t.Helper()
	o := b.call(b.t.Context(), tool, "", command, args...)
	if o.Failed() {
		b.t.Fatalf("%s %s %q: %v", tool, command, args, o.Err)
	}
	return o.Result
}

func (b *bench) read(command string, args ...string) capability.Result {
	b.t.Helper()
	return b.must("git_read", command, args...)
}

func (b *bench) write(command string, args ...string) capability.Result {
	b.t.Helper()
	return b.must("git_write", command, args...)
}

// fails holds that a call fails with a code that its tool declares.
func (b *bench) fails(code, tool, repo, command string, args ...string) *capability.UserError {
	b.t.Helper()
	o := b.call(b.t.Context(), tool, repo, command, args...)
	u, ok := capability.AsUserError(o.Err)
	if !ok || u.Code != code {
		b.t.Fatalf("%s %s %q: got %v %q, want %s", tool, command, args, o.Err, o.Result.Text, code)
	}
	return u
}

func (b *bench) state() (s Status) {
	b.t.Helper()
	if err := json.Unmarshal(b.read("status").Data, &s); err != nil {
		b.t.Fatal(err)
	}
	return s
}
