package app

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"sync/atomic"
	"time"

	"github.com/hobkin/hobkin/app/login"
	"github.com/hobkin/hobkin/app/notify"
	"github.com/hobkin/hobkin/core/agent"
	"github.com/hobkin/hobkin/core/capability"
	"github.com/hobkin/hobkin/core/command"
	"github.com/hobkin/hobkin/core/config"
	"github.com/hobkin/hobkin/core/control"
	"github.com/hobkin/hobkin/core/netguard"
	"github.com/hobkin/hobkin/core/permission"
	"github.com/hobkin/hobkin/core/sandbox"
	"github.com/hobkin/hobkin/core/sandbox/confine"
	"github.com/hobkin/hobkin/core/secret"
	"github.com/hobkin/hobkin/core/store"
	"github.com/hobkin/hobkin/core/tools/file"
	"github.com/hobkin/hobkin/core/tools/system"
	"github.com/hobkin/hobkin/core/tools/web"
)

// A Core is the whole agent without a surface: what the desktop's background
// process holds, and what the command line runs itself when no desktop runs.
// It implements [control.Handler].
type Core struct {
	opts Options
	file config.File
	cfg  atomic.Pointer[config.Config]

	store    *store.Store
	hub      *agent.Hub
	agent    *agent.Agent
	registry *capability.Registry
	runner   *capability.Runner
	policy   *sandbox.Policy
	confiner confine.Confiner
	guard    *netguard.Guard
	servers  serverSet
	gate     *permission.Gate
	broker   *permission.Broker
	taint    *permission.Taint
	chat     *permission.Chat
	refused  *permission.RefusalLog
	secrets  *secret.Store
	redactor *secret.Redactor
	forms    *questions
	mark     []byte                     // what the private marks of prompts are made of
	checks   atomic.Pointer[guardrails] // the owner's
	files    *file.Host
	system   *system.Host
	web      *web.Host
	computer *screen
	browser  *browsers
	memory   *memories
	found    localServers
	jobs     scheduled
	commands *command.Table

	followers []follower // of the settings, in order
	changes   changes
}

// Options say how a core is opened.
type Options struct {
	Paths     config.Paths
	Workspace string // absolute folder to work in; empty takes the one of the settings
	Desktop   bool   // a background process that stays

	AtLogin  *login.Item                // starts the desktop at login; nil where it is not known how
	Notifier notify.Server              // nil where notifications cannot be shown
	Redactor *secret.Redactor           // nil makes one
	Show     func(session string) error // brings the window to the front; nil where there is none
	Quit     func()                     // ends the desktop; nil where there is none
}

// Open joins the parts. A config file that is wrong is an error; everything
// else that is broken is worked around and said by Info.
func Open(ctx context.Context, opts Options) (*Core, error) {
	if err := opts.Paths.Create(); err != nil {
		return nil, err
	}
	c := &Core{opts: opts, file: config.File{Path: opts.Paths.ConfigFile()}, redactor: opts.Redactor}
	cfg, err := c.file.Load()
	if err != nil {
		return nil, &control.Error{Code: "bad_config", Message: err.Error(), Try: "correct the file, then check it with: hobkin config check"}
	}
	c.cfg.Store(cfg)
	if c.redactor == nil {
		c.redactor = &secret.Redactor{}
	}
	if c.store, err = store.Open(ctx, store.Options{Dir: opts.Paths.Data, Care: opts.Desktop}); err != nil {
		return nil, err
	}
	if err := c.join(ctx); err != nil {
		c.computer.close()
		return nil, errors.Join(err, c.store.Close())
	}
	c.learnSecrets(ctx)
	c.boundUndo(ctx)
	return c, nil
}

