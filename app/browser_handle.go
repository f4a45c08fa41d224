package app

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"time"

	"github.com/hobkin/hobkin/browser/chromium"
	"github.com/hobkin/hobkin/core/capability"
	"github.com/hobkin/hobkin/core/config"
	"github.com/hobkin/hobkin/core/control"
	"github.com/hobkin/hobkin/core/lazy"
)

// browserStatus tells how the browser is, without starting it.
func (c *Core) browserStatus(ctx context.Context, _ none) (control.Browser, error) {
	cfg := c.cfg.Load().Browser
	out := control.Browser{Enabled: cfg.Enabled, Headless: cfg.Headless, Screen: hasScreen(), AllowHosts: cfg.AllowHosts, Attached: cfg.Attached}
	b, err := chromium.Find(chromium.Search{Path: cfg.Path, Headless: cfg.Headless || !out.Screen})
	if u, ok := capability.AsUserError(err); ok {
		out.Reason, out.Fix = u.Message, u.Try
	} else if err == nil {
		out.Program, out.Shell, out.Version = b.Path, b.Shell, c.browser.version(ctx, b.Path)
	}
	out.Profiles = c.browserProfiles(cfg)
	return out, nil
}

// version asks a program for its version, once for each state of its file. It
// is empty where that would open a window.
func (b *browsers) version(ctx context.Context, path string) string {
	info, err := os.Stat(path)
	if err != nil || runtime.GOOS == "windows" {
		return ""
	}
	key := path + info.ModTime().String()
	b.mu.Lock()
	known, ok := b.versions[key]
	b.mu.Unlock()
	if ok {
		return known
	}
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	said, err := exec.CommandContext(ctx, path, "--version").Output()
	if err != nil {
		return ""
	}
	known = versionRE().FindString(string(said))
	b.mu.Lock()
	defer b.mu.Unlock()
	b.versions[key] = known
	return known
}

var versionRE = lazy.Regexp(`\d+(\.\d+){1,3}`)

// browserProfiles lists the profiles, the usual one first.
func (c *Core) browserProfiles(cfg config.Browser) []control.BrowserProfile {
	running := c.browser.host.Running()
	var names []string
	entries, _ := os.ReadDir(c.browserDir("profiles")) // without the folder there are none
	for _, e := range entries {
		if e.IsDir() && config.ValidProfile(e.Name()) {
			names = append(names, e.Name())
		}
	}
	if !slices.Contains(names, cfg.Profile) {
		names = append(names, cfg.Profile)
	}
	out := make([]control.BrowserProfile, 0, len(names))
	for _, name := range names {
		p := control.BrowserProfile{Name: name, Usual: name == cfg.Profile}
		p.Bytes, p.Used = c.browser.size(name, filepath.Join(c.browserDir("profiles"), name))
		if st, ok := running[name]; ok && st.Running {
			p.Running, p.Window, p.Tabs = true, st.Window, len(st.Tabs)
		}
		out = append(out, p)
	}
	slices.SortStableFunc(out, func(a, b control.BrowserProfile) int {
		switch {
		case a.Usual == b.Usual:
			return 0
		case a.Usual:
			return -1
		}
		return 1
	})
	return out
}

// sized is how large a profile was.
type sized struct {
	bytes int64
	used  time.Time
	at    time.Time
}

// sizeTime is how long a size is believed: a profile has thousands of files.
const sizeTime = 30 * time.Second

// size adds up what a profile takes and when something in it changed last.
func (b *browsers) size(name, dir string) (int64, time.Time) {
	b.mu.Lock()
	known, ok := b.sizes[name]
	b.mu.Unlock()
	if ok && time.Since(known.at) < sizeTime {
		return known.bytes, known.used
	}
	now := sized{at: time.Now()}
	_ = filepath.WalkDir(dir, func(_ string, e fs.DirEntry, err error) error { // what cannot be read is not counted
		if err != nil {
			return nil //nolint:nilerr // see above
		}
		if info, err := e.Info(); err == nil && info.Mode().IsRegular() {
			now.bytes += info.Size()
			if info.ModTime().After(now.used) {
				now.used = info.ModTime()
			}
		}
		return nil
	})
	b.mu.Lock()
	defer b.mu.Unlock()
	b.sizes[name] = now
	return now.bytes, now.used
}

// forgetSize lets the next look at a profile be a fresh one.
func (b *browsers) forgetSize(name string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	delete(b.sizes, name)
}

// browserTest really starts the browser.
func (c *Core) browserTest(ctx context.Context, _ none) (control.BrowserTrial, error) {
	t, err := c.browser.host.Try(ctx)
	if u, ok := capability.AsUserError(err); ok {
		return control.BrowserTrial{Detail: u.Message, Fix: u.Try}, nil
	}
	if err != nil {
		return control.BrowserTrial{}, err
	}
	return control.BrowserTrial{OK: true, Version: versionRE().FindString(t.Product), Millis: t.Took.Milliseconds(), Detail: t.Sandbox}, nil
}

// browserOpen shows a profile in a window.
func (c *Core) browserOpen(ctx context.Context, id control.ID) error {
	if !hasScreen() {
		return &control.Error{Code: "no_screen", Message: "there is no screen to show a window on", Try: "use a computer with a screen"}
	}
	if err := c.knownProfile(id.ID); err != nil {
		return err
	}
	return socketError(c.browser.host.Show(ctx, id.ID))
}

// socketError makes a failure one of the socket.
func socketError(err error) error {
	if u, ok := capability.AsUserError(err); ok {
		return &control.Error{Code: u.Code, Message: u.Message, Try: u.Try}
	}
	return err
}

func (c *Core) knownProfile(name string) error {
	if config.ValidProfile(name) {
		return nil
	}
	return &control.Error{Code: "bad_profile", Message: fmt.Sprintf("%q is no name of a profile", name), Try: "use small letters, digits, _ and -"}
}

func (c *Core) browserStop(ctx context.Context, id control.ID) error {
	if err := c.knownProfile(id.ID); err != nil {
		return err
	}
	return socketError(c.browser.host.Stop(ctx, id.ID))
}

func (c *Core) browserClear(ctx context.Context, id control.ID) error {
	return c.emptyProfile(ctx, id.ID, false)
}

func (c *Core) browserDelete(ctx context.Context, id control.ID) error {
	if id.ID == c.cfg.Load().Browser.Profile {
		return &control.Error{Code: "usual_profile", Message: id.ID + " is the profile that is used when none is named", Try: "make another one the usual one first, or clear it"}
	}
	return c.emptyProfile(ctx, id.ID, true)
}

// emptyProfile closes the browser of a profile and deletes what is in it, and
// the profile itself if it is to go too. One that another process uses stays.
func (c *Core) emptyProfile(ctx context.Context, name string, whole bool) error {
	if err := c.browserStop(ctx, control.ID{ID: name}); err != nil {
		return err
	}
	root := c.browserDir("profiles")
	dir := filepath.Join(root, name)
	if _, err := os.Lstat(dir); errors.Is(err, fs.ErrNotExist) {
		return &control.Error{Code: "no_profile", Message: fmt.Sprintf("there is no profile %q", name)}
	}
	p, err := chromium.OpenProfile(ctx, root, name)
	if err != nil {
		return socketError(err)
	}
	err = errors.Join(p.Empty(), p.Close())
	if whole && err == nil {
		err = os.RemoveAll(dir)
	}
	c.browser.forgetSize(name)
	if err != nil {
		return fmt.Errorf("app: emptying the profile %s: %w", name, err)
	}
	return nil
}
