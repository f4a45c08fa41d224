package app

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"sync"
	"time"

	"github.com/hobkin/hobkin/browser/tool"
	"github.com/hobkin/hobkin/core/capability"
	"github.com/hobkin/hobkin/core/config"
	"github.com/hobkin/hobkin/core/control"
	"github.com/hobkin/hobkin/core/netguard"
)

// browsers is what the core has of the browser of its own.
type browsers struct {
	host  *tool.Host
	guard *netguard.Guard // the one of the settings, with the browser's own hosts

	mu       sync.Mutex
	versions map[string]string // of programs, by path and time of change
	sizes    map[string]sized  // of profiles, by name
}

// joinBrowser makes the guard of the browser. Nothing is started before the tool
// is used.
func (c *Core) joinBrowser() (err error) {
	c.browser = &browsers{versions: map[string]string{}, sizes: map[string]sized{}}
	if c.browser.guard, err = netguard.New(c.browserNet()); err != nil {
		return err
	}
	c.followers = append(c.followers, func(*config.Config) error { return c.browser.guard.Update(c.browserNet()) })
	return nil
}

// browserNet is the configuration of the guard between pages and the network.
func (c *Core) browserNet() netguard.Config {
	n := c.net()
	n.AllowHosts = slices.Concat(n.AllowHosts, c.cfg.Load().Browser.AllowHosts)
	return n
}

// browserHost is what the browser tool works with.
func (c *Core) browserHost() *tool.Host {
	h := &tool.Host{
		Settings: c.browserSettings, Policy: c.policy, Screen: hasScreen,
		Profiles: c.browserDir("profiles"), Arrivals: c.browserDir("arrivals"),
		Save: func(ctx context.Context, call capability.Call, name string, data []byte) (string, error) {
			return c.store.SaveMedia(ctx, outputsOf(call.Turn.Session), call.ID, name, data)
		},
		Folder: func(call capability.Call) (string, error) { return c.store.Downloads(outputsOf(call.Turn.Session)) },
		Secret: func(ctx context.Context, name string) (string, error) {
			v, err := c.secrets.Get(ctx, name)
			return v.Reveal(), err
		},
	}
	if c.browser != nil { // else the tools are told about, not run
		h.Guard, c.browser.host = c.browser.guard, h
	}
	return h
}

func (c *Core) browserDir(name string) string {
	return filepath.Join(c.opts.Paths.Data, "browser", name)
}

// browserSettings are the settings of now.
func (c *Core) browserSettings() tool.Settings {
	b := c.cfg.Load().Browser
	return tool.Settings{
		Enabled: b.Enabled, Path: b.Path, Headless: b.Headless, Profile: b.Profile, NoSandbox: b.NoSandbox, Idle: b.Idle.Std(),
		MaxTabs: b.MaxTabs, Width: b.Width, Height: b.Height, Attached: b.Attached, Tied: b.Tied,
	}
}

// hasScreen reports whether a window could be shown.
func hasScreen() bool {
	if runtime.GOOS == "windows" || runtime.GOOS == "darwin" {
		return true
	}
	return os.Getenv("DISPLAY") != "" || os.Getenv("WAYLAND_DISPLAY") != ""
}

// browserLeftOut names the browser where it is not offered: switched off, and in
// jobs that do not name it among their tools.
func (c *Core) browserLeftOut(turn capability.Turn) []string {
	if !c.cfg.Load().Browser.Enabled {
		return []string{"browser"}
	}
	if turn.Channel != jobChannel {
		return nil
	}
	if j, ok := c.jobs.of(turn); ok && slices.Contains(j.Tools, "browser") {
		return nil
	}
	return []string{"browser"}
}

// browserGrace is how long browsers may take to write their profiles down when
// the core closes.
const browserGrace = 8 * time.Second

func (b *browsers) close(ctx context.Context) error {
	if b == nil || b.host == nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), browserGrace)
	defer cancel()
	return b.host.Close(ctx)
}

// checkBrowser really starts the browser and reads a page of its own.
func (c *Core) checkBrowser(ctx context.Context) control.Check {
	if !c.cfg.Load().Browser.Enabled {
		return control.Check{Status: "not_applicable", Detail: "it is switched off"}
	}
	t, err := c.browser.host.Try(ctx)
	switch u, told := capability.AsUserError(err); {
	case told:
		return warning(u.Message, u.Try)
	case errors.Is(err, context.DeadlineExceeded):
		return warning(fmt.Sprintf("it did not show a page within %v", checkTime), "try again when this machine has less to do")
	case err != nil:
		return failed(err, "")
	case t.Unsandboxed:
		return warning(t.Product+" works, but "+lower(t.Sandbox), "run Hobkin as an ordinary user, and leave browser.no_sandbox false")
	}
	return passed("%s showed its first page after %v; its sandbox is on", t.Product, t.Took.Round(10*time.Millisecond))
}

// lower makes the first letter of a sentence small and takes its end off.
func lower(sentence string) string {
	if sentence == "" {
		return ""
	}
	return string(sentence[0]|0x20) + trimStop(sentence[1:])
}

func trimStop(s string) string {
	if n := len(s); n > 0 && s[n-1] == '.' {
		return s[:n-1]
	}
	return s
}