// join builds everything above the store, from the bottom up.
func (c *Core) join(ctx context.Context) (err error) {
	if c.secrets, err = secret.Open(secret.Options{Dir: c.opts.Paths.Secrets(), Redactor: c.redactor}); err != nil {
		return err
	}
	if c.policy, err = sandbox.New(c.sandbox()); err != nil {
		return err
	}
	c.followers = append(c.followers, func(*config.Config) error { return c.policy.Update(c.sandbox()) })
	if c.guard, err = netguard.New(c.net()); err != nil {
		return err
	}
	c.followers = append(c.followers, func(*config.Config) error { return c.guard.Update(c.net()) })
	c.hub = &agent.Hub{Journal: c.store}
	c.forms = &questions{publish: c.publish}
	c.broker = &permission.Broker{OnRequest: c.asked, OnResolve: c.decided}
	c.gate = &permission.Gate{Policy: c.policy, Rules: rules{c}, Asker: c.broker}
	c.registry = &capability.Registry{}
	c.runner = &capability.Runner{
		Registry: c.registry,
		Approve:  c.gate.Approve,
		Redact:   c.redactor.Redact,
		Stream:   func() capability.TextStream { return c.redactor.Stream() },
		Save:     c.saveOutput,
		Limits:   c.resultLimits(),
	}
	c.results()
	if err = c.checked(); err != nil {
		return err
	}
	c.watchReading()
	c.joinJobs()
	if err = c.joinBrowser(); err != nil {
		return err
	}
	c.joinScreen() //nolint:contextcheck // it lives as long as the core
	if err := c.registry.RegisterAll(c.bind()...); err != nil {
		return err
	}
	if err := c.joinPresets(); err != nil {
		return err
	}
	c.joinCommands()
	c.joinServers() //nolint:contextcheck // they follow the settings, which outlive ctx
	c.agent = &agent.Agent{
		Registry: c.registry, Runner: c.runner, Journal: c.store, Compactions: c.store, Hub: c.hub,
		Models: c.choose, Modes: modePolicy, Offer: c.offer, Deferral: c.deferral, Facts: c.facts,
		Screen: c.screen, Holds: c.holds, Tuning: c.tuning,
		Began:    c.began,
		MaxSteps: c.cfg.Load().Agent.MaxSteps, Retries: true,
		Budgets: agent.Budgets{Ledger: c.store, List: c.budgets, GoOn: c.goOn},
		Caching: func() bool { return c.cfg.Load().Agent.PromptCaching },
	}
	c.joinLogin(ctx)
	confined{c}.clean()
	return c.recover(ctx)
}

// recover ends what a killed desktop left open. Only the desktop does it: a
// command's core may run beside one.
func (c *Core) recover(ctx context.Context) error {
	if !c.opts.Desktop {
		return nil
	}
	list, err := c.store.Sessions(ctx, store.Query{Limit: recoverMost})
	if err != nil {
		return err
	}
	ids := make([]string, len(list))
	for i, s := range list {
		ids[i] = s.ID
	}
	if _, err := c.agent.Recover(ctx, ids); err != nil {
		slog.WarnContext(ctx, "app: recovering", "error", err)
	}
	return nil
}

// closeTime is how long turns and commands may take to end when the core closes.
const closeTime = 10 * time.Second

// recoverMost is how many of the newest sessions are looked at after a start:
// what was interrupted is among the last that changed.
const recoverMost = 20

// Close stops all turns and commands and closes the database.
func (c *Core) Close() error {
	ctx, cancel := context.WithTimeout(context.Background(), closeTime)
	defer cancel()
	err := c.agent.Close(ctx)
	c.computer.close()
	err = errors.Join(err, c.browser.close(ctx))
	c.closeServers()
	return errors.Join(err, c.system.Close(), c.web.Close(), c.store.Close())
}

// Client returns a client of this very core. Its Close closes the core.
func (c *Core) Client() *control.Client {
	return &control.Client{Transport: &control.Local{Handler: c, Closer: c.Close}}
}

