package tool

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/hobkin/hobkin/browser"
	"github.com/hobkin/hobkin/browser/page"
	"github.com/hobkin/hobkin/core/capability"
	"github.com/hobkin/hobkin/core/netguard"
	"github.com/hobkin/hobkin/core/sandbox"
)

// Tools is the package's set: the one capability.
var Tools capability.Set[*Host]

// Attached is the name of the profile that is the person's own browser.
const Attached = "attached"

// Settings are what the owner has set. They are asked for with each call.
type Settings struct {
	Enabled   bool
	Path      string // of the program; empty looks for one
	Headless  bool   // no window, also where there is a screen
	Profile   string // that is used when a call names none
	NoSandbox bool
	Idle      time.Duration
	MaxTabs   int
	Width     int // of the page, in CSS pixels
	Height    int
	Attached  int // port of the person's own browser; 0 is none
	// Tied reports whether a secret may be typed on a host without asking.
	Tied func(secret, host string, port int) bool
}

// A Host is what the tool works with. Its exported fields are set before the
// first call and not changed after.
type Host struct {
	Settings func() Settings
	Guard    *netguard.Guard // between every page and the network
	Policy   *sandbox.Policy // judges files that are uploaded
	Profiles string          // folder of the profiles, absolute
	Arrivals string          // folder where downloads arrive before they are handed on, absolute
	Screen   func() bool     // there is one to show a window on

	// Save keeps a picture or PDF beside the session and returns its path.
	Save func(ctx context.Context, call capability.Call, name string, data []byte) (path string, err error)
	// Folder is where the downloads of the session of a call go.
	Folder func(call capability.Call) (dir string, err error)
	// Secret reads one that the owner has stored. What it returns is known to
	// whatever hides secrets in texts.
	Secret func(ctx context.Context, name string) (string, error)

	mu       sync.Mutex
	closed   bool
	open     map[string]*running // by profile
	sessions map[string]*session // by id
	agreed   map[string]intent   // by call: what the person, or a rule, let through
}

// running is a browser with what the tool knows of its tabs.
type running struct {
	*browser.Browser

	profile string
	window  bool
	made    Settings // that it was made with
	// arrivals is where its downloads arrive and copies of uploads lie; it goes
	// with the browser.
	arrivals string
	before   []string // addresses that were open in the browser whose place it took; the host's mu guards it

	mu     sync.Mutex
	pages  map[string]*page.Page // by id of the tab
	handed map[string]bool       // downloads that were handed on, by id
}

// Close ends the browser and removes what it held for the meantime.
func (r *running) Close(ctx context.Context) error {
	return errors.Join(r.Browser.Close(ctx), os.RemoveAll(r.arrivals))
}

// session is what a conversation uses of the browser.
type session struct {
	profile  string // used last; empty is the usual one
	tab      map[string]string
	serial   map[string]int64 // of the last note that was told, by profile
	attached bool             // the person let it use their own browser
}

// maxSessions bounds what is remembered of conversations.
const maxSessions = 256

// of is what a conversation uses. The caller holds mu.
func (h *Host) of(id string) *session {
	s := h.sessions[id]
	if s == nil {
		if h.sessions == nil || len(h.sessions) >= maxSessions {
			h.sessions = map[string]*session{}
		}
		s = &session{tab: map[string]string{}, serial: map[string]int64{}}
		h.sessions[id] = s
	}
	return s
}

