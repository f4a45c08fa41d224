package control

import (
	"context"
	"time"
)

// The methods about the browser of the agent's own.
const (
	MethodBrowser       = "browser.status"
	MethodBrowserTest   = "browser.test"
	MethodBrowserOpen   = "browser.open"
	MethodBrowserStop   = "browser.stop"
	MethodBrowserClear  = "browser.clear"
	MethodBrowserDelete = "browser.delete"
)

// Browser is the state of the browser of the agent's own.
type Browser struct {
	Enabled  bool   `json:"enabled"`
	Program  string `json:"program,omitempty"` // of Chromium; empty when none was found
	Version  string `json:"version,omitempty"` // such as 156.0.7401.52
	Shell    bool   `json:"shell,omitempty"`   // it is a headless shell, which has no windows
	Reason   string `json:"reason,omitempty"`  // why it cannot be used
	Fix      string `json:"fix,omitempty"`     // what to do about that, such as a command
	Headless bool   `json:"headless"`          // it runs without a window
	Screen   bool   `json:"screen"`            // there is one to show windows on

	Profiles   []BrowserProfile `json:"profiles"`
	AllowHosts []string         `json:"allow_hosts,omitempty"`
	Attached   int              `json:"attached,omitempty"` // port of the person's own browser; 0 is none
}

// A BrowserProfile is one set of cookies and what else sites store.
type BrowserProfile struct {
	Name    string    `json:"name"`
	Usual   bool      `json:"usual,omitempty"` // calls that name none use it
	Bytes   int64     `json:"bytes"`           // that it takes on the disk
	Used    time.Time `json:"used"`            // zero when never
	Running bool      `json:"running,omitempty"`
	Window  bool      `json:"window,omitempty"` // it runs with one
	Tabs    int       `json:"tabs,omitempty"`   // open ones
}

// A BrowserTrial is what starting the browser gave.
type BrowserTrial struct {
	OK      bool   `json:"ok"`
	Version string `json:"version,omitempty"`
	Millis  int64  `json:"millis"`           // until its first page was read
	Detail  string `json:"detail,omitempty"` // what is worth knowing, or why it failed
	Fix     string `json:"fix,omitempty"`
}

// Browser tells how the browser is.
func (c *Client) Browser(ctx context.Context) (Browser, error) {
	return ask[Browser](ctx, c, MethodBrowser, nil)
}

// TestBrowser starts the browser with an empty profile, reads a page of its own
// and ends it again.
func (c *Client) TestBrowser(ctx context.Context) (BrowserTrial, error) {
	return ask[BrowserTrial](ctx, c, MethodBrowserTest, nil)
}

// OpenBrowser shows a profile in a window, so that a person can sign in.
func (c *Client) OpenBrowser(ctx context.Context, profile string) error {
	return c.Do(ctx, MethodBrowserOpen, ID{profile}, nil)
}

// StopBrowser closes the browser of a profile; its tabs are forgotten.
func (c *Client) StopBrowser(ctx context.Context, profile string) error {
	return c.Do(ctx, MethodBrowserStop, ID{profile}, nil)
}

// ClearBrowser closes a profile's browser and empties the profile: one is
// signed out everywhere.
func (c *Client) ClearBrowser(ctx context.Context, profile string) error {
	return c.Do(ctx, MethodBrowserClear, ID{profile}, nil)
}

// DeleteBrowser closes a profile's browser and deletes the profile.
func (c *Client) DeleteBrowser(ctx context.Context, profile string) error {
	return c.Do(ctx, MethodBrowserDelete, ID{profile}, nil)
}