// Follow takes in changes of the settings until ctx ends. What is wrong is told
// and the old settings go on.
func (c *Core) Follow(ctx context.Context) error {
	updates, err := c.file.Watch(ctx)
	if err != nil {
		return err
	}
	bounding := make(chan struct{})
	go func() {
		defer close(bounding)
		if err := c.secrets.Learn(ctx, true); err != nil { // the keyring may take its time
			slog.WarnContext(ctx, "app: secrets that cannot be read", "error", err)
		}
		c.keepUndoBounded(ctx)
	}()
	defer func() { <-bounding }()
	defer c.memory.reviewing(ctx)()
	if err := c.reload(); err != nil { // it may have changed before it was watched
		c.tellSettings(ctx, err)
	}
	for u := range updates {
		if u.Err == nil {
			if u.Err = c.take(u.Config); u.Err == nil {
				continue
			}
		}
		c.tellSettings(ctx, u.Err)
	}
	return nil
}

// tellSettings says that the settings file is wrong and what that means.
func (c *Core) tellSettings(ctx context.Context, err error) {
	slog.WarnContext(ctx, "app: the settings file is wrong; the settings of before go on", "error", err)
	c.alert(ctx, "The settings file is wrong; the settings of before go on", err)
}

// alert tells the person of a trouble that no window shows.
func (c *Core) alert(ctx context.Context, title string, err error) {
	if c.opts.Notifier == nil {
		return
	}
	_, err = c.opts.Notifier.Show(ctx, notify.Notification{Title: title, Body: err.Error(), Urgency: notify.Normal})
	if err != nil {
		slog.WarnContext(ctx, "app: showing a notification", "error", err)
	}
}

// workspace is the folder that turns work in when they do not say.
func (c *Core) workspace() string {
	if c.opts.Workspace != "" {
		return c.opts.Workspace
	}
	return c.cfg.Load().Agent.Workspace
}

// sandbox is the path policy's configuration from the settings.
func (c *Core) sandbox() sandbox.Config {
	cfg, p := c.cfg.Load(), c.opts.Paths
	return sandbox.Config{
		Mode: sandbox.Mode(cfg.Sandbox.Mode), Workspace: cfg.Agent.Workspace,
		AllowedRoots: cfg.Sandbox.AllowedRoots, BlockedRoots: cfg.Sandbox.BlockedRoots,
		Own: p.Own(), Skills: filepath.Join(p.Data, "skills"),
		Shared: []string{filepath.Join(p.Data, "sessions")},
		Log:    filepath.Join(p.State, "refusals.jsonl"),
		Redact: c.redactor.Redact,
	}
}

// publish puts an event of ours into a session's stream.
func (c *Core) publish(ctx context.Context, session, turn string, p agent.Payload) error {
	if session == "" {
		return nil
	}
	_, err := c.hub.Publish(ctx, session, turn, p)
	return err
}

func modePolicy(mode string) *capability.Policy {
	m, err := permission.ParseMode(mode)
	if err != nil {
		m = permission.Plan // an unknown mode lets nothing be changed
	}
	return permission.Filter(m)
}

// offer leaves out the tools that the owner switched off, and for jobs more.
func (c *Core) offer(turn capability.Turn) capability.Filter {
	return c.jobOffer(turn, capability.Filter{ExcludedNames: append(slices.Clone(c.cfg.Load().Tools.Disabled), c.browserLeftOut(turn)...)})
}

func (c *Core) facts(turn capability.Turn) agent.Facts {
	return agent.Facts{Extra: append(c.memory.parts(turn), c.jobFacts(turn)...), Marker: c.canary(turn.Session).Line(), Sandbox: fmt.Sprintf("%s: files may be changed in %v", c.cfg.Load().Sandbox.Mode, c.policy.Roots(turn))}
}

// MakeWorkspace makes the folder of the settings, so that a first run has one.
func (c *Core) MakeWorkspace() error {
	dir := c.workspace()
	if dir == "" {
		return nil
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return fmt.Errorf("app: making the workspace: %w", err)
	}
	return nil
}
