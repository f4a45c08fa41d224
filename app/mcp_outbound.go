package app

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/hobkin/hobkin/core/capability"
	"github.com/hobkin/hobkin/core/config"
	"github.com/hobkin/hobkin/core/mcp/outbound"
	"github.com/hobkin/hobkin/core/netguard"
	"github.com/hobkin/hobkin/core/process"
	"github.com/hobkin/hobkin/core/sandbox"
	"github.com/hobkin/hobkin/core/secret"
	"github.com/hobkin/hobkin/core/store"
)

// A serverSet is the tool servers of a core, and whether they were started.
type serverSet struct {
	*outbound.Manager
	start sync.Once
	on    atomic.Bool
	tasks sync.WaitGroup // applies settings
	logins
}

// joinServers makes the manager of tool servers. Nothing is started yet: a
// command that needs none should not wait for any.
func (c *Core) joinServers() {
	c.servers.Manager = outbound.NewManager(c.registry, pins{c.store}, asServers{c}.host(), c.serverChanged)
	if err := c.registry.RegisterAll(c.servers.Capabilities()...); err != nil {
		slog.Error("app: the tools about tool servers", "error", err)
	}
	c.followers = append(c.followers, func(*config.Config) error {
		if c.servers.on.Load() { // it ends old ones, which takes its time
			c.servers.tasks.Go(func() {
				ctx := context.Background() // the settings changed, and nobody waits
				c.servers.Apply(ctx, c.serverSpecs(ctx))
				c.tellRoots(ctx)
			})
		}
		return nil
	})
}

// tellRoots tells servers of the folders that they are to keep to, where those
// have changed.
func (c *Core) tellRoots(ctx context.Context) {
	now := asServers{c}.host().Roots()
	c.servers.mu.Lock()
	changed := !slices.Equal(c.servers.roots, now)
	c.servers.roots = now
	c.servers.mu.Unlock()
	if changed {
		ctx, cancel := context.WithTimeout(ctx, serverWait)
		defer cancel()
		c.servers.RootsChanged(ctx)
	}
}

// StartServers starts the tool servers of the settings, and keeps to them when
// they change. It does not wait for them.
func (c *Core) StartServers(ctx context.Context) {
	c.servers.start.Do(func() {
		c.servers.on.Store(true)
		c.servers.mu.Lock()
		c.servers.roots = asServers{c}.host().Roots()
		c.servers.mu.Unlock()
		c.servers.Apply(ctx, c.serverSpecs(ctx))
	})
}

// serverWait is how long a turn or a call waits for servers that are starting:
// long enough for a program from a package registry that is there already.
const serverWait = 10 * time.Second

// needServers sees to it that the tools of servers are there, as far as they
// can be without waiting for long.
func (c *Core) needServers(ctx context.Context) {
	c.StartServers(ctx)
	c.servers.Wait(ctx, serverWait)
}

// closeServers ends all servers.
func (c *Core) closeServers() {
	c.servers.logins.end()
	c.servers.Close()
	c.servers.tasks.Wait()
}

// serverChanged tells of a server that was given up: the person cannot know
// why tools are missing.
func (c *Core) serverChanged(s outbound.Status) {
	switch s.State {
	case outbound.Quarantined:
		c.alert(context.Background(), "The tool server "+s.Name+" does not work", fmt.Errorf("%s. Try again with: hobkin mcp retry %s", s.Reason, s.Name))
	case outbound.NeedsLogin:
		c.alert(context.Background(), "The tool server "+s.Name+" wants you to sign in", errors.New("Sign in with: hobkin mcp login "+s.Name))
	case outbound.Failed:
		if s.Lost {
			c.alert(context.Background(), "The tool server "+s.Name+" was lost", fmt.Errorf("%s. It is being connected again", s.Reason))
		}
	case outbound.Ready:
		slog.Info("app: a tool server is ready", "server", s.Name, "tools", s.Tools)
		if len(s.Held) > 0 {
			c.alert(context.Background(), "Tools of "+s.Name+" were changed and are held back", fmt.Errorf("look at the changes with: hobkin mcp list %s", s.Name))
		}
	}
}

func (c *Core) serverSpecs(ctx context.Context) []outbound.Spec {
	cfg := c.cfg.Load()
	out := make([]outbound.Spec, 0, len(cfg.MCP.Servers))
	for name, s := range cfg.MCP.Servers {
		out = append(out, c.serverSpec(ctx, name, s))
	}
	slices.SortFunc(out, func(a, b outbound.Spec) int { return strings.Compare(a.Name, b.Name) })
	return out
}

// serverSpec makes a server of the settings.
func (c *Core) serverSpec(ctx context.Context, name string, s config.MCPServer) outbound.Spec {
	raw, err := json.Marshal([]any{s, c.cfg.Load().MCP.Document}) // whatever changes there makes a new connection
	if err != nil {
		raw = fmt.Append(nil, s)
	}
	spec := outbound.Spec{
		Name: name, URL: s.URL, Headers: s.Headers, Shown: s.URL, Disabled: s.Disabled, Version: string(raw),
		StartTime: s.StartTime(), CallTime: s.CallTime(), Tools: map[string]outbound.Override{},
	}
	for tool, t := range s.Tools {
		spec.Tools[tool] = outbound.Override{Class: capability.Class(t.PolicyClass), Hidden: t.HiddenFromAgent}
	}
	if s.Command == "" {
		spec.Client = c.serverClient()
		switch s.Auth {
		case "":
		case "oauth":
			spec.OAuth = c.oauth(ctx, name, s)
		default:
			spec.Bearer = func(ctx context.Context) (string, error) {
				v, err := c.secrets.Resolve(ctx, s.Auth)
				return v.Reveal(), err
			}
		}
		return spec
	}
	spec.Shown = strings.Join(append([]string{s.Command}, s.Args...), " ")
	spec.Program = func(ctx context.Context) (process.Command, error) { return c.serverProgram(ctx, name, s) }
	return spec
}