// profile is the profile that a call means: the one it names, the one its
// conversation used last, or the usual one.
func (h *Host) profile(call capability.Call, in *input) string {
	if in.Profile != "" {
		return in.Profile
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if p := h.of(call.Turn.Session).profile; p != "" {
		return p
	}
	return h.Settings().Profile
}

// browser returns the browser of a profile, made with the settings of now. It
// does not start it.
func (h *Host) browser(ctx context.Context, profile string, window bool) (*running, error) {
	s := h.Settings()
	switch {
	case !s.Enabled:
		return nil, switchedOff.Becausef("the browser is switched off in the settings")
	case profile == Attached && s.Attached == 0:
		return nil, notAttached.Becausef("no port of the person's own browser is set")
	}
	r, old, err := h.get(profile, s, window)
	if err == nil && old != nil {
		err = old.Close(ctx)
	}
	return r, err
}

// get finds the browser of a profile, or makes one and returns also the one
// whose place it takes, which is to be closed.
func (h *Host) get(profile string, s Settings, window bool) (r, old *running, err error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.closed {
		return nil, nil, browser.Stopped.Becausef("Hobkin is closing")
	}
	old = h.open[profile]
	if old != nil && old.made.same(s) && (old.window || !window) {
		return old, nil, nil
	}
	if r, err = h.make(profile, s, window || !s.Headless && h.screen()); err != nil {
		return nil, nil, err
	}
	if old != nil {
		r.before = old.addresses()
	}
	if h.open == nil {
		h.open = map[string]*running{}
	}
	h.open[profile] = r
	return r, old, nil
}

// addresses lists what the tabs show, as far as it can be opened again.
func (r *running) addresses() (list []string) {
	for _, t := range r.Tabs() {
		if strings.HasPrefix(t.URL, "http") {
			list = append(list, t.URL)
		}
	}
	return list
}

// same reports whether a browser that was made with s serves for other settings.
func (s Settings) same(o Settings) bool {
	return s.Path == o.Path && s.Headless == o.Headless && s.NoSandbox == o.NoSandbox && s.Idle == o.Idle && s.MaxTabs == o.MaxTabs &&
		s.Width == o.Width && s.Height == o.Height && s.Attached == o.Attached
}

func (h *Host) screen() bool { return h.Screen != nil && h.Screen() }

// make makes a browser of a profile. The caller holds mu.
func (h *Host) make(profile string, s Settings, window bool) (*running, error) {
	dir, err := h.arrivals()
	if err != nil {
		return nil, err
	}
	o := browser.Options{
		Profiles: h.Profiles, Profile: profile, Path: s.Path, Window: window, NoSandbox: s.NoSandbox, Guard: h.Guard,
		Downloads: dir, MaxTabs: s.MaxTabs, Idle: s.Idle, Width: s.Width, Height: s.Height,
	}
	if profile == Attached {
		o.Attach = attachAddress(s.Attached)
	}
	return &running{Browser: browser.New(o), profile: profile, window: window, made: s, arrivals: dir, pages: map[string]*page.Page{}}, nil
}

// leftOver is how old a folder of arrivals must be to count as left by an agent
// that was killed.
const leftOver = 24 * time.Hour

// arrivals makes a folder for what arrives, and removes what is left over there.
func (h *Host) arrivals() (string, error) {
	if err := os.MkdirAll(h.Arrivals, 0o700); err != nil {
		return "", fmt.Errorf("browser: %w", err)
	}
	old, err := os.ReadDir(h.Arrivals)
	if err != nil {
		return "", fmt.Errorf("browser: %w", err)
	}
	for _, e := range old {
		if info, err := e.Info(); err == nil && time.Since(info.ModTime()) > leftOver {
			_ = os.RemoveAll(filepath.Join(h.Arrivals, e.Name())) // found again the next time
		}
	}
	dir, err := os.MkdirTemp(h.Arrivals, "run-")
	if err != nil {
		return "", fmt.Errorf("browser: %w", err)
	}
	return dir, nil
}

// page is the page of a tab, with the references that its snapshots gave.
func (r *running) page(t *browser.Tab) *page.Page {
	r.mu.Lock()
	defer r.mu.Unlock()
	p := r.pages[t.ID()]
	if p == nil {
		live := map[string]*page.Page{}
		for _, one := range r.Tabs() { // those of closed tabs are let go of
			if old := r.pages[one.ID]; old != nil {
				live[one.ID] = old
			}
		}
		p = page.New(t)
		live[t.ID()] = p
		r.pages = live
	}
	return p
}

// Running lists the browsers that were made, by profile.
func (h *Host) Running() map[string]browser.Status {
	h.mu.Lock()
	open := maps.Clone(h.open)
	h.mu.Unlock()
	out := map[string]browser.Status{}
	for profile, r := range open {
		out[profile] = r.Status()
	}
	return out
}

// Show shows a profile in a window, for a person to sign in.
func (h *Host) Show(ctx context.Context, profile string) error {
	r, err := h.browser(ctx, profile, true)
	if err != nil {
		return err
	}
	if len(r.Tabs()) == 0 {
		_, err = r.New(ctx)
		return err
	}
	return r.Start(ctx)
}

// Stop closes the browser of a profile for good; its tabs are forgotten.
func (h *Host) Stop(ctx context.Context, profile string) error {
	h.mu.Lock()
	r := h.open[profile]
	delete(h.open, profile)
	for _, s := range h.sessions {
		delete(s.tab, profile)
		delete(s.serial, profile)
	}
	h.mu.Unlock()
	if r == nil {
		return nil
	}
	return r.Close(ctx)
}

// Close closes every browser. Later calls fail.
func (h *Host) Close(ctx context.Context) error {
	h.mu.Lock()
	h.closed = true
	open := h.open
	h.open = nil
	h.mu.Unlock()
	var errs []error
	for _, r := range open {
		errs = append(errs, r.Close(ctx))
	}
	return errors.Join(errs...)
}