// serverClient makes requests to servers. The owner has named their addresses,
// so inner ones are allowed; where they redirect to, is not theirs to say.
func (c *Core) serverClient() *http.Client {
	return &http.Client{
		Transport:     &http.Transport{Proxy: http.ProxyFromEnvironment, TLSHandshakeTimeout: 10 * time.Second, IdleConnTimeout: time.Minute, ForceAttemptHTTP2: true},
		CheckRedirect: netguard.SameOriginRedirects(nil),
	}
}

// serverProgram is what is started for a server.
func (c *Core) serverProgram(ctx context.Context, name string, s config.MCPServer) (process.Command, error) {
	env, err := c.serverEnv(ctx, name, s)
	if err != nil {
		return process.Command{}, err
	}
	dir := or(s.Dir, c.workspace())
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return process.Command{}, fmt.Errorf("its folder %s cannot be made: %w", dir, err)
	}
	path, err := lookIn(s.Command, env, dir)
	if err != nil {
		return process.Command{}, err
	}
	cmd := process.Command{
		Args: append([]string{path}, s.Args...), Dir: dir, Env: env,
		Mark: "mcp-" + name + "-" + strings.ToLower(rand.Text()[:8]),
	}
	if s.Confine {
		held, said, err := confined{c}.shell(capability.Turn{Workspace: dir, Channel: "cli", Trust: capability.Operator}, env) //nolint:contextcheck // these have time limits and ends of their own
		if err != nil {
			return process.Command{}, err
		}
		if held == nil {
			slog.WarnContext(ctx, "app: a tool server runs unconfined", "server", name, "why", said)
		}
		cmd.Confine = held
	}
	return cmd, nil
}

// serverEnv is the environment of a server's program: the few harmless names,
// the PATH of a login shell, and what its entry names.
func (c *Core) serverEnv(ctx context.Context, server string, s config.MCPServer) ([]string, error) {
	vars := map[string]string{}
	for _, kv := range sandbox.Env(sandbox.EnvConfig{}) { //nolint:contextcheck // no sources are named
		k, v, _ := strings.Cut(kv, "=")
		vars[k] = v
	}
	if path := loginPath(ctx); path != "" {
		vars["PATH"] = path
	}
	sources := c.cfg.Load().Sandbox.Env.Sources
	for _, name := range s.PassEnv {
		value, err := c.passed(ctx, server, name, sources)
		if err != nil {
			return nil, fmt.Errorf("the variable %s of pass_env: %w", name, err)
		}
		vars[name] = value
	}
	maps.Copy(vars, s.Env)
	env := make([]string, 0, len(vars))
	for k, v := range vars {
		env = append(env, k+"="+v)
	}
	slices.Sort(env)
	return env, nil
}

// passed is the value of a variable: from its source in the settings, else from
// the secret that is for this server alone, else from our own environment.
func (c *Core) passed(ctx context.Context, server, name string, sources map[string]config.EnvSource) (string, error) {
	if from, ok := sources[name]; ok {
		return c.source(from)(ctx)
	}
	own := "mcp-" + server + "-" + name
	v, err := c.secrets.Get(ctx, own)
	if err == nil || !errors.Is(err, secret.ErrNotFound) && !errors.Is(err, secret.ErrName) {
		return v.Reveal(), err
	}
	if v, ok := os.LookupEnv(name); ok {
		return v, nil
	}
	return "", fmt.Errorf("it is neither in the environment nor in [sandbox.env.sources]; store it with: hobkin secrets set %s", own)
}

// lookIn finds a program on the PATH that it will have, not on ours.
func lookIn(name string, env []string, dir string) (string, error) {
	if strings.ContainsRune(name, filepath.Separator) {
		if !filepath.IsAbs(name) {
			name = filepath.Join(dir, name)
		}
		return name, nil
	}
	path := variable(env, "PATH")
	for _, d := range filepath.SplitList(path) {
		full := filepath.Join(d, name)
		if info, err := os.Stat(full); err == nil && info.Mode().IsRegular() && info.Mode().Perm()&0o111 != 0 {
			return full, nil
		}
	}
	return "", fmt.Errorf("the program %s is not found on your login shell's PATH (%s)", name, path)
}

// pins keep definitions of tools in the database.
type pins struct{ store *store.Store }

// Pins implements [outbound.Pins].
func (p pins) Pins(ctx context.Context, server string) (map[string]outbound.Tool, error) {
	rows, err := p.store.ToolPins(ctx, server)
	if err != nil {
		return nil, err
	}
	out := map[string]outbound.Tool{}
	for name, raw := range rows {
		var t outbound.Tool
		if err := json.Unmarshal([]byte(raw), &t); err != nil { // a damaged row differs from every definition
			t = outbound.Tool{Name: name}
		}
		out[name] = t
	}
	return out, nil
}

// Pin implements [outbound.Pins].
func (p pins) Pin(ctx context.Context, server string, tools []outbound.Tool) error {
	rows := map[string]string{}
	for _, t := range tools {
		raw, err := json.Marshal(t)
		if err != nil {
			return fmt.Errorf("app: a tool's definition: %w", err)
		}
		rows[t.Name] = string(raw)
	}
	return p.store.PinTools(ctx, server, rows)
}
